// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/region.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/meminfo.h"
#include "model/param.h"

/* With vm.overcommit_memory=2 what is mapped counts, and all tasks have theirs at once. */
static bool commits(const struct cast *cast, const char *mode, struct error *err)
{
	int64_t limit = meminfo_bytes("", "/proc/meminfo", "CommitLimit");
	int64_t used = meminfo_bytes("", "/proc/meminfo", "Committed_AS");
	double bytes = cast_number(cast, "size") * cast_number(cast, "tasks");
	char needed[UNITS_TEXT], left[UNITS_TEXT];

	if (!text_equal(mode, "2") || limit < 0 || used < 0 || bytes <= (double)(limit - used))
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "the tasks would map %s at once: vm.overcommit_memory=2 leaves %s of "
			 "CommitLimit",
			 units_format(bytes, "bytes", needed),
			 units_format((double)(limit - used), "bytes", left));
}

/* By default the kernel refuses a mapping that memory and swap cannot hold. */
bool region_try(const struct region *r, const struct cast *cast, struct error *err)
{
	char *mode __free(memory) = file_read_line("", "/proc/sys/vm/overcommit_memory");
	void *trial;

	/* What is shared with a file is not committed. */
	if (r->flags & MAP_PRIVATE && !commits(cast, mode ? mode : "", err))
		return false;
	trial = region_map(r);
	if (!trial) {
		error_set_errno(err, "size=%s: mmap (vm.overcommit_memory=%s)",
				cast_string(cast, "size"), mode ? mode : "?");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	munmap(trial, r->bytes);
	return true;
}

static struct region anonymous(const struct cast *cast)
{
	return (struct region){
		.bytes = (size_t)cast_integer(cast, "size"),
		.page = (size_t)sysconf(_SC_PAGESIZE),
		.flags = MAP_PRIVATE | MAP_ANONYMOUS,
		.fd = -1,
	};
}

bool region_mappable(const struct cast *cast, struct error *err)
{
	const struct region r = anonymous(cast);

	return cast_whole_pages(cast, "size", err) && region_try(&r, cast, err);
}

bool region_affordable(const struct cast *cast, struct error *err)
{
	double bytes = (double)cast_integer(cast, "size") * (double)cast_integer(cast, "tasks");

	return cast_whole_pages(cast, "size", err) && cast_affords(cast, "the tasks", bytes, err);
}

bool region_init(struct region *r, const struct cast *cast, struct error *err)
{
	if (param_find(cast->declared, "hugepage") &&
	    text_equal(cast_string(cast, "hugepage"), "never") &&
	    prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL))
		return error_set_errno(err, "hugepage=never: prctl PR_SET_THP_DISABLE");
	*r = anonymous(cast);
	return true;
}

bool region_prepare(struct worker *w, struct error *err)
{
	struct region *regions = memory_array(w->tasks, sizeof(*regions));

	w->local = regions;
	if (!region_init(&regions[0], w->cast, err))
		return false;
	for (unsigned int i = 1; i < w->tasks; i++)
		regions[i] = regions[0];
	return true;
}

/* Above this share that one unmapping has in a window its number matters. */
static const double UNMAPPING_RATIO = 0.01;

/* Without latencies: of the time of a region, as docs/workloads.md has it. */
static const double UNMAPPING_OF_REGION = 1.0 / 6;

void region_tell(const struct role_sum *sum, struct text *note)
{
	double regions = (double)sum->tally.operations[REGION_MUNMAP] / sum->tasks;
	double ratio = sum->mean_ns[REGION_MUNMAP] / (double)sum->window_ns;

	if (regions > 0 && ratio <= 0)
		ratio = UNMAPPING_OF_REGION / regions;
	if (regions <= 0)
		text_puts(note, "no region was unmapped in the window: what unmapping costs is not "
				"in operations");
	else if (ratio > UNMAPPING_RATIO)
		text_printf(note,
			    "%.3g region%s a task were unmapped in the window: one more or less "
			    "changes operations by about %.1f %%",
			    regions, regions == 1 ? "" : "s", 100 * ratio);
	if (note->length)
		text_puts(note, "; with a smaller size= or a longer window= there are more");
}
