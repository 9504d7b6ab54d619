// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/*
 * Damerau's distance of two names in its simple form (optimal string alignment): letters that were
 * inserted, left out, mistaken, or swapped with their neighbour. Both names fit into NEAREST_ROOM.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	/* Rows i - 2, i - 1 and i of the table, used in turn. */
	size_t rows[3][NEAREST_ROOM + 1];

	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		const size_t *before = rows[(i + 1) % 3]; /* i - 2 */
		const size_t *above = rows[(i - 1) % 3];
		size_t *row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[a_length % 3][b_length];
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t length = strlen(n->name);
	size_t its_length = strlen(candidate);
	size_t d;

	if (length > NEAREST_ROOM || its_length > NEAREST_ROOM)
		return;
	d = distance(n->name, length, candidate, its_length);
	/* Two steps lead from any name of two letters to any other: that is not near. */
	if (d > 2 || d >= length || d >= its_length || (*n->found && d >= n->distance))
		return;
	memcpy(n->found, candidate, its_length + 1);
	n->distance = (unsigned int)d;
}

const char *nearest_hint(struct nearest *n)
{
	if (*n->found)
		snprintf(n->hint, sizeof(n->hint), "; did you mean '%s'?", n->found);
	return n->hint;
}

bool nearest_refuse(struct nearest *n, const char *what, struct error *err)
{
	return error_set(err, ERROR_USAGE, "no %s '%.100s'%s", what, n->name, nearest_hint(n));
}
