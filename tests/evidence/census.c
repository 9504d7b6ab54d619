// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: census [--leak] [WORKLOAD [NAME=VALUE...]]
 *
 * Without a workload it prints the names of all workloads. Else runs one whose tasks look at their
 * own memory between two operations, some hundred times in a window, and prints for the first, the
 * middle and the last third of it the least and the most that was there:
 *
 *	outcome ok
 *	reason ...
 *	task 0 mappings 0 31 32
 *	task 0 rss_kib 0 912 1936
 *	task 0 page_tables_kib 0 48 52
 *	task 0 heap_bytes 0 9040 9040
 *	task 0 descriptors 0 4 4
 *	task 0 looks 0 214
 *
 * (descriptors: the lowest number that is free). The least is what a task has between two rounds,
 * the most what it has within one; neither may move.
 *
 * The program has the crew's worker_next_slow() wrapped by the linker, and lets it be called often.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/random.h"
#include "own.h"
#include "subject.h"
#include "workload/crew/task.h"

enum { THIRDS = 3, TASK_MAX = 16 };

/* Looks are this much apart, in operations and in time. */
enum { STRIDE_MAX = 61 };
static const int64_t PAUSE_NS = 200 * NS_PER_US;

/* What one task saw of itself; shared with the supervisor. */
struct seen {
	uint64_t looks[THIRDS];
	int64_t least[THIRDS][OWN_MAX], most[THIRDS][OWN_MAX];
};

static struct seen (*seen)[TASK_MAX]; /* by role and task */

static struct subject subject;

/* Of the calling task. */
static _Thread_local int64_t begin_ns, looked_ns;
static _Thread_local struct random strides;

static void look(const struct worker *w, unsigned int third)
{
	struct seen *mine = &seen[w->self->role][w->task % TASK_MAX];
	int64_t facts[OWN_MAX];

	own_read(facts);
	for (size_t i = 0; i < OWN_MAX; i++) {
		if (!mine->looks[third] || facts[i] < mine->least[third][i])
			mine->least[third][i] = facts[i];
		if (!mine->looks[third] || facts[i] > mine->most[third][i])
			mine->most[third][i] = facts[i];
	}
	mine->looks[third]++;
	if (subject.leaks)
		own_leak();
	looked_ns = clock_now_ns();
}

bool __real_worker_next_slow(struct worker *w);
bool __wrap_worker_next_slow(struct worker *w);

bool __wrap_worker_next_slow(struct worker *w)
{
	int64_t now_ns, third;
	bool begins, more;

	/* What a look itself needs is there before the window. */
	if (!looked_ns)
		look(w, 0);
	more = __real_worker_next_slow(w);
	if (w->task >= TASK_MAX || w->seen_phase == PHASE_WARM)
		return more;
	now_ns = clock_now_ns();
	begins = !begin_ns;
	if (begins) {
		begin_ns = now_ns;
		random_seed(&strides, w->seed, 2);
		seen[w->self->role][w->task] = (struct seen){0};
	}
	third = (now_ns - begin_ns) / (cast_integer(w->cast, "window") / THIRDS);
	if (begins || !more || now_ns - looked_ns >= PAUSE_NS)
		look(w, third < THIRDS ? (unsigned int)third : THIRDS - 1);
	/*
	 * A round has any number of operations: looks are to fall anywhere in it. A paced task
	 * comes here for each one as it is.
	 */
	if (w->patience > STRIDE_MAX)
		w->patience = 1 + (uint32_t)random_below(&strides, STRIDE_MAX);
	return more;
}

static void print_seen(const struct role *role, size_t number, unsigned int task)
{
	const struct seen *s = &seen[number][task];

	for (size_t t = 0; t < THIRDS; t++) {
		printf("%s %u looks %zu %llu\n", role->name, task, t,
		       (unsigned long long)s->looks[t]);
		for (size_t i = 0; i < OWN_MAX; i++)
			printf("%s %u %s %zu %lld %lld\n", role->name, task, own_names[i], t,
			       (long long)s->least[t][i], (long long)s->most[t][i]);
	}
}

int main(int argc, char **argv)
{
	subject_read(argc, argv, &subject);
	seen = mmap(NULL, ROLE_MAX * sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	json_decref(subject_run(&subject));
	for (size_t r = 0; subject.workload->roles[r].name; r++) {
		for (unsigned int k = 0; k < TASK_MAX; k++) {
			if (seen[r][k].looks[0])
				print_seen(&subject.workload->roles[r], r, k);
		}
	}
	json_decref(subject.values);
	return 0;
}
