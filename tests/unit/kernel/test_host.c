// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "base/text.h"
#include "kernel/host.h"
#include "model/fingerprint.h"

static json_t *describe(const char *machine)
{
	char *root __free(memory) = text_format("%s/%s", MACHINES, machine);

	return host_describe(root);
}

/* A fact and its value as JSON has it; NULL: it must not be there. */
struct expected {
	const char *key, *value;
};

static void check(const char *machine, const struct expected *facts)
{
	json_t *host __free(json) = describe(machine);

	for (; facts->key; facts++) {
		const json_t *value = json_object_get(host, facts->key);
		char *line __free(memory) = value ? json_line(value) : NULL;

		if (!line && facts->value)
			fail_msg("%s: no %s", machine, facts->key);
		if (line && !facts->value)
			fail_msg("%s: %s is %s, where nothing is known", machine, facts->key, line);
		if (line && !text_equal(line, facts->value))
			fail_msg("%s: %s is %s, not %s", machine, facts->key, line, facts->value);
	}
}

/* What only the running machine could say is not known: hypervisor, size of a page. */
static void test_captured(void **state)
{
	static const struct expected facts[] = {
		{"kernel", "\"6.18.44-fc-v657\""},
		{"version", "\"#1 SMP PREEMPT_DYNAMIC @0\""},
		{"machine", "\"x86_64\""},
		{"command_line",
		 "\"mitigations=auto,no_guest_host,no_guest_guest console=ttyS0 quiet reboot=k panic=1 nomodule swiotlb=noforce psi=1\""},
		{"tainted", "0"},
		{"preempt", "\"none (at boot, as configured)\""},
		{"CONFIG_PER_VMA_LOCK", "\"y\""},
		{"CONFIG_LOCKDEP", "\"absent\""},
		{"CONFIG_PAGE_TABLE_CHECK", "\"n\""},
		{"CONFIG_MITIGATION_RETPOLINE", "\"y\""},
		{"CONFIG_RETPOLINE", NULL},
		{"CONFIG_HZ", "250"},
		{"CONFIG_CC_VERSION_TEXT", "\"gcc (GCC) 15.3.0\""},
		{"cpus_online", "\"0-1\""},
		{"cpus_allowed", "\"0-1\""},
		{"cpu_model", "\"Intel(R) Xeon(R) Processor\""},
		{"clocksource", "\"tsc\""},
		{"smt", "\"off\""},
		{"isolated_cpus", "\"none\""},
		{"nohz_full_cpus", NULL},
		{"governor", NULL},
		{"turbo", NULL},
		{"hypervisor", NULL},
		{"idle_governor", "\"menu\""},
		{"mitigations",
		 "\"spec_store_bypass: Speculative Store Bypass disabled via prctl; spectre_v2: Enhanced / Automatic IBRS, IBPB: conditional, PBRSB-eIBRS: SW sequence, BHI: Vulnerable\""},
		{"vulnerable", "\"spectre_v2 (BHI: Vulnerable)\""},
		{"memory_bytes", "25276510208"},
		{"memory_available_bytes", "24760856576"},
		{"page_bytes", NULL},
		{"thp", "\"madvise\""},
		{"thp_defrag", "\"madvise\""},
		{"thp_shmem", "\"never\""},
		{"thp_sizes", "\"2048kB inherit\""},
		{"khugepaged_defrag", "\"on\""},
		{"mglru", "\"off (not built)\""},
		{"swap", "\"none\""},
		{"swap_used_bytes", NULL},
		{"zswap", "\"off\""},
		{"damon", "\"off\""},
		{"ksm", "\"off\""},
		{"swappiness", "60"},
		{"max_map_count", "65530"},
		{"randomize_va_space", "2"},
		{"tmp_filesystem", "\"ext4\""},
		{"capabilities", NULL},
		{"perf_event_paranoid", "2"},
		{"psi", "\"on\""},
		{"cgroup", "\"hybrid\""},
		{"memory_limit_bytes", "\"none\""},
		{"cpu_limit_cpus", "\"none\""},
		{"uptime_ns", "11544440000000"},
		{NULL, NULL},
	};

	(void)state;
	check("firecracker2", facts);
}

/* Limits of the groups above count; /tmp has two mounts, and one that only begins like it. */
static void test_laptop(void **state)
{
	static const struct expected facts[] = {
		{"command_line",
		 "\"BOOT_IMAGE=/boot/vmlinuz-6.12.48-amd64 root=/dev/mapper/vg-root ro quiet slub_debug=FZ\""},
		{"tainted", "512"},
		{"preempt", "\"voluntary\""},
		{"CONFIG_CC_VERSION_TEXT", "\"x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0\""},
		{"CONFIG_DEBUG_VM", "\"y\""},
		{"CONFIG_ZRAM", "\"m\""},
		{"CONFIG_KFENCE_SAMPLE_INTERVAL", "0"},
		{"CONFIG_LRU_GEN_ENABLED", "\"n\""},
		{"CONFIG_KSM", "\"absent\""},
		{"CONFIG_HZ_250", NULL},
		{"microcode", "\"0x435\""},
		{"smt", "\"on\""},
		{"isolated_cpus", "\"2-3\""},
		{"nohz_full_cpus", "\"3\""},
		{"frequency_driver", "\"intel_pstate\""},
		{"governor", "\"powersave\""},
		{"energy_preference", "\"balance_performance\""},
		{"frequency_khz", "\"400000-4400000, 400000-3300000\""},
		{"turbo", "\"on\""},
		{"mitigations",
		 "\"itlb_multihit: KVM: Mitigation: VMX disabled; spectre_v2: Enhanced / Automatic IBRS, IBPB: conditional, RSB filling\""},
		{"vulnerable",
		 "\"mds (Vulnerable: Clear CPU buffers attempted, no microcode, SMT vulnerable)\""},
		{"clocksource", "\"hpet\""},
		{"numa_nodes", "\"0\""},
		{"thp", "\"always\""},
		{"thp_shmem", "\"advise\""},
		{"thp_sizes", "\"64kB always, 2048kB inherit\""},
		{"khugepaged_defrag", "\"off\""},
		{"mglru", "\"0x0007\""},
		{"swap", "\"zram0 partition 4194300 kB, vg-swap partition 4194304 kB\""},
		{"swap_used_bytes", "106496"},
		{"zswap", "\"on\""},
		{"zswap_compressor", "\"zstd\""},
		{"damon", "\"kdamond 1, damon_stat\""},
		{"ksm", "\"on\""},
		{"tmp_filesystem", "\"tmpfs\""},
		{"capabilities", "\"0000000000000000\""},
		{"kptr_restrict", "1"},
		{"cgroup", "\"v2\""},
		{"memory_limit_bytes", "8589934592"},
		{"cpu_limit_cpus", "1.5"},
		{"load1", "5.5"},
		{"steal_boot_ratio", "0.0"},
		{NULL, NULL},
	};

	(void)state;
	check("laptop", facts);
}

/* A limit between the group and the top; "(null)" is how old kernels print an empty list. */
static void test_cgroup1(void **state)
{
	static const struct expected facts[] = {
		{"CONFIG_HZ", "1000"},
		{"CONFIG_LOCKDEP", "\"y\""},
		{"cpu_model", "\"implementer 0x41 part 0xd0c\""},
		{"isolated_cpus", "\"none\""},
		{"nohz_full_cpus", "\"none\""},
		{"numa_nodes", "\"0-1\""},
		{"frequency_driver", "\"cppc_cpufreq\""},
		{"governor", "\"performance, schedutil\""},
		{"frequency_khz", "\"3000000-3000000\""},
		{"turbo", "\"off\""},
		{"mitigations", NULL},
		{"vulnerable", NULL},
		{"thp_sizes", NULL},
		{"damon", NULL},
		{"ksm", "\"off\""},
		{"psi", "\"off\""},
		{"cgroup", "\"v1\""},
		{"memory_limit_bytes", "2147483648"},
		{"cpu_limit_cpus", "0.5"},
		{NULL, NULL},
	};

	(void)state;
	check("cgroup1", facts);
}

/* Not the line with the mask of allowed CPUs, whose name begins the same. */
static void test_made(void **state)
{
	static const struct expected facts[] = {
		{"hypervisor", "\"xen\""},
		{"thp", "\"always\""},
		{"cpus_allowed", "\"0,2,4,6\""},
		{"memory_bytes", "67108864000"},
		{"cpu_model", NULL},
		{"load1", NULL},
		{NULL, NULL},
	};

	(void)state;
	check("smt2x2x2", facts);
}

/* What is damaged is not known: the configuration ends in the middle, numbers are none. */
static void test_damaged(void **state)
{
	json_t *host __free(json) = describe("blank");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(host, "kernel")), "6.1.0");
	assert_string_equal(json_string_value(json_object_get(host, "psi")), "off");
	assert_int_equal(json_object_size(host), 2);
}

static void test_nothing_there(void **state)
{
	json_t *host __free(json) = describe("no-such-machine");

	(void)state;
	assert_int_equal(json_object_size(host), 0);
}

static void test_this_machine(void **state)
{
	json_t *host __free(json) = host_describe("");
	struct utsname names;

	(void)state;
	assert_int_equal(uname(&names), 0);
	assert_string_equal(json_string_value(json_object_get(host, "kernel")), names.release);
	assert_true(json_integer_value(json_object_get(host, "page_bytes")) >= 4096);
}

/* Whatever a reader adds, the model knows what it is, and a run's report what to do with it. */
static void test_all_are_listed(void **state)
{
	static const char *const machines[] = {"firecracker2", "laptop", "cgroup1", "smt2x2x2"};
	json_t *seen __free(json) = host_describe("");
	const char *key;
	json_t *value;

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		json_t *host __free(json) = describe(machines[i]);

		json_object_update(seen, host);
	}
	/* Those of a run. */
	json_object_set_new(seen, "steal_ratio", json_real(0));
	json_object_set_new(seen, "dir_filesystem", json_text("tmpfs at /tmp"));
	json_object_set_new(seen, "dir_options", json_text("rw"));
	json_object_set_new(seen, "program", json_text("brk1.so, SHA-256 ..."));
	json_object_foreach(seen, key, value) {
		if (!json_is_string(value) && !json_is_number(value))
			fail_msg("%s is neither a string nor a number", key);
		if (!fingerprint_is_known(key) && !fingerprint_is_config(key))
			fail_msg("%s is not among fingerprint_facts()", key);
	}
	for (const struct fact *f = fingerprint_facts(); f->key; f++) {
		if (!json_object_get(seen, f->key))
			fail_msg("no machine has %s", f->key);
	}
}

/* The file has 1000 + 500 + 8000 + 100 + 50 + 350 ticks, guests' being in user time already. */
static void test_cpu_time(void **state)
{
	char *root __free(memory) = text_format("%s/cgroup1", MACHINES);
	struct cpu_time boot = {0}, now = cpu_time_read(root), later = now;
	json_t *host __free(json) = json_object();
	double ratio;

	(void)state;
	assert_int_equal(now.total, 10000);
	assert_int_equal(now.steal, 350);
	assert_true(cpu_time_steal_ratio(&boot, &now) == 0.035);
	/* No tick has passed, too few have, or the counters stepped back. */
	assert_true(cpu_time_steal_ratio(&now, &later) < 0);
	later.total += 99;
	assert_true(cpu_time_steal_ratio(&now, &later) < 0);
	later.total += 1;
	assert_true(cpu_time_steal_ratio(&now, &later) == 0);
	later.total += 300;
	later.steal -= 1;
	assert_true(cpu_time_steal_ratio(&now, &later) < 0);
	later.steal += 5;
	assert_true(cpu_time_steal_ratio(&now, &later) == 0.01);
	host_add_run(host, &now, &later);
	ratio = json_real_value(json_object_get(host, "steal_ratio"));
	assert_true(ratio == 0.01);
	json_object_clear(host);
	host_add_run(host, &boot, &now);
	host_add_run(host, &now, &boot);
	assert_int_equal(json_object_size(host), 0);
	root[0] = 'x';
	assert_int_equal(cpu_time_read(root).total, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_laptop),
		cmocka_unit_test(test_cgroup1),
		cmocka_unit_test(test_made),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_this_machine),
		cmocka_unit_test(test_all_are_listed),
		cmocka_unit_test(test_cpu_time),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
