// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"
#include "base/memory.h"
#include "kernel/memcg.h"
#include "setup/setup.h"

#define PATH "/proc/sys/vm/swappiness"

/* A group of v1 has its own, copied when it is made; v2 goes by the machine's. */
static bool apply(struct scene *scene, struct error *err)
{
	const char *value = scene_value(scene, "swappiness");

	if (!scene->surroundings.memcg || memcg_is_v2(journal_root(scene->journal)))
		return journal_write(scene->journal, PATH, value, err);
	char *path __free(memory) = text_format("%s/memory.swappiness", scene->surroundings.memcg);

	return file_write(journal_root(scene->journal), path, value, err);
}

static bool supported(const char *root, struct error *err)
{
	return setup_can_write(root, PATH, NULL, err);
}

static const struct param params[] = {
	{"swappiness", PARAM_COUNT, .low = 0, .high = 200,
	 .help = "vm.swappiness; with memcg= on cgroup v1 memory.swappiness of the group"},
	{.name = NULL},
};

const struct setup setup_swappiness = {
	.name = "swappiness",
	.summary = "whether reclaim prefers anonymous memory or the page cache",
	.params = params,
	.rank = SETUP_MEMBER,
	.supported = supported,
	.apply = apply,
};
