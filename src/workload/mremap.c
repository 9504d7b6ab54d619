// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"
#include "workload/fenced.h"

/*
 * A mapping moved between two places, or grown in place and shrunk again, by mremap. Either takes
 * mmap_lock for writing; a shrink holds it for reading only while it unmaps (Linux 4.20).
 *
 * A move makes a VMA at the other place, takes the page tables there (move_page_tables()) and
 * unmaps the old one. Entries move one by one under both page table locks, unless the two places
 * lie alike within a page table: then a whole one is moved by its PMD (move_normal_pmd(), x86 since
 * Linux 5.0). level= says which of the two places lie so.
 */

enum { MOVE, GROW, SHRINK };

enum how { HOW_MOVE, HOW_GROW };

/* Two regions, and fences between them and around them. */
struct ends {
	char *a, *b;
};

/* How far the second place is from the first one, in a place of both. */
static size_t apart(const struct cast *cast)
{
	size_t table = fenced_table_bytes(), bytes = (size_t)cast_integer(cast, "size");

	return (bytes + table) / table * table;
}

/*
 * With level=pte neither begins where a page table does, and one begins a page later in its own
 * than the other: they do not lie alike, but lie in equally many.
 */
static struct ends ends_of(const struct worker *w)
{
	const struct fenced *f = w->local;
	size_t shift = text_equal(cast_string(w->cast, "level"), "pte") ? f->region.page : 0;
	char *at = fenced_place(w);

	return (struct ends){at + shift, at + apart(w->cast) + 2 * shift};
}

static bool prepare(struct worker *w, struct error *err)
{
	size_t bytes = (size_t)cast_integer(w->cast, "size");
	size_t pages = 2 * (size_t)sysconf(_SC_PAGESIZE);

	if (cast_integer(w->cast, "how") == HOW_GROW)
		return fenced_prepare(w, 2 * bytes, err);
	return fenced_prepare(w, apart(w->cast) + bytes + pages, err);
}

static void move(struct worker *w, char *from, char *to)
{
	const struct fenced *f = w->local;
	size_t bytes = f->region.bytes;
	int64_t begin = worker_begin(w, MOVE);

	worker_end(w, MOVE, begin,
		   mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
}

static void resize(struct worker *w, unsigned int operation, char *at, size_t before, size_t after)
{
	int64_t begin = worker_begin(w, operation);

	worker_end(w, operation, begin, mremap(at, before, after, 0) == at);
}

static void work(struct worker *w)
{
	const struct fenced *f = w->local;
	bool grows = cast_integer(w->cast, "how") == HOW_GROW;
	struct ends ends = grows ? (struct ends){fenced_place(w), NULL} : ends_of(w);
	size_t bytes = f->region.bytes;

	if (!fenced_settle(w, ends.a))
		return;
	while (worker_next(w)) {
		if (grows) {
			resize(w, GROW, ends.a, bytes, 2 * bytes);
			resize(w, SHRINK, ends.a, 2 * bytes, bytes);
		} else {
			move(w, ends.a, ends.b);
			move(w, ends.b, ends.a);
		}
	}
}

static bool supported(const struct cast *cast, struct error *err)
{
	size_t table = fenced_table_bytes();

	if (!fenced_supported(cast, err))
		return false;
	if (!text_equal(cast_string(cast, "level"), "pmd"))
		return true;
	if (cast_integer(cast, "how") == HOW_GROW)
		return error_set(err, ERROR_UNSUPPORTED,
				 "level=pmd with how=grow: nothing is moved");
	if (cast_integer(cast, "size") % (int64_t)table == 0)
		return true;
	return error_set(err, ERROR_UNSUPPORTED,
			 "level=pmd needs a size= of whole page tables, which map %zu bytes each",
			 table);
}

static const struct role roles[] = {
	{
		.name = "task",
		.help = "moves its mapping to and fro, or grows and shrinks it",
		.operations = {[MOVE] = {.name = "move", .series = "latency"},
			       [GROW] = {.name = "grow", .series = "latency"},
			       [SHRINK] = {.name = "shrink", .series = "shrink_latency"}},
		.prepare = prepare,
		.work = work,
	},
	{.name = NULL},
};

static const struct param params[] = {
	{"how", PARAM_CHOICE, "move", .choices = "move|grow",
	 .help = "move: to another place and back, with MREMAP_FIXED; grow: in place to twice its "
		 "size, and back"},
	{"level", PARAM_CHOICE, "pte", .choices = "pte|pmd",
	 .help = "what a move moves: page table entries one by one, or whole page tables, for "
		 "which both places begin where one does"},
	FENCED_PARAMS("1M", "", "0%: a move has no page table entry to move"),
	{.name = NULL},
};

static const struct metric metrics[] = {
	{"operations", "1/s", BETTER_HIGHER, SUMMARY_RATE, "task.operations", .primary = true,
	 .help = "mremap calls per second, summed over the tasks"},
	METRIC_QUANTILES("latency", "task.latency", "of a call that moves, or grows"),
	METRIC_QUANTILES("shrink_latency", "task.shrink_latency", "of a call that shrinks"),
	{"cpu", "ns/op", BETTER_LOWER, SUMMARY_RATIO, "task.cpu_ns", "task.operations",
	 .help = "CPU time a call"},
	{"faults", "ratio", BETTER_NEITHER, SUMMARY_RATIO, "task.minor_faults", "task.operations",
	 .help = "minor faults a call: all is touched before, so there is next to none"},
	{.name = NULL},
};

const struct workload workload_mremap = {
	.name = "mremap",
	.summary = "a mapping moved to another place and back, or grown in place and shrunk",
	.needs = "memory for size= of each task",
	.roles = roles,
	.params = params,
	.metrics = metrics,
	.supported = supported,
};
