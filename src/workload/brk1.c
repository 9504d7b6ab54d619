// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/brk.h"

/*
 * What a call does to the VMA of the heap is what it does in brk1 of will-it-scale. Its processes
 * are forked with a heap that was written before. The VMA of such a heap does not grow: it shares
 * its anon_vma (is_mergeable_anon_vma() wants that to be the only one in the chain), so that
 * growing the break makes a VMA, and shrinking it removes that. Its threads run in the process that
 * wrote the heap: there the VMA grows, and is split to be cut. All threads ask for the same two
 * places.
 */

static bool prepare(struct worker *w, struct error *err)
{
	return brk_prepare(w, 0, err);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "asks for the break one page up and back in turn",
		.operations = BRK_OPERATIONS,
		.prepare = prepare,
		.work = brk_work,
	},
	{.name = NULL},
};

const struct workload workload_brk1 = {
	.name = "brk1",
	.summary = "the program break one page up and down; mode=thread: many threads on one break "
		   "(as brk1 of will-it-scale)",
	.roles = roles,
	.metrics = brk_metrics,
};
