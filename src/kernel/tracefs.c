// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/tracefs.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"

#define TRACEFS "/sys/kernel/tracing"

bool tracefs_mount(struct error *err)
{
	if (!access(TRACEFS "/events/enable", R_OK))
		return true;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", TRACEFS, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
		error_set_errno(err, "tracefs is not mounted and cannot be");
		err->code = ERROR_UNSUPPORTED;
		return false;
	}
	return true;
}

int64_t tracefs_event_id(const char *system, const char *event)
{
	char *path __free(memory) = text_format(TRACEFS "/events/%s/%s/id", system, event);
	char *id __free(memory) = file_read_line("", path);

	return id ? strtoll(id, NULL, 10) : -1;
}

int tracefs_field_offset(const char *system, const char *event, const char *field)
{
	char *path __free(memory) = text_format(TRACEFS "/events/%s/%s/format", system, event);
	char *end __free(memory) = text_format(" %s;", field);
	struct text format __text = {0};
	char *line, *rest;
	struct error ignored;

	if (!file_read("", path, 1 << 16, &format, &ignored) || !format.length)
		return -1;
	/* "	field:int pid;	offset:8;	size:4;	signed:1;" */
	rest = format.bytes;
	while ((line = strsep(&rest, "\n"))) {
		const char *name = strstr(line, end);
		int offset;

		if (name && sscanf(name + strlen(end), " offset:%d;", &offset) == 1)
			return offset;
	}
	return -1;
}
