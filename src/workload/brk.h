/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_BRK_H
#define CONTEND_WORKLOAD_BRK_H

#include "workload/workload.h"

/*
 * What brk1 and brk2 have in common: one page up, one page down, at the top of the program break,
 * by the system call itself. There is one break in an mm. What a thread's call does depends on the
 * one before it, whoever made that: it grows the break, shrinks it, or finds it where it was asked
 * to be. The three cost differently, so they are counted apart.
 */

enum { BRK_GROW, BRK_SHRINK, BRK_NOOP };

#define BRK_OPERATIONS                                                                             \
	{                                                                                          \
		[BRK_GROW] = {.name = "grow", .series = "latency"},                                \
		[BRK_SHRINK] = {.name = "shrink", .series = "latency"},                            \
		[BRK_NOOP] = {.name = "noop", .series = "latency"},                                \
	}

/*
 * For prepare(): gets the break ready for the tasks of this process. With kept_pages 0 all of them
 * ask for the same two places; otherwise there are so many pages below each task's, which are never
 * written, and each task asks for places of its own.
 *
 * Below that is the heap. Where this process stands for a forked one it is the heap that came with
 * the fork; where it stands for the one that has threads it is a page of its own, written.
 */
bool brk_prepare(struct worker *w, unsigned int kept_pages, struct error *err);

/* The loop of the role `task`. */
void brk_work(struct worker *w);

extern const struct metric brk_metrics[];

#endif
