// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/object.h"

#include <limits.h>
#include <sha2.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/elf.h"
#include "base/file.h"
#include "base/memory.h"

/* More than any test case, and what it is linked with, has. */
enum { FILE_LIMIT = 64 << 20, NAMES_MOST = 8 };

void object_done(struct object *o)
{
	free(o->path);
	json_decref(o->identity);
	*o = (struct object){0};
}

/* What it defines instead of a test case. */
static bool refuse(const struct text *file, struct error *err)
{
	struct text names __text = {0};
	const char *name;
	size_t at = 0;
	int count = 0;

	while ((name = elf_next_defined(file->bytes, file->length, &at))) {
		if (count++ < NAMES_MOST)
			text_printf(&names, "%s%.60s", count == 1 ? "" : ", ", name);
	}
	return error_set(err, ERROR_DATA,
			 "has no testcase() (as a test of will-it-scale) and no contend_work(): it "
			 "defines %s%s",
			 count ? text_string(&names) : "nothing", count > NAMES_MOST ? " ..." : "");
}

static json_t *identity(const char *path, const struct text *file, bool own)
{
	char build[ELF_BUILD_TEXT], sha256[SHA256_DIGEST_STRING_LENGTH];
	json_t *object = json_object();

	elf_build_id(file->bytes, file->length, build);
	SHA256Data((const uint8_t *)file->bytes, file->length, sha256);
	json_object_set_new(object, "file", json_text(path));
	json_object_set_new(object, "bytes", json_integer((json_int_t)file->length));
	json_object_set_new(object, "sha256", json_text(sha256));
	if (*build)
		json_object_set_new(object, "build_id", json_text(build));
	json_object_set_new(object, "kind", json_text(own ? "contend_work" : "testcase"));
	return object;
}

static bool read_object(const char *path, struct object *ret, struct error *err)
{
	char *resolved __free(memory) = realpath(path, NULL);
	struct text file __text = {0};
	struct stat is;
	bool own;

	if (!resolved || stat(resolved, &is))
		return error_set_errno(err, "open");
	/* A FIFO would be waited for. */
	if (!S_ISREG(is.st_mode))
		return error_set(err, ERROR_DATA, "not a file");
	if (!file_read("", resolved, FILE_LIMIT, &file, err) ||
	    !elf_check_shared(file.bytes, file.length, err))
		return false;
	own = elf_defines(file.bytes, file.length, "contend_work");
	if (!own && !elf_defines(file.bytes, file.length, "testcase"))
		return refuse(&file, err);
	*ret = (struct object){
		.identity = identity(resolved, &file, own),
		.own = own,
	};
	ret->path = take(resolved);
	return true;
}

bool object_read(const char *path, struct object *ret, struct error *err)
{
	if (read_object(path, ret, err))
		return true;
	error_wrap(err, "file %.200s", path);
	err->code = ERROR_UNSUPPORTED;
	return false;
}
