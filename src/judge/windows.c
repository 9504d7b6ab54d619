// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/windows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/histogram.h"
#include "stats/distribution.h"
#include "stats/order.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

const char *const windows_source_words[] = {
	[WINDOWS_UNKNOWN] = "unknown",
	[WINDOWS_SLICES] = "slices",
	[WINDOWS_QUANTILES] = "quantiles",
};

/* In batches, of which one is the least. */
static void set_cheapest(struct windows *w)
{
	const struct variance_components parts = {
		.between = w->between,
		.within = w->within * WINDOWS_BATCHES,
	};
	double batch_ns = (double)w->window_ns / WINDOWS_BATCHES;

	if (w->fixed_ns > 0 && w->window_ns > 0)
		w->cheapest_ns = batch_ns * variance_components_cheapest_n(
						    &parts, (double)w->fixed_ns, batch_ns);
}

/* ---- rates, from slices ---- */

static const json_t *find_slices(const struct run *run, const char *role)
{
	const json_t *list = json_object_get(run->record, "slices");
	const json_t *slices;
	size_t i;

	json_array_foreach(list, i, slices) {
		const char *of = json_string_value(json_object_get(slices, "role"));

		if (of && text_equal(of, role))
			return slices;
	}
	return NULL;
}

/* The logarithms of the rates of a run's batches; else why its slices do not tell them. */
static const char *batch_rates(const struct run *run, const char *role, double *ret_rates)
{
	const json_t *slices = find_slices(run, role);
	const json_t *at_ns = json_object_get(slices, "at_ns");
	const json_t *operations = json_object_get(slices, "operations");
	size_t moments = json_array_size(at_ns);

	if (moments != json_array_size(operations) || moments <= WINDOWS_BATCHES)
		return "a window was cut into too few slices";
	for (size_t k = 0; k < WINDOWS_BATCHES; k++) {
		size_t from = k * (moments - 1) / WINDOWS_BATCHES;
		size_t to = (k + 1) * (moments - 1) / WINDOWS_BATCHES;
		double count = json_number_value(json_array_get(operations, to)) -
			       json_number_value(json_array_get(operations, from));
		double took_ns = json_number_value(json_array_get(at_ns, to)) -
				 json_number_value(json_array_get(at_ns, from));

		if (!(count > 0) || !(took_ns > 0))
			return "a batch has no operation";
		ret_rates[k] = log(count / took_ns);
	}
	return NULL;
}

static void leave_out(struct windows *w, const char *why)
{
	if (!w->left_out)
		w->left_out = why;
}

static bool of_slices(const struct pairs *pairs, const char *role, struct windows *w)
{
	double *d __free(memory) = memory_array(pairs->count * WINDOWS_BATCHES, sizeof(*d));
	size_t *sizes __free(memory) = memory_array(pairs->count, sizeof(*sizes));
	struct variance_components parts;

	for (size_t i = 0; i < pairs->count; i++) {
		double a[WINDOWS_BATCHES], b[WINDOWS_BATCHES];
		const char *why = batch_rates(pairs->list[i].a, role, a);

		why = why ? why : batch_rates(pairs->list[i].b, role, b);
		if (why) {
			leave_out(w, why);
			continue;
		}
		for (size_t k = 0; k < WINDOWS_BATCHES; k++)
			d[w->pairs * WINDOWS_BATCHES + k] = b[k] - a[k];
		sizes[w->pairs++] = WINDOWS_BATCHES;
	}
	if (w->pairs < 2)
		return false;
	parts = variance_components(d, sizes, w->pairs);
	w->source = WINDOWS_SLICES;
	w->between = parts.between;
	w->within = parts.within / WINDOWS_BATCHES;
	w->p = parts.p;
	set_cheapest(w);
	return true;
}

/* ---- quantiles, from histograms ---- */

/*
 * The variance of the logarithm of a run's quantile, from the width of its interval as if that were
 * of a normal estimate; NAN: not known.
 */
static double quantile_variance(const struct run *run, const struct metric *m)
{
	static const double level = .95;
	struct histogram *h __free(memory) = memory_alloc(sizeof(*h));
	double q = summary_quantile_of(m->summary);
	struct order_ranks ranks;
	struct error ignored;
	double low, high, sds;

	if (!run_histogram(run, m->of, h, &ignored) || !h->count)
		return NAN;
	ranks = order_find_ranks(h->count, q, level);
	if (!ranks.low || ranks.high > h->count)
		return NAN;
	/* Half a rank below, so that rounding does not lead to the next one. */
	low = histogram_quantile(h, ((double)ranks.low - .5) / (double)h->count);
	high = histogram_quantile(h, ((double)ranks.high - .5) / (double)h->count);
	sds = 2 * distribution_normal_critical((1 - level) / 2);
	return low > 0 ? pow(log(high / low) / sds, 2) : NAN;
}

static bool of_quantiles(const struct pairs *pairs, const struct metric *m, double spread,
			 struct windows *w)
{
	double sum = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		double variance = quantile_variance(pairs->list[i].a, m) +
				  quantile_variance(pairs->list[i].b, m);

		if (isnan(variance)) {
			leave_out(w, "a run has too few latencies to bound its quantile");
			continue;
		}
		sum += variance;
		w->pairs++;
	}
	if (w->pairs < 2)
		return false;
	w->source = WINDOWS_QUANTILES;
	/* What was measured is both together: more than that cannot lie within. */
	w->within = fmin(sum / (double)w->pairs, spread * spread);
	w->between = spread * spread - w->within;
	set_cheapest(w);
	return true;
}

/* ---- */

static int64_t median_ns(double *values, size_t count)
{
	return count ? (int64_t)fmin(summary_median(values, count), 0x1p62) : 0;
}

/* The window that a run was asked for or, where it does not say, the one that it had. */
static int64_t window_of(const struct run *run, const char *role)
{
	int64_t window_ns;
	struct error ignored;

	if (json_get_count(run->record, "window_ns", &window_ns, &ignored) && window_ns)
		return window_ns;
	return run_window_ns(run, role);
}

/* How long the runs of the pairs were, and their windows. */
static void measure_time(const struct pairs *pairs, const char *role, struct windows *w)
{
	double *windows __free(memory) = memory_array(2 * pairs->count, sizeof(*windows));
	double *others __free(memory) = memory_array(2 * pairs->count, sizeof(*others));
	size_t count = 0, timed = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		for (int side = 0; side < 2; side++) {
			const struct run *run = side ? pairs->list[i].b : pairs->list[i].a;
			int64_t window_ns = window_of(run, role);
			int64_t took_ns = run_took_ns(run);

			if (window_ns <= 0)
				continue;
			windows[count++] = (double)window_ns;
			if (run->started_ns > 0 && took_ns > window_ns)
				others[timed++] = (double)(took_ns - window_ns);
		}
	}
	w->window_ns = median_ns(windows, count);
	w->fixed_ns = median_ns(others, timed);
}

struct windows windows_find(const struct pairs *pairs, const struct metric *m, double spread)
{
	char *role __free(memory) = memory_string(m->of);
	char *name = role + strcspn(role, ".");
	struct windows w = {.p = NAN, .cheapest_ns = NAN, .between = NAN, .within = NAN};

	if (*name)
		*name++ = '\0';
	measure_time(pairs, role, &w);
	if (m->summary == SUMMARY_RATE && text_equal(name, "operations")) {
		if (!of_slices(pairs, role, &w))
			w.why_not = "the stored runs have no slices of their windows";
	} else if (summary_quantile_of(m->summary) > 0) {
		if (!of_quantiles(pairs, m, spread, &w))
			w.why_not = "the runs have too few latencies to bound the quantile of each";
	} else {
		w.why_not = "not known of such a metric: only of rates of operations and of "
			    "quantiles";
	}
	return w;
}

double windows_sd_factor(const struct windows *w, double window_ns)
{
	double now = w->between + w->within;

	if (!(now > 0))
		return 1;
	return sqrt((w->between + w->within * (double)w->window_ns / window_ns) / now);
}
