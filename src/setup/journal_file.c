// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/journal_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "setup/place.h"

#define NAME "journal"

enum { FORMAT = 1, BYTES_MAX = 16 << 20, SUM_DIGITS = 16 };

/* Whose it is, from its header. */
struct holder {
	int64_t pid;
	int64_t since_ns; /* wall clock */
	char *boot;	  /* /proc/sys/kernel/random/boot_id of then */
};

struct journal_file {
	int folder, fd;
	char *path; /* for messages */
	off_t end;  /* of its last whole line */
	bool torn;  /* there is something behind that */
	struct holder holder;
	json_t *entries; /* an array */
	bool *undone;	 /* by entry */
	size_t left;	 /* entries that are not undone */
};

static void holder_done(struct holder *h)
{
	free(h->boot);
	*h = (struct holder){0};
}

void journal_file_close(struct journal_file *f)
{
	if (!f)
		return;
	/* While it is locked: who waits for the lock finds that the name is gone. */
	if (f->fd >= 0 && !f->left)
		unlinkat(f->folder, NAME, 0);
	if (f->fd >= 0)
		close(f->fd);
	if (f->folder >= 0)
		close(f->folder);
	holder_done(&f->holder);
	json_decref(f->entries);
	free(f->undone);
	free(f->path);
	free(f);
}

/* ---- lines ---- */

static bool append(struct journal_file *f, const json_t *object, struct error *err)
{
	char *json __free(memory) = json_line(object);
	char *line __free(memory) =
		text_format("%016" PRIx64 " %s\n", checksum_fnv1a(json, strlen(json)), json);

	/* Nothing of a line that failed before the next one. */
	if ((f->torn && ftruncate(f->fd, f->end)) || lseek(f->fd, f->end, SEEK_SET) < 0)
		return error_set_errno(err, "%s", f->path);
	f->torn = true;
	if (!file_write_all(f->fd, line, strlen(line), err))
		return error_wrap(err, "%s", f->path);
	if (fdatasync(f->fd))
		return error_set_errno(err, "sync %s", f->path);
	f->torn = false;
	f->end += (off_t)strlen(line);
	return true;
}

static bool damaged(const struct journal_file *f, size_t line, const char *what, struct error *err)
{
	return error_set(err, ERROR_DATA,
			 "%s, line %zu: %s. Nothing was undone: put back by hand what it lists, "
			 "and remove it",
			 f->path, line, what);
}

static bool read_header(struct journal_file *f, const json_t *header, struct error *err)
{
	const char *boot;
	int64_t format;

	if (!json_get_integer(header, "contend", &format, err) ||
	    !json_get_integer(header, "pid", &f->holder.pid, err) ||
	    !json_get_integer(header, "since_ns", &f->holder.since_ns, err) ||
	    !json_get_string(header, "boot", &boot, err))
		return damaged(f, 1, "no header of a journal", err);
	if (format != FORMAT)
		return error_set(err, ERROR_DATA,
				 "%s: of another version of contend, which can undo it", f->path);
	f->holder.boot = memory_string(boot);
	return true;
}

static bool read_entry(struct journal_file *f, size_t line, json_t *object, struct error *err)
{
	json_int_t undone = json_integer_value(json_object_get(object, "undone"));
	size_t count = json_array_size(f->entries);

	if (!json_object_get(object, "undone")) {
		f->undone = memory_grow(f->undone, (count + 1) * sizeof(*f->undone));
		f->undone[count] = false;
		json_array_append(f->entries, object);
		f->left++;
		return true;
	}
	if (undone < 0 || (size_t)undone >= count)
		return damaged(f, line, "tells of an entry that is not there", err);
	if (!f->undone[undone])
		f->left--;
	f->undone[undone] = true;
	return true;
}

static bool read_line(struct journal_file *f, size_t number, const char *line, size_t length,
		      struct error *err)
{
	char sum[SUM_DIGITS + 1];
	json_t *object __free(json) = NULL;
	struct error ignored;

	if (length < SUM_DIGITS + 1)
		return damaged(f, number, "too short", err);
	snprintf(sum, sizeof(sum), "%016" PRIx64,
		 checksum_fnv1a(line + SUM_DIGITS + 1, length - SUM_DIGITS - 1));
	if (memcmp(line, sum, SUM_DIGITS) != 0 || line[SUM_DIGITS] != ' ')
		return damaged(f, number, "damaged, its checksum is another", err);
	if (!json_parse(line + SUM_DIGITS + 1, length - SUM_DIGITS - 1, &object, &ignored) ||
	    !json_is_object(object))
		return damaged(f, number, "no JSON object", err);
	return number == 1 ? read_header(f, object, err) : read_entry(f, number, object, err);
}

/* Reads it whole. What a kill left at its end is no line, and goes when the next one comes. */
static bool read_all(struct journal_file *f, struct error *err)
{
	struct text all __text = {0};
	size_t begin = 0, number = 0;

	if (lseek(f->fd, 0, SEEK_SET) < 0)
		return error_set_errno(err, "%s", f->path);
	if (!file_read_fd(f->fd, f->path, BYTES_MAX, &all, err))
		return false;
	while (begin < all.length) {
		const char *line = all.bytes + begin;
		const char *feed = memchr(line, '\n', all.length - begin);

		if (!feed)
			break;
		if (!read_line(f, ++number, line, (size_t)(feed - line), err))
			return false;
		begin += (size_t)(feed - line) + 1;
	}
	f->end = (off_t)begin;
	f->torn = begin < all.length;
	return true;
}

/* ---- opening ---- */

static char *boot_id(const char *root)
{
	char *id = file_read_line(root, "/proc/sys/kernel/random/boot_id");

	return id ? id : memory_string("");
}

static bool refuse_held(struct journal_file *f, struct error *err)
{
	struct error ignored;
	char since[32];

	/* It may be at its first line just now. */
	if (!read_all(f, &ignored) || !f->holder.boot)
		return error_set(err, ERROR_UNSUPPORTED,
				 "another contend changes this machine at the moment (%s is "
				 "locked)",
				 f->path);
	return error_set(err, ERROR_UNSUPPORTED,
			 "another contend has this machine set up for itself: its agent is process "
			 "%lld, since %s",
			 (long long)f->holder.pid, place_time(f->holder.since_ns, since));
}

/* Opens and locks it, and reads it. *ret_there: it is there, or was made. */
static bool open_locked(const char *root, bool create, struct journal_file *f, bool *ret_there,
			struct error *err)
{
	enum place_found found;

	*ret_there = false;
	f->path = text_format("%s" PLACE_FOLDER "/" NAME, root);
	if (!place_open(root, NAME, create, &f->folder, &f->fd, &found, err))
		return false;
	if (found == PLACE_BUSY)
		return refuse_held(f, err);
	*ret_there = found == PLACE_OURS;
	return !*ret_there || read_all(f, err);
}

/* Takes back an object that failed to open: what it found is not its own to remove. */
static void leave(struct journal_file *f)
{
	f->left = 1;
	journal_file_close(f);
}

DEFINE_FREE(foreign_journal, struct journal_file *, if (_T) leave(_T))

static struct journal_file *file_new(void)
{
	struct journal_file *f = memory_alloc(sizeof(*f));

	f->folder = f->fd = -1;
	f->entries = json_array();
	return f;
}

static bool is_of_this_boot(const char *root, const struct journal_file *f)
{
	char *now __free(memory) = boot_id(root);

	return f->holder.boot && text_equal(f->holder.boot, now);
}

static bool write_header(struct journal_file *f, const char *root, struct error *err)
{
	json_t *header __free(json) = json_object();

	f->holder = (struct holder){
		.pid = getpid(),
		.since_ns = clock_wall_ns(),
		.boot = boot_id(root),
	};
	json_object_set_new(header, "contend", json_integer(FORMAT));
	json_object_set_new(header, "pid", json_integer(f->holder.pid));
	json_object_set_new(header, "since_ns", json_integer(f->holder.since_ns));
	json_object_set_new(header, "boot", json_text(f->holder.boot));
	return append(f, header, err);
}

bool journal_file_create(const char *root, struct journal_file **ret, struct error *err)
{
	struct journal_file *f __free(foreign_journal) = file_new();
	char since[32];
	bool there;

	if (!open_locked(root, true, f, &there, err))
		return false;
	if (f->left && is_of_this_boot(root, f))
		return error_set(err, ERROR_UNSUPPORTED,
				 "a run that was killed left this machine changed in %zu place%s "
				 "(process %lld, %s): `contend undo` puts them back",
				 f->left, f->left == 1 ? "" : "s", (long long)f->holder.pid,
				 place_time(f->holder.since_ns, since));
	/* One that was killed before it changed anything, or of an earlier boot. */
	holder_done(&f->holder);
	json_array_clear(f->entries);
	f->left = 0;
	f->end = 0;
	f->torn = true;
	if (!write_header(f, root, err))
		return false;
	*ret = take(f);
	return true;
}

bool journal_file_open(const char *root, struct journal_file **ret, struct error *err)
{
	struct journal_file *f __free(foreign_journal) = file_new();
	bool there;

	if (!open_locked(root, false, f, &there, err))
		return false;
	if (!there || !f->left || !is_of_this_boot(root, f)) {
		f->left = 0;
		journal_file_close(take(f));
		*ret = NULL;
		return true;
	}
	*ret = take(f);
	return true;
}

/* ---- entries ---- */

bool journal_file_add(struct journal_file *f, const json_t *entry, struct error *err)
{
	size_t count = json_array_size(f->entries);
	json_t *copy = json_deep_copy(entry);

	if (!append(f, copy, err)) {
		json_decref(copy);
		return false;
	}
	f->undone = memory_grow(f->undone, (count + 1) * sizeof(*f->undone));
	f->undone[count] = false;
	json_array_append_new(f->entries, copy);
	f->left++;
	return true;
}

size_t journal_file_count(const struct journal_file *f)
{
	return json_array_size(f->entries);
}

const json_t *journal_file_entry(const struct journal_file *f, size_t index)
{
	return json_array_get(f->entries, index);
}

bool journal_file_is_undone(const struct journal_file *f, size_t index)
{
	return f->undone[index];
}

bool journal_file_undone(struct journal_file *f, size_t index, struct error *err)
{
	json_t *line __free(json) = json_object();

	json_object_set_new(line, "undone", json_integer((json_int_t)index));
	if (!f->undone[index])
		f->left--;
	f->undone[index] = true;
	return append(f, line, err);
}

const char *journal_file_path(const struct journal_file *f)
{
	return f->path;
}
