// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/crew/courier.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/memory.h"
#include "kernel/memcg.h"
#include "workload/crew/keeper.h"
#include "workload/crew/offspring.h"
#include "workload/crew/output.h"
#include "workload/crew/process.h"

/* More than a pipe holds by default, at the end of a program that others still print for. */
enum { DRAIN_READS = 64, LAST_LINES = 4, LAST_BYTES = 600 };

struct errand {
	const struct courier *courier;
	int stop_fd; /* SIGTERM: the agent is gone, or says so */
	int64_t deadline_ns;
	const char *role;
	int64_t window_ns;
	int64_t cpu_ns;
	json_t *counters, *outputs, *notes;
};

/* A program that runs. */
struct running {
	const struct errand_program *program;
	struct offspring process;
	struct output streams[2]; /* standard output, standard error */
	int64_t begin_ns;
	struct rusage before; /* exec */
};

enum { STREAM_OUT, STREAM_ERR, STREAMS };

static const char *const stream_names[STREAMS] = {"stdout", "stderr"};

const struct cast *errand_cast(const struct errand *e)
{
	return e->courier->cast;
}

void errand_count(struct errand *e, const char *counter, int64_t value)
{
	json_object_set_new(e->counters, counter, json_integer(value));
}

static int64_t time_ns(const struct timeval *t)
{
	return t->tv_sec * NS_PER_SEC + t->tv_usec * NS_PER_US;
}

void errand_count_usage(struct errand *e, const struct errand_usage *usage)
{
	const struct rusage *r = &usage->all;

	e->window_ns = usage->real_ns;
	errand_count(e, "real_ns", usage->real_ns);
	errand_count(e, "user_ns", time_ns(&r->ru_utime));
	errand_count(e, "system_ns", time_ns(&r->ru_stime));
	errand_count(e, "max_rss_bytes", r->ru_maxrss << 10);
	errand_count(e, "minor_faults", r->ru_minflt);
	errand_count(e, "major_faults", r->ru_majflt);
	errand_count(e, "voluntary_switches", r->ru_nvcsw);
	errand_count(e, "involuntary_switches", r->ru_nivcsw);
}

/* ---- finding a program ---- */

static bool refuse_program(const char *name, const char *why, struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED, "program %.200s: %s", name, why);
}

/* NULL: it can be executed; else why not. */
static const char *why_not(const char *path)
{
	struct stat is;

	if (stat(path, &is))
		return strerror(errno);
	if (S_ISDIR(is.st_mode))
		return "is a folder";
	return access(path, X_OK) ? "is not executable" : NULL;
}

static bool find_in_path(const char *name, char **ret_path, struct error *err)
{
	const char *at = getenv("PATH");
	const char *best = NULL;

	if (!at || !*at)
		at = "/usr/local/bin:/usr/bin:/bin";
	for (const char *next = at; next; at = next) {
		size_t length = strcspn(at, ":");
		char *path __free(memory) =
			text_format("%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
		const char *why = why_not(path);

		if (!why) {
			*ret_path = take(path);
			return true;
		}
		if (!access(path, F_OK))
			best = why;
		next = at[length] ? at + length + 1 : NULL;
	}
	return refuse_program(name, best ? best : "not found in PATH", err);
}

bool errand_find_program(const char *name, const char *folder, char **ret_path, struct error *err)
{
	bool inside = folder && *folder && *name != '/';
	char *path __free(memory) =
		text_format("%s%s%s", inside ? folder : "", inside ? "/" : "", name);
	const char *why;

	if (!strchr(name, '/'))
		return find_in_path(name, ret_path, err);
	why = why_not(path);
	if (why)
		return refuse_program(path, why, err);
	*ret_path = take(path);
	return true;
}

/* ---- a program, from fork to exec ---- */

/* What the child says before exec: what went wrong, or that it is ready and waits at the gate. */
struct mishap {
	int reason; /* errno; 0: it is ready */
	char what[40];
	struct rusage so_far; /* what it came to, which is not the program's */
};

/* In the child: says what failed and ends. */
static _Noreturn void fail(int report, const char *what)
{
	struct mishap m = {.reason = errno};
	ssize_t n;

	strncpy(m.what, what, sizeof(m.what) - 1);
	n = write(report, &m, sizeof(m));
	_exit(n == sizeof(m) ? 127 : 126);
}

/*
 * In the child. All that is to be done before the program is done before the gate, so that it is
 * not in its time: entering a control group waits for an RCU grace period.
 */
static _Noreturn void become(const struct errand *e, const struct errand_program *p,
			     const char *path, const int streams[STREAMS], int report, int gate)
{
	const struct surroundings *surroundings = errand_cast(e)->surroundings;
	struct mishap ready = {0};
	int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct error err;
	sigset_t none;
	char byte;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (input < 0 || dup2(input, STDIN_FILENO) < 0)
		fail(report, "/dev/null as its input");
	if (dup2(streams[STREAM_OUT], STDOUT_FILENO) < 0 ||
	    dup2(streams[STREAM_ERR], STDERR_FILENO) < 0)
		fail(report, "its output");
	if (p->folder && *p->folder && chdir(p->folder))
		fail(report, "go to its folder");
	/* What whoever started the agent had open is not for the program. Linux 5.9. */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	process_offer_to_oom_killer();
	if (surroundings && !surroundings_enter(surroundings, &err))
		fail(report, "enter the control group");
	getrusage(RUSAGE_SELF, &ready.so_far);
	if (write(report, &ready, sizeof(ready)) != sizeof(ready) || read(gate, &byte, 1) != 1)
		_exit(126);
	execv(path, (char *const *)(uintptr_t)p->argv);
	fail(report, "execute it");
}

/* Reads what the child says. True: it is ready, or (at the second time) it has executed. */
static bool hear(struct running *r, int report, struct error *err)
{
	struct mishap m = {0};
	ssize_t n;

	do {
		n = read(report, &m, sizeof(m));
	} while (n < 0 && errno == EINTR);
	if (!n)
		return true;
	if (n == sizeof(m) && !m.reason) {
		r->before = m.so_far;
		return true;
	}
	errno = m.reason;
	return error_set_errno(err, "program %.200s: %.40s", r->program->argv[0], m.what);
}

static void running_done(struct running *r)
{
	if (r->process.pid) {
		int64_t ignored_ns;
		struct rusage ignored;

		kill(-r->process.pid, SIGKILL);
		offspring_kill(&r->process);
		offspring_reap(&r->process, true, 0, &ignored_ns, &ignored);
	}
	for (int i = 0; i < STREAMS; i++)
		output_done(&r->streams[i]);
}

static bool start(struct errand *e, const struct errand_program *p, struct running *r,
		  struct error *err)
{
	int out __free(fd) = -1, errors __free(fd) = -1, report[2], gate[2];
	char *path __free(memory) = NULL;
	bool ready;

	if (!errand_find_program(p->argv[0], p->folder, &path, err) ||
	    !output_open(&r->streams[STREAM_OUT], ERRAND_HEAD_BYTES, ERRAND_TAIL_BYTES, &out,
			 err) ||
	    !output_open(&r->streams[STREAM_ERR], ERRAND_HEAD_BYTES, ERRAND_TAIL_BYTES, &errors,
			 err))
		return false;
	if (pipe2(report, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int report_ours __free(fd) = report[0], report_child __free(fd) = report[1];

	if (pipe2(gate, O_CLOEXEC))
		return error_set_errno(err, "pipe");
	int gate_child __free(fd) = gate[0], gate_ours __free(fd) = gate[1];

	if (p->phase)
		atomic_store(e->courier->phase, p->phase);
	switch (offspring_fork(&r->process)) {
	case -1:
		return error_set_errno(err, "fork");
	case 0:
		/* Its path begins at its own folder. */
		become(e, p, strchr(p->argv[0], '/') ? p->argv[0] : path,
		       (const int[STREAMS]){out, errors}, report_child, gate_child);
	}
	r->program = p;
	setpgid(r->process.pid, r->process.pid);
	close(take_fd(report_child));
	if (!hear(r, report_ours, err))
		return false;
	r->begin_ns = clock_now_ns();
	ready = write(gate_ours, "", 1) == 1;
	return (ready || error_set_errno(err, "open the gate")) && hear(r, report_ours, err);
}

/* ---- its end ---- */

static const char *plain_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What it printed last: on standard error, or on standard output where that is empty. */
static char *last_words(const struct running *r)
{
	char *words = output_last_lines(&r->streams[STREAM_ERR], LAST_LINES, LAST_BYTES);

	if (*words)
		return words;
	free(words);
	return output_last_lines(&r->streams[STREAM_OUT], LAST_LINES, LAST_BYTES);
}

static bool refuse_status(const struct running *r, int status, struct error *err)
{
	char *words __free(memory) = last_words(r);

	return error_set(err, ERROR_SYSTEM, "%.200s: %s%s%s", plain_name(r->program->argv[0]),
			 child_status_text(status), *words ? "; its last lines: " : "", words);
}

static bool refuse_time(const struct errand *e, const struct running *r, struct error *err)
{
	char *words __free(memory) = last_words(r);

	return error_set(err, ERROR_TIMEOUT, "%.200s had not ended after timeout=%s%s%s",
			 plain_name(r->program->argv[0]), cast_string(errand_cast(e), "timeout"),
			 *words ? "; its last lines: " : "", words);
}

static void keep_outputs(struct errand *e, const struct running *r)
{
	if (!r->program->role)
		return;
	for (int i = 0; i < STREAMS; i++) {
		const struct output *o = &r->streams[i];
		json_t *output = json_object();

		json_object_set_new(output, "role", json_text(r->program->role));
		json_object_set_new(output, "stream", json_text(stream_names[i]));
		json_object_set_new(output, "bytes",
				    json_integer((json_int_t)o->left_out + (json_int_t)o->length));
		json_object_set_new(output, "text", output_text(o));
		json_array_append_new(e->outputs, output);
	}
}

/* Listens until it ends. False: it is to be ended. */
static bool listen(struct errand *e, struct running *r, struct error *err)
{
	for (;;) {
		struct pollfd fds[] = {
			{.fd = r->process.pidfd, .events = POLLIN},
			{.fd = r->streams[STREAM_OUT].fd, .events = POLLIN},
			{.fd = r->streams[STREAM_ERR].fd, .events = POLLIN},
			{.fd = e->stop_fd, .events = POLLIN},
		};
		int64_t left_ns = e->deadline_ns - clock_now_ns();
		int left_ms = left_ns > 60 * NS_PER_SEC
				      ? 60000
				      : (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS);

		if (left_ns <= 0)
			return refuse_time(e, r, err);
		if (poll(fds, sizeof(fds) / sizeof(*fds), left_ms) < 0)
			continue;
		if (fds[0].revents)
			return true;
		if (fds[3].revents)
			return error_set(err, ERROR_INTERRUPTED, "stopped");
		for (int i = 0; i < STREAMS; i++) {
			if (fds[1 + i].revents)
				output_read(&r->streams[i], 1);
		}
	}
}

/* Leaves of what a process came to what the program did. */
static void subtract(struct rusage *all, const struct rusage *before)
{
	timersub(&all->ru_utime, &before->ru_utime, &all->ru_utime);
	timersub(&all->ru_stime, &before->ru_stime, &all->ru_stime);
	all->ru_minflt -= before->ru_minflt;
	all->ru_majflt -= before->ru_majflt;
	all->ru_nvcsw -= before->ru_nvcsw;
	all->ru_nivcsw -= before->ru_nivcsw;
}

bool errand_execute(struct errand *e, const struct errand_program *p,
		    struct errand_usage *ret_usage, struct error *err)
{
	struct running r __cleanup(running_done) = {
		.process = {.pidfd = -1},
		.streams = {OUTPUT_NONE, OUTPUT_NONE},
	};
	struct errand_usage usage;
	int64_t end_ns;
	int status = 0;
	bool ended;

	if (!start(e, p, &r, err))
		return false;
	ended = listen(e, &r, err);
	end_ns = clock_now_ns();
	for (int i = 0; i < STREAMS; i++)
		output_read(&r.streams[i], DRAIN_READS);
	keep_outputs(e, &r);
	if (!ended)
		return false;
	usage.real_ns = end_ns - r.begin_ns;
	while (wait4(r.process.pid, &status, 0, &usage.all) < 0 && errno == EINTR)
		;
	close(take_fd(r.process.pidfd));
	r.process.pid = 0;
	subtract(&usage.all, &r.before);
	if (status)
		return refuse_status(&r, status, err);
	if (ret_usage)
		*ret_usage = usage;
	return true;
}

/* ---- the errand ---- */

static void note_left(struct errand *e, int left)
{
	char *note __free(memory) =
		text_format("%s: it left %d process%s behind, which %s ended", e->role, left,
			    left == 1 ? "" : "es", left == 1 ? "was" : "were");

	if (left)
		json_array_append_new(e->notes, json_text(note));
}

/* The one task of the record: all programs that are measured, together. */
static json_t *task_of(const struct errand *e)
{
	json_t *task = json_object();
	json_t *counters = json_copy(e->counters);

	json_object_set_new(counters, "operations", json_integer(1));
	json_object_set_new(counters, "failures", json_integer(0));
	json_object_set_new(task, "role", json_text(e->role));
	json_object_set_new(task, "task", json_integer(0));
	/* Not bound to one. */
	json_object_set_new(task, "cpu", json_integer(-1));
	json_object_set_new(task, "window_ns", json_integer(e->window_ns));
	json_object_set_new(task, "counters", counters);
	return task;
}

static void leave_parcel(const struct errand *e, const struct error *why)
{
	json_t *parcel __free(json) = json_object();
	json_t *tasks = json_array();
	struct error ignored;

	if (e->window_ns > 0)
		json_array_append_new(tasks, task_of(e));
	json_object_set_new(parcel, "code", json_integer(why->code));
	json_object_set_new(parcel, "text", json_text(why->text));
	json_object_set_new(parcel, "tasks", tasks);
	json_object_set(parcel, "outputs", e->outputs);
	json_object_set(parcel, "notes", e->notes);
	char *line __free(memory) = json_line(parcel);

	file_write_all(e->courier->parcel, line, strlen(line), &ignored);
}

static int64_t oom_kills(const struct courier *c)
{
	const char *group = cast_memcg(c->cast);

	return group ? memcg_oom_kills("", group) : -1;
}

/*
 * A program that gets over the end of a child of it exits with 0, and has not done what was asked.
 */
static bool check_oom(const struct courier *c, int64_t before, struct error *err)
{
	int64_t after = oom_kills(c);

	return before < 0 || after <= before ||
	       error_set(err, ERROR_DATA,
			 "the program ended with status 0, but the kernel's OOM killer killed %lld "
			 "in its memory cgroup meanwhile",
			 (long long)(after - before));
}

_Noreturn void courier_main(const struct courier *c)
{
	struct errand e = {
		.courier = c,
		.deadline_ns = clock_now_ns() + cast_integer(c->cast, "timeout"),
		.role = c->cast->workload->roles[0].name,
		.counters = json_object(),
		.outputs = json_array(),
		.notes = json_array(),
	};
	int64_t oom = oom_kills(c);
	struct error err = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	e.stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Our end is not ours alone: what it has started is to go with it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "contend-courier");
	if (e.stop_fd < 0)
		error_set_errno(&err, "signalfd");
	else if (c->cast->workload->errand(&e, &err) && check_oom(c, oom, &err))
		err = (struct error){0};
	note_left(&e, keeper_sweep());
	leave_parcel(&e, &err);
	_exit(0);
}
