// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/units.h"
#include "setup/setup.h"

#define FOLDER "/sys/kernel/mm/transparent_hugepage"
#define RESERVE "/proc/sys/vm/min_free_kbytes"

/* Sizes that a kernel may offer: powers of two pages, up to what a page table spans. */
enum { SMALLEST_KIB = 4, LARGEST_KIB = 512 << 10 };

static char *size_path(int64_t kib)
{
	return text_format(FOLDER "/hugepages-%lldkB/enabled", (long long)kib);
}

static bool is_offered(const char *root, int64_t kib)
{
	char *path __free(memory) = size_path(kib);
	char *value __free(memory) = file_read_line(root, path);

	return value;
}

/* A bit for each power of two KiB in "64k+128k"; "none" has none. */
static bool read_sizes(const char *root, const char *list, uint64_t *ret, struct error *err)
{
	char *copy __free(memory) = memory_string(list), *rest = copy, *word;
	uint64_t sizes = 0;

	while (!text_equal(list, "none") && (word = strsep(&rest, "+"))) {
		int64_t bytes = 0;
		struct text offered __text = {0};

		if (units_parse_bytes(word, &bytes, err) && bytes && !(bytes & (bytes - 1)) &&
		    is_offered(root, bytes >> 10)) {
			sizes |= (uint64_t)bytes >> 10;
			continue;
		}
		for (int64_t kib = SMALLEST_KIB; kib <= LARGEST_KIB; kib *= 2) {
			if (is_offered(root, kib))
				text_printf(&offered, "%s%lldk", offered.length ? ", " : "",
					    (long long)kib);
		}
		return error_set(err, ERROR_UNSUPPORTED,
				 "mthp=%s: '%s' is no size of this kernel, which offers %s", list,
				 word, offered.length ? text_string(&offered) : "none");
	}
	*ret = sizes;
	return true;
}

/* Those that are named always, all the others never: otherwise a larger one would come first. */
static bool set_sizes(struct scene *scene, const char *list, struct error *err)
{
	const char *root = journal_root(scene->journal);
	uint64_t sizes;

	if (!read_sizes(root, list, &sizes, err))
		return false;
	for (int64_t kib = SMALLEST_KIB; kib <= LARGEST_KIB; kib *= 2) {
		char *path __free(memory) = size_path(kib);

		if (is_offered(root, kib) &&
		    !journal_write(scene->journal, path, sizes & (uint64_t)kib ? "always" : "never",
				   err))
			return false;
	}
	return true;
}

/*
 * Each of these starts or stops khugepaged, which sets vm.min_free_kbytes to what it recommends
 * with huge pages, or to what it was without (set_recommended_min_free_kbytes(), mm/khugepaged.c):
 * 67584 or 19832 on a machine of 24 GiB. Reclaim would begin elsewhere, and the arms would differ
 * in that, too. So the value is kept, and written back before anything runs.
 */
static bool apply(struct scene *scene, struct error *err)
{
	struct journal *j = scene->journal;
	const char *root = journal_root(j);
	const char *enabled = scene_value(scene, "thp"), *sizes = scene_value(scene, "mthp");
	const char *khugepaged = scene_value(scene, "khugepaged");
	char *reserve __free(memory) = file_read_line(root, RESERVE);

	if (reserve && !journal_keep(j, RESERVE, err))
		return false;
	if (enabled && !journal_write(j, FOLDER "/enabled", enabled, err))
		return false;
	if (sizes && !set_sizes(scene, sizes, err))
		return false;
	if (khugepaged && !journal_write(j, FOLDER "/khugepaged/defrag",
					 text_equal(khugepaged, "yes") ? "1" : "0", err))
		return false;
	return !reserve || file_write(root, RESERVE, reserve, err);
}

static bool supported(const char *root, struct error *err)
{
	return setup_can_write(root, FOLDER "/enabled", "CONFIG_TRANSPARENT_HUGEPAGE", err);
}

static const struct param params[] = {
	{"thp", PARAM_CHOICE, .choices = "always|madvise|never",
	 .help = "transparent_hugepage/enabled; vm.min_free_kbytes, which the kernel changes with "
		 "it, stays as it is"},
	{"mthp", PARAM_TEXT,
	 .help = "sizes that every fault of anonymous memory may use, all others are never: 64k, "
		 "64k+128k, none"},
	{"khugepaged", PARAM_SWITCH,
	 .help = "transparent_hugepage/khugepaged/defrag: whether khugepaged reclaims and compacts "
		 "to make huge pages"},
	{.name = NULL},
};

const struct setup setup_thp = {
	.name = "thp",
	.summary = "transparent huge pages of any size",
	.params = params,
	.rank = SETUP_PAGES,
	.supported = supported,
	.apply = apply,
};
