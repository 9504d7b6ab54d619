// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/memcg.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "kernel/flat_keyed.h"

#define V1 "/sys/fs/cgroup/memory"
#define V2 "/sys/fs/cgroup"

static const struct memcg_files v1 = {
	.limit = "memory.limit_in_bytes",
	.usage = "memory.usage_in_bytes",
	.peak = "memory.max_usage_in_bytes",
	.swap = "memory.memsw.limit_in_bytes",
	.swapped = "memory.memsw.usage_in_bytes",
	.events = "memory.oom_control",
};

static const struct memcg_files v2 = {
	.limit = "memory.max",
	.usage = "memory.current",
	.peak = "memory.peak",
	.swap = "memory.swap.max",
	.swapped = "memory.swap.current",
	.high = "memory.high",
	.events = "memory.events",
};

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at && (at = strstr(at, word)); at += length) {
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

bool memcg_is_v2(const char *root)
{
	char *controllers __free(memory) = file_read_line(root, V2 "/cgroup.controllers");

	return has_word(controllers, "memory");
}

bool memcg_find(const char *root, const struct memcg_files **ret_files, struct error *err)
{
	char *v1_limit __free(memory) = text_format("%s" V1 "/%s", root, v1.limit);

	if (memcg_is_v2(root))
		*ret_files = &v2;
	else if (!access(v1_limit, F_OK))
		*ret_files = &v1;
	else
		return error_set(err, ERROR_UNSUPPORTED,
				 "no memory controller: neither is memory in %s" V2
				 "/cgroup.controllers, nor is v1's mounted at %s" V1,
				 root, root);
	return true;
}

/* The path behind "N:…memory…:" in /proc/self/cgroup. Owned by the caller; NULL: none. */
static char *own_v1_path(const char *root)
{
	struct text all __text = {0};
	struct error ignored;
	char *rest, *line;

	if (!file_read(root, "/proc/self/cgroup", 1 << 20, &all, &ignored) || !all.length)
		return NULL;
	rest = all.bytes;
	while ((line = strsep(&rest, "\n"))) {
		char *controllers, *word;

		strsep(&line, ":");
		controllers = strsep(&line, ":");
		while (line && (word = strsep(&controllers, ","))) {
			if (text_equal(word, "memory"))
				return text_format("%s", line);
		}
	}
	return NULL;
}

bool memcg_parent(const char *root, char **ret_path, struct error *err)
{
	const struct memcg_files *files;

	if (!memcg_find(root, &files, err))
		return false;
	char *own __free(memory) = files == &v1 ? own_v1_path(root) : NULL;
	char *path __free(memory) = text_format("%s%s", files == &v1 ? V1 : V2,
						own && !text_equal(own, "/") ? own : "");
	char *full __free(memory) = text_format("%s%s", root, path);

	/* A container sees another part of the tree than /proc tells of. */
	*ret_path = access(full, F_OK) ? text_format("%s", files == &v1 ? V1 : V2) : take(path);
	return true;
}

int64_t memcg_oom_kills(const char *root, const char *group)
{
	const struct memcg_files *files;
	struct error ignored;

	if (!memcg_find(root, &files, &ignored))
		return -1;
	char *path __free(memory) = text_format("%s/%s", group, files->events);

	return flat_keyed_integer(root, path, "oom_kill");
}

int64_t memcg_bytes(const char *root, const char *group, const char *file)
{
	char *path __free(memory) = text_format("%s/%s", group, file);
	char *line __free(memory) = file_read_line(root, path);
	long long value;
	char *end;

	if (!line || !*line)
		return -1;
	if (text_equal(line, "max"))
		return INT64_MAX;
	value = strtoll(line, &end, 10);
	return *end || value < 0 ? -1 : value;
}

static bool open_eventfd(struct memcg_oom_watch *w, const char *group, struct error *err)
{
	char *control __free(memory) = text_format("%s/cgroup.event_control", group);
	char numbers[32];

	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0)
		return error_set_errno(err, "eventfd");
	snprintf(numbers, sizeof(numbers), "%d %d", w->fd, w->control);
	return file_write("", control, numbers, err);
}

bool memcg_oom_watch_open(struct memcg_oom_watch *w, const char *group, struct error *err)
{
	const struct memcg_files *files;

	*w = (struct memcg_oom_watch)MEMCG_OOM_WATCH_NONE;
	if (!memcg_find("", &files, err))
		return false;
	char *path __free(memory) = text_format("%s/%s", group, files->events);
	int events __free(fd) = open(path, O_RDONLY | O_CLOEXEC);

	if (events < 0)
		return error_set_errno(err, "open %s", path);
	if (files == &v2) {
		w->fd = take_fd(events);
		return true;
	}
	w->control = take_fd(events);
	if (open_eventfd(w, group, err))
		return true;
	memcg_oom_watch_close(w);
	return false;
}

void memcg_oom_watch_close(struct memcg_oom_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->control >= 0)
		close(w->control);
	*w = (struct memcg_oom_watch)MEMCG_OOM_WATCH_NONE;
}

/* v2: oom_kill of memory.events, as it is; reading it is what makes the next change a new one. */
static int64_t read_kills(const struct memcg_oom_watch *w)
{
	char text[4096];
	ssize_t n = pread(w->fd, text, sizeof(text) - 1, 0);
	const char *at;

	text[n < 0 ? 0 : n] = '\0';
	at = strstr(text, "\noom_kill ");
	return at ? strtoll(at + strlen("\noom_kill "), NULL, 10) : 0;
}

void memcg_oom_watch_clear(struct memcg_oom_watch *w)
{
	eventfd_t ignored;

	if (w->control < 0)
		w->kills = read_kills(w);
	else
		eventfd_read(w->fd, &ignored);
}

bool memcg_oom_watch_await(const struct memcg_oom_watch *w, int other_fd)
{
	struct pollfd polled[] = {
		{.fd = w->fd, .events = w->control < 0 ? POLLPRI : POLLIN},
		{.fd = other_fd, .events = POLLIN},
	};

	for (;;) {
		if (poll(polled, 2, -1) <= 0)
			continue;
		if (polled[0].revents && (w->control >= 0 || read_kills(w) > w->kills))
			return true;
		if (polled[1].revents)
			return false;
	}
}
