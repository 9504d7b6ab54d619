// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/cgroup.h"
#include "kernel/fact.h"
#include "kernel/host.h"

/* With psi=0, or PSI_DEFAULT_DISABLED, there is no such folder. */
static void add_psi(json_t *host, const char *root)
{
	char *line __free(memory) = file_read_line(root, "/proc/pressure/memory");
	/* Where other files of /proc are, it is the kernel that has none. */
	char *stat __free(memory) = file_read_line(root, "/proc/stat");

	if (line || stat)
		fact_add(host, "psi", memory_string(line ? "on" : "off"));
}

static void add_cgroup(json_t *host, const char *root)
{
	struct cgroup own = cgroup_read(root);

	if (own.version)
		json_object_set_new(host, "cgroup", json_string(own.version));
	if (own.memory_known)
		json_object_set_new(host, "memory_limit_bytes",
				    own.memory_bytes < INT64_MAX ? json_integer(own.memory_bytes)
								 : json_string("none"));
	if (own.cpu_known)
		json_object_set_new(host, "cpu_limit_cpus",
				    own.cpus > 0 ? json_real(own.cpus) : json_string("none"));
}

void host_add_access(json_t *host, const char *root)
{
	fact_add(host, "capabilities", fact_field(root, "/proc/self/status", "CapEff"));
	fact_add_integer(host, "kptr_restrict", root, "/proc/sys/kernel/kptr_restrict");
	fact_add_integer(host, "perf_event_paranoid", root, "/proc/sys/kernel/perf_event_paranoid");
	fact_add_integer(host, "unprivileged_bpf_disabled", root,
			 "/proc/sys/kernel/unprivileged_bpf_disabled");
	add_psi(host, root);
	add_cgroup(host, root);
}
