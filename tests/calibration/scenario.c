// SPDX-License-Identifier: GPL-2.0-or-later
#include "scenario.h"

#include <assert.h>
#include <math.h>

/* The field names would fill the lines: what differs from a plain row stands in it by name. */
const struct scenario scenarios[SCENARIOS] = {
	{'a', "independent normal iterations", 10, 30, SCENARIO_PAIRS, .cv = .03},
	{'b', "log-normal iterations with spikes", 10, 100, SCENARIO_PAIRS, .cv = .25,
	 .lognormal = true, .spikes = .01},
	{'c', "autocorrelated iterations, one boot", 1, 1000, SCENARIO_PAIRS, .cv = .03, .rho = .7},
	{'d', "autocorrelated iterations", 10, 100, SCENARIO_PAIRS, .cv = .03, .rho = .7},
	{'e', "boots differ by 1.5 %, one boot", 1, 100, SCENARIO_PAIRS, .cv = .03,
	 .boot_sd = .015},
	{'f', "boots differ by 1.5 %, five short ones", 5, 20, SCENARIO_PAIRS, .cv = .03,
	 .boot_sd = .015},
	{'g', "boots differ by 1.5 %, five long ones", 5, 1000, SCENARIO_PAIRS, .cv = .03,
	 .boot_sd = .015},
	{'h', "boots differ by 1 %", 10, 100, SCENARIO_PAIRS, .cv = .03, .boot_sd = .01},
	{'i', "boots differ by 2 %", 10, 100, SCENARIO_PAIRS, .cv = .03, .boot_sd = .02},
	{'j', "boots differ by 1.5 %, three", 3, 100, SCENARIO_PAIRS, .cv = .03, .boot_sd = .015},
	{'k', "drift of 3 %, A first then B", 10, 30, SCENARIO_BLOCKS, .cv = .03, .drift = .03},
	{'l', "drift of 3 %, alternating", 10, 30, SCENARIO_ALTERNATING, .cv = .03, .drift = .03},
	{'m', "drift of 3 %, random pairs", 10, 30, SCENARIO_PAIRS, .cv = .03, .drift = .03},
	{'n', "all at once, random pairs", 10, 100, SCENARIO_PAIRS, .boot_sd = .01, .cv = .05,
	 .rho = .5, .lognormal = true, .spikes = .01, .walk_sd = .005},
	{'o', "all at once, A first then B", 10, 100, SCENARIO_BLOCKS, .boot_sd = .01, .cv = .05,
	 .rho = .5, .lognormal = true, .spikes = .01, .walk_sd = .005},
};

const struct scenario *scenario_find(char name)
{
	assert(name >= 'a' && name < 'a' + SCENARIOS);
	return &scenarios[name - 'a'];
}

double scenario_normal(struct random *r)
{
	/* Box and Muller; 1 - u because the logarithm of 0 is none. */
	double u = 1 - random_unit(r), v = random_unit(r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

double scenario_heavy(struct random *r)
{
	double squares = 0, z = scenario_normal(r);

	for (int i = 0; i < 3; i++) {
		double x = scenario_normal(r);

		squares += x * x;
	}
	return z / sqrt(squares / 3) / sqrt(3);
}

static void draw_boot(const struct scenario *s, double level, struct random *r, double *ret_values)
{
	double sigma = s->lognormal ? sqrt(log1p(s->cv * s->cv)) : s->cv;
	double state = scenario_normal(r);

	level *= 1 + s->boot_sd * scenario_normal(r);
	for (size_t i = 0; i < s->iterations; i++) {
		double value;

		/* Of variance 1 from the first iteration on. */
		if (i > 0)
			state = s->rho * state + sqrt(1 - s->rho * s->rho) * scenario_normal(r);
		value = level * (s->lognormal ? exp(sigma * state) : 1 + sigma * state);
		if (s->spikes > 0 && random_unit(r) < s->spikes)
			value *= 5;
		ret_values[i] = value;
	}
}

void scenario_draw(const struct scenario *s, size_t boots, double shift, struct random *r,
		   double *ret_a, double *ret_b)
{
	double walk = 0;
	bool b_first = false;

	assert(boots * s->iterations <= SCENARIO_MOST_VALUES);
	for (size_t slot = 0; slot < 2 * boots; slot++) {
		size_t boot = s->order == SCENARIO_BLOCKS ? slot % boots : slot / 2;
		double level = 100;
		bool is_b;

		if (s->order == SCENARIO_PAIRS && slot % 2 == 0)
			b_first = random_next(r) >> 63;
		is_b = s->order == SCENARIO_BLOCKS ? slot >= boots : (slot % 2 == 1) != b_first;
		walk += s->walk_sd * scenario_normal(r);
		level *= 1 + walk + s->drift * (double)slot / (double)(2 * boots - 1);
		level *= is_b ? 1 + shift : 1;
		draw_boot(s, level, r, (is_b ? ret_b : ret_a) + boot * s->iterations);
	}
}
