// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

const char *const fact_group_words[] = {
	[FACT_KERNEL] = "kernel",
	[FACT_CPU] = "cpu",
	[FACT_MM] = "memory management",
	[FACT_ACCESS] = "limits and access",
	[FACT_LOAD] = "load",
	[FACT_GROUPS] = NULL,
};

static const struct fact facts[] = {
	{"kernel", FACT_KERNEL, FACT_STATE},
	{"version", FACT_KERNEL, FACT_STATE},
	{"machine", FACT_KERNEL, FACT_STATE},
	{"command_line", FACT_KERNEL, FACT_STATE},
	{"tainted", FACT_KERNEL, FACT_STATE},
	{"preempt", FACT_KERNEL, FACT_STATE},
	{"cpu_model", FACT_CPU, FACT_STATE},
	{"microcode", FACT_CPU, FACT_STATE},
	{"cpus_online", FACT_CPU, FACT_STATE},
	{"cpus_allowed", FACT_CPU, FACT_STATE},
	{"smt", FACT_CPU, FACT_STATE},
	{"isolated_cpus", FACT_CPU, FACT_STATE},
	{"nohz_full_cpus", FACT_CPU, FACT_STATE},
	{"numa_nodes", FACT_CPU, FACT_STATE},
	{"hypervisor", FACT_CPU, FACT_STATE},
	{"clocksource", FACT_CPU, FACT_STATE},
	{"frequency_driver", FACT_CPU, FACT_STATE},
	{"governor", FACT_CPU, FACT_STATE},
	{"energy_preference", FACT_CPU, FACT_STATE},
	{"frequency_khz", FACT_CPU, FACT_STATE},
	{"turbo", FACT_CPU, FACT_STATE},
	{"idle_driver", FACT_CPU, FACT_STATE},
	{"idle_governor", FACT_CPU, FACT_STATE},
	{"mitigations", FACT_CPU, FACT_STATE},
	{"vulnerable", FACT_CPU, FACT_STATE},
	{"memory_bytes", FACT_MM, FACT_STATE},
	{"page_bytes", FACT_MM, FACT_STATE},
	{"thp", FACT_MM, FACT_STATE},
	{"thp_defrag", FACT_MM, FACT_STATE},
	{"thp_shmem", FACT_MM, FACT_STATE},
	{"thp_sizes", FACT_MM, FACT_STATE},
	{"khugepaged_defrag", FACT_MM, FACT_STATE},
	{"mglru", FACT_MM, FACT_STATE},
	{"swap", FACT_MM, FACT_STATE},
	{"swappiness", FACT_MM, FACT_STATE},
	{"zswap", FACT_MM, FACT_STATE},
	{"zswap_compressor", FACT_MM, FACT_STATE},
	{"damon", FACT_MM, FACT_STATE},
	{"ksm", FACT_MM, FACT_STATE},
	{"numa_balancing", FACT_MM, FACT_STATE},
	{"zone_reclaim_mode", FACT_MM, FACT_STATE},
	{"min_free_kbytes", FACT_MM, FACT_STATE},
	{"watermark_scale_factor", FACT_MM, FACT_STATE},
	{"compaction_proactiveness", FACT_MM, FACT_STATE},
	{"overcommit_memory", FACT_MM, FACT_STATE},
	{"max_map_count", FACT_MM, FACT_STATE},
	{"nr_hugepages", FACT_MM, FACT_STATE},
	{"randomize_va_space", FACT_MM, FACT_STATE},
	{"personality", FACT_MM, FACT_STATE},
	{"tmp_filesystem", FACT_MM, FACT_STATE},
	{"dir_filesystem", FACT_MM, FACT_STATE},
	{"dir_options", FACT_MM, FACT_STATE},
	{"program", FACT_MM, FACT_STATE},
	{"capabilities", FACT_ACCESS, FACT_STATE},
	{"kptr_restrict", FACT_ACCESS, FACT_STATE},
	{"perf_event_paranoid", FACT_ACCESS, FACT_STATE},
	{"unprivileged_bpf_disabled", FACT_ACCESS, FACT_STATE},
	{"psi", FACT_ACCESS, FACT_STATE},
	{"cgroup", FACT_ACCESS, FACT_STATE},
	{"memory_limit_bytes", FACT_ACCESS, FACT_STATE},
	{"cpu_limit_cpus", FACT_ACCESS, FACT_STATE},
	{"load1", FACT_LOAD, FACT_READING},
	{"steal_boot_ratio", FACT_LOAD, FACT_READING},
	{"steal_ratio", FACT_LOAD, FACT_RUN},
	{"memory_available_bytes", FACT_LOAD, FACT_READING},
	{"swap_used_bytes", FACT_LOAD, FACT_READING},
	{"uptime_ns", FACT_LOAD, FACT_READING},
	{NULL, FACT_GROUPS, FACT_STATE},
};

const struct fact *fingerprint_facts(void)
{
	return facts;
}

bool fingerprint_is_config(const char *key)
{
	return text_starts(key, "CONFIG_");
}

static const struct fact *find(const char *key)
{
	for (const struct fact *f = facts; f->key; f++) {
		if (text_equal(f->key, key))
			return f;
	}
	return NULL;
}

bool fingerprint_is_known(const char *key)
{
	return find(key);
}

bool fingerprint_is_reading(const char *key)
{
	const struct fact *f = find(key);

	return f && f->kind != FACT_STATE;
}

static bool has_end(const char *text, const char *end)
{
	size_t length = strlen(text), own = strlen(end);

	return length >= own && text_equal(text + length - own, end);
}

bool fingerprint_is_possible(const char *key, const json_t *value)
{
	double number = json_number_value(value);

	if (!json_is_number(value))
		return true;
	if (has_end(key, "_ratio"))
		return number >= 0 && number <= 1;
	return number >= 0 || (!has_end(key, "_bytes") && !has_end(key, "_ns"));
}

void fingerprint_put_value(struct text *out, const char *key, const json_t *value)
{
	static const char *const units[] = {"bytes", "ns"};
	double number = json_number_value(value);
	char buffer[UNITS_TEXT];

	if (!json_is_number(value)) {
		char *line __free(memory) = json_is_string(value) ? NULL : json_line(value);

		text_puts(out, line ? line : json_string_value(value));
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char *end __free(memory) = text_format("_%s", units[i]);

		if (has_end(key, end)) {
			text_puts(out, units_format(number, units[i], buffer));
			return;
		}
	}
	if (has_end(key, "_ratio"))
		text_printf(out, "%.2f %%", 100 * number);
	else
		text_printf(out, "%.15g", number);
}

void fact_changes_done(struct fact_changes *c)
{
	free(c->list);
	*c = (struct fact_changes){0};
}

static bool is_value(const json_t *value)
{
	return json_is_string(value) || json_is_number(value);
}

struct fact_changes fingerprint_diff(json_t *before, json_t *after)
{
	struct fact_changes changes = {0};
	const char *key;
	json_t *old;

	json_object_foreach(before, key, old) {
		json_t *now = json_object_get(after, key);

		if (fingerprint_is_reading(key) || !is_value(old) || !is_value(now) ||
		    json_equal(old, now))
			continue;
		changes.list =
			memory_grow(changes.list, (changes.count + 1) * sizeof(*changes.list));
		changes.list[changes.count++] =
			(struct fact_change){.key = key, .before = old, .after = now};
	}
	return changes;
}

enum { CPUS_MAX = 1 << 20 };

int64_t fingerprint_cpu_count(const char *list)
{
	int64_t count = 0;

	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list || first < 0 || first > CPUS_MAX)
			return 0;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list || last < first || last > CPUS_MAX)
				return 0;
		}
		if (*end && *end != ',')
			return 0;
		count += last - first + 1;
		list = *end ? end + 1 : end;
	}
	return count;
}
