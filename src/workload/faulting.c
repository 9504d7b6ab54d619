// SPDX-License-Identifier: GPL-2.0-or-later
#include "workload/faulting.h"

#include <math.h>
#include <sys/mman.h>

#include "base/text.h"

void faulting_fault(struct worker *w)
{
	const struct faulting *f = w->local;
	char *at = f->first + w->task * f->part_bytes, *end = at + f->bytes;

	for (; worker_next(w); at += f->step_bytes) {
		int64_t begin;

		if (!((uintptr_t)at & f->passed))
			at += f->step_bytes;
		if (at >= end) {
			worker_spent(w, f->enough);
			return;
		}
		begin = worker_begin(w, FAULTING_WRITE);
		*(volatile char *)at = 1;
		worker_end(w, FAULTING_WRITE, begin, true);
	}
}

static bool change(const struct faulting *f, unsigned int operation)
{
	switch (operation) {
	case FAULTING_PROTECT:
		return !mprotect(f->target, f->page_bytes, PROT_READ);
	case FAULTING_UNPROTECT:
		return !mprotect(f->target, f->page_bytes, PROT_READ | PROT_WRITE);
	case FAULTING_UNMAP:
		return !munmap(f->target, f->page_bytes);
	default:
		return mmap(f->target, f->page_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			    0) == f->target;
	}
}

void faulting_change(struct worker *w)
{
	bool protect = text_equal(cast_string(w->cast, "writer"), "mprotect");
	unsigned int operation = protect ? FAULTING_PROTECT : FAULTING_UNMAP;
	const struct faulting *f = w->local;

	/* Of each pair the first one has an even index. */
	for (; worker_next(w); operation ^= 1) {
		int64_t begin = worker_begin(w, operation);

		worker_end(w, operation, begin, change(f, operation));
	}
}

double faulting_fault_rate(const struct cast *cast)
{
	return cast_number(cast, "fault_rate");
}

double faulting_writer_rate(const struct cast *cast)
{
	return cast_number(cast, "writer_rate");
}

int64_t faulting_pages_needed(const struct cast *cast)
{
	/* A faulter warms up until the last task of the run has seen the window open. */
	static const double spare_ratio = 0.05, spare_s = 0.2;
	double s = (cast_number(cast, "warmup") + cast_number(cast, "window")) / NS_PER_SEC;

	return (int64_t)ceil(faulting_fault_rate(cast) * (s * (1 + spare_ratio) + spare_s));
}

char *faulting_map_target(size_t page_bytes)
{
	char *fenced = mmap(NULL, 4 * page_bytes, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (fenced == MAP_FAILED ||
	    mprotect(fenced + page_bytes, 2 * page_bytes, PROT_READ | PROT_WRITE))
		return NULL;
	*(volatile char *)(fenced + page_bytes) = 1;
	return fenced + 2 * page_bytes;
}
