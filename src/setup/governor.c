// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "setup/setup.h"

#define CPUS "/sys/devices/system/cpu"

/* Of a CPU; owned by the caller. */
static char *governor_path(int cpu)
{
	return text_format(CPUS "/cpu%d/cpufreq/scaling_governor", cpu);
}

/* The next higher CPU that has one; before the first is -1, as is behind the last. */
static int next_cpu(const char *root, int cpu)
{
	char *folder __free(memory) = text_format("%s" CPUS, root);
	DIR *dir __free(dir) = opendir(folder);
	const struct dirent *entry;
	int next = -1, found;
	char more;

	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "cpu%d%c", &found, &more) != 1 || found <= cpu ||
		    (next >= 0 && found > next))
			continue;
		char *path __free(memory) = governor_path(found);
		char *value __free(memory) = file_read_line(root, path);

		if (value)
			next = found;
	}
	return next;
}

static bool apply(struct scene *scene, struct error *err)
{
	const char *value = scene_value(scene, "governor");
	struct journal *j = scene->journal;

	for (int cpu = -1; (cpu = next_cpu(journal_root(j), cpu)) >= 0;) {
		char *path __free(memory) = governor_path(cpu);

		if (!journal_write(j, path, value, err)) {
			char *offer_path __free(memory) =
				text_format(CPUS "/cpu%d/cpufreq/scaling_available_governors", cpu);
			char *offer __free(memory) = file_read_line(journal_root(j), offer_path);

			return error_wrap(err, "governor=%s (offered: %s)", value,
					  offer ? offer : "not known");
		}
	}
	return true;
}

static bool supported(const char *root, struct error *err)
{
	return setup_is_allowed(root, err) &&
	       (next_cpu(root, -1) >= 0 ||
		error_set(err, ERROR_UNSUPPORTED,
			  "no CPU has a cpufreq governor here: a virtual machine, or the firmware "
			  "decides"));
}

static const struct param params[] = {
	{"governor", PARAM_TEXT, .help = "scaling_governor of all CPUs: performance, schedutil …"},
	{.name = NULL},
};

const struct setup setup_governor = {
	.name = "governor",
	.summary = "who chooses the CPUs' frequency",
	.params = params,
	.rank = SETUP_SYSCTL,
	.supported = supported,
	.apply = apply,
};
