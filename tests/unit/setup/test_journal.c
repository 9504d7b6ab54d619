// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "setup/hold.h"
#include "setup/tree.h"

#define JOURNAL ROOT "/run/contend/journal"
#define THP "/sys/kernel/mm/transparent_hugepage/enabled"
#define RESERVE "/proc/sys/vm/min_free_kbytes"
#define GROUP "/sys/fs/cgroup/memory/contend"

static int make_tree(void **state)
{
	(void)state;
	tree_make();
	tree_put(THP, "always [madvise] never\n");
	tree_put(RESERVE, "67584\n");
	tree_put("/sys/fs/cgroup/memory/tasks", "");
	tree_put("/sys/block/zram0/disksize", "0\n");
	tree_put("/sys/block/zram0/comp_algorithm", "lzo-rle [lz4]\n");
	tree_put("/sys/block/zram0/reset", "");
	return 0;
}

static void assert_refused(const char *words)
{
	struct error err = {0};
	struct journal *j = NULL;

	assert_false(journal_open(ROOT, &j, &err));
	assert_null(j);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
}

/* Both for who starts and for who would undo. */
static void assert_unusable(const char *words)
{
	struct error err = {0};
	struct journal *j = NULL;

	assert_refused(words);
	assert_false(journal_open_left(ROOT, &j, &err));
	assert_null(j);
	if (!strstr(err.text, words))
		fail_msg("'%s' has no '%s'", err.text, words);
	/* Left for whoever looks at it. */
	assert_false(access(JOURNAL, F_OK));
}

/* What a run changes, in a process that is killed then, or not. */
static void change(struct journal *j)
{
	struct error err = {0};
	int number;

	assert_true(journal_keep(j, RESERVE, &err));
	assert_true(journal_write(j, THP, "always", &err));
	tree_put(RESERVE, "19832\n"); /* as the kernel does */
	assert_true(journal_make_group(j, GROUP, &err));
	assert_true(journal_take_zram(j, &number, &err));
	assert_int_equal(number, 0);
	tree_put("/sys/block/zram0/comp_algorithm", "[lzo-rle] lz4\n");
	tree_put("/sys/block/zram0/disksize", "1048576\n");
}

static void assert_put_back(void)
{
	/* A fake file is no choice: it holds what was written. */
	tree_assert(THP, "madvise");
	tree_assert(RESERVE, "67584");
	tree_assert("/sys/block/zram0/comp_algorithm", "lz4");
	tree_assert("/sys/block/zram0/reset", "1");
	assert_true(access(ROOT GROUP, F_OK));
	assert_true(access(JOURNAL, F_OK));
}

static void test_undo(void **state)
{
	struct journal *j = tree_journal();

	(void)state;
	change(j);
	tree_assert(THP, "always");
	assert_false(access(ROOT GROUP, F_OK));
	assert_int_equal(tree_undo(j), 5);
	/* Again: there is nothing to undo. */
	assert_int_equal(tree_undo(j), 0);
	journal_close(j);
	assert_put_back();
}

/* What was never made needs not be undone, on a machine that may not be written to. */
static void test_nothing_to_put_back(void **state)
{
	struct journal *j = tree_journal();
	struct error err = {0};
	int number;

	(void)state;
	assert_true(journal_keep(j, RESERVE, &err));
	assert_true(journal_take_zram(j, &number, &err));
	/* Nobody can write there, root included. */
	assert_int_equal(remove(ROOT "/sys/block/zram0/reset"), 0);
	assert_int_equal(mkdir(ROOT "/sys/block/zram0/reset", 0755), 0);
	assert_int_equal(tree_undo(j), 3);
	journal_close(j);
	assert_true(access(JOURNAL, F_OK));
}

/* A value that is there already is neither kept nor written. */
static void test_nothing_to_change(void **state)
{
	struct journal *j = tree_journal();
	struct error err = {0};

	(void)state;
	assert_true(journal_write(j, THP, "madvise", &err));
	tree_assert(THP, "always [madvise] never");
	assert_int_equal(tree_undo(j), 0);
	journal_close(j);
	assert_true(access(JOURNAL, F_OK));
}

static void die_changed(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		change(tree_journal());
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_killed(void **state)
{
	struct error err = {0};
	struct journal *j = NULL;

	(void)state;
	die_changed();
	assert_refused("contend undo");
	assert_refused("5 places");
	assert_true(journal_open_left(ROOT, &j, &err));
	assert_int_equal(tree_undo(j), 5);
	journal_close(j);
	assert_put_back();
	assert_true(journal_open_left(ROOT, &j, &err));
	assert_null(j);
	journal_close(tree_journal());
}

/* Killed while it undoes: what is done is not done again. */
static void test_killed_undoing(void **state)
{
	struct error err = {0};
	struct journal *j = NULL;
	json_t *lines = json_array();

	(void)state;
	die_changed();
	tree_put(GROUP "/child/in_the_way", "");
	assert_true(journal_open_left(ROOT, &j, &err));
	/* The group is no cgroup here and cannot be removed: that is told, and the rest undone. */
	assert_false(journal_undo(j, NULL, lines, lines));
	journal_close(j);
	tree_assert(THP, "madvise");
	assert_refused("1 place ");
	assert_false(system("rm -r " ROOT GROUP));
	assert_true(journal_open_left(ROOT, &j, &err));
	assert_int_equal(tree_undo(j), 1);
	journal_close(j);
	assert_put_back();
	json_decref(lines);
}

static void test_held(void **state)
{
	struct journal *j = tree_journal();
	struct error err = {0};
	char pid[32];

	(void)state;
	snprintf(pid, sizeof(pid), "process %d,", getpid());
	assert_refused(pid);
	assert_int_equal(err.code, ERROR_NONE);
	assert_true(journal_write(j, THP, "never", &err));
	assert_unusable(pid);
	assert_int_equal(tree_undo(j), 1);
	journal_close(j);
}

/* Half a line stands for a change that was never made. */
static void test_cut(void **state)
{
	struct stat st;
	struct journal *j = NULL;
	struct error err = {0};

	(void)state;
	die_changed();
	assert_false(stat(JOURNAL, &st));
	assert_false(truncate(JOURNAL, st.st_size - 3));
	assert_true(journal_open_left(ROOT, &j, &err));
	assert_int_equal(tree_undo(j), 4);
	journal_close(j);
}

/* Every byte of every complete line matters. */
static void test_damage(void **state)
{
	struct text all __text = {0};
	struct error err = {0};

	(void)state;
	die_changed();
	assert_true(file_read("", JOURNAL, 1 << 20, &all, &err));
	for (size_t i = 0; i + 1 < all.length; i++) {
		struct journal *j = NULL;
		FILE *file = fopen(JOURNAL, "w");

		all.bytes[i] ^= 1;
		fwrite(all.bytes, 1, all.length, file);
		fclose(file);
		all.bytes[i] ^= 1;
		if (journal_open_left(ROOT, &j, &err))
			fail_msg("byte %zu of %zu was not missed", i, all.length);
		assert_int_equal(err.code, ERROR_DATA);
		assert_false(access(JOURNAL, F_OK));
	}
	tree_assert(THP, "always");
}

static void test_other_boot(void **state)
{
	struct error err = {0};
	struct journal *j = NULL;

	(void)state;
	die_changed();
	tree_put("/proc/sys/kernel/random/boot_id", "2c3d\n");
	assert_true(journal_open_left(ROOT, &j, &err));
	assert_null(j);
	assert_true(access(JOURNAL, F_OK));
	tree_assert(THP, "always");
}

static void test_not_ours(void **state)
{
	(void)state;
	die_changed();
	assert_false(chmod(JOURNAL, 0644));
	assert_unusable("open to others");
	assert_false(chmod(JOURNAL, 0600));
	assert_false(link(JOURNAL, ROOT "/other"));
	assert_unusable("second name");
	assert_false(rename(ROOT "/other", JOURNAL ".real"));
	assert_false(unlink(JOURNAL));
	assert_false(symlink("journal.real", JOURNAL));
	assert_unusable("symbolic link");
	assert_false(unlink(JOURNAL));
	assert_false(rename(JOURNAL ".real", JOURNAL));
	assert_false(chmod(ROOT "/run/contend", 0755));
	assert_unusable("open to others");
	assert_false(chmod(ROOT "/run/contend", 0700));
	if (!geteuid()) {
		assert_false(chown(JOURNAL, 65534, 65534));
		assert_unusable("somebody else");
		assert_false(chown(JOURNAL, 0, 0));
		assert_false(chown(ROOT "/run/contend", 65534, 65534));
		assert_unusable("somebody else");
		assert_false(chown(ROOT "/run/contend", 0, 0));
	}
	assert_false(rename(ROOT "/run/contend", ROOT "/run/real"));
	assert_false(symlink("real", ROOT "/run/contend"));
	assert_unusable("link");
	/* Nobody followed. */
	tree_assert(THP, "always");
}

/* A change that cannot be kept is not made. */
static void test_no_journal_no_change(void **state)
{
	struct journal *j = tree_journal();
	struct error err = {0};

	(void)state;
	assert_false(journal_write(j, "/sys/nothing", "1", &err));
	assert_false(journal_make_group(j, "/sys/fs/cgroup/memory", &err));
	assert_int_equal(tree_undo(j), 0);
	journal_close(j);
	assert_true(access(JOURNAL, F_OK));
}

/* ---- who has the machine ---- */

/* In a process of its own, as who asks is another one than who holds. */
static void assert_allows(int64_t holder, const char *refusal)
{
	struct error err = {0};
	bool allows = hold_allows(ROOT, holder, &err);

	assert_int_equal(allows, !refusal);
	if (refusal && !strstr(err.text, refusal))
		fail_msg("'%s' has no '%s'", err.text, refusal);
}

static void test_hold(void **state)
{
	struct hold *h = NULL, *other = NULL;
	struct error err = {0};
	char pid[32];

	(void)state;
	assert_allows(0, NULL);
	assert_allows(1, NULL);
	assert_true(hold_take(ROOT, &h, &err));
	snprintf(pid, sizeof(pid), "process %d,", getpid());
	assert_false(hold_take(ROOT, &other, &err));
	assert_non_null(strstr(err.text, pid));
	assert_allows(0, pid);
	assert_allows(1, pid);
	assert_allows(getpid(), NULL);
	hold_release(h);
	assert_allows(0, NULL);
	assert_true(access(ROOT "/run/contend/holder", F_OK));
}

static void test_holder_killed(void **state)
{
	struct hold *h = NULL;
	struct error err = {0};
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (hold_take(ROOT, &h, &err))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_allows(0, NULL);
	assert_true(hold_take(ROOT, &h, &err));
	hold_release(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_undo, make_tree),
		cmocka_unit_test_setup(test_nothing_to_put_back, make_tree),
		cmocka_unit_test_setup(test_nothing_to_change, make_tree),
		cmocka_unit_test_setup(test_killed, make_tree),
		cmocka_unit_test_setup(test_killed_undoing, make_tree),
		cmocka_unit_test_setup(test_held, make_tree),
		cmocka_unit_test_setup(test_cut, make_tree),
		cmocka_unit_test_setup(test_damage, make_tree),
		cmocka_unit_test_setup(test_other_boot, make_tree),
		cmocka_unit_test_setup(test_not_ours, make_tree),
		cmocka_unit_test_setup(test_no_journal_no_change, make_tree),
		cmocka_unit_test_setup(test_hold, make_tree),
		cmocka_unit_test_setup(test_holder_killed, make_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
