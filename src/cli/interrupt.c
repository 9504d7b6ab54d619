// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"

/* Not a signalfd: nobody would read the second signal while the first one is being obeyed. */
static int ends[2] = {-1, -1};
static int64_t first_ns;

/*
 * A signal may come twice for one wish: timeout(1) sends it to the process and then to the group. A
 * person is slower.
 */
enum { PATIENCE_MS = 200 };

static void stop(int sig)
{
	int64_t now_ns = clock_now_ns();
	int saved = errno;
	ssize_t ignored;

	if (!first_ns) {
		first_ns = now_ns;
		/* The pipe is empty: it has room for a byte. */
		ignored = write(ends[1], "", 1);
		(void)ignored;
	} else if (now_ns - first_ns > PATIENCE_MS * NS_PER_MS) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

bool interrupt_catch(int *ret_fd, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};

	/* One at a time. */
	sigfillset(&action.sa_mask);

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return error_set_errno(err, "pipe");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		struct sigaction old;

		sigaction(signals[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	*ret_fd = ends[0];
	return true;
}
