// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "kernel/abi.h"

void maps_init(struct maps *m, pid_t pid, const char *file)
{
	m->query = text_equal(file, "query");
	snprintf(m->path, sizeof(m->path), "/proc/%d/%.32s", pid, m->query ? "maps" : file);
}

/*
 * All mappings by ioctl, as a profiler does that looks up addresses. Returns their number, -1 on
 * failure.
 */
static int64_t query_all(int fd)
{
	struct procmap_query query = {.size = sizeof(query)};
	int64_t found = 0;

	for (;;) {
		query.query_flags = PROCMAP_QUERY_COVERING_OR_NEXT_VMA;
		if (ioctl(fd, PROCMAP_QUERY, &query))
			return errno == ENOENT ? found : -1;
		found++;
		query.query_addr = query.vma_end;
	}
}

/* A file of /proc/PID that cannot be opened is not there, or another's: the machine's affair. */
static bool refuse(const char *path, struct error *err)
{
	bool denied = errno == EACCES || errno == EPERM;

	error_set_errno(err, "open %s", path);
	err->code = ERROR_UNSUPPORTED;
	/* ptrace_may_access() is asked, of which a process needs nothing to read of itself. */
	if (denied)
		error_set(err, ERROR_UNSUPPORTED,
			  "%.64s: permission denied: this user may not read it of another process, "
			  "because its program's file is not readable or by a security module",
			  path);
	return false;
}

bool maps_supported(const char *file, struct error *err)
{
	bool query = text_equal(file, "query");
	char *path __free(memory) = text_format("/proc/self/%s", query ? "maps" : file);
	int fd __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return refuse(path, err);
	if (query && query_all(fd) < 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "this kernel has no PROCMAP_QUERY, which came with Linux 6.11");
	return true;
}

/* Reads to the end, counting bytes and how often the mark begins in them. */
static int64_t read_all(struct maps *m, int fd, const char *mark, int64_t *ret_marks)
{
	size_t length = strlen(mark);
	int64_t total = 0;
	ssize_t n;

	while ((n = read(fd, m->buffer, sizeof(m->buffer))) > 0) {
		const char *at = m->buffer, *end = m->buffer + n;

		total += n;
		/* The kernel ends each piece of these files with a whole line. */
		while (length && (at = memmem(at, (size_t)(end - at), mark, length))) {
			at += length;
			(*ret_marks)++;
		}
	}
	return n < 0 ? -1 : total;
}

int64_t maps_scan(struct maps *m)
{
	int fd __free(fd) = open(m->path, O_RDONLY | O_CLOEXEC);
	int64_t amount;

	if (fd < 0)
		return -1;
	if (m->query)
		amount = query_all(fd) * (int64_t)sizeof(struct procmap_query);
	else
		amount = read_all(m, fd, "", NULL);
	/* An address space that was given up reads as empty. */
	if (!amount)
		errno = ESRCH;
	return amount < 0 ? -1 : amount;
}

int64_t maps_count(struct maps *m, struct error *err)
{
	/* maps and numa_maps have a line for each; smaps two dozen, one of which begins so. */
	const char *mark = strstr(m->path, "/smaps") ? "\nVmFlags:" : "\n";
	int fd __free(fd) = open(m->path, O_RDONLY | O_CLOEXEC);
	int64_t found = 0;

	if (fd < 0) {
		refuse(m->path, err);
		return -1;
	}
	if (m->query) {
		found = query_all(fd);
		if (found < 0)
			error_set_errno(err, "PROCMAP_QUERY of %s", m->path);
		return found;
	}
	if (read_all(m, fd, mark, &found) < 0) {
		error_set_errno(err, "read %s", m->path);
		return -1;
	}
	return found;
}

bool maps_find(uintptr_t address, struct maps_range *ret, struct error *err)
{
	enum { LIMIT_BYTES = 64 << 20 };
	struct text text __text = {0};
	const char *line;

	if (!file_read("", "/proc/self/maps", LIMIT_BYTES, &text, err))
		return false;
	for (line = text_string(&text); line && *line; line += *line == '\n') {
		unsigned long low, high;

		if (sscanf(line, "%lx-%lx", &low, &high) == 2 && low <= address && address < high) {
			*ret = (struct maps_range){low, high};
			return true;
		}
		line = strchrnul(line, '\n');
	}
	return error_set(err, ERROR_DATA, "/proc/self/maps shows no mapping at %lx",
			 (unsigned long)address);
}
