// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/mounts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "kernel/seq_file.h"

enum { MOUNTS_LIMIT = 4 << 20 };

void mount_done(struct mount *m)
{
	free(m->point);
	free(m->type);
	free(m->options);
	*m = (struct mount){0};
}

/* Whether a mount point lies on the way to a path. */
static bool is_above(const char *point, const char *path)
{
	size_t length = strlen(point);

	return text_equal(point, "/") ||
	       (!strncmp(point, path, length) && (!path[length] || path[length] == '/'));
}

/* "rw,relatime" of the mount and "rw,size=64k" of the file system; its rw is the mount's, mostly. */
static char *join(const char *own, const char *super)
{
	if (text_starts(super, "rw") && (!super[2] || super[2] == ','))
		super += super[2] ? 3 : 2;
	return text_format("%s%s%s", own, *super ? "," : "", super);
}

/* One line of mountinfo. False: it is none. */
static bool parse(const char *line, long long *ret_id, struct mount *ret)
{
	char point[PATH_MAX], own[256], type[64], super[512] = "";
	const char *behind = strstr(line, " - ");

	if (!behind || sscanf(line, "%lld %*s %*s %*s %4095s %255s", ret_id, point, own) != 3 ||
	    sscanf(behind, " - %63s %*s %511s", type, super) < 1)
		return false;
	seq_file_unescape(point);
	*ret = (struct mount){
		.point = memory_string(point),
		.type = memory_string(type),
		.options = join(own, super),
	};
	return true;
}

/* -1: not known. */
static long long mount_id(const char *path)
{
	struct statx s;

	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &s) || !(s.stx_mask & STATX_MNT_ID))
		return -1;
	return (long long)s.stx_mnt_id;
}

bool mounts_find(const char *root, const char *path, struct mount *ret)
{
	long long wanted = *root ? -1 : mount_id(path), id;
	struct mount found __cleanup(mount_done) = {0}, other __cleanup(mount_done) = {0};
	struct text contents __text = {0};
	struct error ignored;
	char *rest, *line;

	if ((!*root && wanted < 0) ||
	    !file_read(root, "/proc/self/mountinfo", MOUNTS_LIMIT, &contents, &ignored))
		return false;
	rest = contents.bytes;
	while ((line = strsep(&rest, "\n"))) {
		bool fits;

		mount_done(&other);
		if (!parse(line, &id, &other))
			continue;
		fits = wanted >= 0 ? id == wanted
				   : is_above(other.point, path) &&
					     (!found.point ||
					      strlen(other.point) >= strlen(found.point));
		if (!fits)
			continue;
		mount_done(&found);
		found = other;
		other = (struct mount){0};
	}
	if (!found.type)
		return false;
	*ret = found;
	found = (struct mount){0};
	return true;
}
