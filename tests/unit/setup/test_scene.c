// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "setup/setup.h"
#include "setup/tree.h"

#define THP "/sys/kernel/mm/transparent_hugepage"
#define RESERVE "/proc/sys/vm/min_free_kbytes"
#define CGROUP "/sys/fs/cgroup"

static int make_tree(void **state)
{
	(void)state;
	tree_make();
	tree_put(THP "/enabled", "always [madvise] never\n");
	tree_put(THP "/khugepaged/defrag", "1\n");
	tree_put(THP "/hugepages-64kB/enabled", "always inherit madvise [never]\n");
	tree_put(THP "/hugepages-128kB/enabled", "always inherit madvise [never]\n");
	tree_put(THP "/hugepages-2048kB/enabled", "always [inherit] madvise never\n");
	tree_put(RESERVE, "67584\n");
	tree_put("/proc/sys/vm/overcommit_memory", "0\n");
	tree_put("/proc/sys/vm/swappiness", "60\n");
	tree_put("/sys/kernel/mm/ksm/run", "0\n");
	return 0;
}

/* A scene in the tree for values, "name=value name=value". */
struct set {
	struct scene scene;
	struct journal *journal;
	json_t *values;
	struct error err;
	bool ok;
};

static void set_up(struct set *s, const char *words)
{
	char *copy = memory_string(words), *rest = copy, *word;

	*s = (struct set){.values = json_object(), .journal = tree_journal()};
	while ((word = strsep(&rest, " "))) {
		char *name = strsep(&word, "=");

		json_object_set_new(s->values, name, json_string(word));
	}
	free(copy);
	scene_init(&s->scene, s->journal, s->values);
	s->ok = scene_set(&s->scene, &s->err);
}

static void put_back(struct set *s)
{
	tree_undo(s->journal);
	journal_close(s->journal);
	scene_done(&s->scene);
	json_decref(s->values);
}

static void assert_refused(const char *words, const char *why)
{
	struct set s;

	set_up(&s, words);
	assert_false(s.ok);
	if (!strstr(s.err.text, why))
		fail_msg("'%s' has no '%s'", s.err.text, why);
	put_back(&s);
}

static void test_huge_pages(void **state)
{
	struct set s;

	(void)state;
	set_up(&s, "thp=never mthp=64k khugepaged=no");
	assert_true(s.ok);
	tree_assert(THP "/enabled", "never");
	tree_assert(THP "/hugepages-64kB/enabled", "always");
	tree_assert(THP "/hugepages-2048kB/enabled", "never");
	tree_assert(THP "/khugepaged/defrag", "0");
	tree_put(RESERVE, "19832\n");
	put_back(&s);
	tree_assert(THP "/enabled", "madvise");
	tree_assert(THP "/hugepages-64kB/enabled", "never");
	tree_assert(THP "/hugepages-2048kB/enabled", "inherit");
	tree_assert(THP "/khugepaged/defrag", "1");
	tree_assert(RESERVE, "67584");
}

static void test_several_sizes(void **state)
{
	struct set s;

	(void)state;
	set_up(&s, "mthp=64k+128k");
	assert_true(s.ok);
	tree_assert(THP "/hugepages-64kB/enabled", "always");
	tree_assert(THP "/hugepages-128kB/enabled", "always");
	put_back(&s);
	set_up(&s, "mthp=none");
	assert_true(s.ok);
	tree_assert(THP "/hugepages-2048kB/enabled", "never");
	put_back(&s);
	/* One that is refused changes nothing. */
	assert_refused("mthp=64k+48k",
		       "'48k' is no size of this kernel, which offers 64k, 128k, 2048k");
	assert_refused("mthp=", "'' is no size");
	tree_assert(THP "/hugepages-64kB/enabled", "never");
}

/* What the user says of the reserve counts, whatever huge pages do to it. */
static void test_order(void **state)
{
	struct set s;

	(void)state;
	set_up(&s, "min_free_kbytes=30000 thp=always");
	assert_true(s.ok);
	tree_assert(RESERVE, "30000");
	put_back(&s);
	tree_assert(RESERVE, "67584");
}

static void test_knobs(void **state)
{
	struct set s;

	(void)state;
	set_up(&s, "ksm=yes overcommit=2 swappiness=150");
	assert_true(s.ok);
	tree_assert("/sys/kernel/mm/ksm/run", "1");
	tree_assert("/proc/sys/vm/overcommit_memory", "2");
	tree_assert("/proc/sys/vm/swappiness", "150");
	put_back(&s);
	tree_assert("/sys/kernel/mm/ksm/run", "0");
	tree_assert("/proc/sys/vm/overcommit_memory", "0");
	tree_assert("/proc/sys/vm/swappiness", "60");
	assert_refused("lru_gen=yes", "this kernel has no CONFIG_LRU_GEN");
	assert_refused("governor=performance", "no CPU has a cpufreq governor");
	assert_refused("zram=1G", "modprobe zram");
}

static void assert_in_group(const struct set *s, const char *file, const char *value)
{
	char *path = text_format("%s/%s", s->scene.surroundings.memcg, file);

	tree_assert(path, value);
	free(path);
}

static void test_memcg_v2(void **state)
{
	struct set s;
	char *group;

	(void)state;
	assert_refused("memcg=64M", "no memory controller");
	tree_put(CGROUP "/cgroup.controllers", "cpuset cpu io memory pids\n");
	tree_put(CGROUP "/cgroup.subtree_control", "cpu pids\n");
	set_up(&s, "memcg=64M memcg.swap=128M memcg.high=48M swappiness=10");
	if (!s.ok)
		fail_msg("%s", s.err.text);
	assert_in_group(&s, "memory.max", "64M");
	assert_in_group(&s, "memory.swap.max", "128M");
	assert_in_group(&s, "memory.high", "48M");
	/* v2 has no swappiness of a group. */
	tree_assert("/proc/sys/vm/swappiness", "10");
	tree_assert(CGROUP "/cgroup.subtree_control", "+memory");
	assert_true(s.scene.surroundings.group >= 0);
	group = text_format("%s%s", ROOT, s.scene.surroundings.memcg);
	assert_false(access(group, F_OK));
	put_back(&s);
	assert_true(access(group, F_OK));
	tree_assert(CGROUP "/cgroup.subtree_control", "-memory");
	free(group);
}

static void test_memcg_v1(void **state)
{
	struct set s;

	(void)state;
	tree_put("/proc/self/cgroup", "5:cpuset:/\n4:memory,other:/own/group\n0::/\n");
	tree_put(CGROUP "/memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_put(CGROUP "/memory/own/group/memory.limit_in_bytes", "9223372036854771712\n");
	set_up(&s, "memcg=64M memcg.swap=128M swappiness=10");
	if (!s.ok)
		fail_msg("%s", s.err.text);
	assert_non_null(strstr(s.scene.surroundings.memcg, "/memory/own/group/contend-"));
	assert_in_group(&s, "memory.limit_in_bytes", "64M");
	/* Memory and swap together. */
	assert_in_group(&s, "memory.memsw.limit_in_bytes", "201326592");
	assert_in_group(&s, "memory.swappiness", "10");
	tree_assert("/proc/sys/vm/swappiness", "60");
	put_back(&s);
	assert_refused("memcg=64M memcg.high=48M", "cgroup v1 has no such limit");
	assert_refused("memcg.swap=64M", "need memcg=");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_huge_pages, make_tree),
		cmocka_unit_test_setup(test_several_sizes, make_tree),
		cmocka_unit_test_setup(test_order, make_tree),
		cmocka_unit_test_setup(test_knobs, make_tree),
		cmocka_unit_test_setup(test_memcg_v2, make_tree),
		cmocka_unit_test_setup(test_memcg_v1, make_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
