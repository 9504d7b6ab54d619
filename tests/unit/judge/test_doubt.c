// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "judge/doubt.h"

/*
 * The doubts about a machine of these facts, written "key! " where grave and "key " where not. Facts
 * are JSON without the braces, with ' for ".
 */
static void check(const char *facts, const char *expected)
{
	char *words __free(memory) = text_format("{%s}", facts);
	json_t *host __free(json) = NULL;
	struct doubts d __cleanup(doubts_done) = {0};
	struct text got __text = {0};
	json_error_t where;

	for (char *at = words; *at; at++) {
		if (*at == '\'')
			*at = '"';
	}
	host = json_loads(words, 0, &where);
	if (!host)
		fail_msg("%s: %s", facts, where.text);
	d = doubts_find(host);
	for (size_t i = 0; i < d.count; i++) {
		text_printf(&got, "%s%s%s", i ? " " : "", d.list[i].key,
			    d.list[i].grave ? "!" : "");
		assert_true(*d.list[i].reason);
	}
	if (!text_equal(text_string(&got), expected))
		fail_msg("%s: '%s', not '%s'", facts, text_string(&got), expected);
}

static void test_unknown_is_no_doubt(void **state)
{
	(void)state;
	check("", "");
	check("'kernel':'6.18','hypervisor':'none'", "");
	/* Of another type than it should be, as a damaged record may have it. */
	check("'governor':3,'load1':'much','steal_ratio':'x','perf_event_paranoid':'y'", "");
}

static void test_debug_kernels(void **state)
{
	(void)state;
	check("'CONFIG_LOCKDEP':'n','CONFIG_DEBUG_VM':'n'", "");
	check("'CONFIG_KASAN':'y'", "CONFIG_KASAN!");
	/* The first says what kernel it is; a report need not list them all. */
	check("'CONFIG_DEBUG_RWSEMS':'y','CONFIG_DEBUG_VM':'y','CONFIG_LOCKDEP':'y'",
	      "CONFIG_LOCKDEP! CONFIG_DEBUG_VM CONFIG_DEBUG_RWSEMS");
	/* Built in, but off, as distributions have them. */
	check("'CONFIG_KFENCE':'y','CONFIG_SLUB_DEBUG':'y','CONFIG_PAGE_OWNER':'y',"
	      "'CONFIG_DEBUG_PAGEALLOC':'y','CONFIG_DEBUG_KMEMLEAK':'y',"
	      "'CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF':'y'",
	      "");
	check("'CONFIG_DEBUG_KMEMLEAK':'y','CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF':'n'",
	      "CONFIG_DEBUG_KMEMLEAK!");
	check("'CONFIG_DEBUG_KMEMLEAK':'y','CONFIG_DEBUG_KMEMLEAK_DEFAULT_OFF':'y',"
	      "'command_line':'quiet kmemleak=on'",
	      "CONFIG_DEBUG_KMEMLEAK!");
}

static void test_command_lines(void **state)
{
	(void)state;
	check("'command_line':'ro slub_debug=FZ quiet'", "command_line!");
	check("'command_line':'slub_debug'", "command_line!");
	check("'command_line':'slab_debug=P,kmalloc-64'", "command_line!");
	check("'command_line':'slub_debug=- quiet'", "");
	check("'command_line':'not_slub_debug=FZ slub_debug_not=1 page_owner=off'", "");
	check("'command_line':'page_owner=on debug_pagealloc=on page_poison=1'",
	      "command_line! command_line! command_line!");
	check("'command_line':'page_owner=only'", "");
}

static void test_frequency(void **state)
{
	(void)state;
	check("'governor':'performance','frequency_driver':'intel_pstate'", "");
	check("'governor':'powersave','frequency_driver':'intel_pstate'", "governor!");
	check("'governor':'powersave','frequency_driver':'amd-pstate-epp'", "governor!");
	/* Elsewhere powersave is a constant frequency, though a low one. */
	check("'governor':'powersave','frequency_driver':'acpi-cpufreq'", "governor");
	check("'governor':'schedutil','frequency_driver':'acpi-cpufreq'", "governor!");
	check("'governor':'performance, ondemand'", "governor!");
	check("'governor':'schedutil','frequency_khz':'2100000-2100000'", "");
	check("'governor':'schedutil','frequency_khz':'800000-2100000'", "governor!");
	check("'governor':'schedutil','frequency_khz':'2100000-2100000, 800000-2100000'",
	      "governor!");
	check("'turbo':'on'", "turbo");
	check("'turbo':'off','smt':'off'", "");
	check("'smt':'on'", "smt");
}

static void test_clocks(void **state)
{
	(void)state;
	check("'clocksource':'tsc'", "");
	check("'clocksource':'kvm-clock'", "");
	check("'clocksource':'arch_sys_counter'", "");
	check("'clocksource':'hpet'", "clocksource!");
	check("'clocksource':'acpi_pm'", "clocksource!");
	check("'hypervisor':'KVM'", "");
	check("'hypervisor':'QEMU TCG'", "hypervisor");
}

static void test_mm(void **state)
{
	(void)state;
	check("'thp':'always'", "thp");
	check("'thp':'madvise','damon':'off','ksm':'off','numa_balancing':0", "");
	check("'damon':'kdamond 0','ksm':'on'", "damon ksm");
	check("'numa_balancing':1,'numa_nodes':'0-1'", "numa_balancing");
	check("'numa_balancing':1,'numa_nodes':'0'", "");
}

static void test_access(void **state)
{
	static const char nobody[] = "'capabilities':'0000000000000000',";
	char *paranoid __free(memory) = text_format("%s'perf_event_paranoid':2", nobody);
	char *open __free(memory) = text_format("%s'perf_event_paranoid':1", nobody);
	char *pointers __free(memory) = text_format("%s'kptr_restrict':1", nobody);

	(void)state;
	check(paranoid, "perf_event_paranoid");
	check(open, "");
	check(pointers, "kptr_restrict");
	/* CAP_PERFMON is bit 38, CAP_SYS_ADMIN 21, CAP_SYSLOG 34. */
	check("'capabilities':'0000004000000000','perf_event_paranoid':3", "");
	check("'capabilities':'0000000000200000','perf_event_paranoid':3", "");
	check("'capabilities':'0000000400000000','kptr_restrict':1", "");
	check("'capabilities':'000001ffffffffff','kptr_restrict':2", "kptr_restrict");
	/* Whether this user may is not known. */
	check("'perf_event_paranoid':3,'kptr_restrict':1", "");
	check("'memory_limit_bytes':1000,'memory_bytes':2000", "memory_limit_bytes");
	check("'memory_limit_bytes':3000,'memory_bytes':2000", "");
	check("'memory_limit_bytes':'none','cpu_limit_cpus':'none','memory_bytes':2000", "");
	check("'cpu_limit_cpus':1.5", "cpu_limit_cpus!");
}

static void test_load(void **state)
{
	(void)state;
	check("'load1':2.0,'cpus_online':'0-1'", "");
	check("'load1':2.1,'cpus_online':'0-1'", "load1!");
	check("'load1':200", "");
	check("'steal_ratio':0.01,'steal_boot_ratio':0.01", "");
	check("'steal_ratio':0.011", "steal_ratio!");
	check("'steal_boot_ratio':0.011", "steal_boot_ratio");
}

static void test_degree(void **state)
{
	json_t *host __free(json) = json_pack("{s:f, s:s}", "steal_ratio", 0.25, "turbo", "on");
	struct doubts d __cleanup(doubts_done) = doubts_find(host);

	(void)state;
	assert_int_equal(d.count, 2);
	assert_true(d.list[0].degree == 0);
	assert_true(d.list[1].degree == 0.25);
	assert_non_null(strstr(d.list[1].reason, "25.0 %"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_is_no_doubt),
		cmocka_unit_test(test_debug_kernels),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_frequency),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_mm),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_degree),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
