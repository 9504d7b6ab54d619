/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_BASE_CLOCK_H
#define CONTEND_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/* The one type of time is int64_t nanoseconds. */
#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_SEC INT64_C(1000000000)

static inline int64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* CLOCK_MONOTONIC: shared by all processes of one kernel, answered by the vDSO. */
static inline int64_t clock_now_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread; a real system call. */
static inline int64_t clock_thread_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Wall clock, for stamps that people read; never for intervals. */
static inline int64_t clock_wall_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Sleeps until clock_now_ns() reaches the deadline; signals do not shorten it. */
static inline void clock_sleep_until(int64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = deadline_ns / NS_PER_SEC,
		.tv_nsec = deadline_ns % NS_PER_SEC,
	};

	if (deadline_ns <= 0)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

#endif
