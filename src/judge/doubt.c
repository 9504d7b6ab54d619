// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/doubt.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "model/fingerprint.h"

/* More stolen time than that is named: of a second's window it is ten milliseconds. */
#define STEAL_RATIO 0.01

void doubts_done(struct doubts *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->list[i].reason);
	free(d->list);
	*d = (struct doubts){0};
}

static void add(struct doubts *d, const char *key, bool grave, double degree, const char *format,
		...) __attribute__((format(printf, 5, 6)));

static void add(struct doubts *d, const char *key, bool grave, double degree, const char *format,
		...)
{
	struct text reason = {0};
	va_list args;

	va_start(args, format);
	text_vprintf(&reason, format, args);
	va_end(args);
	d->list = memory_grow(d->list, (d->count + 1) * sizeof(*d->list));
	d->list[d->count++] = (struct doubt){
		.key = key,
		.reason = text_take(&reason),
		.grave = grave,
		.degree = degree,
	};
}

/* ---- reading the facts ---- */

static const char *word(const json_t *host, const char *key)
{
	const char *value = json_string_value(json_object_get(host, key));

	return value ? value : "";
}

static bool is(const json_t *host, const char *key, const char *expected)
{
	return text_equal(word(host, key), expected);
}

/* -1 where it is not known: no fact that is asked here is negative in a way that matters. */
static double number(const json_t *host, const char *key)
{
	const json_t *value = json_object_get(host, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

/* A parameter of the kernel's command line: "NAME" or "NAME=…". NULL: it is not there. */
static const char *boot_parameter(const json_t *host, const char *name)
{
	const char *line = word(host, "command_line");
	size_t length = strlen(name);

	while (*line) {
		size_t own = strcspn(line, " ");

		if (own >= length && !strncmp(line, name, length) &&
		    (own == length || line[length] == '='))
			return line + length + (own > length);
		line += own;
		line += strspn(line, " ");
	}
	return NULL;
}

static bool is_booted_with(const json_t *host, const char *name, const char *value)
{
	const char *own = boot_parameter(host, name);

	return own && !strncmp(own, value, strlen(value)) &&
	       (own[strlen(value)] == ' ' || !own[strlen(value)]);
}

/* Bits of the set of capabilities that /proc/self/status writes. */
enum { CAPABILITY_SYS_ADMIN = 21, CAPABILITY_SYSLOG = 34, CAPABILITY_PERFMON = 38 };

/* True where it is known that this process has not got it. */
static bool lacks(const json_t *host, int bit)
{
	const char *set = word(host, "capabilities");

	return *set && !(strtoull(set, NULL, 16) >> bit & 1);
}

/* ---- a kernel made for finding bugs ---- */

/* Those that cost most first. */
static const struct {
	const char *key, *reason;
} debug_options[] = {
	{"CONFIG_LOCKDEP", "a debug kernel: with lockdep locks are many times dearer"},
	{"CONFIG_KASAN", "a debug kernel: KASAN checks every memory access"},
	{"CONFIG_KCSAN", "a debug kernel: KCSAN stops tasks to catch races"},
	{"CONFIG_KMSAN", "a debug kernel: KMSAN follows every byte"},
	{"CONFIG_KCOV", "a debug kernel: KCOV notes every branch"},
	{"CONFIG_DEBUG_VM", "a debug kernel: mm checks itself on its paths"},
	{"CONFIG_DEBUG_VM_MAPLE_TREE",
	 "a debug kernel: the whole tree of mappings is checked when it changes"},
	{"CONFIG_DEBUG_VM_RB", "a debug kernel: the whole tree of reverse mappings is checked"},
	{"CONFIG_DEBUG_OBJECTS", "a debug kernel: the life of objects is tracked"},
	{"CONFIG_DEBUG_SPINLOCK", "a debug kernel: spinlocks check themselves"},
	{"CONFIG_DEBUG_RWSEMS", "a debug kernel: rwsems, mmap_lock among them, check themselves"},
	{"CONFIG_DEBUG_MUTEXES", "a debug kernel: mutexes check themselves"},
	{"CONFIG_SLUB_DEBUG_ON", "a debug kernel: slab objects are poisoned and checked"},
	{"CONFIG_DEBUG_PAGEALLOC_ENABLE_DEFAULT",
	 "a debug kernel: free pages are unmapped from the kernel"},
	{"CONFIG_PAGE_TABLE_CHECK_ENFORCED",
	 "a debug kernel: each entry of a page table is checked"},
};

static void find_debug(struct doubts *d, const json_t *host)
{
	const char *slub = boot_parameter(host, "slub_debug");

	/* One is enough to know what kernel it is, and some bring others with them. */
	for (size_t i = 0; i < sizeof(debug_options) / sizeof(debug_options[0]); i++) {
		if (is(host, debug_options[i].key, "y"))
			add(d, debug_options[i].key, !d->count, 0, "%s", debug_options[i].reason);
	}
	/* Built in by many distributions, and costs something only when it is asked for. */
	if (is(host, "CONFIG_DEBUG_KMEMLEAK", "y") &&
	    (is(host, "CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF", "n") ||
	     is_booted_with(host, "kmemleak", "on")))
		add(d, "CONFIG_DEBUG_KMEMLEAK", !d->count, 0,
		    "a debug kernel: kmemleak tracks every allocation");
	if (!slub)
		slub = boot_parameter(host, "slab_debug"); /* its name since Linux 6.9 */
	if (slub && *slub != '-')
		add(d, "command_line", true, 0, "slab debugging: objects are poisoned and checked");
	if (is_booted_with(host, "page_owner", "on"))
		add(d, "command_line", true, 0,
		    "page_owner: every allocation of a page is noted, with its stack");
	if (is_booted_with(host, "debug_pagealloc", "on"))
		add(d, "command_line", true, 0,
		    "debug_pagealloc: free pages are unmapped from the kernel");
	if (is_booted_with(host, "page_poison", "1") || is_booted_with(host, "page_poison", "on"))
		add(d, "command_line", true, 0, "page_poison: free pages are filled and checked");
}

/* ---- the CPUs ---- */

/* "3400000-3400000": the clock has nowhere to go. */
static bool is_fixed(const char *range)
{
	const char *dash = strchr(range, '-');
	size_t length = dash ? (size_t)(dash - range) : 0;

	return length && strlen(dash + 1) == length && !strncmp(range, dash + 1, length);
}

static void find_frequency(struct doubts *d, const json_t *host)
{
	static const char *const following[] = {"schedutil", "ondemand", "conservative",
						"interactive"};
	const char *governor = word(host, "governor"), *driver = word(host, "frequency_driver");
	bool follows = false;

	if (is_fixed(word(host, "frequency_khz")))
		return;
	for (size_t i = 0; i < sizeof(following) / sizeof(following[0]); i++)
		follows |= strstr(governor, following[i]) != NULL;
	/*
	 * These two drivers choose themselves between lowest and highest; to others powersave is
	 * the lowest (Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst).
	 */
	if (strstr(governor, "powersave")) {
		if (text_equal(driver, "intel_pstate") || text_equal(driver, "amd-pstate-epp") ||
		    text_equal(driver, "amd_pstate_epp"))
			follows = true;
		else if (!follows)
			add(d, "governor", false, 0, "the lowest frequency that there is");
	}
	if (follows)
		add(d, "governor", true, 0, "frequency follows the load: figures drift");
}

static void find_cpus(struct doubts *d, const json_t *host)
{
	static const char *const slow[] = {
		"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "hyperv_clocksource_msr"};

	if (is(host, "smt", "on"))
		add(d, "smt", false, 0,
		    "siblings share a core: tasks are put on one of each core first, further ones "
		    "beside them");
	if (strstr(word(host, "hypervisor"), "TCG"))
		add(d, "hypervisor", false, 0,
		    "instructions are emulated: times say nothing about a machine");
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (is(host, "clocksource", slow[i]))
			add(d, "clocksource", true, 0,
			    "a slow clock: reading it costs about as much as what is timed");
	}
	find_frequency(d, host);
	if (is(host, "turbo", "on"))
		add(d, "turbo", false, 0,
		    "frequency depends on heat, and on how many CPUs are busy");
}

/* ---- memory management ---- */

static void find_mm(struct doubts *d, const json_t *host)
{
	const char *damon = word(host, "damon");

	if (is(host, "thp", "always"))
		add(d, "thp", false, 0,
		    "a fault in a large area brings a huge page: faults are fewer and dearer");
	if (*damon && !text_equal(damon, "off"))
		add(d, "damon", false, 0,
		    "a monitor clears accessed bits meanwhile: TLB misses and reclaim change");
	if (is(host, "ksm", "on"))
		add(d, "ksm", false, 0, "merges pages meanwhile, and takes mmap_lock to do so");
	/* With one node there is nothing to balance. */
	if (number(host, "numa_balancing") > 0 && !is(host, "numa_nodes", "0"))
		add(d, "numa_balancing", false, 0,
		    "pages move between nodes meanwhile, and extra faults find out where to");
}

/* ---- limits and access ---- */

static void find_access(struct doubts *d, const json_t *host)
{
	bool perf = !lacks(host, CAPABILITY_SYS_ADMIN) || !lacks(host, CAPABILITY_PERFMON);
	double paranoid = number(host, "perf_event_paranoid");
	double restricted = number(host, "kptr_restrict");
	double memory_bytes = number(host, "memory_limit_bytes");
	char limit[UNITS_TEXT];

	if (restricted >= 2)
		add(d, "kptr_restrict", false, 0, "forbids everybody to see kernel addresses");
	else if (restricted >= 1 && lacks(host, CAPABILITY_SYSLOG))
		add(d, "kptr_restrict", false, 0,
		    "forbids this user to see kernel addresses: no symbols");
	if (paranoid >= 2 && !perf)
		add(d, "perf_event_paranoid", false, 0,
		    paranoid >= 3 ? "forbids this user perf events"
				  : "forbids this user perf events of the kernel, and of whole "
				    "CPUs");
	if (memory_bytes >= 0 && memory_bytes < number(host, "memory_bytes"))
		add(d, "memory_limit_bytes", false, 0,
		    "above %s this group of processes reclaims, whatever the machine has free",
		    units_format(memory_bytes, "bytes", limit));
	if (number(host, "cpu_limit_cpus") > 0)
		add(d, "cpu_limit_cpus", true, 0,
		    "tasks are stopped when their group has used %.3g CPUs' time",
		    number(host, "cpu_limit_cpus"));
}

/* ---- load ---- */

static void find_load(struct doubts *d, const json_t *host)
{
	double load = number(host, "load1"), stolen = number(host, "steal_ratio");
	double stolen_since_boot = number(host, "steal_boot_ratio");
	double cpus = (double)fingerprint_cpu_count(word(host, "cpus_online"));

	if (cpus > 0 && load > cpus)
		add(d, "load1", true, load, "load %.2f on %.0f CPU%s: others want them too", load,
		    cpus, cpus > 1 ? "s" : "");
	if (stolen_since_boot > STEAL_RATIO)
		add(d, "steal_boot_ratio", false, stolen_since_boot,
		    "%.1f %% of the time since boot the hypervisor gave a CPU to others",
		    100 * stolen_since_boot);
	if (stolen > STEAL_RATIO)
		add(d, "steal_ratio", true, stolen,
		    "%.1f %% of the time of a run the hypervisor gave a CPU to others",
		    100 * stolen);
}

struct doubts doubts_find(json_t *host)
{
	struct doubts d = {0};

	find_debug(&d, host);
	find_cpus(&d, host);
	find_mm(&d, host);
	find_access(&d, host);
	find_load(&d, host);
	return d;
}
