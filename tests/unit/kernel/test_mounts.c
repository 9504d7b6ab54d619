// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernel/mounts.h"

static void assert_mount(const char *root, const char *path, const char *point, const char *type,
			 const char *options)
{
	struct mount m __cleanup(mount_done) = {0};

	assert_true(mounts_find(root, path, &m));
	assert_string_equal(m.point, point);
	assert_string_equal(m.type, type);
	assert_string_equal(m.options, options);
}

static void test_captured(void **state)
{
	static const char root[] = MACHINES "/laptop";
	struct mount none = {0};

	(void)state;
	/* The later of two at one point. */
	assert_mount(root, "/tmp", "/tmp", "tmpfs", "rw,nosuid,nodev");
	assert_mount(root, "/tmp/x/y", "/tmp", "tmpfs", "rw,nosuid,nodev");
	assert_mount(root, "/tmp/deeper/x", "/tmp/deeper", "xfs", "rw");
	/* Only a part of a name. */
	assert_mount(root, "/tmpfile", "/", "ext4", "rw,relatime");
	assert_mount(MACHINES "/firecracker2", "/dev/shm/x", "/dev/shm", "tmpfs",
		     "rw,relatime,size=24684092k");
	assert_false(mounts_find(MACHINES "/blank", "/tmp", &none));
}

/* Blanks in names, and lines that are none. */
static void test_odd(void **state)
{
	static const char lines[] = "1 1 0:1 / / rw - ext4 /dev/a rw\n"
				    "2 1 0:2 / /a\\040b\\134c rw,noatime - fuse.x x rw,user_id=0\n"
				    "3 1 0:3 / /cut\\04\n"
				    "\n"
				    "4 1 0:4 / /end\\04 ro - tmpfs none ro\n";
	char root[] = "/tmp/contend-mounts-XXXXXX";
	char *folder = NULL, *path = NULL;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(root));
	folder = text_format("%s/proc", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	free(folder);
	folder = text_format("%s/proc/self", root);
	assert_int_equal(mkdir(folder, 0700), 0);
	path = text_format("%s/mountinfo", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(lines, file);
	fclose(file);
	assert_mount(root, "/a b\\c/d", "/a b\\c", "fuse.x", "rw,noatime,user_id=0");
	assert_mount(root, "/cut\\04", "/", "ext4", "rw");
	assert_mount(root, "/end\\04", "/end\\04", "tmpfs", "ro,ro");
	unlink(path);
	rmdir(folder);
	free(folder);
	folder = text_format("%s/proc", root);
	rmdir(folder);
	rmdir(root);
	free(folder);
	free(path);
}

static void test_this_machine(void **state)
{
	struct mount none = {0};

	(void)state;
	{
		struct mount m __cleanup(mount_done) = {0};

		assert_true(mounts_find("", "/proc/self", &m));
		assert_string_equal(m.type, "proc");
		assert_string_equal(m.point, "/proc");
	}
	assert_false(mounts_find("", "/no/such/folder", &none));
	assert_null(none.type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
