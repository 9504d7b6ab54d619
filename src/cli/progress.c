// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/progress.h"

#include <math.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/units.h"
#include "report/page.h"

/* Faster than this nobody reads. */
enum { INTERVAL_MS = 100, COLUMNS = 80 };

void progress_init(struct progress *p, bool quiet)
{
	*p = (struct progress){.shown = !quiet && isatty(STDERR_FILENO)};
}

/* "writer latency p50 -68.8% (-70.1 .. -67.2)" */
static void put_estimate(const struct metric_verdict *m, struct text *line)
{
	char value[UNITS_TEXT], low[UNITS_TEXT], high[UNITS_TEXT];

	if (!m->pairs || isnan(m->estimate))
		return;
	text_puts(line, "  ");
	for (const char *at = m->metric->name; *at; at++)
		text_append(line, *at == '_' ? " " : at, 1);
	if (m->scale == SCALE_LOG)
		text_printf(line, " %+.1f%%", 100 * m->estimate);
	else
		text_printf(line, " %s", units_format(m->estimate, m->metric->unit, value));
	if (!isfinite(m->interval.low) || !isfinite(m->interval.high))
		return;
	if (m->scale == SCALE_LOG)
		text_printf(line, " (%+.1f .. %+.1f)", 100 * m->interval.low,
			    100 * m->interval.high);
	else
		text_printf(line, " (%s .. %s)",
			    units_format(m->interval.low, m->metric->unit, low),
			    units_format(m->interval.high, m->metric->unit, high));
}

static void put_time_left(int64_t left_ns, struct text *line)
{
	long long seconds = left_ns / NS_PER_SEC + !!(left_ns % NS_PER_SEC);

	if (left_ns < 0)
		return;
	if (seconds < 100)
		text_printf(line, "  %lld s left", seconds);
	else
		text_printf(line, "  %lld min left", (seconds + 59) / 60);
}

void progress_line(const struct lab_progress *now, struct text *ret_line)
{
	struct text line __text = {0};

	text_printf(&line, "%lld", (long long)now->pairs_done);
	if (now->pairs_planned)
		text_printf(&line, "/%lld", (long long)now->pairs_planned);
	if (now->pairs_planned == 1)
		text_puts(&line, " done");
	else if (now->one_arm)
		text_puts(&line, " runs");
	else
		text_puts(&line, !now->pairs_planned && now->pairs_done == 1 ? " pair" : " pairs");
	if (now->arm) {
		text_puts(&line, "  ");
		if (!now->one_arm)
			text_printf(&line, "%s: ", now->arm);
		text_puts(&line, now->workload);
		if (now->phase)
			text_printf(&line, " %s %.0f%%", now->phase, 100 * now->share);
	}
	/* The first workload's primary stands for all: there is one line. */
	if (now->so_far)
		put_estimate(&now->so_far->comparisons[0].metrics[0], &line);
	put_time_left(now->left_ns, &line);
	/* Phases and units are the agent's words, and a terminal obeys what it is sent. */
	page_ascii(ret_line, text_string(&line), 0);
}

static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col < 2)
		return COLUMNS;
	return size.ws_col;
}

/* Writes a line over the one that stands there; blanks cover what is longer of it. */
static void rewrite(struct progress *p, const char *line, size_t length)
{
	struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
	struct text out __text = {0};
	struct error ignored;

	/* One that was stopped (Ctrl-S) must not stop the experiment. */
	if (poll(&terminal, 1, 0) <= 0)
		return;
	text_puts(&out, "\r");
	text_append(&out, line, length);
	for (size_t i = length; i < p->length; i++)
		text_puts(&out, " ");
	if (p->length > length || !length)
		text_printf(&out, "\r%.*s", (int)length, line);
	p->length = length;
	file_write_all(STDERR_FILENO, out.bytes, out.length, &ignored);
}

void progress_show(void *context, const struct lab_progress *now)
{
	struct progress *p = context;
	struct text line __text = {0};
	size_t room;

	if (!p->shown || clock_now_ns() - p->last_ns < INTERVAL_MS * NS_PER_MS)
		return;
	p->last_ns = clock_now_ns();
	progress_line(now, &line);
	/* A line that reaches the last column would wrap, and could not be rewritten. */
	room = columns() - 1;
	rewrite(p, text_string(&line), line.length < room ? line.length : room);
}

void progress_clear(struct progress *p)
{
	if (p->shown && p->length)
		rewrite(p, "", 0);
}
