/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_WORKLOAD_MAPS_READER_H
#define CONTEND_WORKLOAD_MAPS_READER_H

#include "workload/workload.h"

/*
 * What workloads share in which processes read a file below /proc of another one that changes its
 * mappings: the role `reader`, and the role `spinner` that takes the readers' CPU from them.
 */

/* Whom they read. At the begin of worker->shared; an earlier role's prepare() fills it in. */
struct maps_victim {
	int pid;
	int64_t mappings; /* at least so many are there to be shown */
};

/* The operations and counters of a reader. */
enum { MAPS_READER_SCAN };
enum { MAPS_READER_BYTES };

/*
 * Counts what the file shows of the victim: scanning another process than it, or half of it, would
 * be fast. ERROR_UNSUPPORTED where this user may not read it.
 */
bool maps_reader_prepare(struct worker *w, struct error *err);
void maps_reader_work(struct worker *w);
unsigned int maps_reader_tasks(const struct cast *cast);
int maps_reader_nice(const struct cast *cast);
double maps_reader_rate(const struct cast *cast);

void maps_reader_spin(struct worker *w);
unsigned int maps_reader_spinner_tasks(const struct cast *cast);

/* For supported(): false (ERROR_UNSUPPORTED) where there is no such file, or /proc is another's. */
bool maps_reader_supported(const struct cast *cast, struct error *err);

/* The two roles; more designators may follow. */
#define MAPS_READER_ROLE                                                                           \
	.name = "reader", .help = "opens the file, reads it to the end, closes it",                \
	.operations = {[MAPS_READER_SCAN] = {.name = "scan", .series = "latency"}},                \
	.counters = {[MAPS_READER_BYTES] = {.name = "bytes"}}, .tasks = maps_reader_tasks,         \
	.mode = ROLE_PROCESSES, .apart = true, .nice = maps_reader_nice, .rate = maps_reader_rate, \
	.prepare = maps_reader_prepare, .work = maps_reader_work
#define MAPS_READER_SPINNER_ROLE                                                                   \
	.name = "spinner", .help = "takes the readers' CPU from them (busy_ms=)",                  \
	.operations = {{.name = "spell"}}, .tasks = maps_reader_spinner_tasks, .alone = true,      \
	.mode = ROLE_PROCESSES, .beside = "reader", .work = maps_reader_spin

#define MAPS_READER_PARAM_FILE(PRESET)                                                             \
	{                                                                                          \
		"file", PARAM_CHOICE, PRESET,                                                      \
			.choices = "maps|smaps|smaps_rollup|numa_maps|query|stat|none",            \
			.help = "what the readers read of the writer's process; query: the "       \
				"PROCMAP_QUERY ioctl on maps, mapping by mapping; stat: a "        \
				"control, no mm lock; none: no readers"                            \
	}
#define MAPS_READER_PARAM_READERS(WHERE)                                                           \
	{                                                                                          \
		"readers", PARAM_COUNT, "1", .low = 1, .high = 1024,                               \
			.help = "reader processes, on CPUs apart from " WHERE                      \
	}
#define MAPS_READER_PARAM_RATE(PRESET)                                                             \
	{                                                                                          \
		"reader_rate", PARAM_NUMBER, PRESET, .high = 1e6,                                  \
			.help = "scans/s of each reader; 0: one after the other, and then the "    \
				"faster reader meets the writer more often"                        \
	}
#define MAPS_READER_PARAM_BUSY                                                                     \
	{                                                                                          \
		"busy_ms", PARAM_COUNT, "0", .high = 1000,                                         \
			.help = "a spinner on each reader's CPU, N ms busy and 1 ms asleep in "    \
				"turn, and readers at nice 15: preempted while they hold a lock. " \
				"0: none"                                                          \
	}

#define MAPS_READER_METRICS                                                                        \
	METRIC_QUANTILES("reader_latency", "reader.latency",                                       \
			 "of a scan from when it was due; not paced: as it takes"),                \
		MAPS_READER_COUNTS
#define MAPS_READER_COUNTS                                                                         \
	{"reader_scans", "1/s", BETTER_HIGHER, SUMMARY_RATE, "reader.operations",                  \
	 .help = "scans per second, summed over the readers; paced: at most reader_rate each"},    \
	{"reader_bytes", "bytes", BETTER_NEITHER, SUMMARY_RATIO, "reader.bytes",                   \
	 "reader.operations",                                                                      \
	 .help = "bytes a scan; query: of the answers"}

#endif
