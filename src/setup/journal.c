// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "kernel/zram.h"
#include "setup/journal_undo.h"

struct journal {
	char *root;
	struct journal_file *file;
};

static struct journal *journal_new(const char *root, struct journal_file *file)
{
	struct journal *j = memory_alloc(sizeof(*j));

	j->root = memory_string(root);
	j->file = file;
	return j;
}

bool journal_open(const char *root, struct journal **ret, struct error *err)
{
	struct journal_file *file;

	if (!journal_file_create(root, &file, err))
		return false;
	*ret = journal_new(root, file);
	return true;
}

bool journal_open_left(const char *root, struct journal **ret, struct error *err)
{
	struct journal_file *file;

	if (!journal_file_open(root, &file, err))
		return false;
	*ret = file ? journal_new(root, file) : NULL;
	return true;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	journal_file_close(j->file);
	free(j->root);
	free(j);
}

const char *journal_path(const struct journal *j)
{
	return journal_file_path(j->file);
}

const char *journal_root(const struct journal *j)
{
	return j ? j->root : "";
}

bool journal_undo(struct journal *j, const struct journal_watch *watch, json_t *ret_done,
		  json_t *ret_failed)
{
	return journal_undo_file(j->root, j->file, watch, ret_done, ret_failed);
}

/* Keeps {"act","path"} and whatever else the entry has. Takes the entry. */
static bool keep(struct journal *j, enum journal_act act, const char *path, json_t *entry,
		 struct error *err)
{
	bool ok;

	json_object_set_new(entry, "act", json_text(journal_act_words[act]));
	json_object_set_new(entry, "path", json_text(path));
	ok = journal_file_add(j->file, entry, err);
	json_decref(entry);
	return ok;
}

bool journal_keep(struct journal *j, const char *path, struct error *err)
{
	char *value __free(memory) = journal_value(j->root, path, err);

	if (!value)
		return false;
	return keep(j, JOURNAL_WRITE, path, json_pack("{s:o}", "value", json_text(value)), err);
}

bool journal_write(struct journal *j, const char *path, const char *value, struct error *err)
{
	char *now __free(memory) = journal_value(j->root, path, err);

	if (!now)
		return false;
	return text_equal(now, value) || journal_write_as(j, path, value, now, err);
}

bool journal_write_as(struct journal *j, const char *path, const char *value, const char *undo,
		      struct error *err)
{
	return keep(j, JOURNAL_WRITE, path, json_pack("{s:o}", "value", json_text(undo)), err) &&
	       file_write(j->root, path, value, err);
}

bool journal_make_group(struct journal *j, const char *path, struct error *err)
{
	char *full __free(memory) = text_format("%s%s", j->root, path);

	if (!access(full, F_OK)) {
		errno = EEXIST;
		return error_set_errno(err, "create %s", full);
	}
	if (!keep(j, JOURNAL_GROUP, path, json_object(), err))
		return false;
	if (mkdir(full, 0755))
		return error_set_errno(err, "create %s", full);
	return true;
}

bool journal_swap_on(struct journal *j, const char *path, int priority, struct error *err)
{
	char *full __free(memory) = text_format("%s%s", j->root, path);

	return keep(j, JOURNAL_SWAP_ON, path, json_object(), err) && swap_on(full, priority, err);
}

bool journal_swap_off(struct journal *j, const struct swap_area *area, struct error *err)
{
	char *full __free(memory) = text_format("%s%s", j->root, area->path);

	return keep(j, JOURNAL_SWAP_OFF, area->path, json_pack("{s:i}", "priority", area->priority),
		    err) &&
	       swap_off(full, err);
}

/* A device of our own. What is known before it is made is only which ones were there. */
static bool add_zram(struct journal *j, int *ret_number, struct error *err)
{
	size_t intent = journal_file_count(j->file);
	json_t *there = json_array();

	for (int n = -1; (n = zram_next(j->root, n)) >= 0;)
		json_array_append_new(there, json_integer(n));
	return keep(j, JOURNAL_ZRAM_ADD, "", json_pack("{s:o}", "there", there), err) &&
	       zram_add(j->root, ret_number, err) &&
	       keep(j, JOURNAL_ZRAM_REMOVE, "", json_pack("{s:i}", "number", *ret_number), err) &&
	       /* Now it is known, and nobody else's is taken for it. */
	       journal_file_undone(j->file, intent, err);
}

bool journal_take_zram(struct journal *j, int *ret_number, struct error *err)
{
	int number = -1;

	do {
		number = zram_next(j->root, number);
	} while (number >= 0 && !zram_is_free(j->root, number));
	if (number < 0 && !add_zram(j, &number, err))
		return false;
	/* The algorithm outlives a reset. */
	char *path __free(memory) = zram_path(number, "comp_algorithm");

	if (!journal_keep(j, path, err) ||
	    !keep(j, JOURNAL_ZRAM_RESET, "", json_pack("{s:i}", "number", number), err))
		return false;
	*ret_number = number;
	return true;
}

bool journal_make_node(struct journal *j, const char *path, unsigned int major, unsigned int minor,
		       struct error *err)
{
	char *full __free(memory) = text_format("%s%s", j->root, path);

	if (!keep(j, JOURNAL_NODE, path, json_object(), err))
		return false;
	if (mknod(full, S_IFBLK | 0600, makedev(major, minor)))
		return error_set_errno(err, "create %s", full);
	return true;
}
