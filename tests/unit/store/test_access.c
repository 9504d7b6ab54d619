// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include <linux/capability.h>
#include <sys/syscall.h>

#include "base/child.h"
#include "base/clock.h"

/*
 * Root may write everything. These take that right away from this thread and give it back; for
 * anybody else they change nothing.
 */
static struct __user_cap_data_struct rights[2];

static void obey_modes(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct fewer[2];
	const uint32_t mask = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;

	assert_int_equal(syscall(SYS_capget, &header, rights), 0);
	memcpy(fewer, rights, sizeof(fewer));
	fewer[0].effective &= ~mask;
	assert_int_equal(syscall(SYS_capset, &header, fewer), 0);
}

static void ignore_modes(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};

	assert_int_equal(syscall(SYS_capset, &header, rights), 0);
}

/* The folder "d" with a store "d/store.db" in it that has one run. */
static char *made_store(char **ret_folder)
{
	char *path = in_scratch("d/store.db");
	struct store *s __free(store) = open_store(path);

	*ret_folder = in_scratch("d");
	add_run(s, add_experiment(s), 0);
	return path;
}

static void refused(const char *path, bool create, const char *reason)
{
	struct error err;

	expect_refusal(path, create, &err);
	if (!strstr(err.text, reason))
		fail_msg("'%s' does not say '%s'", err.text, reason);
	assert_int_equal(err.code, ERROR_SYSTEM);
}

static void reads_one_run(const char *path)
{
	struct store *s __free(store) = NULL;
	struct store_lines lines __cleanup(store_lines_done) = {0};
	struct error err = {0};

	if (!store_open(path, false, &s, &err) || !store_list(s, &lines, &err))
		fail_msg("%s", err.text);
	assert_int_equal(lines.count, 1);
	expect_runs(s, 1, 1);
}

/* Reading needs the right to read, and nothing else. */
static void read_only(void **state)
{
	static const struct {
		mode_t folder, file;
		const char *why_not; /* to write */
	} cases[] = {
		{0755, 0444, "may not be written"},
		{0555, 0444, "may not be written"},
		/* Writing needs a log beside the file. */
		{0555, 0644, "its folder may not be written"},
	};
	char *folder __free(memory) = NULL;
	char *path __free(memory) = made_store(&folder);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct text before __text = {0};
		struct text after __text = {0};

		read_bytes(path, &before);
		assert_int_equal(chmod(path, cases[i].file), 0);
		assert_int_equal(chmod(folder, cases[i].folder), 0);
		obey_modes();
		refused(path, true, cases[i].why_not);
		reads_one_run(path);
		ignore_modes();
		assert_int_equal(chmod(folder, 0755), 0);
		assert_int_equal(chmod(path, 0644), 0);
		read_bytes(path, &after);
		assert_int_equal(before.length, after.length);
		assert_memory_equal(before.bytes, after.bytes, before.length);
		reads_one_run(path);
	}
}

static void writing_to_what_was_opened_for_reading(void **state)
{
	char *folder __free(memory) = NULL;
	char *path __free(memory) = made_store(&folder);
	struct store *s = NULL;
	struct error err = {0};
	int64_t id;

	(void)state;
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	obey_modes();
	assert_true(store_open(path, false, &s, &err));
	assert_false(try_add(s, 1, 1, 10, &id, &err));
	assert_non_null(strstr(err.text, "readonly"));
	expect_runs(s, 1, 1);
	store_close(s);
	ignore_modes();
	assert_int_equal(chmod(folder, 0755), 0);
}

static void no_access(void **state)
{
	char *folder __free(memory) = NULL;
	char *path __free(memory) = made_store(&folder);
	char *other __free(memory) = in_scratch("d/other.db");
	char *deep __free(memory) = in_scratch("d/e/f/other.db");

	(void)state;
	assert_int_equal(chmod(path, 0), 0);
	obey_modes();
	refused(path, true, "Permission denied");
	refused(path, false, "Permission denied");
	ignore_modes();

	assert_int_equal(chmod(folder, 0555), 0);
	obey_modes();
	refused(other, true, "Permission denied");
	refused(deep, true, "Permission denied");
	ignore_modes();

	assert_int_equal(chmod(folder, 0), 0);
	obey_modes();
	refused(path, true, "Permission denied");
	refused(path, false, "Permission denied");
	ignore_modes();
	assert_int_equal(chmod(folder, 0755), 0);
}

/* What a killed process leaves: a log that holds a run, and no index of it. */
static void read_only_with_a_log(void **state)
{
	char *folder __free(memory) = NULL;
	char *path __free(memory) = made_store(&folder);
	char *to_folder __free(memory) = in_scratch("copy");
	char *copy __free(memory) = in_scratch("copy/store.db");
	char *log __free(memory) = in_scratch("d/store.db-wal");
	char *log_copy __free(memory) = in_scratch("copy/store.db-wal");
	char *index __free(memory) = in_scratch("copy/store.db-shm");
	struct store *s __free(store) = open_store(path);
	struct store *reader = NULL;
	struct error err = {0};

	(void)state;
	add_run(s, 1, 1);
	assert_int_equal(mkdir(to_folder, 0755), 0);
	copy_file(path, copy);
	copy_file(log, log_copy);
	assert_int_equal(chmod(copy, 0444), 0);
	assert_int_equal(chmod(log_copy, 0444), 0);
	assert_int_equal(chmod(to_folder, 0555), 0);

	/* Never the one run without the other. */
	obey_modes();
	refused(copy, false, "copy both files");
	refused(copy, true, "may not be written");
	ignore_modes();
	assert_int_equal(chmod(to_folder, 0755), 0);
	assert_int_not_equal(access(index, F_OK), 0);

	/* While its writer lives there is an index, and that is enough. */
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	obey_modes();
	assert_true(store_open(path, false, &reader, &err));
	expect_runs(reader, 1, 2);
	store_close(reader);
	ignore_modes();
	assert_int_equal(chmod(folder, 0755), 0);
	add_run(s, 1, 2);
	expect_runs(s, 1, 3);
}

static void not_files(void **state)
{
	char *file __free(memory) = in_scratch("file");
	char *below __free(memory) = in_scratch("file/store.db");
	char *deep __free(memory) = in_scratch("file/a/store.db");
	char *pipe_path __free(memory) = in_scratch("pipe");
	char *slash __free(memory) = in_scratch("folder/");
	char *folder __free(memory) = in_scratch("folder");
	char *lost __free(memory) = in_scratch("lost/x/store.db");
	char *link __free(memory) = in_scratch("lost");
	struct error err;

	(void)state;
	write_bytes(file, "x", 1);
	for (int create = 0; create < 2; create++) {
		refused(below, create, "Not a directory");
		refused(deep, create, "Not a directory");

		expect_refusal(scratch, create, &err);
		assert_non_null(strstr(err.text, "a folder"));

		expect_refusal(slash, create, &err);
		assert_int_equal(err.code, ERROR_USAGE);
		assert_int_not_equal(access(folder, F_OK), 0);
	}
	/* Opening a pipe would hang. */
	assert_int_equal(mkfifo(pipe_path, 0644), 0);
	for (int create = 0; create < 2; create++) {
		expect_refusal(pipe_path, create, &err);
		expect_refusal("/dev/null", create, &err);
		assert_non_null(strstr(err.text, "a device"));
		expect_refusal("", create, &err);
		assert_int_equal(err.code, ERROR_USAGE);
	}
	/* A folder that is a link to nowhere can be neither found nor made. */
	assert_int_equal(symlink("nowhere", link), 0);
	refused(lost, true, "No such file or directory");
}

static void a_link_to_a_store(void **state)
{
	char *folder __free(memory) = NULL;
	char *path __free(memory) = made_store(&folder);
	char *link __free(memory) = in_scratch("link.db");
	char *fresh __free(memory) = in_scratch("fresh.db");

	(void)state;
	assert_int_equal(symlink(path, link), 0);
	reads_one_run(link);

	/* One that leads nowhere yet is the place for a new one. */
	assert_int_equal(symlink("target.db", fresh), 0);
	struct store *s __free(store) = open_store(fresh);

	add_run(s, add_experiment(s), 0);
	expect_runs(s, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(read_only), SCRATCH_TEST(writing_to_what_was_opened_for_reading),
		SCRATCH_TEST(no_access), SCRATCH_TEST(read_only_with_a_log),
		SCRATCH_TEST(not_files), SCRATCH_TEST(a_link_to_a_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
