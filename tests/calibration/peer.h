/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_CALIBRATION_PEER_H
#define CONTEND_TESTS_CALIBRATION_PEER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How others decide whether B differs from A, and how this project does, on the same data. The
 * rules are what the sources of these tools have, or what their users do with the output; the tools
 * themselves are not run.
 */

/* An experiment as a rule sees it. */
struct peer_data {
	size_t boots, iterations;
	const double *values[2]; /* of A and B, boot by boot */
	const double *means[2];	 /* of each boot */
	const double *medians[2];
	const double *log_means; /* differences of pairs: log(b/a) of the means of two boots */
	const double *log_medians;
	int planned; /* what the judge said of the medians, all pairs planned: judged_claim() */
};

enum peer_kind {
	PEER_PRACTICE, /* what a tool says, or what people do with its output */
	PEER_TEXTBOOK, /* a test on one figure a boot, which whoever wants it has to make himself */
	PEER_OURS,
};

struct peer {
	const char *name;
	enum peer_kind kind;
	bool needs_boots; /* says nothing about a single boot */
	/* -1 B is faster, 1 slower, 0 no difference is claimed. */
	int (*decide)(const struct peer_data *data);
};

enum { PEERS = 19 };

extern const struct peer peers[PEERS];

#endif
