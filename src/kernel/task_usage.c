// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/task_usage.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "kernel/procfs.h"

static int open_one(pid_t tid, const char *name, struct error *err)
{
	char path[64];
	int fd;

	/* /proc/TID is that of its process but for this folder, which has the thread by itself. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", tid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		error_set_errno(err, "open %s", path);
	return fd;
}

bool task_usage_open(pid_t tid, struct task_usage_files *ret, struct error *err)
{
	int schedstat __free(fd) = open_one(tid, "schedstat", err);
	int stat __free(fd) = schedstat < 0 ? -1 : open_one(tid, "stat", err);
	int status __free(fd) = stat < 0 ? -1 : open_one(tid, "status", err);

	if (status < 0)
		return false;
	*ret = (struct task_usage_files){
		.schedstat = take_fd(schedstat),
		.stat = take_fd(stat),
		.status = take_fd(status),
	};
	return true;
}

void task_usage_close(struct task_usage_files *f)
{
	int *fds[] = {&f->schedstat, &f->stat, &f->status};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* From its beginning, as it is now. */
static bool read_text(int fd, char *bytes, size_t room)
{
	ssize_t n = pread(fd, bytes, room - 1, 0);

	if (n <= 0)
		return false;
	bytes[n] = '\0';
	return true;
}

bool task_usage_parse_stat(const char *text, struct task_usage *ret)
{
	/* The name may have blanks and parentheses. */
	const char *behind = strrchr(text, ')');
	int64_t minor, major;
	int cpu;

	/* proc(5): 3 state, 10 minflt, 12 majflt, 39 processor. */
	if (!behind ||
	    sscanf(behind + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %" SCNd64 " %*s %" SCNd64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		   " %*s %*s %*s %*s %*s %*s %*s %d",
		   &minor, &major, &cpu) != 3)
		return false;
	ret->minor_faults = minor;
	ret->major_faults = major;
	ret->cpu = cpu;
	return true;
}

bool task_usage_parse_status(const char *text, struct task_usage *ret)
{
	const char *voluntary = strstr(text, "\nvoluntary_ctxt_switches:");
	const char *involuntary = strstr(text, "\nnonvoluntary_ctxt_switches:");
	int64_t yes, no;

	if (!voluntary || !involuntary || sscanf(voluntary, "%*s %" SCNd64, &yes) != 1 ||
	    sscanf(involuntary, "%*s %" SCNd64, &no) != 1)
		return false;
	ret->voluntary_switches = yes;
	ret->involuntary_switches = no;
	return true;
}

bool task_usage_read_times(const struct task_usage_files *f, struct task_usage *ret)
{
	char text[128];

	return read_text(f->schedstat, text, sizeof(text)) &&
	       sscanf(text, "%" SCNd64 " %" SCNd64, &ret->cpu_ns, &ret->run_delay_ns) == 2;
}

bool task_usage_read(const struct task_usage_files *f, struct task_usage *ret)
{
	char text[8192];

	return read_text(f->stat, text, sizeof(text)) && task_usage_parse_stat(text, ret) &&
	       read_text(f->status, text, sizeof(text)) && task_usage_parse_status(text, ret) &&
	       task_usage_read_times(f, ret);
}

bool task_usage_supported(struct error *err)
{
	char *line __free(memory) = NULL;
	int64_t turns = 0;

	if (!procfs_is_ours(err))
		return false;
	/* The third number is how often it came to a CPU: of who reads this at least once. */
	line = file_read_line("", "/proc/self/schedstat");
	if (line && sscanf(line, "%*s %*s %" SCNd64, &turns) == 1 && turns > 0)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "this kernel does not tell the CPU time of another thread in "
			 "/proc/PID/schedstat: it has no CONFIG_SCHED_INFO");
}
