// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Sorted, to be found by bsearch(). */
static const char *const options[] = {
	"ARM64_CONTPTE",
	"BPF_SYSCALL",
	"CC_VERSION_TEXT",
	"CMA",
	"COMPACTION",
	"DEBUG_ATOMIC_SLEEP",
	"DEBUG_INFO_BTF",
	"DEBUG_KMEMLEAK",
	"DEBUG_KMEMLEAK_DEFAULT_OFF",
	"DEBUG_LIST",
	"DEBUG_LOCK_ALLOC",
	"DEBUG_MUTEXES",
	"DEBUG_OBJECTS",
	"DEBUG_PAGEALLOC",
	"DEBUG_PAGEALLOC_ENABLE_DEFAULT",
	"DEBUG_PREEMPT",
	"DEBUG_RWSEMS",
	"DEBUG_SPINLOCK",
	"DEBUG_VM",
	"DEBUG_VM_MAPLE_TREE",
	"DEBUG_VM_RB",
	"FUNCTION_TRACER",
	"HARDENED_USERCOPY",
	"HUGETLB_PAGE",
	"HUGETLB_PAGE_OPTIMIZE_VMEMMAP",
	"HZ",
	"INIT_ON_ALLOC_DEFAULT_ON",
	"INIT_ON_FREE_DEFAULT_ON",
	"IRQ_TIME_ACCOUNTING",
	"KASAN",
	"KASAN_HW_TAGS",
	"KCOV",
	"KCSAN",
	"KFENCE",
	"KFENCE_SAMPLE_INTERVAL",
	"KMSAN",
	"KSM",
	"LOCKDEP",
	"LOCK_EVENT_COUNTS",
	"LOCK_SPIN_ON_OWNER",
	"LOCK_STAT",
	"LRU_GEN",
	"LRU_GEN_ENABLED",
	"LRU_GEN_WALKS_MMU",
	"MEMCG",
	"MEMCG_V1",
	"MEM_ALLOC_PROFILING",
	"MEM_ALLOC_PROFILING_DEBUG",
	"MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT",
	"MEM_SOFT_DIRTY",
	"MIGRATION",
	"MITIGATION_PAGE_TABLE_ISOLATION",
	"MITIGATION_RETPOLINE",
	"NO_HZ_FULL",
	"NO_HZ_IDLE",
	"NR_CPUS",
	"NUMA",
	"NUMA_BALANCING",
	"PAGE_OWNER",
	"PAGE_POISONING",
	"PAGE_TABLE_CHECK",
	"PAGE_TABLE_CHECK_ENFORCED",
	"PARAVIRT_SPINLOCKS",
	"PER_VMA_LOCK",
	"PER_VMA_LOCK_STATS",
	"PGTABLE_LEVELS",
	"PREEMPT",
	"PREEMPT_DYNAMIC",
	"PREEMPT_LAZY",
	"PREEMPT_NONE",
	"PREEMPT_RT",
	"PREEMPT_VOLUNTARY",
	"PROC_PAGE_MONITOR",
	"PROVE_LOCKING",
	"PSI",
	"PSI_DEFAULT_DISABLED",
	"PT_RECLAIM",
	"QUEUED_RWLOCKS",
	"QUEUED_SPINLOCKS",
	"RANDOMIZE_BASE",
	"RANDOMIZE_KSTACK_OFFSET_DEFAULT",
	"RANDOMIZE_MEMORY",
	"RANDOM_KMALLOC_CACHES",
	"RCU_NOCB_CPU",
	"READ_ONLY_THP_FOR_FS",
	"RWSEM_SPIN_ON_OWNER",
	"SCHEDSTATS",
	"SHUFFLE_PAGE_ALLOCATOR",
	"SLAB_FREELIST_HARDENED",
	"SLAB_FREELIST_RANDOM",
	"SLUB_CPU_PARTIAL",
	"SLUB_DEBUG",
	"SLUB_DEBUG_ON",
	"SMP",
	"SWAP",
	"TRANSPARENT_HUGEPAGE",
	"UBSAN",
	"USERFAULTFD",
	"VIRT_CPU_ACCOUNTING_GEN",
	"ZRAM",
	"ZSWAP",
};

/* What was called otherwise before (Linux 6.9), under its name of today. */
static const struct {
	const char *before, *now;
} renamed[] = {
	{"PAGE_TABLE_ISOLATION", "MITIGATION_PAGE_TABLE_ISOLATION"},
	{"RETPOLINE", "MITIGATION_RETPOLINE"},
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]), LINE_BYTES = 4096 };

static const char prefix[] = "CONFIG_";

static int compare(const void *name, const void *option)
{
	return strcmp(name, *(const char *const *)option);
}

/* A value as Kconfig writes it: y, m, a number, hexadecimal, or a string in quotes. */
static json_t *value_of(char *value)
{
	size_t length = strlen(value);
	char *end;
	long long number;

	if (*value == '"' && length > 1) {
		value[length - 1] = '\0';
		return json_text(value + 1);
	}
	errno = 0;
	number = strtoll(value, &end, 10);
	return end == value || *end || errno ? json_text(value) : json_integer(number);
}

/* Keeps the value of an option that is one of ours. Takes the value. */
static void keep(json_t *found, const char *name, json_t *value)
{
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		if (text_equal(name, renamed[i].before))
			name = renamed[i].now;
	}
	if (bsearch(name, options, OPTIONS, sizeof(options[0]), compare)) {
		char *key __free(memory) = text_format("%s%s", prefix, name);

		json_object_set(found, key, value);
	}
	json_decref(value);
}

/* "CONFIG_NAME=value" or "# CONFIG_NAME is not set". */
static void take_line(json_t *found, char *line)
{
	static const char comment[] = "# CONFIG_";
	char *equals = strchr(line, '=');
	char *behind = strstr(line, " is not set");

	if (text_starts(line, comment) && behind) {
		*behind = '\0';
		keep(found, line + strlen(comment), json_string("n"));
	} else if (text_starts(line, prefix) && equals) {
		*equals = '\0';
		keep(found, line + strlen(prefix), value_of(text_trim(equals + 1)));
	}
}

DEFINE_FREE(gzip, gzFile, if (_T) gzclose_r(_T))

/* Reads a configuration, compressed or not (zlib looks). A new object, or NULL: not to the end. */
static json_t *read_options(const char *root, const char *path)
{
	char *full __free(memory) = text_format("%s%s", root, path);
	int fd __free(fd) = open(full, O_RDONLY | O_CLOEXEC);
	gzFile file __free(gzip) = fd < 0 ? NULL : gzdopen(fd, "r");
	json_t *found __free(json) = NULL;
	char line[LINE_BYTES];
	int error;

	if (!file)
		return NULL;
	take_fd(fd); /* the gzFile closes it */
	found = json_object();
	while (gzgets(file, line, sizeof(line)))
		take_line(found, line);
	gzerror(file, &error);
	/* Z_BUF_ERROR: it ends in the middle of its compressed data. */
	return error == Z_OK && json_object_size(found) ? take(found) : NULL;
}

void kconfig_describe(json_t *host, const char *root, const char *release)
{
	char *boot __free(memory) = text_format("/boot/config-%s", release ? release : "");
	char *modules __free(memory) =
		text_format("/lib/modules/%s/config", release ? release : "");
	const char *const paths[] = {"/proc/config.gz", boot, modules};
	json_t *found __free(json) = NULL;

	for (size_t i = 0; i < (release ? 3 : 1) && !found; i++)
		found = read_options(root, paths[i]);
	for (size_t i = 0; i < OPTIONS && found; i++) {
		char *key __free(memory) = text_format("%s%s", prefix, options[i]);
		json_t *value = json_object_get(found, key);

		json_object_set_new(host, key, value ? json_incref(value) : json_string("absent"));
	}
}
