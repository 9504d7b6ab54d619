/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_FAULTING_H
#define CONTEND_WORKLOAD_FAULTING_H

#include "workload/workload.h"

/*
 * What workloads share in which threads fault while another thread changes mappings of the same mm:
 * the two loops, their parameters and metrics. The roles are called `faulter` and `writer`.
 *
 * A page is written once, and nothing is made ready again inside of the window: MADV_DONTNEED took
 * mmap_lock before Linux 6.17 and would be what is measured. So there have to be enough pages.
 */
struct faulting {
	size_t page_bytes;
	char *first;	    /* the page that faulter 0 begins with */
	size_t part_bytes;  /* from there to where faulter 1 begins, and so on */
	size_t bytes;	    /* that a faulter goes over */
	size_t step_bytes;  /* from a page that it writes to the next one */
	uintptr_t passed;   /* pages whose address has none of these bits are passed over */
	char *target;	    /* the page whose mapping the writer changes */
	const char *enough; /* what to do where the pages are used up: "with a larger size=" */
};

/* The operations of the two roles, by their indices. */
enum { FAULTING_WRITE };
enum { FAULTING_PROTECT, FAULTING_UNPROTECT, FAULTING_UNMAP, FAULTING_MAP };

/*
 * The loop of a faulter: writes to its pages, one after the other. The run is invalid where it has
 * none left. w->local is a struct faulting, here and below.
 */
void faulting_fault(struct worker *w);

/*
 * The loop of the writer: changes the mapping of the page and changes it back, in the way that
 * writer= says. After two calls the mappings are what they were.
 */
void faulting_change(struct worker *w);

/* role.rate of the two: fault_rate= and writer_rate=. */
double faulting_fault_rate(const struct cast *cast);
double faulting_writer_rate(const struct cast *cast);

/*
 * How many pages a faulter needs for warm-up and window, with something to spare for a late begin;
 * 0 where fault_rate= is 0: as many as it can.
 */
int64_t faulting_pages_needed(const struct cast *cast);

/*
 * For prepare(): a page to be the writer's target, of a mapping of its own: two pages between two
 * that nobody may touch, the first one written, so that it has an anon_vma as what is faulted in.
 * NULL with errno on failure.
 */
char *faulting_map_target(size_t page_bytes);

/* The two roles, in one process; more designators may follow. */
#define FAULTING_FAULTER_ROLE                                                                      \
	.name = "faulter", .mode = ROLE_THREADS,                                                   \
	.operations = {[FAULTING_WRITE] = {.name = "write", .series = "latency", .own = "call"}},  \
	.rate = faulting_fault_rate, .work = faulting_fault
#define FAULTING_WRITER_ROLE                                                                       \
	.name = "writer",                                                                          \
	.help = "changes the mapping of a page of the same mm, and changes it back",               \
	.operations =                                                                              \
		{                                                                                  \
			[FAULTING_PROTECT] = {.name = "protect",                                   \
					      .series = "latency",                                 \
					      .own = "call"},                                      \
			[FAULTING_UNPROTECT] = {.name = "unprotect",                               \
						.series = "latency",                               \
						.own = "call"},                                    \
			[FAULTING_UNMAP] = {.name = "unmap", .series = "latency", .own = "call"},  \
			[FAULTING_MAP] = {.name = "map", .series = "latency", .own = "call"},      \
	},                                                                                         \
	.alone = true, .mode = ROLE_THREADS, .with = "faulter", .apart = true,                     \
	.beside = "faulter", .rate = faulting_writer_rate, .work = faulting_change

#define FAULTING_PARAM_WRITER                                                                      \
	{                                                                                          \
		"writer", PARAM_CHOICE, "mprotect", .choices = "mprotect|mmap",                    \
		.help = "what the writer does to its page: takes the right to write and gives it " \
			"back, or unmaps it and maps it again; each is one operation"              \
	}

/* Metrics of the two roles; PRIMARY: the quantile of fault_call that decides. */
#define FAULTING_METRICS_FAULTER(PRIMARY)                                                          \
	METRIC_QUANTILES_PRIMARY("fault_call", "faulter.call",                                     \
				 "that the write to a page takes, which faults", PRIMARY),         \
		METRIC_QUANTILES("fault_latency", "faulter.latency",                               \
				 "of the same from when it was due; not paced: as it takes"),      \
		FAULTING_COUNTS_FAULTER
#define FAULTING_COUNTS_FAULTER                                                                    \
	{"fault_operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "faulter.operations",             \
	 .help = "pages written per second, summed over the faulters; paced: at most fault_rate "  \
		 "each"},                                                                          \
	{"fault_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "faulter.cpu_ns", "faulter.operations",\
	 .help = "CPU time of the faulters a page"},                                               \
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "faulter.minor_faults",                 \
	 "faulter.operations",                                                                     \
	 .help = "minor faults a page: 1, each write faults"}
#define FAULTING_METRICS_WRITER                                                                    \
	METRIC_QUANTILES("writer_call", "writer.call", "that a call of the writer takes"),         \
		METRIC_QUANTILES("writer_latency", "writer.latency",                               \
				 "of a call from when it was due; not paced: as it takes"),        \
		FAULTING_COUNTS_WRITER
#define FAULTING_COUNTS_WRITER                                                                     \
	{"writer_operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "writer.operations",             \
	 .help = "calls of the writer per second; paced: at most writer_rate"},                    \
	{"writer_cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "writer.cpu_ns", "writer.operations", \
	 .help = "CPU time of the writer a call"}

#endif
