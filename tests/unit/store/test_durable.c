// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/random.h"

/*
 * Adds runs to the first experiment for ever, the costs counting up from `first`, each acknowledged
 * by its cost on the pipe once store_add_run() has returned.
 */
__attribute__((noreturn)) static void add_for_ever(const char *path, int64_t first, int acknowledge)
{
	struct store *s = NULL;
	struct error err = {0};
	int64_t id;

	if (!store_open(path, true, &s, &err)) {
		fprintf(stderr, "%s\n", err.text);
		_exit(1);
	}
	for (int64_t cost = first;; cost++) {
		/* From within a page to many pages. */
		size_t padding = (size_t)(cost % 7) * 3000;

		if (!try_add(s, 1, cost, padding, &id, &err)) {
			fprintf(stderr, "%s\n", err.text);
			_exit(2);
		}
		if (write(acknowledge, &cost, sizeof(cost)) != sizeof(cost))
			_exit(3);
	}
}

static int64_t read_one(int fd)
{
	int64_t cost;

	assert_int_equal(read(fd, &cost, sizeof(cost)), sizeof(cost));
	return cost;
}

/* Reads acknowledgements to the end; returns the last one, or `last` when there is none. */
static int64_t read_acknowledged(int fd, int64_t last)
{
	int64_t cost;

	while (read(fd, &cost, sizeof(cost)) == sizeof(cost))
		last = cost;
	return last;
}

static void killed_writers(void **state)
{
	enum { ROUNDS = 40 };
	char *path __free(memory) = in_scratch("store.db");
	struct store *s = open_store(path);
	struct random r;
	int64_t next = 0;

	(void)state;
	add_experiment(s);
	store_close(s);
	random_seed(&r, 4021, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct error err = {0};
		struct child child;
		int64_t acknowledged;
		int pipes[2], status;

		assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
		switch (child_fork(&child, &err)) {
		case 0:
			close(pipes[0]);
			add_for_ever(path, next, pipes[1]);
		case -1:
			fail_msg("%s", err.text);
		}
		close(pipes[1]);
		acknowledged = next - 1;
		/* Mostly in the middle of adding, now and then while it opens. */
		if (round % 8)
			acknowledged = read_one(pipes[0]);
		clock_sleep_until(clock_now_ns() + (int64_t)random_below(&r, 40 * NS_PER_MS));
		kill(child.pid, SIGKILL);
		while (!child_reap(&child, clock_now_ns() + NS_PER_SEC, &status))
			;
		assert_string_equal(child_status_text(status), "killed by SIGKILL");
		child_done(&child);
		acknowledged = read_acknowledged(pipes[0], acknowledged);
		close(pipes[0]);

		/* What was acknowledged is there; the one that was not may be, whole. */
		char *check __free(memory) = sql_value(path, "PRAGMA integrity_check");
		char *count __free(memory) = sql_value(path, "SELECT count(*) FROM run");
		int64_t runs = atoll(count);

		assert_string_equal(check, "ok");
		assert_in_range(runs, acknowledged + 1, acknowledged + 2);
		next = runs;
	}
	s = open_store(path);
	expect_runs(s, 1, (size_t)next);
	store_close(s);
	/* Or nothing was tested. */
	assert_true(next > ROUNDS);
}

static void killed_makers(void **state)
{
	enum { ROUNDS = 30 };
	struct random r;

	(void)state;
	random_seed(&r, 4021, 1);
	for (int round = 0; round < ROUNDS; round++) {
		char *name __free(memory) = text_format("new/%d.db", round);
		char *path __free(memory) = in_scratch(name);
		struct error err = {0};
		struct child child;
		int status;

		switch (child_fork(&child, &err)) {
		case 0: {
			struct store *s = NULL;

			/* No assertion of a child. */
			_exit(!store_open(path, true, &s, &err));
		}
		case -1:
			fail_msg("%s", err.text);
		}
		clock_sleep_until(clock_now_ns() + (int64_t)random_below(&r, 8 * NS_PER_MS));
		kill(child.pid, SIGKILL);
		while (!child_reap(&child, clock_now_ns() + NS_PER_SEC, &status))
			;
		child_done(&child);

		/* However far it came, the next one can go on. */
		struct store *s __free(store) = open_store(path);

		add_run(s, add_experiment(s), 0);
		expect_runs(s, 1, 1);
	}
}

/* A full disk, as near as it can be had without one: no file may grow beyond this. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes > limit.rlim_max ? limit.rlim_max : bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disk(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	char *log __free(memory) = in_scratch("store.db-wal");
	struct store *s __free(store) = open_store(path);
	struct error err = {0};
	int64_t id = -5, count = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	add_experiment(s);
	for (; count < 5; count++)
		add_run(s, 1, count);
	/* Room for some more, and then in the middle of one. */
	for (size_t room = 0; room < 200000; room += 13337) {
		struct stat st;

		assert_int_equal(stat(log, &st), 0);
		limit_files((rlim_t)st.st_size + room);
		while (try_add(s, 1, count, 20000, &id, &err))
			count++;
		limit_files(RLIM_INFINITY);
		assert_int_equal(err.code, ERROR_SYSTEM);
		assert_non_null(strstr(err.text, path));
		if (!strstr(err.text, "File too large"))
			fail_msg("%s", err.text);
		/* What was stored is there, nothing half done, and it goes on. */
		expect_runs(s, 1, (size_t)count);
		add_run(s, 1, count++);
		expect_runs(s, 1, (size_t)count);
	}
	store_close(take(s));
	s = open_store(path);
	expect_runs(s, 1, (size_t)count);
	signal(SIGXFSZ, SIG_DFL);
}

static void closed_on_a_full_disk(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	add_experiment(s);
	for (int i = 0; i < 40; i++)
		add_run(s, 1, i);
	/* The log cannot be moved into the file now: it stays, and nothing is lost. */
	limit_files(8192);
	store_close(take(s));
	limit_files(RLIM_INFINITY);
	s = open_store(path);
	expect_runs(s, 1, 40);
	signal(SIGXFSZ, SIG_DFL);
}

static void made_on_a_full_disk(void **state)
{
	char *path __free(memory) = in_scratch("a/store.db");

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t room = 0; room < 120000; room += 4096) {
		struct store *s = NULL;
		struct error err = {0};
		bool made;

		limit_files(room);
		made = store_open(path, true, &s, &err);
		if (made)
			store_close(s);
		limit_files(RLIM_INFINITY);
		if (made)
			continue;
		assert_int_equal(err.code, ERROR_SYSTEM);
		assert_non_null(strstr(err.text, path));
		if (!strstr(err.text, "File too large"))
			fail_msg("%s", err.text);
		/* With room it can be made. */
		s = open_store(path);
		add_run(s, add_experiment(s), 0);
		store_close(s);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(access(path, F_OK), 0);
	signal(SIGXFSZ, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(killed_writers),	   SCRATCH_TEST(killed_makers),
		SCRATCH_TEST(full_disk),	   SCRATCH_TEST(closed_on_a_full_disk),
		SCRATCH_TEST(made_on_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
