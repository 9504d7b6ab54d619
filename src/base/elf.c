// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/elf.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
	OUR_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
	OUR_DATA = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
};

/* The header of this very program, which the linker put there (the same machine by definition). */
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));

/* In 64 bits, so that no length that a file names runs over. */
static uint64_t padded(uint64_t length)
{
	return (length + 3) & ~UINT64_C(3);
}

void elf_build_id_of_notes(const void *notes, size_t length, char ret[ELF_BUILD_TEXT])
{
	const char *at = notes;

	ret[0] = '\0';
	while (length >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		const unsigned char *id;
		uint64_t taken;

		memcpy(&note, at, sizeof(note));
		taken = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (taken > length)
			return;
		id = (const unsigned char *)at + sizeof(note) + padded(note.n_namesz);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(at + sizeof(note), "GNU", sizeof("GNU"))) {
			for (size_t i = 0; i < note.n_descsz && i < ELF_BUILD_TEXT / 2; i++)
				snprintf(ret + 2 * i, 3, "%02x", id[i]);
			return;
		}
		at += taken;
		length -= taken;
	}
}

/* A piece of the file; NULL where that does not lie in it. */
static const char *piece(const void *file, size_t length, uint64_t at, uint64_t bytes)
{
	if (at > length || bytes > length - at)
		return NULL;
	return (const char *)file + at;
}

/* Copies what may not be aligned. */
static bool copy(const void *file, size_t length, uint64_t at, void *ret, size_t bytes)
{
	const char *from = piece(file, length, at, bytes);

	if (from)
		memcpy(ret, from, bytes);
	return from;
}

static bool read_section(const void *file, size_t length, size_t index, ElfW(Shdr) * ret)
{
	ElfW(Ehdr) header;

	return copy(file, length, 0, &header, sizeof(header)) && index < header.e_shnum &&
	       header.e_shentsize == sizeof(*ret) &&
	       copy(file, length, header.e_shoff + index * sizeof(*ret), ret, sizeof(*ret));
}

/* The first section of a type. */
static bool find_section(const void *file, size_t length, uint32_t type, size_t from,
			 ElfW(Shdr) * ret, size_t *ret_index)
{
	for (size_t i = from; read_section(file, length, i, ret); i++) {
		if (ret->sh_type == type) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool elf_check_shared(const void *file, size_t length, struct error *err)
{
	ElfW(Ehdr) header;

	if (length < sizeof(header) || memcmp(file, ELFMAG, SELFMAG) != 0)
		return error_set(err, ERROR_DATA, "not a shared object: it is no ELF file");
	memcpy(&header, file, sizeof(header));
	if (header.e_ident[EI_CLASS] != OUR_CLASS)
		return error_set(err, ERROR_DATA, "a file for %d-bit programs, this one has %zu",
				 header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32,
				 8 * sizeof(void *));
	if (header.e_ident[EI_DATA] != OUR_DATA)
		return error_set(err, ERROR_DATA, "a file for machines of another byte order");
	if (&__ehdr_start && header.e_machine != __ehdr_start.e_machine)
		return error_set(err, ERROR_DATA,
				 "a file for another machine: ELF machine %u, this one is %u",
				 header.e_machine, __ehdr_start.e_machine);
	if (header.e_type == ET_REL)
		return error_set(err, ERROR_DATA,
				 "not a shared object but an object file of the compiler: link it "
				 "with -shared");
	if (header.e_type != ET_DYN)
		return error_set(err, ERROR_DATA, "not a shared object: ELF type %u",
				 header.e_type);
	return true;
}

void elf_build_id(const void *file, size_t length, char ret[ELF_BUILD_TEXT])
{
	ElfW(Shdr) section;
	const char *notes;

	ret[0] = '\0';
	for (size_t i = 0; find_section(file, length, SHT_NOTE, i, &section, &i); i++) {
		notes = piece(file, length, section.sh_offset, section.sh_size);
		if (notes)
			elf_build_id_of_notes(notes, section.sh_size, ret);
		if (*ret)
			return;
	}
}

/* A name in a table of names, NULL where it does not end in it. */
static const char *name_at(const void *file, size_t length, const ElfW(Shdr) * table, uint32_t at)
{
	const char *names = piece(file, length, table->sh_offset, table->sh_size);

	if (!names || at >= table->sh_size || !memchr(names + at, 0, table->sh_size - at))
		return NULL;
	return names + at;
}

const char *elf_next_defined(const void *file, size_t length, size_t *at)
{
	ElfW(Shdr) table, names;
	ElfW(Sym) symbol;
	size_t ignored;

	if (!find_section(file, length, SHT_DYNSYM, 0, &table, &ignored) ||
	    !read_section(file, length, table.sh_link, &names))
		return NULL;
	while (*at < table.sh_size / sizeof(symbol) &&
	       copy(file, length, table.sh_offset + *at * sizeof(symbol), &symbol,
		    sizeof(symbol))) {
		const char *name = name_at(file, length, &names, symbol.st_name);

		(*at)++;
		if (name && *name && symbol.st_shndx != SHN_UNDEF)
			return name;
	}
	return NULL;
}

bool elf_defines(const void *file, size_t length, const char *name)
{
	const char *defined;

	for (size_t at = 0; (defined = elf_next_defined(file, length, &at));) {
		if (text_equal(defined, name))
			return true;
	}
	return false;
}
