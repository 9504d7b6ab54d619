/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_CREW_ERRAND_H
#define CONTEND_WORKLOAD_CREW_ERRAND_H

#include <sys/resource.h>

#include "kernel/surroundings.h"
#include "workload/crew/crew.h"

/*
 * A run without a loop: programs from outside are executed once, and what they need is measured.
 * There is no window; the run is as long as they take.
 *
 *	agent             watches over the time, and hears when nobody wants the run any more
 *	  courier         the process that workload.errand() is called in: starts, listens, measures
 *	    programs      each in a process group of its own, in the run's surroundings
 *
 * The courier is outside of the surroundings, so that it is not limited with the programs. It is
 * the subreaper of all that they leave, in whatever group or session that is, and ends it before it
 * ends itself. When the agent dies it gets SIGTERM and does the same.
 */
struct errand;

/* What of an output is kept: its begin and its end, this much of each. */
enum { ERRAND_HEAD_BYTES = 64 << 10, ERRAND_TAIL_BYTES = 192 << 10 };

/* A program to execute. Strings are borrowed. */
struct errand_program {
	/* Ends with NULL. The program is looked for in PATH where its name has no slash. */
	const char *const *argv;
	const char *folder; /* where it begins; NULL, "": where the agent is */
	/* The role under which the record has what it prints; NULL: it is only for messages. */
	const char *role;
	/* What progress says meanwhile. Static. */
	const char *phase;
};

/*
 * What a program and those of its children that it waited for came to, from right before exec to
 * its end. But for ru_maxrss: there the kernel counts what it was forked as, too (exec_mmap(),
 * Linux 6.18), about 1.5 MiB.
 */
struct errand_usage {
	int64_t real_ns;
	struct rusage all;
};

/* ---- for workloads, in the courier ---- */

const struct cast *errand_cast(const struct errand *e);

/*
 * Executes a program and waits for its end; its standard input is /dev/null. False where it could
 * not be executed, did not end with status 0 (with its last lines), or time was up. ret_usage:
 * NULL: nobody asks.
 */
bool errand_execute(struct errand *e, const struct errand_program *p,
		    struct errand_usage *ret_usage, struct error *err);

/* A counter of the record's task: "user_ns". */
void errand_count(struct errand *e, const char *counter, int64_t value);

/* The counters of a program: ERRAND_METRICS are made of them. Its real time is the window. */
void errand_count_usage(struct errand *e, const struct errand_usage *usage);

/*
 * For supported(): whether there is such a program to execute: *ret_path, owned by the caller.
 * ERROR_UNSUPPORTED: "not found in PATH", "not executable" ...
 */
bool errand_find_program(const char *name, const char *folder, char **ret_path, struct error *err);

/* For a list of metrics: what errand_count_usage() counts, of a role. */
#define ERRAND_METRICS(ROLE, WHAT)                                                                 \
	{"real", "ns", BETTER_LOWER, SUMMARY_TOTAL, ROLE ".real_ns", .primary = true,              \
	 .help = "wall clock time from exec to the end of " WHAT},                                 \
		ERRAND_METRIC("user", "ns", BETTER_LOWER, ROLE ".user_ns",                         \
			      "CPU time in user mode, of it and the children it waited for"),      \
		ERRAND_METRIC("system", "ns", BETTER_LOWER, ROLE ".system_ns",                     \
			      "CPU time in the kernel, of the same"),                              \
		ERRAND_METRIC("max_rss", "bytes", BETTER_LOWER, ROLE ".max_rss_bytes",             \
			      "the largest resident set that one of these processes had"),         \
		ERRAND_METRIC("minor_faults", "faults", BETTER_LOWER, ROLE ".minor_faults",             \
			      "page faults without I/O, of all of them"),                          \
		ERRAND_METRIC("major_faults", "faults", BETTER_LOWER, ROLE ".major_faults",             \
			      "page faults with I/O, swap included"),                              \
		ERRAND_METRIC("voluntary_switches", "switches", BETTER_NEITHER,                           \
			      ROLE ".voluntary_switches", "context switches to wait"),             \
		ERRAND_METRIC("involuntary_switches", "switches", BETTER_NEITHER,                         \
			      ROLE ".involuntary_switches", "context switches to others that were "    \
							    "due")
#define ERRAND_METRIC(NAME, UNIT, BETTER, OF, HELP)                                                \
	{                                                                                          \
		NAME, UNIT, BETTER, SUMMARY_TOTAL, OF, .help = (HELP)                              \
	}

#define ERRAND_PARAM_TIMEOUT(PRESET)                                                               \
	{                                                                                          \
		"timeout", PARAM_DURATION, PRESET, .low = (double)NS_PER_MS,                       \
		.high = 24 * 3600 * (double)NS_PER_SEC,                                            \
		.help = "how long a run may take, all that belongs to it included"                 \
	}

/* ---- for the crew ---- */

struct errand_result {
	enum outcome outcome;
	char *reason;	/* "" when ok */
	json_t *parcel; /* {"tasks","outputs","notes"}; NULL: nothing came back */
};

void errand_result_done(struct errand_result *r);

/* One run, until nothing of it is left. */
void errand_run(const struct cast *cast, const struct crew_watch *watch, struct errand_result *ret);

#endif
