// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "kernel/fact.h"
#include "kernel/kconfig.h"

/* How the kernel preempts, chosen at boot or later (PREEMPT_DYNAMIC): "none voluntary (full)". */
static char *preemption(const char *root)
{
	char *line __free(memory) = file_read_line(root, "/sys/kernel/debug/sched/preempt");
	const char *open = line ? strchr(line, '(') : NULL;

	return open ? text_format("%.*s", (int)strcspn(open + 1, ")"), open + 1) : NULL;
}

static void add_kernel(json_t *host, const char *root)
{
	struct utsname names;

	if (!*root && !uname(&names)) {
		json_object_set_new(host, "kernel", json_text(names.release));
		json_object_set_new(host, "version", json_text(names.version));
		json_object_set_new(host, "machine", json_text(names.machine));
	} else {
		fact_add_line(host, "kernel", root, "/proc/sys/kernel/osrelease");
		fact_add_line(host, "version", root, "/proc/sys/kernel/version");
		fact_add_line(host, "machine", root, "/proc/sys/kernel/arch");
	}
	fact_add_list(host, "command_line", root, "/proc/cmdline");
	fact_add_integer(host, "tainted", root, "/proc/sys/kernel/tainted");
	fact_add(host, "preempt", preemption(root));
	kconfig_describe(host, root, json_string_value(json_object_get(host, "kernel")));
}

/* What is another thing at each moment. */
static void add_readings(json_t *host, const char *root)
{
	static const struct cpu_time boot = {0};
	struct cpu_time now = cpu_time_read(root);
	double steal_ratio = cpu_time_steal_ratio(&boot, &now);
	char *load __free(memory) = file_read_line(root, "/proc/loadavg");
	char *uptime __free(memory) = file_read_line(root, "/proc/uptime");
	double number;

	if (load && sscanf(load, "%lf", &number) == 1)
		json_object_set_new(host, "load1", json_real(number));
	if (steal_ratio >= 0)
		json_object_set_new(host, "steal_boot_ratio", json_real(steal_ratio));
	if (uptime && sscanf(uptime, "%lf", &number) == 1 && number >= 0 && number < 1e9)
		json_object_set_new(host, "uptime_ns",
				    json_integer((json_int_t)(number * (double)NS_PER_SEC)));
}

json_t *host_describe(const char *root)
{
	json_t *host = json_object();

	add_kernel(host, root);
	host_add_cpus(host, root);
	host_add_mm(host, root);
	host_add_access(host, root);
	add_readings(host, root);
	return host;
}

void host_add_run(json_t *host, const struct cpu_time *before, const struct cpu_time *after)
{
	double steal_ratio = before->total ? cpu_time_steal_ratio(before, after) : -1;

	if (steal_ratio >= 0)
		json_object_set_new(host, "steal_ratio", json_real(steal_ratio));
}
