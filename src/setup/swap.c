// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "setup/setup.h"

static int compare_priorities(const void *a, const void *b)
{
	const struct swap_area *x = a, *y = b;

	return (x->priority > y->priority) - (x->priority < y->priority);
}

/*
 * Off: each area that is on is switched off and comes back with its priority. What it holds has to
 * find room in memory, or the kernel refuses. (Areas of the run itself come afterwards.)
 *
 * The undo goes backwards, and the order matters. A priority that nobody chose is negative, one
 * less than the least that there is (swapon(), mm/swapfile.c): those come back the highest first.
 * An area gets the first free place in /proc/swaps.
 */
static bool apply(struct scene *scene, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};

	if (!swap_areas_read(journal_root(scene->journal), &areas, err))
		return false;
	for (size_t i = areas.count; i-- > 0;) {
		if (areas.list[i].priority >= 0 &&
		    !journal_swap_off(scene->journal, &areas.list[i], err))
			return false;
	}
	if (areas.count)
		qsort(areas.list, areas.count, sizeof(*areas.list), compare_priorities);
	for (size_t i = 0; i < areas.count && areas.list[i].priority < 0; i++) {
		if (!journal_swap_off(scene->journal, &areas.list[i], err))
			return false;
	}
	return true;
}

static bool supported(const char *root, struct error *err)
{
	struct swap_areas areas __cleanup(swap_areas_done) = {0};

	return setup_is_allowed(root, err) && swap_areas_read(root, &areas, err);
}

static const struct param params[] = {
	{"swap", PARAM_CHOICE, .choices = "off",
	 .help = "off: none of the machine's own swap areas; zram= still has its"},
	{.name = NULL},
};

const struct setup setup_swap = {
	.name = "swap",
	.summary = "the machine's own swap areas",
	.params = params,
	.rank = SETUP_SYSCTL,
	.supported = supported,
	.apply = apply,
};
