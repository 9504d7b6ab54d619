// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/block.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiment/command.h"
#include "experiment/order.h"
#include "lab/members.h"
#include "lab/room.h"

enum {
	/*
	 * What a run may take besides warm-up and window before the controller gives it up: more
	 * than the limits that the agent sets itself (20 s to get ready, 5 s each to begin and end
	 * the window and to exit, 40 ms more a task), so that the agent is the one to say what
	 * hung.
	 */
	MARGIN_SECONDS = 45,
	MARGIN_TASK_MS = 50,
};

void block_report_progress(struct lab *l)
{
	struct lab_progress *p = &l->progress;

	if (!l->watch->progress)
		return;
	p->pairs_done = standing_pairs(&l->standing);
	p->pairs_planned = room_pairs(l->experiment);
	p->one_arm = l->experiment->plan == PLAN_SINGLE;
	p->spent_ns = room_spent_ns(l);
	p->left_ns = room_left_ns(l);
	p->so_far = l->so_far;
	l->watch->progress(l->watch->context, p);
}

static void run_progress(void *context, const char *phase, double share)
{
	struct lab *l = context;

	l->progress.phase = phase;
	l->progress.share = share;
	block_report_progress(l);
	/* The phase is the target's, and gone when this returns. */
	l->progress.phase = NULL;
}

static bool stop_asked(const struct lab *l)
{
	struct pollfd stop = {.fd = l->watch->stop_fd, .events = POLLIN};

	return stop.fd >= 0 && poll(&stop, 1, 0) > 0;
}

/* A number among the parameters that most workloads have; 0 where one has not. */
static int64_t common_param(const struct subject *s, int arm, const char *name)
{
	if (!param_find(s->description->params, name))
		return 0;
	return params_integer(s->params[arm], s->description->params, name);
}

/* How long a run may take in all. */
static int64_t run_limit_ns(const struct subject *s, int arm)
{
	return common_param(s, arm, "warmup") + common_param(s, arm, "window") +
	       common_param(s, arm, "timeout") +
	       common_param(s, arm, "tasks") * MARGIN_TASK_MS * NS_PER_MS +
	       MARGIN_SECONDS * NS_PER_SEC;
}

/* One run, kept in the store before anything else happens. False: the store failed. */
static bool run_arm(struct lab *l, size_t subject, int arm, unsigned int arms, bool first,
		    enum outcome *ret_outcome, struct error *err)
{
	const struct subject *s = &l->experiment->subjects[subject];
	char *id __free(memory) = text_format("run-%" PRId64 "-%s", l->pair, arm_words[arm]);
	char *name __free(memory) = experiment_subject_name(l->experiment, subject);
	json_t *params __free(json) = NULL;
	struct wire_request request = {
		.job = WIRE_RUN,
		.id = id,
		.workload = s->description->name,
	};
	struct target_watch watch = {
		.progress = run_progress,
		.context = l,
		.stop_fd = l->watch->stop_fd,
		.agent = &l->agent,
	};

	if (!command_params(s, arm, &params, err))
		return false;
	request.params = params;
	l->progress.arm = arm_words[arm];
	l->progress.workload = name;
	run_progress(l, "start", 0);

	struct run *run __free(run) = target_run(l->target, &request, run_limit_ns(s, arm), &watch);
	struct entry entry = {
		.subject = subject,
		.pair = l->pair,
		.arm = arm,
		.first = first,
		.arms = arms,
		.run = run,
	};

	l->progress.arm = l->progress.workload = NULL;
	block_read_outputs(l->experiment, subject, run);
	if (!store_add_run(l->store, l->experiment->id, &entry, err))
		return error_wrap(err, "pair %" PRId64 ", %s: keep the run", l->pair + 1,
				  arm_words[arm]);
	*ret_outcome = run->outcome;
	/* The store has them, and no figure is made of them. */
	if (!experiment_keeps_raw(l->experiment))
		run_drop_raw(run);
	entries_add(l->runs, entry);
	take(run);
	return true;
}

bool block_run(struct lab *l, size_t subject, bool *ret_whole, struct error *err)
{
	const struct experiment *e = l->experiment;
	struct standing_subject *own = &l->standing.subjects[subject];
	const unsigned int arms = members_of_block(l, subject);
	bool first = true;
	int order[ARM_MOST];
	int64_t start_ns = clock_now_ns(), took_ns;

	*ret_whole = false;
	l->pair = own->next;
	order_draw(e->seed, subject, l->pair, e->arm_count, order);
	for (int k = 0; k < e->arm_count; k++) {
		enum outcome outcome;

		if (!members_in_block(l, subject, order[k]))
			continue;
		if (stop_asked(l))
			return true;
		if (!run_arm(l, subject, order[k], arms, first, &outcome, err))
			return false;
		first = false;
		if (outcome == OUTCOME_INTERRUPTED)
			return true;
	}
	took_ns = clock_now_ns() - start_ns;
	own->longest_ns = took_ns > own->longest_ns ? took_ns : own->longest_ns;
	standing_add(&l->standing, subject, l->pair);
	*ret_whole = true;
	return true;
}
