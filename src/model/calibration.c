// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/calibration.h"

#include <math.h>

#include "base/memory.h"
#include "base/text.h"

enum { FORMAT_VERSION = 1 };

const char *const calibration_check_words[] = {
	[CALIBRATION_UNCHECKED] = "unchecked",
	[CALIBRATION_CONFIRMED] = "confirmed",
	[CALIBRATION_CONTRADICTED] = "contradicted",
	[CALIBRATION_UNCLEAR] = "unclear",
	[CALIBRATION_UNCLEAR + 1] = NULL,
};

const char calibration_delay[] = "delay";

void calibration_free(struct calibration *c)
{
	if (!c)
		return;
	free(c->workload);
	json_decref(c->params);
	free(c->primary);
	free(c->command);
	json_decref(c->host);
	free(c->experiments);
	free(c);
}

/* ---- JSON ---- */

json_t *calibration_to_json(const struct calibration *c)
{
	json_t *object = json_object();

	json_object_set_new(object, "version", json_integer(FORMAT_VERSION));
	json_object_set(object, "params", c->params);
	json_object_set_new(object, "primary", json_text(c->primary));
	json_object_set_new(object, "alpha", json_real(c->alpha));
	json_object_set_new(object, "command", json_text(c->command));
	json_object_set(object, "host", c->host);
	json_object_set_new(object, "pairs", json_integer(c->pairs));
	json_object_set_new(object, "sd", json_finite(c->sd));
	json_object_set_new(object, "rejected", json_boolean(c->rejected));
	json_object_set_new(object, "cuts", json_integer(c->cuts));
	json_object_set_new(object, "cuts_rejected", json_integer(c->cuts_rejected));
	json_object_set_new(object, "effect", json_finite(c->effect));
	json_object_set_new(object, "effect_pairs", json_finite(c->effect_pairs));
	json_object_set_new(object, "effect_ns", json_integer(c->effect_ns));
	json_object_set_new(object, "most_pairs", json_integer(c->most_pairs));
	json_object_set_new(object, "check", json_text(calibration_check_words[c->check]));
	json_object_set_new(object, "took_ns", json_integer(c->took_ns));
	return object;
}

/* A number of that key, at least 0; NAN for null. */
static bool get_known(const json_t *object, const char *key, double *ret, struct error *err)
{
	double value;

	if (json_is_null(json_object_get(object, key))) {
		*ret = NAN;
		return true;
	}
	if (!json_get_number(object, key, &value, err))
		return false;
	if (value < 0)
		return error_set(err, ERROR_DATA, "%s: %g", key, value);
	*ret = value;
	return true;
}

static bool read_numbers(const json_t *object, struct calibration *c, struct error *err)
{
	int check;

	if (!json_get_number(object, "alpha", &c->alpha, err) ||
	    !json_get_count(object, "pairs", &c->pairs, err) ||
	    !get_known(object, "sd", &c->sd, err) ||
	    !json_get_bool(object, "rejected", &c->rejected, err) ||
	    !json_get_count(object, "cuts", &c->cuts, err) ||
	    !json_get_count(object, "cuts_rejected", &c->cuts_rejected, err) ||
	    !get_known(object, "effect", &c->effect, err) ||
	    !get_known(object, "effect_pairs", &c->effect_pairs, err) ||
	    !json_get_count(object, "effect_ns", &c->effect_ns, err) ||
	    !json_get_count(object, "most_pairs", &c->most_pairs, err) ||
	    !json_get_word(object, "check", calibration_check_words, &check, err) ||
	    !json_get_count(object, "took_ns", &c->took_ns, err))
		return false;
	c->check = (enum calibration_check)check;
	if (!(c->alpha > 0 && c->alpha < 1))
		return error_set(err, ERROR_DATA, "alpha %g", c->alpha);
	if (isnan(c->effect) != isnan(c->effect_pairs))
		return error_set(err, ERROR_DATA, "effect and effect_pairs: one of them alone");
	return true;
}

bool calibration_from_json(const json_t *object, struct calibration *c, struct error *err)
{
	struct calibration draft = *c;
	json_t *params, *host;
	const char *primary, *command;
	int64_t version;

	if (!json_get_integer(object, "version", &version, err))
		return false;
	if (version != FORMAT_VERSION)
		return error_set(err, ERROR_DATA, "version %lld, this program knows %d",
				 (long long)version, FORMAT_VERSION);
	if (!json_get_strings(object, "params", &params, err) ||
	    !json_get_string(object, "primary", &primary, err) ||
	    !json_get_string(object, "command", &command, err) ||
	    !json_get_object(object, "host", &host, err) || !read_numbers(object, &draft, err))
		return false;
	*c = draft;
	c->params = json_incref(params);
	c->primary = memory_string(primary);
	c->command = memory_string(command);
	c->host = json_incref(host);
	return true;
}

/* ---- whose it is ---- */

json_t *calibration_params(const struct subject *s)
{
	const struct param *declared = s->description->params;
	json_t *params = json_object();

	for (const struct param *p = declared; p->name; p++) {
		const char *value = params_string(s->params[ARM_A], declared, p->name);

		if (value && !text_equal(p->name, calibration_delay))
			json_object_set_new(params, p->name, json_text(value));
	}
	return params;
}

/* True when an arm has that value of a parameter. */
static bool has_value(const struct subject *s, const struct param *p, const char *value)
{
	for (int arm = 0; arm < ARM_MOST; arm++) {
		/* An arm that there is has an object. */
		if ((arm <= ARM_B || s->params[arm]) &&
		    param_same(p, params_string(s->params[arm], s->description->params, p->name),
			       value))
			return true;
	}
	return false;
}

bool calibration_is_of(const struct calibration *c, const struct subject *s)
{
	size_t compared = 0;

	if (!text_equal(c->workload, s->description->name) || !text_equal(c->primary, s->primary))
		return false;
	for (const struct param *p = s->description->params; p->name; p++) {
		const char *value = json_string_value(json_object_get(c->params, p->name));

		if (text_equal(p->name, calibration_delay))
			continue;
		/*
		 * Another version of the workload, with other parameters, is another workload. What
		 * has no default, and was not given, has no value on either side.
		 */
		if (!has_value(s, p, value))
			return false;
		compared += value != NULL;
	}
	return compared == json_object_size(c->params);
}

void calibrations_done(struct calibrations *c)
{
	for (size_t i = 0; i < c->count; i++)
		calibration_free(c->list[i]);
	free(c->list);
	*c = (struct calibrations){0};
}

void calibrations_add(struct calibrations *c, struct calibration *one)
{
	c->list = memory_grow(c->list, (c->count + 1) * sizeof(struct calibration *));
	c->list[c->count++] = one;
}

const struct calibration *calibrations_find(const struct calibrations *c, const struct subject *s,
					    int64_t before_ns)
{
	for (size_t i = c->count; i-- > 0;) {
		if (c->list[i]->made_ns <= before_ns && calibration_is_of(c->list[i], s))
			return c->list[i];
	}
	return NULL;
}
