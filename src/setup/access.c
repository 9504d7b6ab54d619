// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "setup/setup.h"

/* What this process may do to the machine, for the setups' supported(). */

bool setup_is_allowed(const char *root, struct error *err)
{
	return *root || geteuid() == 0 ||
	       error_set(err, ERROR_UNSUPPORTED, "only root may change this machine");
}

static bool can_open(const char *root, const char *path, int mode, const char *lacks,
		     struct error *err)
{
	char *full __free(memory) = text_format("%s%s", root, path);

	if (!setup_is_allowed(root, err))
		return false;
	if (!access(full, mode))
		return true;
	if (errno == ENOENT && lacks)
		return error_set(err, ERROR_UNSUPPORTED, "%s is not there: this kernel has no %s",
				 full, lacks);
	return error_set(err, ERROR_UNSUPPORTED, "%s: %s", full, strerror(errno));
}

bool setup_can_write(const char *root, const char *path, const char *lacks, struct error *err)
{
	return can_open(root, path, W_OK, lacks, err);
}

bool setup_can_read(const char *root, const char *path, const char *lacks, struct error *err)
{
	return can_open(root, path, R_OK, lacks, err);
}
