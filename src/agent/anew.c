// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/file.h"
#include "base/text.h"
#include "kernel/abi.h"
#include "kernel/aslr.h"
#include "kernel/memfd.h"

bool agent_wants_anew(const struct wire_request *request)
{
	const char *aslr = json_string_value(json_object_get(request->params, "aslr"));

	return aslr && text_equal(aslr, "off") && !aslr_is_forbidden();
}

bool agent_begin_anew(const struct text *job, struct error *err)
{
	/* Not close-on-exec: it is handed on. */
	int fd = memfd_make("job", MFD_NOEXEC_SEAL, 0);
	char number[16];
	char *argv[] = {(char[]){AGENT_NAME}, (char[]){AGENT_ANEW}, number, NULL};

	if (fd < 0)
		return error_set_errno(err, "memfd_create");
	snprintf(number, sizeof(number), "%d", fd);
	if (file_write_all(fd, job->bytes, job->length, err) && aslr_forbid(err)) {
		lseek(fd, 0, SEEK_SET);
		execv("/proc/self/exe", argv);
		error_set_errno(err, "execute /proc/self/exe");
	}
	close(fd);
	return error_wrap(err, "aslr=off: execute the agent anew");
}
