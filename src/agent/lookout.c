// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/lookout.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

void lookout_done(struct lookout *l)
{
	if (l->epoll >= 0)
		close(l->epoll);
	if (l->signals >= 0)
		close(l->signals);
}

static bool lookout_watch(struct lookout *l, int fd, struct error *err)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};

	/* EPERM: a plain file, which cannot hang up. EEXIST cannot be, EBADF is a closed input. */
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event) && errno != EPERM)
		return error_set_errno(err, "watch the input");
	return true;
}

bool lookout_init(struct lookout *l, struct agent *a, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	/* From here on they come by descriptor. Workers start with an empty mask (base/child.h). */
	sigprocmask(SIG_BLOCK, &set, NULL);
	l->agent = a;
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0)
		return error_set_errno(err, "signalfd");
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		return error_set_errno(err, "epoll_create1");
	return lookout_watch(l, l->signals, err) && lookout_watch(l, a->input, err);
}

bool lookout_is_called_off(const struct lookout *l, bool wait)
{
	struct epoll_event events[2];
	char ignored[4096];

	do {
		int n = epoll_wait(l->epoll, events, 2, wait ? -1 : 0);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == l->signals)
				return true;
			/* A controller that is alive has nothing to say; its words are not kept. */
			if (events[i].events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR) ||
			    !read(events[i].data.fd, ignored, sizeof(ignored)))
				return true;
		}
	} while (wait);
	return false;
}
