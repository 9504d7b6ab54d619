// SPDX-License-Identifier: GPL-2.0-or-later
#include "scratch.h"

#include <math.h>

#include "store/schema.h"

/* Calibrations in a store, and stores that are older than they. */

static struct calibration *made_calibration(const int64_t *experiments, size_t count)
{
	struct calibration *c = memory_alloc(sizeof(*c));

	*c = (struct calibration){
		.made_ns = INT64_C(1800000000000000001),
		.workload = memory_string("made"),
		.params = json_pack("{s:s}", "tasks", "1"),
		.primary = memory_string("cost"),
		.alpha = 0.05,
		.command = memory_string("contend calibrate made --seed 1"),
		.host = json_pack("{s:s}", "kernel", "6.18.44"),
		.experiments = memory_array(count, sizeof(*experiments)),
		.experiment_count = count,
		.pairs = 33,
		.sd = 1.0 / 3,
		.cuts = 5,
		.cuts_rejected = 1,
		.effect = 0.021,
		.effect_pairs = 14.25,
		.effect_ns = 28000000001,
		.most_pairs = 40,
		.check = CALIBRATION_CONTRADICTED,
		.took_ns = 123,
	};
	memcpy(c->experiments, experiments, count * sizeof(*experiments));
	return c;
}

static size_t count_read(struct store *s, struct calibrations *ret)
{
	struct error err = {0};

	calibrations_done(ret);
	if (!store_read_calibrations(s, ret, &err))
		fail_msg("%s", err.text);
	return ret->count;
}

static void round_trip(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	const int64_t ids[] = {add_experiment(s), add_experiment(s), add_experiment(s)};
	struct calibration *put __free(calibration) = made_calibration(ids, 3);
	const int64_t other[] = {add_experiment(s)};
	struct calibration *unknown __free(calibration) = made_calibration(other, 1);
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(count_read(s, &all), 0);
	assert_true(store_add_calibration(s, put, &err));
	assert_int_equal(put->id, 1);
	unknown->sd = unknown->effect = unknown->effect_pairs = NAN;
	assert_true(store_add_calibration(s, unknown, &err));
	store_close(take(s));
	assert_true(store_open(path, false, &s, &err));
	assert_int_equal(count_read(s, &all), 2);

	const struct calibration *got = all.list[0];
	json_t *a __free(json) = calibration_to_json(put),
		  *b __free(json) = calibration_to_json(got);

	assert_true(json_equal(a, b));
	assert_int_equal(got->id, 1);
	assert_int_equal(got->made_ns, put->made_ns);
	assert_string_equal(got->workload, "made");
	assert_int_equal(got->experiment_count, 3);
	assert_memory_equal(got->experiments, ids, sizeof(ids));
	assert_true(isnan(all.list[1]->effect) && isnan(all.list[1]->sd));
	assert_int_equal(all.list[1]->experiments[0], other[0]);
}

/* An experiment that is not there, or belongs to another calibration: nothing is kept. */
static void ties(void **state)
{
	char *path __free(memory) = in_scratch("store.db");
	struct store *s __free(store) = open_store(path);
	const int64_t ids[] = {add_experiment(s), add_experiment(s)};
	const int64_t absent[] = {ids[1], 99}, taken[] = {ids[1], ids[0]};
	struct calibration *first __free(calibration) = made_calibration(ids, 1);
	struct calibration *none __free(calibration) = made_calibration(absent, 2);
	struct calibration *twice __free(calibration) = made_calibration(taken, 2);
	struct calibrations all __cleanup(calibrations_done) = {0};
	struct error err = {0};

	(void)state;
	assert_true(store_add_calibration(s, first, &err));
	assert_false(store_add_calibration(s, none, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.text, "99"));
	assert_false(store_add_calibration(s, twice, &err));
	assert_int_equal(twice->id, 0);
	assert_int_equal(count_read(s, &all), 1);
	assert_int_equal(all.list[0]->experiment_count, 1);
	/* What was refused left no tie behind. */
	free(twice->experiments);
	twice->experiments = memory_array(1, sizeof(*twice->experiments));
	twice->experiments[0] = ids[1];
	twice->experiment_count = 1;
	assert_true(store_add_calibration(s, twice, &err));
}

/* What stands in a file that came by mail is looked at. */
static void damage(void **state)
{
	static const char *const definitions[] = {
		"'{'",
		"'{}'",
		"replace(definition, '\"version\":1', '\"version\":2')",
		"replace(definition, '\"alpha\":0.05', '\"alpha\":1.05')",
		"replace(definition, '\"effect\":0.021', '\"effect\":null')",
		"replace(definition, '\"sd\":0.', '\"sd\":-0.')",
		"replace(definition, 'contradicted', 'refuted')",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
		char *name __free(memory) = text_format("%zu.db", i);
		char *path __free(memory) = in_scratch(name);
		char *change __free(memory) =
			text_format("UPDATE calibration SET definition = %s", definitions[i]);
		struct store *s __free(store) = open_store(path);
		const int64_t ids[] = {add_experiment(s)};
		struct calibration *c __free(calibration) = made_calibration(ids, 1);
		struct calibrations all = {0};
		struct error err = {0};

		assert_true(store_add_calibration(s, c, &err));
		store_close(take(s));
		sql(path, change);
		assert_true(store_open(path, false, &s, &err));
		if (store_read_calibrations(s, &all, &err))
			fail_msg("%s was read", definitions[i]);
		assert_int_equal(err.code, ERROR_DATA);
		assert_non_null(strstr(err.text, "calibration 1 is damaged"));
	}
}

/* A store of an older version with one experiment. */
static void made_by_version(const char *path, int version)
{
	for (int step = 0; step < version; step++)
		sql(path, schema_steps[step]);

	char *mark __free(memory) =
		text_format("PRAGMA application_id = %d; PRAGMA user_version = %d;"
			    "INSERT INTO experiment (created_ns, command, definition) "
			    "VALUES (1, 'contend ab made', '{}')",
			    STORE_APPLICATION_ID, version);

	sql(path, mark);
}

/* It is read as it is, and brought up to date by whoever writes. */
static void older(void **state)
{
	(void)state;
	for (int version = 1; version < STORE_VERSION; version++) {
		char *name __free(memory) = text_format("%d.db", version);
		char *path __free(memory) = in_scratch(name);
		const int64_t ids[] = {1};
		struct calibration *c __free(calibration) = made_calibration(ids, 1);
		struct calibrations all __cleanup(calibrations_done) = {0};
		struct store *s __free(store) = NULL;
		char *now __free(memory) = NULL;
		struct error err = {0};

		made_by_version(path, version);
		if (!store_open(path, false, &s, &err))
			fail_msg("version %d: %s", version, err.text);
		assert_int_equal(count_read(s, &all), 0);
		store_close(take(s));
		s = open_store(path);
		assert_true(store_add_calibration(s, c, &err));
		assert_int_equal(count_read(s, &all), 1);
		assert_int_equal(all.list[0]->experiments[0], 1);
		store_close(take(s));
		now = sql_value(path, "PRAGMA user_version");
		assert_int_equal(atoi(now), STORE_VERSION);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH_TEST(round_trip),
		SCRATCH_TEST(ties),
		SCRATCH_TEST(damage),
		SCRATCH_TEST(older),
	};

	json_use_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
