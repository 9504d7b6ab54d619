// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/brk.h"

/*
 * As brk2 of will-it-scale: each task first moves the break up by a page and keeps it. That page is
 * never written. In a forked process it is a VMA of its own, next to the heap that came with the
 * fork, and has no anon_vma: growing makes this VMA longer, shrinking splits it and removes the
 * part, and neither has an anon_vma chain to look after.
 *
 * Among threads the kept pages lie on top of each other, in the VMA of the heap that this process
 * has written, and each thread has places of its own: N threads move the one break over N + 1
 * pages. will-it-scale's threads take their pages by sbrk() as they start, which is not safe among
 * threads: two of its tasks may have the same place, here they never have.
 */

static bool prepare(struct worker *w, struct error *err)
{
	return brk_prepare(w, 1, err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "keeps a page of the break, asks for one page more and back in turn",
		.operations = BRK_OPERATIONS,
		.prepare = prepare,
		.work = brk_work,
	},
	{.name = NULL},
};

const struct workload workload_brk2 = {
	.name = "brk2",
	.summary = "the program break one page up and down, above a page that the task keeps; "
		   "mode=thread: many threads on one break (as brk2 of will-it-scale)",
	.roles = roles,
	.metrics = brk_metrics,
};
