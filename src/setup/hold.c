// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/hold.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "setup/place.h"

#define NAME "holder"

struct hold {
	int folder, fd;
	bool ours;
};

void hold_release(struct hold *h)
{
	if (!h)
		return;
	if (h->ours)
		unlinkat(h->folder, NAME, 0);
	if (h->fd >= 0)
		close(h->fd);
	if (h->folder >= 0)
		close(h->folder);
	free(h);
}

/* "PID SINCE", of who has it locked; 0 where he has not written it yet. */
static void read_holder(int fd, int64_t *ret_pid, int64_t *ret_since_ns)
{
	struct text line __text = {0};
	struct error ignored;

	*ret_pid = *ret_since_ns = 0;
	if (file_read_fd(fd, NAME, 64, &line, &ignored))
		sscanf(text_string(&line), "%" SCNd64 " %" SCNd64, ret_pid, ret_since_ns);
}

static bool refuse(int64_t pid, int64_t since_ns, struct error *err)
{
	char since[32];

	return error_set(err, ERROR_UNSUPPORTED,
			 "another experiment has this machine for its setups: its agent is process "
			 "%lld, since %s",
			 (long long)pid, place_time(since_ns, since));
}

bool hold_take(const char *root, struct hold **ret, struct error *err)
{
	struct hold *h __free(hold) = memory_alloc(sizeof(*h));
	enum place_found found;
	int64_t pid, since_ns;

	if (!place_open(root, NAME, true, &h->folder, &h->fd, &found, err))
		return false;
	if (found == PLACE_BUSY) {
		read_holder(h->fd, &pid, &since_ns);
		return refuse(pid, since_ns, err);
	}
	h->ours = true;
	char *line __free(memory) = text_format("%d %lld\n", getpid(), (long long)clock_wall_ns());

	/* What is in it is of one that was killed: the lock ended with him. */
	if (ftruncate(h->fd, 0))
		return error_set_errno(err, "%s", PLACE_FOLDER "/" NAME);
	if (!file_write_all(h->fd, line, strlen(line), err))
		return error_wrap(err, "%s", PLACE_FOLDER "/" NAME);
	*ret = take(h);
	return true;
}

bool hold_allows(const char *root, int64_t holder, struct error *err)
{
	struct hold *h __free(hold) = memory_alloc(sizeof(*h));
	enum place_found found;
	int64_t pid, since_ns;

	if (!place_open(root, NAME, false, &h->folder, &h->fd, &found, err))
		return false;
	if (found != PLACE_BUSY)
		return true;
	read_holder(h->fd, &pid, &since_ns);
	return (holder && pid == holder) || refuse(pid, since_ns, err);
}
