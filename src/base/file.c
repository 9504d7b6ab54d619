// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Reads up to the end of the file, or until there are more than limit bytes. */
static bool read_until(int fd, const char *name, size_t limit, struct text *ret_text,
		       struct error *err)
{
	struct text contents __text = {0};
	char chunk[4096];
	ssize_t n;

	while (contents.length <= limit && (n = read(fd, chunk, sizeof(chunk)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, "read %s", name);
		text_append(&contents, chunk, (size_t)n);
	}
	text_done(ret_text);
	*ret_text = contents;
	contents = (struct text){0};
	return true;
}

bool file_read_fd(int fd, const char *name, size_t limit, struct text *ret_text, struct error *err)
{
	struct text contents __text = {0};

	if (!read_until(fd, name, limit, &contents, err))
		return false;
	if (contents.length > limit)
		return error_set(err, ERROR_DATA, "read %s: more than %zu bytes", name, limit);
	text_done(ret_text);
	*ret_text = contents;
	contents = (struct text){0};
	return true;
}

bool file_read(const char *root, const char *path, size_t limit, struct text *ret_text,
	       struct error *err)
{
	char *full __free(memory) = text_format("%s%s", root, path);
	int fd __free(fd) = open(full, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, "open %s", full);
	return file_read_fd(fd, full, limit, ret_text, err);
}

bool file_read_head(const char *root, const char *path, size_t limit, struct text *ret_text,
		    struct error *err)
{
	char *full __free(memory) = text_format("%s%s", root, path);
	int fd __free(fd) = open(full, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set_errno(err, "open %s", full);
	if (!read_until(fd, full, limit, ret_text, err))
		return false;
	if (ret_text->length > limit) {
		ret_text->length = limit;
		ret_text->bytes[limit] = '\0';
	}
	return true;
}

char *file_read_line(const char *root, const char *path)
{
	struct text contents __text = {0};
	struct error ignored;

	if (!file_read(root, path, 1 << 20, &contents, &ignored))
		return NULL;
	if (contents.bytes)
		contents.bytes[strcspn(contents.bytes, "\n")] = '\0';
	return text_trim(text_take(&contents));
}

bool file_write(const char *root, const char *path, const char *value, struct error *err)
{
	char *full __free(memory) = text_format("%s%s", root, path);
	size_t length = strlen(value);
	int fd __free(fd) = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_set_errno(err, "open %s", full);
	do {
		n = write(fd, value, length);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set_errno(err, "write '%s' to %s", value, full);
	if ((size_t)n < length)
		return error_set(err, ERROR_SYSTEM, "write '%s' to %s: only %zd bytes were taken",
				 value, full, n);
	return true;
}

bool file_write_all(int fd, const void *bytes, size_t length, struct error *err)
{
	const char *at = bytes;

	while (length) {
		ssize_t n = write(fd, at, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd room = {.fd = fd, .events = POLLOUT};

			/* Not a failure of ours: the next write says what the matter is. */
			poll(&room, 1, -1);
			continue;
		}
		if (n < 0)
			return error_set_errno(err, "write");
		at += n;
		length -= (size_t)n;
	}
	return true;
}

bool file_fill_standard(void)
{
	static const int flags[] = {
		[STDIN_FILENO] = O_RDONLY,
		[STDOUT_FILENO] = O_RDONLY,
		[STDERR_FILENO] = O_WRONLY,
	};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags[fd]) != fd)
			return false;
	}
	return true;
}
