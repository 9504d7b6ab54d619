// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/mmap_round.h"

void mmap_round_work(struct worker *w)
{
	const struct region *region = region_of(w);

	while (worker_next(w)) {
		int64_t begin = worker_begin(w, REGION_MMAP), middle, end;
		void *at = region_map(region);
		bool ok;

		if (!at) {
			worker_fail(w);
			continue;
		}
		middle = worker_stamp(w, REGION_MUNMAP);
		ok = !munmap(at, region->bytes);
		end = worker_stamp(w, REGION_MUNMAP);
		worker_record(w, REGION_MMAP, middle - begin);
		worker_close(w, REGION_MUNMAP, end - middle, ok);
	}
}

const struct metric mmap_round_metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "rounds of one mmap and one munmap per second, summed over the tasks: what "
		 "will-it-scale counts"},
	REGION_METRICS_MMAP,
	METRIC_QUANTILES("munmap_latency", "task.munmap_latency", "of a munmap call"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a round"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a round: nothing is touched, so there is next to none"},
	{.name = NULL},
};
