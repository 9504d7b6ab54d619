// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "store/statements.h"

/*
 * A name in the kernel's abstract socket namespace, which nobody connects to: the kernel gives it
 * to one process and takes it back when that ends, whatever ends it. A lock on the store's file
 * would be in SQLite's way, and a file with a pid would have to be believed. It reaches as far as
 * the network namespace does; beyond, the store's index still refuses a run that is there already.
 */
bool store_claim(struct store *s, int64_t experiment, struct error *err)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd __free(fd) = -1;
	struct stat st;
	int length;

	if (stat(s->database.path, &st))
		return error_set_errno(err, "store %s", s->database.path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_set_errno(err, "socket");
	/* The name begins with a zero byte, and ends where the length says. */
	length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "contend/%llx/%llx/%lld",
			  (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
			  (long long)experiment);
	if (bind(fd, (const struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length))) {
		if (errno == EADDRINUSE)
			return error_set(err, ERROR_SYSTEM,
					 "store %s: another process runs experiment %lld just now",
					 s->database.path, (long long)experiment);
		return error_set_errno(err, "claim experiment %lld", (long long)experiment);
	}
	if (s->claim_fd >= 0)
		close(s->claim_fd);
	s->claim_fd = take_fd(fd);
	return true;
}
