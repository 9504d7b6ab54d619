/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_JOURNAL_UNDO_H
#define CONTEND_SETUP_JOURNAL_UNDO_H

#include "setup/journal.h"
#include "setup/journal_file.h"

/* The kinds of changes, and how each is undone. */
enum journal_act {
	JOURNAL_WRITE,	     /* path, value: what is written back */
	JOURNAL_GROUP,	     /* path: emptied and removed */
	JOURNAL_SWAP_ON,     /* path: swapped off */
	JOURNAL_SWAP_OFF,    /* path, priority: swapped on */
	JOURNAL_ZRAM_ADD,    /* there: numbers before; an unused one besides is removed */
	JOURNAL_ZRAM_REMOVE, /* number: removed */
	JOURNAL_ZRAM_RESET,  /* number: reset */
	JOURNAL_NODE,	     /* path: removed */
};

extern const char *const journal_act_words[]; /* and NULL */

/*
 * What is in a file of the kernel, as it is written back: of "always [madvise] never" madvise. Owned by
 * the caller; NULL: it cannot be read.
 */
char *journal_value(const char *root, const char *path, struct error *err);

/* journal_undo() of a file. Every kind may be undone twice, and may not have been done at all. */
bool journal_undo_file(const char *root, struct journal_file *file,
		       const struct journal_watch *watch, json_t *ret_done, json_t *ret_failed);

#endif
