// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/zram.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/units.h"
#include "kernel/meminfo.h"
#include "setup/setup.h"

/* Above what a kernel gives by itself, which is negative, and what administrators choose. */
#define PRIORITY "100"

/* "lzo-rle [lz4] zstd" has lz4. */
static bool is_offered(const char *list, const char *name)
{
	char *copy __free(memory) = memory_string(list), *rest = copy, *word;

	while ((word = strsep(&rest, " []\n"))) {
		if (*word && text_equal(word, name))
			return true;
	}
	return false;
}

/* Before disksize: a device with a size keeps its algorithm. */
static bool set_algorithm(struct scene *scene, int number, struct error *err)
{
	const char *name = scene_value(scene, "zram.algorithm");
	const char *root = journal_root(scene->journal);
	char *path __free(memory) = zram_path(number, "comp_algorithm");
	char *list __free(memory) = file_read_line(root, path);

	if (!name)
		return true;
	if (!list || !is_offered(list, name))
		return error_set(err, ERROR_UNSUPPORTED, "zram.algorithm=%s: this kernel offers %s",
				 name, list ? list : "none");
	return file_write(root, path, name, err);
}

/* The device's node, made where devtmpfs or udev has not. Owned by the caller; NULL: failed. */
static char *find_node(struct journal *j, int number, struct error *err)
{
	char *path __free(memory) = text_format("/dev/zram%d", number);
	char *full __free(memory) = text_format("%s%s", journal_root(j), path);
	char *dev_path __free(memory) = zram_path(number, "dev");
	char *dev __free(memory) = file_read_line(journal_root(j), dev_path);
	unsigned int major, minor;
	struct stat st;

	if (!dev || sscanf(dev, "%u:%u", &major, &minor) != 2) {
		error_set(err, ERROR_DATA, "%s: no number of a device", dev_path);
		return NULL;
	}
	if (!stat(full, &st)) {
		if (S_ISBLK(st.st_mode) && st.st_rdev == makedev(major, minor))
			return take(path);
		error_set(err, ERROR_UNSUPPORTED, "%s is not the device %s", full, dev);
		return NULL;
	}
	return journal_make_node(j, path, major, minor, err) ? take(path) : NULL;
}

static bool format(const char *root, const char *node, int64_t bytes, struct error *err)
{
	char *full __free(memory) = text_format("%s%s", root, node);
	int fd __free(fd) = open(full, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, "open %s", full);
	return swap_format(fd, bytes, err) || error_wrap(err, "%s", full);
}

static bool apply(struct scene *scene, struct error *err)
{
	struct journal *j = scene->journal;
	const char *root = journal_root(j), *size = scene_value(scene, "zram");
	const char *priority = scene_value(scene, "zram.priority");
	int64_t machine = meminfo_bytes(root, "/proc/meminfo", "MemTotal"), bytes;
	int number;

	if (!size)
		return error_set(err, ERROR_USAGE, "zram.algorithm= and zram.priority= need zram=");
	if (!units_parse_bytes(size, &bytes, err) || !journal_take_zram(j, &number, err) ||
	    !set_algorithm(scene, number, err))
		return false;
	char *path __free(memory) = zram_path(number, "disksize");
	char *node __free(memory) = NULL;

	if (!file_write(root, path, size, err))
		return false;
	node = find_node(j, number, err);
	if (!node || !format(root, node, bytes, err) ||
	    !journal_swap_on(j, node, atoi(priority ? priority : PRIORITY), err))
		return false;
	scene->zram = number;
	if (machine > 0 && bytes > machine)
		text_printf(&scene->notes,
			    "zram=%s is more than the memory of this machine: it is out of memory "
			    "before the device is full, unless what is swapped compresses well\n",
			    size);
	return true;
}

static bool supported(const char *root, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};

	if (!setup_is_allowed(root, err) || !swap_areas_read(root, &areas, err))
		return false;
	for (int n = -1; (n = zram_next(root, n)) >= 0;) {
		if (zram_is_free(root, n)) {
			char *path __free(memory) = zram_path(n, "disksize");

			return setup_can_write(root, path, NULL, err);
		}
	}
	/* Reading it makes a device; it is nowhere if it cannot be removed again. */
	return setup_can_read(root, "/sys/class/zram-control/hot_add",
			      "zram, or its module is not loaded (modprobe zram)", err) &&
	       setup_can_write(root, "/sys/class/zram-control/hot_remove", "zram", err);
}

static const struct param params[] = {
	{"zram", PARAM_BYTES, .low = 0x1p16, .high = 0x1p46,
	 .help = "swap to a zram device of this size: one that is not in use, or a new one"},
	{"zram.algorithm", PARAM_TEXT,
	 .help = "how it compresses: lzo-rle, lz4, zstd …; else the "
		 "kernel's own choice"},
	{"zram.priority", PARAM_COUNT, .low = 0, .high = 32767,
	 .help = "of its swap area; " PRIORITY " if not given"},
	{.name = NULL},
};

const struct setup setup_zram = {
	.name = "zram",
	.summary = "a compressed swap area in memory",
	.params = params,
	.rank = SETUP_SWAP,
	.supported = supported,
	.apply = apply,
};
