// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/shared_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "workload/scratch.h"

static int64_t count_of(const struct cast *cast)
{
	return cast_integer(cast, "files");
}

bool shared_files_supported(const struct cast *cast, struct error *err)
{
	if (!count_of(cast))
		return true;
	return cast_whole_pages(cast, "file_size", err) &&
	       scratch_has_room(cast, cast_integer(cast, "file_size"), count_of(cast), err);
}

static bool make(struct shared_files *files, struct shared_files_meeting *meeting,
		 const struct cast *cast, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		if (!scratch_make(cast, (int64_t)files->bytes, &files->fds[i], err))
			return false;
		meeting->fds[i] = files->fds[i];
	}
	atomic_store(&meeting->owner, getpid());
	return true;
}

/* By way of /proc, which opens a file that has no name. */
static bool join(struct shared_files *files, const struct shared_files_meeting *meeting,
		 struct error *err)
{
	int owner;

	/* Should the first task fail, the run ends and this process with it. */
	while (!(owner = atomic_load(&meeting->owner)))
		clock_sleep_until(clock_now_ns() + NS_PER_MS);
	for (size_t i = 0; i < files->count; i++) {
		char *path __free(memory) = text_format("/proc/%d/fd/%d", owner, meeting->fds[i]);

		files->fds[i] = open(path, O_RDWR | O_CLOEXEC);
		if (files->fds[i] < 0)
			return error_set_errno(err, "the files of the first parent: %s", path);
	}
	return true;
}

bool shared_files_prepare(struct shared_files *ret, const struct worker *w, struct error *err)
{
	*ret = (struct shared_files){
		.fds = memory_array((size_t)count_of(w->cast) + 1, sizeof(int)),
		.count = (size_t)count_of(w->cast),
		.bytes = (size_t)cast_integer(w->cast, "file_size"),
		.flags = cast_integer(w->cast, "file_map") ? MAP_SHARED : MAP_PRIVATE,
	};
	if (!ret->count)
		return true;
	scratch_raise_descriptor_limit();
	return w->task ? join(ret, w->shared, err) : make(ret, w->shared, w->cast, err);
}

/* One call where the kernel has it (Linux 5.14). */
static bool read_pages(char *at, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!madvise(at, bytes, MADV_POPULATE_READ))
		return true;
	if (errno != EINVAL)
		return false;
	for (size_t offset = 0; offset < bytes; offset += page)
		(void)((volatile char *)at)[offset];
	return true;
}

bool shared_files_map(const struct shared_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		char *at = mmap(NULL, files->bytes, PROT_READ, files->flags, files->fds[i], 0);

		if (at == MAP_FAILED || !read_pages(at, files->bytes))
			return false;
	}
	return true;
}
