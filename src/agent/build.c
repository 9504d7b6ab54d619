// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "agent/agent.h"

/* Of 20 bytes, as GNU ld and lld make it; more of another kind is cut. */
enum { BUILD_BYTES = 20 };

struct search {
	char text[2 * BUILD_BYTES + 1];
};

static size_t padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

/* Looks for the build id in a program's notes (elf(5), "Notes"). */
static void search_notes(const char *at, size_t length, struct search *search)
{
	while (length >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		const unsigned char *id;
		size_t taken;

		memcpy(&note, at, sizeof(note));
		taken = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (taken > length)
			return;
		id = (const unsigned char *)at + sizeof(note) + padded(note.n_namesz);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(at + sizeof(note), "GNU", sizeof("GNU"))) {
			for (size_t i = 0; i < note.n_descsz && i < BUILD_BYTES; i++)
				snprintf(search->text + 2 * i, 3, "%02x", id[i]);
			return;
		}
		at += taken;
		length -= taken;
	}
}

/* The program itself comes first. */
static int look_into(struct dl_phdr_info *object, size_t size, void *context)
{
	(void)size;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE)
			search_notes((const char *)(object->dlpi_addr + segment->p_vaddr),
				     segment->p_memsz, context);
	}
	return 1;
}

const char *agent_build(void)
{
	static struct search search;

	if (!*search.text)
		dl_iterate_phdr(look_into, &search);
	return search.text;
}
