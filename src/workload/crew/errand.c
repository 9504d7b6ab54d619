// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/errand.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "kernel/abi.h"
#include "workload/crew/courier.h"
#include "workload/crew/keeper.h"

static const int64_t TICK_NS = NS_PER_SEC / 4;

/* How long the courier may take, once it is told to stop or its time is up, to end all. */
static const int64_t GRACE_NS = 10 * NS_PER_SEC;

/* Two outputs of each program, escaped. */
enum { PARCEL_BYTES = 32 << 20 };

void errand_result_done(struct errand_result *r)
{
	free(r->reason);
	json_decref(r->parcel);
	*r = (struct errand_result){0};
}

static void conclude(struct errand_result *r, enum outcome outcome, const char *reason)
{
	r->outcome = outcome;
	free(r->reason);
	r->reason = memory_string(reason);
}

static int make_parcel(void)
{
	/* Before Linux 6.3 there was no such flag; with vm.memfd_noexec=2 it must be given. */
	int fd = memfd_create("contend-parcel", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? memfd_create("contend-parcel", MFD_CLOEXEC) : fd;
}

/* Until the courier has ended: true, and its wait status. False: nobody wants the run any more. */
static bool watch_over(struct child *courier, const struct courier *c, int64_t limit_ns,
		       const struct crew_watch *watch, int *ret_status)
{
	int64_t deadline_ns = clock_now_ns() + limit_ns;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = courier->pidfd, .events = POLLIN},
			{.fd = watch ? watch->fd : -1, .events = POLLIN},
		};
		const char *phase = atomic_load(c->phase);

		if (watch && !watch->tick(watch->context, phase ? phase : "start", 0))
			return false;
		poll(fds, 2, (int)(TICK_NS / NS_PER_MS));
		if (fds[0].revents)
			return child_reap(courier, 0, ret_status);
		/* It minds the time itself. */
		if (clock_now_ns() > deadline_ns)
			return false;
	}
}

static enum outcome outcome_of(int64_t code)
{
	switch ((enum error_code)code) {
	case ERROR_NONE:
		return OUTCOME_OK;
	case ERROR_UNSUPPORTED:
		return OUTCOME_UNSUPPORTED;
	case ERROR_DATA:
		return OUTCOME_INVALID;
	case ERROR_TIMEOUT:
		return OUTCOME_TIMEOUT;
	case ERROR_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	default:
		return OUTCOME_FAILED;
	}
}

/* What the courier has left. */
static void open_parcel(int fd, int status, struct errand_result *ret)
{
	struct text text __text = {0};
	struct error err;
	const char *reason;
	int64_t code;

	if (lseek(fd, 0, SEEK_SET) || !file_read_fd(fd, "parcel", PARCEL_BYTES, &text, &err) ||
	    !json_parse(text_string(&text), text.length, &ret->parcel, &err) ||
	    !json_get_integer(ret->parcel, "code", &code, &err) ||
	    !json_get_string(ret->parcel, "text", &reason, &err)) {
		char *words __free(memory) =
			text_format("what executes the programs ended without a word: %s",
				    child_status_text(status));

		conclude(ret, OUTCOME_FAILED, words);
		return;
	}
	conclude(ret, outcome_of(code), reason);
}

void errand_run(const struct cast *cast, const struct crew_watch *watch, struct errand_result *ret)
{
	_Atomic(const char *) *phase = mmap(NULL, sizeof(*phase), PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd __free(fd) = make_parcel();
	struct child child = CHILD_NONE;
	struct courier courier = {
		.cast = cast,
		.phase = phase,
		.parcel = fd,
	};
	struct error err;
	int status = 0;

	if (phase == MAP_FAILED || fd < 0) {
		error_set_errno(&err, "make memory to share");
		conclude(ret, OUTCOME_FAILED, err.text);
		return;
	}
	/* What the courier leaves, should it be killed, is ours to end. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	switch (child_fork(&child, &err)) {
	case -1:
		conclude(ret, OUTCOME_FAILED, err.text);
		break;
	case 0:
		courier_main(&courier);
	default:
		if (watch_over(&child, &courier, cast_integer(cast, "timeout") + GRACE_NS, watch,
			       &status)) {
			open_parcel(fd, status, ret);
			break;
		}
		kill(child.pid, SIGTERM);
		if (!child_reap(&child, clock_now_ns() + GRACE_NS, &status))
			child_done(&child);
		conclude(ret, OUTCOME_INTERRUPTED, "stopped");
	}
	child_done(&child);
	keeper_sweep();
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	munmap((void *)(uintptr_t)phase, sizeof(*phase));
}
