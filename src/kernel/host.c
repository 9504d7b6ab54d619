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

static bool is_set(const json_t *host, const char *option)
{
	const char *value = json_string_value(json_object_get(host, option));

	return value && text_equal(value, "y");
}

/* What the kernel was built to do: one of a choice. NULL: its configuration is not known. */
static const char *configured_preemption(const json_t *host)
{
	static const struct {
		const char *option, *mode;
	} choice[] = {
		{"CONFIG_PREEMPT_NONE", "none"},
		{"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
		{"CONFIG_PREEMPT_LAZY", "lazy"},
		{"CONFIG_PREEMPT", "full"},
		{"CONFIG_PREEMPT_RT", "full"},
	};

	for (size_t i = 0; i < sizeof(choice) / sizeof(choice[0]); i++) {
		if (is_set(host, choice[i].option))
			return choice[i].mode;
	}
	return NULL;
}

/* The last preempt= of the command line that the kernel takes. Owned by the caller; NULL: none. */
static char *asked_preemption(const char *root)
{
	static const char *const modes[] = {"none", "voluntary", "full", "lazy"};
	char *line __free(memory) = file_read_line(root, "/proc/cmdline");
	char *rest = line, *word;
	const char *asked = NULL;

	while (rest && (word = strsep(&rest, " ")) && !text_equal(word, "--")) {
		for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
			if (text_starts(word, "preempt=") && text_equal(word + 8, modes[i]))
				asked = modes[i];
		}
	}
	return asked ? text_format("%s", asked) : NULL;
}

/*
 * How the kernel preempts: chosen at boot or later (PREEMPT_DYNAMIC), "none voluntary (full)". Where
 * that cannot be read, what it has booted with, which root may have changed since.
 */
static char *preemption(const json_t *host, const char *root)
{
	char *line __free(memory) = file_read_line(root, "/sys/kernel/debug/sched/preempt");
	const char *open = line ? strchr(line, '(') : NULL;
	const char *mode = configured_preemption(host);
	bool dynamic = is_set(host, "CONFIG_PREEMPT_DYNAMIC");
	char *asked __free(memory) = dynamic ? asked_preemption(root) : NULL;

	if (open)
		return text_format("%.*s", (int)strcspn(open + 1, ")"), open + 1);
	if (asked)
		return text_format("%s (at boot, by preempt=)", asked);
	if (!mode)
		return NULL;
	return text_format(dynamic ? "%s (at boot, as configured)" : "%s (as configured)", mode);
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
	kconfig_describe(host, root, json_string_value(json_object_get(host, "kernel")));
	fact_add(host, "preempt", preemption(host, root));
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
