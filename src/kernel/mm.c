// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/fact.h"
#include "kernel/host.h"
#include "kernel/meminfo.h"
#include "kernel/mounts.h"

enum { DAMON_LIMIT = 64 };

static const char meminfo[] = "/proc/meminfo";
static const char thp_folder[] = "/sys/kernel/mm/transparent_hugepage";

static void add_bytes(json_t *host, const char *key, int64_t bytes)
{
	if (bytes >= 0)
		json_object_set_new(host, key, json_integer(bytes));
}

/* ---- huge pages ---- */

static int is_size(const struct dirent *d)
{
	return text_starts(d->d_name, "hugepages-");
}

static int compare_sizes(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* "64kB always, 2048kB inherit": the sizes of anonymous memory that are not "never" (Linux 6.8). */
static void add_sizes(json_t *host, const char *root)
{
	char *folder __free(memory) = text_format("%s%s", root, thp_folder);
	struct text sizes __text = {0};
	struct dirent **names = NULL;
	int count = scandir(folder, &names, is_size, compare_sizes);
	bool known = false;

	for (int i = 0; i < count; i++) {
		char *path __free(memory) =
			text_format("%s/%s/enabled", thp_folder, names[i]->d_name);
		char *word __free(memory) = fact_chosen(root, path);

		known |= word != NULL;
		if (word && !text_equal(word, "never"))
			text_printf(&sizes, "%s%s %s", sizes.length ? ", " : "",
				    strchr(names[i]->d_name, '-') + 1, word);
		free(names[i]);
	}
	free(names);
	if (known)
		fact_add(host, "thp_sizes", memory_string(sizes.length ? sizes.bytes : "never"));
}

static void add_thp(json_t *host, const char *root)
{
	fact_add(host, "thp", fact_chosen(root, "/sys/kernel/mm/transparent_hugepage/enabled"));
	fact_add(host, "thp_defrag",
		 fact_chosen(root, "/sys/kernel/mm/transparent_hugepage/defrag"));
	fact_add(host, "thp_shmem",
		 fact_chosen(root, "/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
	add_sizes(host, root);
	fact_add_switch(host, "khugepaged_defrag", root,
			"/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", false);
}

/* ---- reclaim and swap ---- */

/* "zram0 partition 4194300 kB, swapfile file 1048572 kB": the lines of /proc/swaps below its head. */
static void add_swap(json_t *host, const char *root)
{
	struct text contents __text = {0}, areas __text = {0};
	struct error ignored;
	char *rest, *line;

	if (!file_read(root, "/proc/swaps", 1 << 20, &contents, &ignored) || !contents.length)
		return;
	rest = contents.bytes;
	strsep(&rest, "\n");
	while ((line = strsep(&rest, "\n"))) {
		char path[PATH_MAX], type[32];
		long long kb;

		if (sscanf(line, "%4095s %31s %lld", path, type, &kb) == 3)
			text_printf(&areas, "%s%s %s %lld kB", areas.length ? ", " : "",
				    strrchr(path, '/') ? strrchr(path, '/') + 1 : path, type, kb);
	}
	fact_add(host, "swap", memory_string(areas.length ? areas.bytes : "none"));
}

static void add_zswap(json_t *host, const char *root)
{
	fact_add_switch(host, "zswap", root, "/sys/module/zswap/parameters/enabled", false);
	fact_add_line(host, "zswap_compressor", root, "/sys/module/zswap/parameters/compressor");
}

/* ---- what goes through memory by itself ---- */

static bool is_damon_module_on(const char *root, const char *name, bool *known)
{
	char *path __free(memory) = text_format("/sys/module/%s/parameters/enabled", name);
	char *line __free(memory) = file_read_line(root, path);

	*known |= line != NULL;
	return line && (*line == 'Y' || *line == '1');
}

/* Which monitors run: by number those that sysfs started, by name those of the kernel's modules. */
static void add_damon(json_t *host, const char *root)
{
	static const char admin[] = "/sys/kernel/mm/damon/admin/kdamonds";
	static const char *const modules[] = {"damon_reclaim", "damon_lru_sort", "damon_stat"};
	char *path __free(memory) = text_format("%s/nr_kdamonds", admin);
	char *line __free(memory) = file_read_line(root, path);
	struct text on __text = {0};
	bool known = line != NULL;
	long count = line ? strtol(line, NULL, 10) : 0;

	for (long i = 0; i < count && i < DAMON_LIMIT; i++) {
		char *state_path __free(memory) = text_format("%s/%ld/state", admin, i);
		char *state __free(memory) = file_read_line(root, state_path);

		if (state && text_equal(state, "on"))
			text_printf(&on, "%skdamond %ld", on.length ? ", " : "", i);
	}
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		if (is_damon_module_on(root, modules[i], &known))
			text_printf(&on, "%s%s", on.length ? ", " : "", modules[i]);
	}
	if (known)
		fact_add(host, "damon", memory_string(on.length ? on.bytes : "off"));
}

static void add_ksm(json_t *host, const char *root)
{
	char *line __free(memory) = file_read_line(root, "/sys/kernel/mm/ksm/run");

	/* 2 stops it and separates what was merged. */
	if (line && *line)
		fact_add(host, "ksm", memory_string(text_equal(line, "1") ? "on" : "off"));
}

/* lru_gen/enabled is there where the kernel was built with it (Linux 6.1). */
static void add_mglru(json_t *host, const char *root)
{
	const char *built = json_string_value(json_object_get(host, "CONFIG_LRU_GEN"));

	fact_add_line(host, "mglru", root, "/sys/kernel/mm/lru_gen/enabled");
	if (!json_object_get(host, "mglru") && built && !text_equal(built, "y"))
		fact_add(host, "mglru", memory_string("off (not built)"));
}

/* ---- files ---- */

/* The file system where temporary files go. */
static void add_tmp(json_t *host, const char *root)
{
	const char *wanted = *root ? NULL : getenv("TMPDIR");
	struct mount mount __cleanup(mount_done) = {0};

	if (mounts_find(root, wanted && *wanted ? wanted : "/tmp", &mount))
		fact_add(host, "tmp_filesystem", take(mount.type));
}

static void add_settings(json_t *host, const char *root)
{
	static const char *const names[] = {
		"swappiness",
		"min_free_kbytes",
		"watermark_scale_factor",
		"overcommit_memory",
		"max_map_count",
		"nr_hugepages",
		"zone_reclaim_mode",
		"compaction_proactiveness",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path __free(memory) = text_format("/proc/sys/vm/%s", names[i]);

		fact_add_integer(host, names[i], root, path);
	}
	fact_add_integer(host, "randomize_va_space", root, "/proc/sys/kernel/randomize_va_space");
	/* Readable by whoever may trace the process, itself among them. */
	fact_add_line(host, "personality", root, "/proc/self/personality");
	fact_add_integer(host, "numa_balancing", root, "/proc/sys/kernel/numa_balancing");
}

void host_add_mm(json_t *host, const char *root)
{
	int64_t swap_total = meminfo_bytes(root, meminfo, "SwapTotal");
	int64_t swap_free = meminfo_bytes(root, meminfo, "SwapFree");

	add_bytes(host, "memory_bytes", meminfo_bytes(root, meminfo, "MemTotal"));
	if (!*root)
		add_bytes(host, "page_bytes", sysconf(_SC_PAGESIZE));
	add_thp(host, root);
	add_mglru(host, root);
	add_swap(host, root);
	add_zswap(host, root);
	add_damon(host, root);
	add_ksm(host, root);
	add_settings(host, root);
	add_tmp(host, root);
	add_bytes(host, "memory_available_bytes", meminfo_bytes(root, meminfo, "MemAvailable"));
	if (swap_total >= 0 && swap_free >= 0 && swap_free <= swap_total)
		add_bytes(host, "swap_used_bytes", swap_total - swap_free);
}
