// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/oom_kills.h"

#include "base/text.h"
#include "kernel/cgroup.h"
#include "kernel/flat_keyed.h"
#include "kernel/memcg.h"

struct oom_kills oom_kills_read(const struct cast *cast)
{
	const char *group = cast_memcg(cast);

	return (struct oom_kills){
		.group = group ? memcg_oom_kills("", group) : cgroup_read("").oom_kills,
		.machine = flat_keyed_integer("", "/proc/vmstat", "oom_kill"),
	};
}

static char *tell(int64_t kills, const char *where)
{
	return text_format("the kernel's OOM killer killed %lld %s meanwhile", (long long)kills,
			   where);
}

char *oom_kills_since(const struct oom_kills *before, const struct cast *cast)
{
	struct oom_kills after = oom_kills_read(cast);

	if (before->group >= 0 && after.group > before->group)
		return tell(after.group - before->group, "in this memory cgroup");
	if (before->machine >= 0 && after.machine > before->machine)
		return tell(after.machine - before->machine, "on this machine");
	return NULL;
}
