/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_ELF_H
#define CONTEND_BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What an ELF file says of itself (elf(5)), without loading it: a shared object must be known for
 * what it is before any code of it runs. The file may be anybody's; nothing that it says is
 * trusted.
 */

/* In hex, of 20 bytes, as GNU ld and lld make it; more of another kind is cut. */
enum { ELF_BUILD_TEXT = 2 * 20 + 1 };

/* Looks for the build id among notes; ret is "" where there is none. */
void elf_build_id_of_notes(const void *notes, size_t length, char ret[ELF_BUILD_TEXT]);

/*
 * Refuses (ERROR_DATA) what dlopen() in a program of this machine could not load: no ELF file,
 * another word size, byte order or machine, a program or an object of the compiler's.
 */
bool elf_check_shared(const void *file, size_t length, struct error *err);

/* The build id of such a file; "" where it has none. */
void elf_build_id(const void *file, size_t length, char ret[ELF_BUILD_TEXT]);

/*
 * Goes through the names that such a file defines for others (its dynamic symbols), in its order:
 * *at begins at 0. Returns the next name, which lies in the file, or NULL behind the last one.
 */
const char *elf_next_defined(const void *file, size_t length, size_t *at);

bool elf_defines(const void *file, size_t length, const char *name);

#endif
