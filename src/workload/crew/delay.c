// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/delay.h"

#include "base/clock.h"

/*
 * Between these a stretch is long enough that reading the clock at its end (30 ns) is no slowdown
 * of its own, and short enough that the delay is spread evenly over a window of 50 ms.
 */
enum { STRETCH_SHORT_NS = 50000, STRETCH_LONG_NS = 200000, STRETCH_MAX = 1 << 24 };

void delay_init(struct delay *d, double share)
{
	*d = (struct delay){.share = share, .stretch = 64};
}

void delay_start(struct delay *d)
{
	d->owed_ns = 0;
	d->begin_ns = clock_now_ns();
}

void delay_keep(struct delay *d)
{
	int64_t end_ns = clock_now_ns();
	int64_t elapsed_ns = end_ns - d->begin_ns;
	int64_t now_ns = end_ns;

	d->owed_ns += d->share * (double)elapsed_ns;
	while ((double)(now_ns - end_ns) < d->owed_ns)
		now_ns = clock_now_ns();
	d->owed_ns -= (double)(now_ns - end_ns);
	d->begin_ns = now_ns;
	if (elapsed_ns < STRETCH_SHORT_NS && d->stretch < STRETCH_MAX)
		d->stretch *= 2;
	else if (elapsed_ns > STRETCH_LONG_NS && d->stretch > 1)
		d->stretch /= 2;
}
