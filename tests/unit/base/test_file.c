// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/file.h"

/* A folder that plays the root of a machine. */
static char root[] = "/tmp/contend-file-XXXXXX";

static void put(const char *path, const void *bytes, size_t length)
{
	char *full __free(memory) = text_format("%s%s", root, path);
	int fd __free(fd) = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct error err;

	assert_true(fd >= 0);
	assert_true(file_write_all(fd, bytes, length, &err));
}

static int set_up(void **state)
{
	char *proc __free(memory) = NULL;

	(void)state;
	if (!mkdtemp(root))
		return -1;
	proc = text_format("%s/proc", root);
	return mkdir(proc, 0700);
}

static int tear_down(void **state)
{
	static const char *const names[] = {
		"/proc/version", "/proc/empty", "/proc/zero", "/proc/large", "/proc/lines",
	};
	char *proc __free(memory) = text_format("%s/proc", root);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *full __free(memory) = text_format("%s%s", root, names[i]);

		unlink(full);
	}
	rmdir(proc);
	return rmdir(root);
}

static void test_read(void **state)
{
	struct text t __text = {0};
	struct error err;

	(void)state;
	put("/proc/version", "Linux 6.18\n", 11);
	/* What the text held before is released. */
	text_puts(&t, "old");
	assert_true(file_read(root, "/proc/version", 100, &t, &err));
	assert_string_equal(text_string(&t), "Linux 6.18\n");
	assert_int_equal(t.length, 11);

	put("/proc/empty", "", 0);
	assert_true(file_read(root, "/proc/empty", 0, &t, &err));
	assert_string_equal(text_string(&t), "");
	assert_int_equal(t.length, 0);

	put("/proc/zero", "a\0b", 3);
	assert_true(file_read(root, "/proc/zero", 3, &t, &err));
	assert_int_equal(t.length, 3);
	assert_memory_equal(t.bytes, "a\0b", 4);
}

static void test_read_machine(void **state)
{
	struct text t __text = {0};
	struct error err;

	(void)state;
	/* A file of procfs says that it is 0 bytes long. */
	assert_true(file_read("", "/proc/self/status", 1 << 20, &t, &err));
	assert_true(text_starts(text_string(&t), "Name:"));
}

static void test_limit(void **state)
{
	char bytes[10000];
	struct text t __text = {0};
	struct error err;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	put("/proc/large", bytes, sizeof(bytes));
	assert_true(file_read(root, "/proc/large", sizeof(bytes), &t, &err));
	assert_int_equal(t.length, sizeof(bytes));
	text_done(&t);
	text_puts(&t, "kept");
	assert_false(file_read(root, "/proc/large", sizeof(bytes) - 1, &t, &err));
	assert_int_equal(err.code, ERROR_DATA);
	assert_non_null(strstr(err.text, "more than 9999 bytes"));
	assert_string_equal(text_string(&t), "kept");
}

static void test_failures(void **state)
{
	struct text t __text = {0};
	struct error err;

	(void)state;
	text_puts(&t, "kept");
	assert_false(file_read(root, "/proc/none", 100, &t, &err));
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_non_null(strstr(err.text, root));
	assert_non_null(strstr(err.text, "/proc/none: No such file or directory"));
	assert_false(file_read(root, "/proc", 100, &t, &err));
	assert_non_null(strstr(err.text, "/proc: Is a directory"));
	assert_string_equal(text_string(&t), "kept");
}

static void test_read_line(void **state)
{
	static const struct {
		const char *contents, *line;
	} cases[] = {
		{"0-3\n", "0-3"},	  {"0-3", "0-3"},   {"one\ntwo\n", "one"},
		{"  a b \t\nc", "  a b"}, {"\nsecond", ""}, {"", ""},
	};
	char *none __free(memory) = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *line __free(memory) = NULL;

		put("/proc/lines", cases[i].contents, strlen(cases[i].contents));
		line = file_read_line(root, "/proc/lines");
		assert_non_null(line);
		assert_string_equal(line, cases[i].line);
	}
	none = file_read_line(root, "/proc/none");
	assert_null(none);
}

/* A pipe takes 64 KiB at once at most; the reader makes sure that it takes less. */
static void test_write_parts(void **state)
{
	enum { BYTES = 1 << 20 };
	char *bytes __free(memory) = calloc(1, BYTES);
	struct error err;
	int ends[2], status;
	pid_t reader;

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (char)(i % 251);
	assert_int_equal(pipe(ends), 0);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		size_t seen = 0;
		char part[1000];
		ssize_t n;

		close(ends[1]);
		while ((n = read(ends[0], part, sizeof(part))) > 0) {
			for (ssize_t i = 0; i < n; i++, seen++) {
				if (part[i] != (char)(seen % 251))
					_exit(1);
			}
		}
		_exit(seen == BYTES ? 0 : 2);
	}
	close(ends[0]);
	assert_true(file_write_all(ends[1], bytes, BYTES, &err));
	close(ends[1]);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
}

/* One that does not block has no room, in a pipe whose reader comes late. */
static void test_write_without_blocking(void **state)
{
	enum { BYTES = 300000 };
	char *bytes = calloc(1, BYTES);
	int ends[2], status;
	struct error err;
	pid_t reader;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	/* Full, so that the first write already has to wait. */
	while (write(ends[1], bytes, BYTES) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	reader = fork();
	assert_true(reader >= 0);
	if (!reader) {
		char part[1000];
		ssize_t n;

		close(ends[1]);
		fcntl(ends[0], F_SETFL, 0);
		while ((n = read(ends[0], part, sizeof(part))) > 0)
			;
		_exit(n ? 1 : 0);
	}
	close(ends[0]);
	assert_true(file_write_all(ends[1], bytes, BYTES, &err));
	close(ends[1]);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	free(bytes);
}

/* In a process of its own: the test program needs its streams. */
static void test_fill_standard(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		struct stat st;
		bool ok;

		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		ok = file_fill_standard() && open("/dev/null", O_RDWR) > STDERR_FILENO;
		/* Nothing to read, and nobody gets what is written. */
		ok = ok && !read(STDIN_FILENO, &st, 1) && write(STDOUT_FILENO, "x", 1) < 0 &&
		     errno == EBADF;
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_write_failure(void **state)
{
	struct error err;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_false(file_write_all(ends[1], "x", 1, &err));
	assert_string_equal(err.text, "write: Broken pipe");
	/* Nothing to write never fails. */
	assert_true(file_write_all(ends[1], "", 0, &err));
	close(ends[1]);
}

static void test_head(void **state)
{
	char large[9000];
	struct text t __text = {0};
	struct error err;

	(void)state;
	memset(large, 'a', sizeof(large));
	put("/proc/large", large, sizeof(large));
	text_puts(&t, "old");
	assert_true(file_read_head(root, "/proc/large", 5000, &t, &err));
	assert_int_equal(t.length, 5000);
	assert_int_equal(strlen(text_string(&t)), 5000);
	assert_true(file_read_head(root, "/proc/large", sizeof(large), &t, &err));
	assert_int_equal(t.length, sizeof(large));
	put("/proc/empty", "", 0);
	assert_true(file_read_head(root, "/proc/empty", 10, &t, &err));
	assert_int_equal(t.length, 0);
	assert_false(file_read_head(root, "/proc/none", 10, &t, &err));
	assert_non_null(strstr(err.text, "/proc/none: No such file or directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_read_machine),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_read_line),
		cmocka_unit_test(test_write_parts),
		cmocka_unit_test(test_write_without_blocking),
		cmocka_unit_test(test_write_failure),
		cmocka_unit_test(test_fill_standard),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
