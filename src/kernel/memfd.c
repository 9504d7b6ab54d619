// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/memfd.h"

#include <errno.h>
#include <sys/mman.h>

int memfd_make(const char *name, unsigned int kind, unsigned int flags)
{
	int fd = memfd_create(name, flags | kind);

	return fd < 0 && errno == EINVAL ? memfd_create(name, flags) : fd;
}
