// SPDX-License-Identifier: GPL-2.0-or-later
#include "setup/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* root: of a fake tree, who owns it. */
static bool owner_of(const char *root, uid_t *ret, struct error *err)
{
	struct stat st;

	*ret = 0;
	if (!*root)
		return true;
	if (stat(root, &st))
		return error_set_errno(err, "%s", root);
	*ret = st.st_uid;
	return true;
}

static bool refuse(const char *path, const char *why, struct error *err)
{
	return error_set(err, ERROR_DATA,
			 "%s: %s. It decides what is written to this machine as root, and is not "
			 "used: look at it, and remove it",
			 path, why);
}

static bool check_owner(const char *path, const struct stat *st, uid_t owner, struct error *err)
{
	if (st->st_uid != owner)
		return refuse(path, "belongs to somebody else than root", err);
	if (st->st_mode & 0077)
		return refuse(path, "open to others than root", err);
	return true;
}

/* Where it is not there, and not to be made, *ret_fd stays as it is. */
static bool open_folder(const char *root, uid_t owner, bool create, int *ret_fd, struct error *err)
{
	char *path __free(memory) = text_format("%s" PLACE_FOLDER, root);
	char *above __free(memory) = text_format("%s/run", root);
	struct stat st;

	/* An initramfs may have no /run. */
	if (create &&
	    ((mkdir(above, 0755) && errno != EEXIST) || (mkdir(path, 0700) && errno != EEXIST)))
		return error_set_errno(err, "create %s", path);
	*ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd < 0 && errno == ENOENT && !create)
		return true;
	if (*ret_fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return refuse(path, "not a folder but a link or a file", err);
	if (*ret_fd < 0 || fstat(*ret_fd, &st))
		return error_set_errno(err, "open %s", path);
	return check_owner(path, &st, owner, err);
}

static bool open_file(int folder, const char *name, const char *path, uid_t owner, bool create,
		      int *ret_fd, struct error *err)
{
	struct stat st;

	*ret_fd =
		openat(folder, name,
		       O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (create ? O_CREAT : 0), 0600);
	if (*ret_fd < 0 && errno == ENOENT && !create)
		return true;
	if (*ret_fd < 0 && errno == ELOOP)
		return refuse(path, "a symbolic link", err);
	if (*ret_fd < 0 || fstat(*ret_fd, &st))
		return error_set_errno(err, "open %s", path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "not a plain file", err);
	if (st.st_nlink > 1)
		return refuse(path, "has a second name", err);
	return check_owner(path, &st, owner, err);
}

/* False where who had it locked before has removed it meanwhile. */
static bool is_still_there(int folder, const char *name, int fd)
{
	struct stat by_name, by_fd;

	return !fstat(fd, &by_fd) && !fstatat(folder, name, &by_name, AT_SYMLINK_NOFOLLOW) &&
	       by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev;
}

bool place_open(const char *root, const char *name, bool create, int *ret_folder, int *ret_fd,
		enum place_found *ret_found, struct error *err)
{
	char *path __free(memory) = text_format("%s" PLACE_FOLDER "/%s", root, name);
	uid_t owner;

	*ret_folder = *ret_fd = -1;
	*ret_found = PLACE_NOTHING;
	if (!*root && geteuid() != 0)
		return error_set(err, ERROR_UNSUPPORTED,
				 "only root may change this machine and put it back");
	if (!owner_of(root, &owner, err) || !open_folder(root, owner, create, ret_folder, err))
		return false;
	while (*ret_folder >= 0) {
		if (!open_file(*ret_folder, name, path, owner, create, ret_fd, err))
			return false;
		if (*ret_fd < 0)
			break;
		if (flock(*ret_fd, LOCK_EX | LOCK_NB)) {
			*ret_found = PLACE_BUSY;
			return errno == EWOULDBLOCK || error_set_errno(err, "lock %s", path);
		}
		if (is_still_there(*ret_folder, name, *ret_fd)) {
			*ret_found = PLACE_OURS;
			break;
		}
		close(*ret_fd);
		*ret_fd = -1;
	}
	return true;
}

const char *place_time(int64_t wall_ns, char buffer[32])
{
	time_t seconds = (time_t)(wall_ns / NS_PER_SEC);
	struct tm tm;

	strftime(buffer, 32, "%F %T UTC", gmtime_r(&seconds, &tm));
	return buffer;
}
