// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/aslr.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "setup/setup.h"

#define PROGRAM "/proc/self/exe"

/* The agent saw to it before it began the job (agent/anew.c): addresses are given at exec. */
static bool apply(struct scene *scene __attribute__((unused)), struct error *err)
{
	return aslr_is_forbidden() ||
	       error_set(err, ERROR_UNSUPPORTED, "the agent was executed with random addresses");
}

static bool supported(const char *root, struct error *err)
{
	char *path __free(memory) = text_format("%s" PROGRAM, root);

	return !access(path, X_OK) ||
	       error_set(err, ERROR_UNSUPPORTED, "the agent cannot be executed anew: %s: %s", path,
			 strerror(errno));
}

static const struct param params[] = {
	{"aslr", PARAM_CHOICE, .choices = "off",
	 .help = "off: tasks, and what they execute, have the same addresses in every run; by "
		 "personality (ADDR_NO_RANDOMIZE), not by the sysctl"},
	{.name = NULL},
};

const struct setup setup_aslr = {
	.name = "aslr",
	.summary = "whether addresses are random",
	.params = params,
	.rank = SETUP_PAGES,
	.private = true,
	.supported = supported,
	.apply = apply,
};
