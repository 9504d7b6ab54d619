/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_STATS_INTERVAL_H
#define CONTEND_STATS_INTERVAL_H

/*
 * A closed interval, in the unit of the data it was made from. An end that the data cannot bound is
 * -INFINITY or +INFINITY; neither end is ever NAN.
 */
struct interval {
	double low;
	double high;
};

#endif
