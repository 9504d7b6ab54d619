/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_JOURNAL_H
#define CONTEND_SETUP_JOURNAL_H

#include "base/text.h"
#include "kernel/swap.h"
#include "model/json.h"

/*
 * The undo journal: the one way in which a setup changes the machine. Each call keeps what is there
 * now, durably (setup/journal_file.h), and then makes the change. Undoing goes through it
 * backwards. So a setup has no undo of its own, and none can be forgotten, whoever died.
 *
 * What the calls change is what a benchmark of the kernel's memory management needs to be changed;
 * a new kind is a call here and its undoing in journal_undo.c.
 */
struct journal;

/* A journal for a run; see journal_file_create() for who is refused. */
bool journal_open(const char *root, struct journal **ret, struct error *err);

/* The journal that a dead run left; *ret NULL: there is none. */
bool journal_open_left(const char *root, struct journal **ret, struct error *err);

/* Closes it, and removes it when all is undone. NULL is a no-op. */
void journal_close(struct journal *j);
DEFINE_FREE(journal, struct journal *, journal_close(_T))

/* Told before each change is undone, and with share 1 when that is over. NULL: nobody is. */
struct journal_watch {
	void (*undoing)(void *context, double share);
	void *context;
};

/*
 * Undoes what has not been undone yet, the last change first. What fails is told and stays in the
 * journal for the next try; the rest is undone all the same. ret_done, ret_failed: a sentence for
 * each, appended to arrays of strings. True when nothing is left.
 */
bool journal_undo(struct journal *j, const struct journal_watch *watch, json_t *ret_done,
		  json_t *ret_failed);

/* Where it lies, for messages. Borrowed. */
const char *journal_path(const struct journal *j);

/* "" or the folder of a fake tree; NULL has "". Borrowed. */
const char *journal_root(const struct journal *j);

/*
 * Writes a file below /proc or /sys. What it holds now is what undoing writes; of a choice,
 * `always [madvise] never`, the word in brackets. Writes nothing where that is the value already.
 */
bool journal_write(struct journal *j, const char *path, const char *value, struct error *err);

/* The same where what undoes it is another word: "+memory" and "-memory". */
bool journal_write_as(struct journal *j, const char *path, const char *value, const char *undo,
		      struct error *err);

/*
 * Keeps a file's value without changing it, for what another change has as its side effect: undoing
 * writes it back after that has been undone. Keep it before.
 */
bool journal_keep(struct journal *j, const char *path, struct error *err);

/*
 * Makes a control group, a folder below a cgroup hierarchy. Undoing kills whatever is left in it
 * and removes it. The files in it need no journal: they go with it.
 */
bool journal_make_group(struct journal *j, const char *path, struct error *err);

/* Switches a swap area on, or one that is on off (undoing: on again, with its priority). */
bool journal_swap_on(struct journal *j, const char *path, int priority, struct error *err);
bool journal_swap_off(struct journal *j, const struct swap_area *area, struct error *err);

/*
 * Takes a zram device for the run: one that is there and not in use, or a new one. Undoing resets
 * it, and removes a new one. *ret_number: N of /dev/zramN.
 */
bool journal_take_zram(struct journal *j, int *ret_number, struct error *err);

/* Makes a block device's node, where whoever else does that has not. Undoing removes it. */
bool journal_make_node(struct journal *j, const char *path, unsigned int major, unsigned int minor,
		       struct error *err);

#endif
