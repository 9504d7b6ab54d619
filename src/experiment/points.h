/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_EXPERIMENT_POINTS_H
#define CONTEND_EXPERIMENT_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

/* The numbers of tasks of a curve: "1,2,4", "1..8", "25%,50%,100%", or several of these. */
struct points {
	int64_t *list; /* ascending, each once */
	size_t count;
	int64_t cpus; /* what shares in it were taken of; 0: it has none */
};

void points_done(struct points *p);

/* True for what can only be meant as such a list, and is no single number. */
bool points_is_list(const char *value);

/*
 * Reads one or a list. cpus: how many CPUs a share is of, which gives one task at the least; 0:
 * not known, and shares are refused. Refusals (ERROR_USAGE) do not name the parameter.
 */
bool points_parse(const char *value, int64_t cpus, struct points *ret, struct error *err);

bool points_equal(const struct points *a, const struct points *b);

/* The shortest list of numbers that is read as these: "1,2,4", "1..8". Owned by the caller. */
char *points_text(const struct points *p);

#endif
