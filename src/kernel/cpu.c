// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/fact.h"
#include "kernel/host.h"
#include "kernel/hypervisor.h"

static const char cpu_folder[] = "/sys/devices/system/cpu";

/* What the CPU is called: "model name" on x86, "cpu" on POWER, numbers on arm64. */
static char *model(const char *root)
{
	static const char *const names[] = {"model name", "cpu model", "cpu", "uarch"};
	char *implementer __free(memory) = NULL, *part __free(memory) = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *value = fact_field(root, "/proc/cpuinfo", names[i]);

		if (value)
			return value;
	}
	implementer = fact_field(root, "/proc/cpuinfo", "CPU implementer");
	part = fact_field(root, "/proc/cpuinfo", "CPU part");
	if (!implementer || !part)
		return NULL;
	return text_format("implementer %s part %s", implementer, part);
}

/* ---- frequency ---- */

static int compare_numbers(const struct dirent **a, const struct dirent **b)
{
	/* "policy10" behind "policy9". */
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_policy(const struct dirent *d)
{
	return text_starts(d->d_name, "policy") && isdigit((unsigned char)d->d_name[6]);
}

/* Adds to a text of words "a, b" one that it does not hold. */
static void put_new(struct text *words, const char *word)
{
	const char *at = text_string(words);
	size_t length = strlen(word);

	while ((at = strstr(at, word))) {
		if ((at == words->bytes || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return;
		at += length;
	}
	text_printf(words, "%s%s", words->length ? ", " : "", word);
}

/*
 * What the policies of cpufreq say, each value once: CPUs of one machine may have their own. A
 * machine has one a core, or one a kind of core.
 */
struct frequency {
	struct text driver, governor, preference, range;
};

static void read_policy(struct frequency *f, const char *root, const char *name)
{
	static const char format[] = "%s/cpufreq/%s/%s";
	char *driver_path __free(memory) = text_format(format, cpu_folder, name, "scaling_driver");
	char *governor_path __free(memory) =
		text_format(format, cpu_folder, name, "scaling_governor");
	char *preference_path __free(memory) =
		text_format(format, cpu_folder, name, "energy_performance_preference");
	char *low_path __free(memory) = text_format(format, cpu_folder, name, "scaling_min_freq");
	char *high_path __free(memory) = text_format(format, cpu_folder, name, "scaling_max_freq");
	char *driver __free(memory) = file_read_line(root, driver_path);
	char *governor __free(memory) = file_read_line(root, governor_path);
	char *preference __free(memory) = file_read_line(root, preference_path);
	char *low __free(memory) = file_read_line(root, low_path);
	char *high __free(memory) = file_read_line(root, high_path);

	if (driver)
		put_new(&f->driver, driver);
	if (governor)
		put_new(&f->governor, governor);
	if (preference)
		put_new(&f->preference, preference);
	if (low && high) {
		char *range __free(memory) = text_format("%s-%s", low, high);

		put_new(&f->range, range);
	}
}

/* Whether the clock may go above its nominal rate: by what the driver calls it. */
static void add_turbo(json_t *host, const char *root)
{
	fact_add_switch(host, "turbo", root, "/sys/devices/system/cpu/intel_pstate/no_turbo", true);
	if (!json_object_get(host, "turbo"))
		fact_add_switch(host, "turbo", root, "/sys/devices/system/cpu/cpufreq/boost",
				false);
}

static void add_frequency(json_t *host, const char *root)
{
	char *folder __free(memory) = text_format("%s%s/cpufreq", root, cpu_folder);
	struct dirent **names = NULL;
	struct frequency f = {0};
	int count = scandir(folder, &names, is_policy, compare_numbers);

	for (int i = 0; i < count; i++) {
		read_policy(&f, root, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	fact_add(host, "frequency_driver", text_take(&f.driver));
	fact_add(host, "governor", text_take(&f.governor));
	fact_add(host, "energy_preference", text_take(&f.preference));
	fact_add(host, "frequency_khz", text_take(&f.range));
	add_turbo(host, root);
}

/* ---- the rest ---- */

static void add_smt(json_t *host, const char *root)
{
	/* active is what is; control, besides, what could be: "forceoff", "notsupported". */
	fact_add_switch(host, "smt", root, "/sys/devices/system/cpu/smt/active", false);
}

/* Whether a part of such a file says that something is open: "BHI: Vulnerable", "SMT vulnerable". */
static bool is_open(const char *part)
{
	return strcasestr(part, "vulnerable");
}

/* Adds "spectre_v2 (BHI: Vulnerable)"; a part that says nothing more than the list adds its name only. */
static void put_open(struct text *open, const char *name, const char *part)
{
	text_printf(open, "%s%s", open->length ? ", " : "", name);
	if (!text_equal(part, "Vulnerable"))
		text_printf(open, " (%s)", part);
}

/* Sorts in what one file says: "Mitigation: how; detail; detail". */
static void sort_vulnerability(const char *name, char *line, struct text *mitigated,
			       struct text *open)
{
	static const char mitigation[] = "Mitigation: ";
	struct text how __text = {0}, gaps __text = {0};
	bool is_bare;
	char *part;

	if (text_starts(line, "Not affected"))
		return;
	if (text_starts(line, mitigation))
		line += strlen(mitigation);
	/* The first part tells whether there is a mitigation at all. */
	is_bare = text_starts(line, "Vulnerable") || (!strchr(line, ';') && is_open(line));
	while ((part = strsep(&line, ";"))) {
		part += strspn(part, " ");
		text_printf(&how, "%s%s", how.length ? ", " : "", part);
		if (is_open(part))
			text_printf(&gaps, "%s%s", gaps.length ? ", " : "", part);
	}
	if (!is_bare)
		text_printf(mitigated, "%s%s: %s", mitigated->length ? "; " : "", name,
			    text_string(&how));
	if (is_bare || gaps.length)
		put_open(open, name, text_string(is_bare ? &how : &gaps));
}

/*
 * The vulnerabilities that this CPU has, in two lists: those that are mitigated, with how, and
 * those that are not, or not wholly. All that a file says is kept: kernels differ in IBPB, STIBP
 * and BHI.
 */
static void add_vulnerabilities(json_t *host, const char *root)
{
	char *folder __free(memory) = text_format("%s%s/vulnerabilities", root, cpu_folder);
	struct text mitigated __text = {0}, open __text = {0};
	struct dirent **names = NULL;
	int count = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *path __free(memory) =
			text_format("%s/vulnerabilities/%s", cpu_folder, names[i]->d_name);
		char *line __free(memory) =
			*names[i]->d_name == '.' ? NULL : file_read_line(root, path);

		if (line)
			sort_vulnerability(names[i]->d_name, line, &mitigated, &open);
		free(names[i]);
	}
	free(names);
	if (count <= 2) /* "." and ".." */
		return;
	fact_add(host, "mitigations", memory_string(mitigated.length ? mitigated.bytes : "none"));
	fact_add(host, "vulnerable", memory_string(open.length ? open.bytes : "none"));
}

void host_add_cpus(json_t *host, const char *root)
{
	fact_add(host, "cpu_model", model(root));
	fact_add(host, "microcode", fact_field(root, "/proc/cpuinfo", "microcode"));
	fact_add_line(host, "cpus_online", root, "/sys/devices/system/cpu/online");
	fact_add(host, "cpus_allowed", fact_field(root, "/proc/self/status", "Cpus_allowed_list"));
	add_smt(host, root);
	fact_add_list(host, "isolated_cpus", root, "/sys/devices/system/cpu/isolated");
	fact_add_list(host, "nohz_full_cpus", root, "/sys/devices/system/cpu/nohz_full");
	fact_add_line(host, "numa_nodes", root, "/sys/devices/system/node/online");
	fact_add(host, "hypervisor", hypervisor_name(root));
	fact_add_line(host, "clocksource", root,
		      "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_frequency(host, root);
	fact_add_line(host, "idle_driver", root, "/sys/devices/system/cpu/cpuidle/current_driver");
	fact_add_line(host, "idle_governor", root,
		      "/sys/devices/system/cpu/cpuidle/current_governor");
	add_vulnerabilities(host, root);
}
