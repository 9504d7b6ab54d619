// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/scratch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/units.h"
#include "kernel/mounts.h"

const char scratch_slow[] = "its file takes long to fill, with a smaller size= it is quicker";

/* Where the files are, and who said so. Borrowed. */
struct folder {
	const char *path;
	const char *said; /* "dir=", "TMPDIR=" or "" */
};

static struct folder folder_of(const struct cast *cast)
{
	const char *path = cast_string(cast, "dir"), *tmp = getenv("TMPDIR");

	if (*path)
		return (struct folder){path, "dir="};
	if (tmp && *tmp)
		return (struct folder){tmp, "TMPDIR="};
	return (struct folder){"/tmp", ""};
}

static enum scratch_use use_of(const struct cast *cast)
{
	return *(const enum scratch_use *)cast->workload->own;
}

/* Says where: "dir=/mnt (tmpfs at /mnt): ". Every reason of these is the machine's. */
static bool explain(const struct folder *f, struct error *err)
{
	struct mount mount __cleanup(mount_done) = {0};

	err->code = ERROR_UNSUPPORTED;
	if (mounts_find("", f->path, &mount))
		return error_wrap(err, "%s%s (%s at %s)", f->said, f->path, mount.type,
				  mount.point);
	return error_wrap(err, "%s%s", f->said, f->path);
}

/* A file without a name; -1 with errno. */
static int open_nameless(const char *path)
{
	int fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* The file system has no O_TMPFILE, or the kernel has not (before 3.11). */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		char *name __free(memory) = text_format("%s/contend.XXXXXX", path);

		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	return fd;
}

/* A sparse file of that size. Past the limit of file sizes a signal would end the process. */
static bool make_file(const struct folder *f, int64_t bytes, int *ret_fd, struct error *err)
{
	int fd __free(fd) = open_nameless(f->path);
	struct rlimit limit;
	char size[UNITS_TEXT];

	units_format((double)bytes, "bytes", size);
	if (fd < 0)
		return error_set_errno(err, "cannot make a file");
	if (!getrlimit(RLIMIT_FSIZE, &limit) && (rlim_t)bytes > limit.rlim_cur)
		return error_set(err, ERROR_UNSUPPORTED,
				 "a file of %s is beyond the limit of file sizes (ulimit -f)",
				 size);
	if (ftruncate(fd, bytes))
		return error_set_errno(err, "cannot make a file of %s", size);
	*ret_fd = take_fd(fd);
	return true;
}

static struct region region_in(int64_t bytes, enum scratch_use use, int fd)
{
	return (struct region){
		.bytes = (size_t)bytes,
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.flags = use == SCRATCH_SHARED ? MAP_SHARED : MAP_PRIVATE,
		.fd = fd,
	};
}

/* ---- before the run ---- */

/* A file of that size, made, mapped and let go of. */
static bool try_file(const struct cast *cast, const struct folder *f, enum scratch_use use,
		     struct error *err)
{
	int64_t bytes = cast_integer(cast, "size");
	int fd __free(fd) = -1;
	struct region r;

	if (!make_file(f, bytes, &fd, err))
		return false;
	r = region_in(bytes, use, fd);
	if (region_try(&r, cast, err))
		return true;
	return error_wrap(err, "cannot map its files %s",
			  use == SCRATCH_SHARED ? "shared" : "privately");
}

static bool has_room(const struct folder *f, double bytes, struct error *err)
{
	double there;
	char needed[UNITS_TEXT], room[UNITS_TEXT];
	struct statvfs s;

	/* Some do not count: there what a file needs is found out when it is made. */
	if (statvfs(f->path, &s) || !s.f_blocks)
		return true;
	there = (double)s.f_bavail * (double)s.f_frsize;
	if (bytes <= there)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "the file system is full: it has room for %s, and the files of all tasks "
			 "need %s",
			 units_format(there, "bytes", room), units_format(bytes, "bytes", needed));
}

bool scratch_supported(const struct cast *cast, struct error *err)
{
	static const double copies[] = {
		[SCRATCH_MAPPED] = 0,
		[SCRATCH_READ] = 1,
		[SCRATCH_COPIED] = 2,
		[SCRATCH_SHARED] = 1,
	};
	double bytes = cast_number(cast, "size") * cast_number(cast, "tasks");
	enum scratch_use use = use_of(cast);
	struct folder f = folder_of(cast);

	if (!cast_whole_pages(cast, "size", err))
		return false;
	if (!try_file(cast, &f, use, err) || (use != SCRATCH_MAPPED && !has_room(&f, bytes, err)))
		return explain(&f, err);
	return cast_affords(cast, "the tasks", copies[use] * bytes, err);
}

/* The same with a mapping that is only read. */
static bool try_reading(const struct folder *f, int64_t bytes, struct error *err)
{
	int fd __free(fd) = -1;
	void *trial;

	if (!make_file(f, bytes, &fd, err))
		return false;
	trial = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (trial == MAP_FAILED)
		return error_set_errno(err, "cannot map its files");
	munmap(trial, (size_t)bytes);
	return true;
}

bool scratch_has_room(const struct cast *cast, int64_t bytes, int64_t count, struct error *err)
{
	struct folder f = folder_of(cast);
	double all = (double)bytes * (double)count;

	if (!try_reading(&f, bytes, err) || !has_room(&f, all, err))
		return explain(&f, err);
	return cast_affords(cast, "the files", all, err);
}

/* ---- in the worker ---- */

/* Zeros, where a file system cannot give a file its blocks otherwise. */
static bool write_zeros(int fd, size_t bytes, struct error *err)
{
	enum { CHUNK = 1 << 20 };
	void *zeros __free(memory) = memory_alloc(CHUNK);

	for (size_t done = 0; done < bytes; done += CHUNK) {
		size_t rest = bytes - done;

		if (!file_write_all(fd, zeros, rest < CHUNK ? rest : CHUNK, err))
			return false;
	}
	return true;
}

/* Blocks for the whole file. */
static bool make_room(const struct region *r, struct error *err)
{
	bool done = !fallocate(r->fd, 0, 0, (off_t)r->bytes);
	int reason = errno;

	if (!done && reason == EOPNOTSUPP) {
		done = write_zeros(r->fd, r->bytes, err);
		reason = errno;
	} else if (!done) {
		error_set_errno(err, "fallocate");
	}
	if (done)
		return true;
	return error_wrap(err, reason == ENOSPC || reason == EDQUOT
				       ? "the file system is full, or the quota"
				       : "cannot give a file its blocks");
}

/* Each page into the page cache, by a fault of the kind that the workload will have. */
static bool fill(const struct region *r, struct error *err)
{
	bool shared = r->flags == MAP_SHARED;
	volatile char *at = region_map(r);
	void *whole = (void *)(uintptr_t)at;
	bool done;

	if (!at)
		return error_set_errno(err, "cannot map a file");
	done = !madvise(whole, r->bytes, shared ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	/* Linux 5.14 has these. */
	if (!done && errno == EINVAL) {
		for (size_t offset = 0; offset < r->bytes; offset += r->page) {
			if (shared)
				at[offset] = 0;
			else
				(void)at[offset];
		}
		done = true;
	}
	/* EFAULT stands for the SIGBUS that a touch would have been. */
	if (!done)
		error_set_errno(err, "cannot touch the pages of a file");
	munmap(whole, r->bytes);
	return done;
}

void scratch_raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool make_region(const struct folder *f, int64_t bytes, enum scratch_use use,
			struct region *ret, struct error *err)
{
	int fd __free(fd) = -1;

	if (!make_file(f, bytes, &fd, err))
		return false;
	*ret = region_in(bytes, use, fd);
	if (use != SCRATCH_MAPPED && (!make_room(ret, err) || !fill(ret, err)))
		return false;
	/* Open until the process ends. */
	(void)take_fd(fd);
	return true;
}

bool scratch_prepare(struct worker *w, struct error *err)
{
	bool threads = text_equal(cast_string(w->cast, "mode"), "thread");
	struct region *regions = memory_array(w->tasks, sizeof(*regions));
	struct folder f = folder_of(w->cast);

	w->local = regions;
	scratch_raise_descriptor_limit();
	for (unsigned int i = 0; i < w->tasks; i++) {
		if ((threads || i == w->task) && !make_region(&f, cast_integer(w->cast, "size"),
							      use_of(w->cast), &regions[i], err))
			return explain(&f, err);
	}
	return true;
}

bool scratch_make(const struct cast *cast, int64_t bytes, int *ret_fd, struct error *err)
{
	struct folder f = folder_of(cast);
	struct region r;

	if (!make_region(&f, bytes, SCRATCH_READ, &r, err))
		return explain(&f, err);
	*ret_fd = r.fd;
	return true;
}

/* ---- for the record ---- */

void scratch_describe(const struct cast *cast, json_t *host)
{
	struct folder f = folder_of(cast);
	struct mount mount __cleanup(mount_done) = {0};
	char *filesystem __free(memory) = NULL;

	if (!mounts_find("", f.path, &mount))
		return;
	filesystem = text_format("%s at %s", mount.type, mount.point);
	json_object_set_new(host, "dir_filesystem", json_text(filesystem));
	json_object_set_new(host, "dir_options", json_text(mount.options));
}
