/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_SETUP_JOURNAL_FILE_H
#define CONTEND_SETUP_JOURNAL_FILE_H

#include "model/json.h"

/*
 * The file behind the undo journal: /run/contend/journal, which is there as long as something is
 * changed. /run is empty after a boot, as are the changes that the journal can undo.
 *
 * A line is a checksum and a JSON object: first the header (who, since when, in which boot), then
 * an entry for each change, written and synced before the change is made, then one for each entry
 * that was undone. So what a kill leaves at the end, half a line, stands for a change that was
 * never made. Anything else that is not as it was written is damage, and then nothing is undone:
 * a wrong value would be written as root.
 *
 * Folder and file belong to root alone. A symbolic link, another owner, other modes, another link
 * to the file: refused, never followed.
 *
 * Whoever has it open holds a lock, which ends with the process.
 */
struct journal_file;

/*
 * Creates it for a run. Refuses (ERROR_UNSUPPORTED) who is not root, while somebody holds it (named
 * by pid and time), and where a dead run left changes (says what to do). root: "" or the folder of
 * a fake tree, whose owner stands for root.
 */
bool journal_file_create(const char *root, struct journal_file **ret, struct error *err);

/*
 * Opens the one that a dead run left. True with *ret NULL: there is none, or it is of an earlier
 * boot or has nothing that is still to be undone, and was removed.
 */
bool journal_file_open(const char *root, struct journal_file **ret, struct error *err);

/* Closes it. One without an entry that is still to be undone is removed. NULL is a no-op. */
void journal_file_close(struct journal_file *f);
DEFINE_FREE(journal_file, struct journal_file *, journal_file_close(_T))

/* Keeps an entry, durably. Borrows it. */
bool journal_file_add(struct journal_file *f, const json_t *entry, struct error *err);

/* How many entries there are, in order, and each; borrowed. */
size_t journal_file_count(const struct journal_file *f);
const json_t *journal_file_entry(const struct journal_file *f, size_t index);

/* True for an entry that has been undone. */
bool journal_file_is_undone(const struct journal_file *f, size_t index);

/* Keeps, durably, that it has. */
bool journal_file_undone(struct journal_file *f, size_t index, struct error *err);

/* Where it lies, for messages. Borrowed. */
const char *journal_file_path(const struct journal_file *f);

#endif
