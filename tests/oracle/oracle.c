// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * usage: oracle CASES SEED
 *
 * Random inputs of the functions in src/stats and what they make of them, a line each for oracle.R:
 * the name of the check, the inputs and at last the results, separated by |, numbers by blanks.
 * CASES each; fewer where R needs long.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/random.h"
#include "stats/autocorrelation.h"
#include "stats/distribution.h"
#include "stats/e_process.h"
#include "stats/family.h"
#include "stats/group_sequential.h"
#include "stats/mann_kendall.h"
#include "stats/max_t.h"
#include "stats/order.h"
#include "stats/order_effect.h"
#include "stats/paired.h"
#include "stats/plan.h"
#include "stats/rounds.h"
#include "stats/sign_flip.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

enum { MOST = 120 };

static struct random r;

static void numbers(const double *x, size_t n)
{
	putchar('|');
	for (size_t i = 0; i < n; i++)
		printf("%s%.17g", i ? " " : "", x[i]);
}

#define NUMBERS(...)                                                                               \
	numbers((const double[]){__VA_ARGS__},                                                     \
		sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static double between(double low, double high)
{
	return low + (high - low) * random_unit(&r);
}

static size_t count_between(size_t low, size_t high)
{
	return low + (size_t)random_below(&r, high - low + 1);
}

/* Of any magnitude from 10^low to 10^high. */
static double magnitude(double low, double high)
{
	return pow(10, between(low, high));
}

static double normal(void)
{
	double u = 1 - random_unit(&r), v = random_unit(&r);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Normal, with tails, skewed; of any unit and centre. */
static void draw(double *ret_x, size_t n)
{
	double unit = magnitude(-4, 4), centre = between(-2, 2);
	uint64_t shape = random_below(&r, 3);

	for (size_t i = 0; i < n; i++) {
		double x = normal();

		ret_x[i] = unit * (centre + (shape == 0 ? x : shape == 1 ? x * fabs(x) : exp(x)));
	}
}

/* Few different values, so that many are equal. */
static void draw_ties(double *ret_x, size_t n)
{
	uint64_t values = 2 + random_below(&r, 6);

	for (size_t i = 0; i < n; i++)
		ret_x[i] = (double)random_below(&r, values) - 2;
}

static void case_summary(void)
{
	size_t n = count_between(2, MOST);
	double q = random_unit(&r), x[MOST];

	draw(x, n);
	numbers(x, n);
	NUMBERS(q);
	NUMBERS(summary_min(x, n), summary_max(x, n), summary_mean(x, n), summary_sd(x, n),
		summary_median(x, n), summary_quantile(x, n, q));
}

static void case_paired(void)
{
	size_t n = count_between(2, 40);
	double alpha = between(.001, .3), x[MOST];
	struct paired t;

	draw(x, n);
	t = paired_test(x, n, alpha);
	numbers(x, n);
	NUMBERS(alpha);
	NUMBERS(t.estimate, t.sd, t.t, t.df, t.p, t.interval.low, t.interval.high,
		paired_upper_bound(x, n, alpha));
}

static void case_sign_flip(void)
{
	size_t n = count_between(1, 10);
	double alpha = between(.001, .3), x[MOST];
	struct interval interval;

	if (random_below(&r, 3))
		draw(x, n);
	else
		draw_ties(x, n);
	interval = sign_flip_interval(x, n, alpha, 0);
	numbers(x, n);
	NUMBERS(alpha);
	NUMBERS(sign_flip_p(x, n, 0), interval.low, interval.high, sign_flip_smallest_p(n),
		sign_flip_attained_level(n, alpha));
}

static void case_max_t(void)
{
	size_t metrics = count_between(1, 5), pairs = count_between(1, 8);
	double d[40], p[5];

	for (size_t m = 0; m < metrics; m++)
		draw(d + m * pairs, pairs);
	for (size_t i = 0; i < metrics * pairs; i++)
		if (random_below(&r, 12) == 0)
			d[i] = NAN;
	max_t_adjust(d, metrics, pairs, 0, p);
	numbers(d, metrics * pairs);
	NUMBERS((double)pairs);
	numbers(p, metrics);
}

static void case_family(void)
{
	size_t n = count_between(1, 30);
	double p[MOST], holm[MOST], bh[MOST];

	for (size_t i = 0; i < n; i++)
		p[i] = random_below(&r, 3) ? pow(random_unit(&r), 3)
					   : (double)random_below(&r, 20) / 20;
	family_adjust_holm(p, n, holm);
	family_adjust_benjamini_hochberg(p, n, bh);
	numbers(p, n);
	numbers(holm, n);
	numbers(bh, n);
}

static void trend(double *x, size_t n)
{
	struct mann_kendall t = mann_kendall_test(x, n);

	numbers(x, n);
	NUMBERS(t.s, t.tau, t.p);
}

static void case_trend(void)
{
	size_t n = count_between(2, MANN_KENDALL_EXACT);
	double x[MOST], slope = between(-.2, .2);

	for (size_t i = 0; i < n; i++)
		x[i] = slope * (double)i + normal();
	trend(x, n);
}

static void case_trend_ties(void)
{
	size_t n = count_between(2, 6);
	double x[MOST];

	draw_ties(x, n);
	trend(x, n);
}

static void case_trend_long(void)
{
	size_t n = count_between(MANN_KENDALL_EXACT + 1, MOST);
	double x[MOST], slope = between(-.1, .1);

	for (size_t i = 0; i < n; i++)
		x[i] = floor(3 * (slope * (double)i + normal()));
	trend(x, n);
}

static void case_order_effect(void)
{
	size_t n = count_between(3, 40);
	double x[MOST], first[MOST];
	bool a_first[MOST];
	struct order_effect o;

	draw(x, n);
	for (size_t i = 0; i < n; i++) {
		a_first[i] = i == 0 || (i > 1 && random_below(&r, 2));
		first[i] = a_first[i];
	}
	o = order_effect(x, a_first, n);
	numbers(x, n);
	numbers(first, n);
	NUMBERS(o.known, o.estimate, o.t, o.df, o.p);
}

static void case_distribution(void)
{
	double z = between(-38, 38), tail = magnitude(-300, 0), t = 5 * normal(),
	       df = floor(magnitude(0, 3)), share = between(.0001, .9999), nc = between(-6, 6),
	       n = (double)count_between(1, 5000), k = (double)count_between(0, (size_t)n + 1),
	       f = magnitude(-2, 2), df2 = floor(magnitude(0, 3));

	NUMBERS(z, tail, t, df, share, nc, n, k, f, df2);
	NUMBERS(distribution_normal_above(z), distribution_normal_critical(tail),
		distribution_t_two_sided(t, df), distribution_t_critical(share, df),
		distribution_noncentral_t_upper(fabs(t) + .01, df, nc),
		(double)distribution_binomial_quantile(share, (size_t)n, share),
		distribution_binomial_below((size_t)k, (size_t)n, share),
		distribution_f_above(f, df, df2), distribution_chi_square_quantile(share, df));
}

static void case_order(void)
{
	size_t n = count_between(1, 20000);
	double q = random_below(&r, 2) ? between(.01, .99) : 1 - magnitude(-4, -1);
	double level = between(.5, .999);
	struct order_ranks ranks = order_find_ranks(n, q, level);

	NUMBERS((double)n, q, level);
	NUMBERS((double)ranks.low, (double)ranks.high, ranks.coverage,
		(double)order_smallest_n_bound(q, level),
		(double)order_smallest_n_interval(q, level));
}

static void case_variance(void)
{
	size_t groups = count_between(2, 8), sizes[8], n = 0;
	double x[MOST], counts[8];
	struct variance_components v;
	double cost = magnitude(0, 3);

	for (size_t g = 0; g < groups; g++) {
		double level = between(0, 3);

		sizes[g] = count_between(g == 0 ? 2 : 1, 8);
		counts[g] = (double)sizes[g];
		for (size_t i = 0; i < sizes[g]; i++)
			x[n++] = level + normal();
	}
	v = variance_components(x, sizes, groups);
	numbers(x, n);
	numbers(counts, groups);
	NUMBERS(cost);
	NUMBERS(v.ms_between, v.ms_within, v.f, v.p, v.group_size, v.within, v.between, v.icc,
		variance_components_design_effect(v.icc, v.group_size),
		variance_components_pooled_level(
			.05, variance_components_design_effect(v.icc, v.group_size)),
		variance_components_cheapest_n(&v, cost, 1));
}

static void case_plan(void)
{
	size_t n = count_between(2, 60);
	double unit = magnitude(-3, 3), sd = unit * between(.5, 5), effect = unit * between(.3, 5);
	double alpha = between(.005, .2), power = between(.3, .95);

	NUMBERS((double)n, effect, sd, alpha, power);
	NUMBERS(plan_power(n, effect, sd, alpha),
		(double)plan_pairs_for_effect(effect, sd, alpha, power),
		(double)plan_pairs_for_half_width(effect, sd, alpha),
		(double)plan_pairs_for_margin(effect, sd, alpha, power),
		plan_detectable_effect(n, sd, alpha, power), plan_upper_sd(sd, n, power));
}

static void case_autocorrelation(void)
{
	size_t n = count_between(4, MOST), lag = count_between(0, n - 1);
	double x[MOST], rho = between(-.5, .95);

	draw(x, n);
	for (size_t i = 1; i < n; i++)
		x[i] += rho * x[i - 1];
	numbers(x, n);
	NUMBERS((double)lag);
	NUMBERS(autocorrelation(x, n, lag));
}

static void case_e_process(void)
{
	size_t n = count_between(1, 25);
	double x[MOST], alpha = between(.01, .2), theta;
	struct e_process two_sided __cleanup(e_process_done);
	struct e_process smaller __cleanup(e_process_done);
	struct interval interval = {NAN, NAN};

	if (random_below(&r, 4))
		draw(x, n);
	else
		draw_ties(x, n);
	theta = random_below(&r, 2) ? 0 : x[0] + fabs(x[0]) * between(-1, 1);
	e_process_init(&two_sided, theta, E_PROCESS_TWO_SIDED);
	e_process_init(&smaller, theta, E_PROCESS_SMALLER);
	for (size_t i = 0; i < n; i++) {
		e_process_push(&two_sided, x[i]);
		e_process_push(&smaller, x[i]);
	}
	e_process_interval(x, n, alpha, &interval);
	numbers(x, n);
	NUMBERS(theta, alpha, interval.low, interval.high);
	NUMBERS(e_process_value(&two_sided), e_process_max(&two_sided), e_process_value(&smaller),
		e_process_max(&smaller));
}

static void case_group_sequential(void)
{
	size_t looks = count_between(1, 5);
	double t[5], spent[5], z[5], rejecting[5], alpha = between(.005, .2),
						   drift = between(-4, 4);
	enum group_sequential_spending spending =
		random_below(&r, 2) ? GROUP_SEQUENTIAL_TWO_SIDED : GROUP_SEQUENTIAL_PER_SIDE;
	struct group_sequential test = {t, z, looks};

	for (size_t k = 0; k < looks; k++) {
		t[k] = ((double)k + between(.3, 1)) / (double)looks;
		spent[k] = group_sequential_spent(spending, alpha, t[k]);
	}
	group_sequential_bounds(t, spent, looks, z);
	group_sequential_power(&test, drift, rejecting);
	numbers(t, looks);
	numbers(z, looks);
	NUMBERS(alpha, drift, spending == GROUP_SEQUENTIAL_PER_SIDE);
	numbers(spent, looks);
	numbers(rejecting, looks);
}

static void case_rounds(void)
{
	size_t workloads = count_between(1, 5), rounds = count_between(1, 20), n;
	double d[100], means[20];

	draw(d, workloads * rounds);
	/* The first round is whole, so that there is one. */
	for (size_t i = 0; i < workloads * rounds; i++)
		if (i % rounds > 0 && random_below(&r, 20) == 0)
			d[i] = NAN;
	n = rounds_average(d, workloads, rounds, means);
	numbers(d, workloads * rounds);
	NUMBERS((double)rounds);
	numbers(means, n);
}

static const struct {
	const char *name;
	void (*print)(void);
	size_t divisor; /* of the number of cases */
} checks[] = {
	{"summary", case_summary, 1},
	{"paired", case_paired, 1},
	{"sign_flip", case_sign_flip, 1},
	{"max_t", case_max_t, 4},
	{"family", case_family, 1},
	{"trend", case_trend, 4},
	{"trend_ties", case_trend_ties, 2},
	{"trend_long", case_trend_long, 8},
	{"order_effect", case_order_effect, 4},
	{"distribution", case_distribution, 1},
	{"order", case_order, 1},
	{"variance", case_variance, 20},
	{"plan", case_plan, 4},
	{"autocorrelation", case_autocorrelation, 2},
	{"e_process", case_e_process, 10},
	{"group_sequential", case_group_sequential, 400},
	{"rounds", case_rounds, 2},
};

int main(int argc, char **argv)
{
	size_t cases = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc != 3 || !cases) {
		fprintf(stderr, "usage: oracle CASES SEED\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		random_seed(&r, seed, i);
		for (size_t k = 0; k < cases / checks[i].divisor; k++) {
			printf("%s", checks[i].name);
			checks[i].print();
			putchar('\n');
		}
	}
	return 0;
}
