// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/pace.h"

#include <math.h>

enum {
	NAP_NS = 5000000,  /* the longest sleep without a look at the phase */
	SPIN_NS = 100000,  /* awake so long before the start: a timer is often late by 50 us */
	MEASURE_NS = 2000, /* the CPU clock is read so long before: it costs 0.3 us */
};

static void draw(struct pace *p)
{
	double periods = (double)p->begun + random_unit(&p->random);

	/* At a rate of next to nothing the start is out of sight, and of an int64_t. */
	p->next_ns = p->base_ns + (int64_t)fmin(periods * p->period_ns, 0x1p61);
}

void pace_init(struct pace *p, double rate, uint64_t seed)
{
	*p = (struct pace){.period_ns = rate > 0 ? (double)NS_PER_SEC / rate : 0};
	random_seed(&p->random, seed, 0);
}

void pace_restart(struct pace *p, int64_t now_ns)
{
	p->base_ns = now_ns;
	p->begun = 0;
	draw(p);
}

/* Sleeps until shortly before the start. False: the phase changed. */
static bool doze(const struct pace *p, const _Atomic uint32_t *phase, uint32_t seen)
{
	for (;;) {
		int64_t now = clock_now_ns();
		int64_t until = p->next_ns - SPIN_NS;

		if (atomic_load_explicit(phase, memory_order_relaxed) != seen)
			return false;
		if (now >= until)
			return true;
		clock_sleep_until(until < now + NAP_NS ? until : now + NAP_NS);
	}
}

bool pace_wait(struct pace *p, const _Atomic uint32_t *phase, uint32_t seen)
{
	int64_t now, measured = 0;

	if (!doze(p, phase, seen))
		return false;
	/*
	 * Reading the CPU clock is a system call. Done at the start it would be part of the
	 * latency, so it is done shortly before, and the rest of the spin taken off.
	 */
	while ((now = clock_now_ns()) < p->next_ns) {
		if (atomic_load_explicit(phase, memory_order_relaxed) != seen)
			return false;
		if (!measured && p->next_ns - now < MEASURE_NS) {
			p->cpu_ns = clock_thread_cpu_ns();
			measured = clock_now_ns();
		}
	}
	if (measured)
		p->cpu_ns += now - measured;
	else
		p->cpu_ns = clock_thread_cpu_ns();
	p->start_ns = p->next_ns;
	p->begun++;
	draw(p);
	return true;
}

int64_t pace_spent_ns(const struct pace *p)
{
	int64_t spent = clock_thread_cpu_ns() - p->cpu_ns;

	/* Preempted between the clock and the start: more was taken off than was spun. */
	return spent < 0 ? 0 : spent;
}

uint64_t pace_unstarted(const struct pace *p, int64_t now_ns)
{
	uint64_t due;

	if (p->period_ns <= 0)
		return 0;
	due = (uint64_t)((double)(now_ns - p->base_ns) / p->period_ns);
	return due > p->begun ? due - p->begun : 0;
}
