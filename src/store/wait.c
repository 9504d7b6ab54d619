// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/wait.h"

#include <poll.h>

#include "base/clock.h"
#include "store/store.h"

enum {
	/* For a user who wants to stop: what has been measured is still to be kept. */
	STOPPED_MS = 1000,
	STEP_MS = 20,
};

/* A process has one user, who wants to stop all of it. */
static int stop_fd = -1;

void store_stop_on(int fd)
{
	stop_fd = fd;
}

bool wait_is_stopped(void)
{
	struct pollfd stop = {.fd = stop_fd, .events = POLLIN};

	return stop_fd >= 0 && poll(&stop, 1, 0) > 0;
}

bool wait_a_little(int64_t since_ns)
{
	int64_t waited_ns = clock_now_ns() - since_ns;

	if (waited_ns >= (wait_is_stopped() ? STOPPED_MS * NS_PER_MS : WAIT_SECONDS * NS_PER_SEC))
		return false;
	clock_sleep_until(clock_now_ns() + STEP_MS * NS_PER_MS);
	return true;
}
