/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_KERNEL_FACT_H
#define CONTEND_KERNEL_FACT_H

#include "model/json.h"

/*
 * How the readers of this folder add one fact to the description of a machine (kernel/host.h). What
 * cannot be read adds nothing: absent means unknown.
 */

/*
 * Adds a string where there is one, control characters in it and all. Takes it; NULL, "" add
 * nothing.
 */
void fact_add(json_t *host, const char *key, char *value);

/* The first line of a file. */
void fact_add_line(json_t *host, const char *key, const char *root, const char *path);

/* The same where an empty line means that there is none of it: "none". */
void fact_add_list(json_t *host, const char *key, const char *root, const char *path);

/* A file that holds one whole number. */
void fact_add_integer(json_t *host, const char *key, const char *root, const char *path);

/* A file that holds 0 or 1, N or Y: "off" or "on"; inverted, the other way around. */
void fact_add_switch(json_t *host, const char *key, const char *root, const char *path,
		     bool inverted);

/* "always [madvise] never": the word in brackets. Owned by the caller; NULL: there is none. */
char *fact_chosen(const char *root, const char *path);

/*
 * The value behind the first "name<blanks>: value" in the first 8 KiB of a file such as
 * /proc/cpuinfo, which would describe each CPU. Owned by the caller; NULL: there is none.
 */
char *fact_field(const char *root, const char *path, const char *name);

#endif
