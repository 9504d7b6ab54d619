// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/memcg.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/units.h"
#include "setup/setup.h"

/* v2: children have the controller where their parent says so. */
static bool delegate(struct journal *j, const char *parent, struct error *err)
{
	char *path __free(memory) = text_format("%s/cgroup.subtree_control", parent);
	char *now __free(memory) = file_read_line(journal_root(j), path);

	if (!now || strstr(now, "memory"))
		return true;
	return journal_write_as(j, path, "+memory", "-memory", err);
}

static bool put(struct scene *scene, const char *file, const char *value, struct error *err)
{
	char *path __free(memory) = text_format("%s/%s", scene->surroundings.memcg, file);

	return file_write(journal_root(scene->journal), path, value, err);
}

/* v1 limits memory and swap together, and wants that to be no less than the limit of memory. */
static bool limit_swap(struct scene *scene, const struct memcg_files *files, const char *limit,
		       const char *swap, struct error *err)
{
	const char *root = journal_root(scene->journal);
	int64_t limit_bytes, swap_bytes;

	if (memcg_bytes(root, scene->surroundings.memcg, files->swap) < 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "memcg.swap=%s: the group has no %s: this kernel does not account "
				 "swap (swapaccount=0?)",
				 swap, files->swap);
	if (files->high)
		return put(scene, files->swap, swap, err);
	if (!units_parse_bytes(limit, &limit_bytes, err) ||
	    !units_parse_bytes(swap, &swap_bytes, err))
		return false;
	char *both __free(memory) = text_format("%" PRId64, limit_bytes + swap_bytes);

	return put(scene, files->swap, both, err);
}

static bool enter(struct scene *scene, struct error *err)
{
	char *path __free(memory) = text_format("%s%s/cgroup.procs", journal_root(scene->journal),
						scene->surroundings.memcg);

	scene->surroundings.group = open(path, O_WRONLY | O_CLOEXEC);
	return scene->surroundings.group >= 0 || error_set_errno(err, "open %s", path);
}

static bool apply(struct scene *scene, struct error *err)
{
	const char *limit = scene_value(scene, "memcg"), *swap = scene_value(scene, "memcg.swap");
	const char *high = scene_value(scene, "memcg.high");
	const char *root = journal_root(scene->journal);
	const struct memcg_files *files;
	char *parent __free(memory) = NULL;

	if (!limit)
		return error_set(err, ERROR_USAGE, "memcg.swap= and memcg.high= need memcg=");
	if (!memcg_find(root, &files, err) || !memcg_parent(root, &parent, err))
		return false;
	if (high && !files->high)
		return error_set(err, ERROR_UNSUPPORTED,
				 "memcg.high=%s: cgroup v1 has no such limit", high);
	if (files->high && !delegate(scene->journal, parent, err))
		return false;
	scene->surroundings.memcg = text_format("%s/contend-%d", parent, getpid());
	return journal_make_group(scene->journal, scene->surroundings.memcg, err) &&
	       put(scene, files->limit, limit, err) &&
	       (!high || put(scene, files->high, high, err)) &&
	       (!swap || limit_swap(scene, files, limit, swap, err)) && enter(scene, err);
}

static bool supported(const char *root, struct error *err)
{
	const struct memcg_files *files;

	return setup_is_allowed(root, err) && memcg_find(root, &files, err);
}

static const struct param params[] = {
	{"memcg", PARAM_BYTES, .low = 0x1p16, .high = 0x1p50,
	 .help = "a memory control group of the run's own, with this limit; cgroup v1 and v2. "
		 "Tasks begin in it, the agent is outside"},
	{"memcg.swap", PARAM_BYTES, .high = 0x1p50,
	 .help = "limit of swap beside it (memory.swap.max; on v1 memory.memsw.limit_in_bytes is "
		 "the sum); else none"},
	{"memcg.high", PARAM_BYTES, .low = 0x1p16, .high = 0x1p50,
	 .help = "memory.high; not on v1"},
	{.name = NULL},
};

const struct setup setup_memcg = {
	.name = "memcg",
	.summary = "a memory control group with a limit",
	.params = params,
	.rank = SETUP_GROUP,
	.supported = supported,
	.apply = apply,
};
