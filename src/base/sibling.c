// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sibling.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

char *sibling_find(const char *name, const char *variable, const char *folder, struct error *err)
{
	const char *named = getenv(variable);
	char self[PATH_MAX];
	char *slash;
	ssize_t n;

	if (named && *named)
		return memory_string(named);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0) {
		error_set_errno(err, "read the link /proc/self/exe");
		return NULL;
	}
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	char *beside __free(memory) = text_format("%s/%s", self, name);
	char *installed __free(memory) = text_format("%s/%s", folder, name);

	if (!access(beside, X_OK))
		return take(beside);
	if (!access(installed, X_OK))
		return take(installed);
	error_set(err, ERROR_SYSTEM, "no %s in %s or %s ($%s can name one)", name, self, folder,
		  variable);
	return NULL;
}
