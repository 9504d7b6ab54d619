// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* A new name in a folder is only durable when the folder is. What cannot be synced was made. */
static void sync_folder(const char *folder)
{
	int fd __free(fd) = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd);
}

/* The folder that holds a file; owned by the caller. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return memory_string(".");
	return slash == path ? memory_string("/") : text_format("%.*s", (int)(slash - path), path);
}

static bool make_folder(const char *folder, struct error *err)
{
	char *parent __free(memory) = NULL;
	struct stat st;

	if (!stat(folder, &st))
		return true;
	if (errno != ENOENT)
		return error_set_errno(err, "folder %s", folder);
	parent = folder_of(folder);
	if (!make_folder(parent, err))
		return false;
	/* Another process may be quicker. What was measured is nobody else's business. */
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set_errno(err, "make folder %s", folder);
	sync_folder(parent);
	return true;
}

bool folder_make_for(const char *path, struct error *err)
{
	char *folder __free(memory) = folder_of(path);

	if (!make_folder(folder, err))
		return false;
	return !faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) ||
	       error_set_errno(err, "folder %s", folder);
}
