// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/journal_undo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/swap.h"
#include "kernel/zram.h"

const char *const journal_act_words[] = {
	[JOURNAL_WRITE] = "write",
	[JOURNAL_GROUP] = "group",
	[JOURNAL_SWAP_ON] = "swap_on",
	[JOURNAL_SWAP_OFF] = "swap_off",
	[JOURNAL_ZRAM_ADD] = "zram_add",
	[JOURNAL_ZRAM_REMOVE] = "zram_remove",
	[JOURNAL_ZRAM_RESET] = "zram_reset",
	[JOURNAL_NODE] = "node",
	NULL,
};

/* How long a group may take to become empty: its processes have been killed. */
static const int64_t GROUP_LIMIT_NS = 30 * NS_PER_SEC;
static const int64_t GROUP_PAUSE_NS = 5 * NS_PER_MS;

/* An entry, read; what its kind does not have is "" or -1. */
struct entry {
	const char *root, *path, *value;
	int64_t number, priority;
	const json_t *there;
};

char *journal_value(const char *root, const char *path, struct error *err)
{
	struct text all __text = {0};
	char *open, *close;

	if (!file_read(root, path, 4096, &all, err))
		return NULL;
	text_trim(all.bytes ? all.bytes : (char[]){""});
	open = all.bytes ? strchr(all.bytes, '[') : NULL;
	close = open ? strchr(open, ']') : NULL;
	if (close)
		return text_format("%.*s", (int)(close - open - 1), open + 1);
	return memory_string(text_string(&all));
}

static bool undo_write(const struct entry *e, struct error *err)
{
	struct error ignored;
	char *now __free(memory) = journal_value(e->root, e->path, &ignored);

	/* A device or group that is gone has no value to be put back. */
	if (!now && errno == ENOENT)
		return true;
	return file_write(e->root, e->path, e->value, err) || (now && text_equal(now, e->value));
}

/* Sends SIGKILL to every process of a group. */
static bool kill_members(const char *path, struct error *err)
{
	char *procs __free(memory) = text_format("%s/cgroup.procs", path);
	struct text all __text = {0};
	char *rest, *line;

	if (!file_read("", procs, 1 << 20, &all, err))
		return errno == ENOENT;
	/* Empty while the last of them is on its way out, when the group is still busy. */
	rest = all.bytes;
	while ((line = strsep(&rest, "\n"))) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		/* 0: in another PID namespace. Itself: it would undo nothing more. */
		if (pid > 0 && pid != getpid())
			kill(pid, SIGKILL);
	}
	return true;
}

static bool undo_group(const struct entry *e, struct error *err)
{
	char *path __free(memory) = text_format("%s%s", e->root, e->path);
	int64_t limit_ns = clock_now_ns() + GROUP_LIMIT_NS;

	while (rmdir(path) && errno != ENOENT) {
		if (errno != EBUSY || clock_now_ns() > limit_ns)
			return error_set_errno(err, "remove %s", path);
		if (!kill_members(path, err))
			return false;
		clock_sleep_until(clock_now_ns() + GROUP_PAUSE_NS);
	}
	return true;
}

static bool undo_swap_on(const struct entry *e, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};
	char *full __free(memory) = text_format("%s%s", e->root, e->path);

	if (!swap_areas_read(e->root, &areas, err))
		return false;
	return !swap_areas_find(&areas, e->path) || swap_off(full, err);
}

static bool undo_swap_off(const struct entry *e, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};
	char *full __free(memory) = text_format("%s%s", e->root, e->path);

	if (!swap_areas_read(e->root, &areas, err))
		return false;
	return swap_areas_find(&areas, e->path) || swap_on(full, (int)e->priority, err);
}

static bool is_listed(const json_t *numbers, int number)
{
	for (size_t i = 0; i < json_array_size(numbers); i++) {
		if (json_integer_value(json_array_get(numbers, i)) == number)
			return true;
	}
	return false;
}

static bool undo_zram_add(const struct entry *e, struct error *err)
{
	for (int n = -1; (n = zram_next(e->root, n)) >= 0;) {
		if (!is_listed(e->there, n) && zram_is_free(e->root, n) &&
		    !zram_remove(e->root, n, err))
			return false;
	}
	return true;
}

static bool undo_zram_remove(const struct entry *e, struct error *err)
{
	return !zram_exists(e->root, (int)e->number) || zram_remove(e->root, (int)e->number, err);
}

static bool undo_zram_reset(const struct entry *e, struct error *err)
{
	int number = (int)e->number;

	return !zram_exists(e->root, number) || zram_is_free(e->root, number) ||
	       zram_reset(e->root, number, err);
}

static bool undo_node(const struct entry *e, struct error *err)
{
	char *path __free(memory) = text_format("%s%s", e->root, e->path);

	if (unlink(path) && errno != ENOENT)
		return error_set_errno(err, "remove %s", path);
	return true;
}

static const struct {
	bool (*undo)(const struct entry *e, struct error *err);
	const char *words; /* what was done, behind the name of what it was done to */
} acts[] = {
	[JOURNAL_WRITE] = {undo_write, NULL},
	[JOURNAL_GROUP] = {undo_group, "removed"},
	[JOURNAL_SWAP_ON] = {undo_swap_on, "swapped off"},
	[JOURNAL_SWAP_OFF] = {undo_swap_off, "swapped on"},
	[JOURNAL_ZRAM_ADD] = {undo_zram_add, "no new one is left"},
	[JOURNAL_ZRAM_REMOVE] = {undo_zram_remove, "removed"},
	[JOURNAL_ZRAM_RESET] = {undo_zram_reset, "reset"},
	[JOURNAL_NODE] = {undo_node, "removed"},
};

/* "/sys/kernel/mm/…/enabled: madvise", "zram1: reset". Owned by the caller. */
static char *entry_text(const struct entry *e, int act)
{
	const char *words = acts[act].words ? acts[act].words : e->value;

	if (*e->path)
		return text_format("%s: %s", e->path, words);
	if (e->number >= 0)
		return text_format("zram%lld: %s", (long long)e->number, words);
	return text_format("zram: %s", words);
}

static bool read_entry(const char *root, const json_t *object, int *ret_act, struct entry *ret,
		       struct error *err)
{
	const json_t *number = json_object_get(object, "number");
	const json_t *priority = json_object_get(object, "priority");
	const char *value = json_string_value(json_object_get(object, "value"));

	*ret = (struct entry){
		.root = root,
		.value = value ? value : "",
		.number = number ? json_integer_value(number) : -1,
		.priority = priority ? json_integer_value(priority) : -1,
		.there = json_object_get(object, "there"),
	};
	return json_get_word(object, "act", journal_act_words, ret_act, err) &&
	       json_get_string(object, "path", &ret->path, err);
}

static void tell(const struct journal_watch *watch, double share)
{
	if (watch)
		watch->undoing(watch->context, share);
}

bool journal_undo_file(const char *root, struct journal_file *file,
		       const struct journal_watch *watch, json_t *ret_done, json_t *ret_failed)
{
	size_t failed = 0, count = journal_file_count(file);

	for (size_t i = count; i-- > 0;) {
		struct error err;
		struct entry e;
		int act;

		if (journal_file_is_undone(file, i))
			continue;
		tell(watch, (double)(count - 1 - i) / (double)count);
		if (!read_entry(root, journal_file_entry(file, i), &act, &e, &err)) {
			failed++;
			json_array_append_new(ret_failed, json_text(err.text));
			continue;
		}
		char *what __free(memory) = entry_text(&e, act);

		if (!acts[act].undo(&e, &err)) {
			failed++;
			error_wrap(&err, "%s", what);
			json_array_append_new(ret_failed, json_text(err.text));
			continue;
		}
		/* Where that cannot be kept it may be undone once more, which each kind bears. */
		journal_file_undone(file, i, &err);
		json_array_append_new(ret_done, json_text(what));
	}
	tell(watch, 1);
	return !failed;
}
