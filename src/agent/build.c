// SPDX-License-Identifier: GPL-2.0-or-later
#include <link.h>

#include "agent/agent.h"
#include "base/elf.h"

/* The program itself comes first. */
static int look_into(struct dl_phdr_info *object, size_t size, void *build)
{
	(void)size;
	for (size_t i = 0; i < object->dlpi_phnum && !*(const char *)build; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE)
			elf_build_id_of_notes((const void *)(object->dlpi_addr + segment->p_vaddr),
					      segment->p_memsz, build);
	}
	return 1;
}

const char *agent_build(void)
{
	static char build[ELF_BUILD_TEXT];

	if (!*build)
		dl_iterate_phdr(look_into, build);
	return build;
}
