// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "workload/crew/handover.h"
#include "workload/crew/params.h"

/* A process of the workload external with two tasks, as its keeper has it. */
struct made {
	struct param *declared;
	json_t *values;
	struct cast cast;
	struct placement placement;
	struct stage_map map;
	struct process process;
	char *text;
};

static int make(void **state)
{
	static struct made m;
	struct error err;

	m = (struct made){.map = STAGE_MAP_NONE};
	m.cast.workload = workload_find("external");
	m.declared = params_declared(m.cast.workload);
	m.values = json_pack("{s:s, s:s}", "file", "./no \"such\" file.so", "tasks", "2");
	m.cast.declared = m.declared;
	m.cast.values = m.values;
	m.placement.roles[0].tasks = 2;
	m.placement.roles[0].cpus = memory_array(2, sizeof(int));
	m.placement.roles[0].cpus[0] = 5;
	m.placement.roles[0].cpus[1] = 3;
	assert_true(stage_open(&m.cast, &m.placement, &m.map, &err));
	assert_true(m.map.fd >= 0);
	m.process = (struct process){
		.cast = &m.cast,
		.placement = &m.placement,
		.map = &m.map,
		.parts = {{0, 0, 2}},
		.part_count = 1,
		.threads = true,
	};
	m.text = handover_make(&m.process);
	*state = &m;
	return 0;
}

static int unmake(void **state)
{
	struct made *m = *state;

	stage_close(&m->map);
	placement_done(&m->placement);
	json_decref(m->values);
	free(m->declared);
	free(m->text);
	return 0;
}

/* What the runner gets is what the agent has, and both see one memory. */
static void test_round_trip(void **state)
{
	struct made *m = *state;
	struct handover h __cleanup(handover_done) = {.map = STAGE_MAP_NONE};
	struct error err;
	int fd = dup(m->map.fd);

	/* The runner's own descriptor of it, which it closes. */
	assert_true(dup2(m->map.fd, fd) == fd);
	m->map.fd = fd;
	free(m->text);
	m->text = handover_make(&m->process);
	if (!handover_take(m->text, &h, &err))
		fail_msg("%s", err.text);
	m->map.fd = -1;
	assert_int_equal(h.role, 0);
	assert_true(h.threads);
	assert_string_equal(cast_string(&h.cast, "file"), "./no \"such\" file.so");
	assert_int_equal(cast_tasks(&h.cast, &h.cast.workload->roles[0]), 2);
	assert_int_equal(h.placement.roles[0].tasks, 2);
	assert_int_equal(h.placement.roles[0].cpus[0], 5);
	assert_int_equal(h.placement.roles[0].cpus[1], 3);
	stage_slot(&h.map, 0, 1)->iterations = 4711;
	assert_int_equal(stage_slot(&m->map, 0, 1)->iterations, 4711);
	atomic_store(&m->map.stage->phase, PHASE_WINDOW);
	assert_int_equal(atomic_load(&h.map.stage->phase), PHASE_WINDOW);
	/* The bell stays the agent's. */
	h.map.bell = -1;
}

static void refused(const struct made *m, const char *key, json_t *value, const char *reason)
{
	struct handover h = {.map = STAGE_MAP_NONE};
	json_t *job __free(json) = json_loads(m->text, 0, NULL);
	char *text __free(memory) = NULL;
	struct error err;

	json_object_set_new(job, "stage", json_integer(dup(m->map.fd)));
	json_object_set_new(job, key, value);
	text = json_line(job);
	assert_false(handover_take(text, &h, &err));
	if (!strstr(err.text, reason))
		fail_msg("'%s' is not said in '%s'", reason, err.text);
}

static void test_refused(void **state)
{
	const struct made *m = *state;
	struct handover h = {.map = STAGE_MAP_NONE};
	struct error err;

	refused(m, "version", json_string("0.0.9"), "the agent has 0.0.9");
	refused(m, "version", json_null(), "no version");
	refused(m, "workload", json_string("nosuch"), "no workload");
	refused(m, "workload", json_string("brk1"), "no role");
	refused(m, "role", json_integer(1), "no role");
	refused(m, "role", json_integer(-1), "no role");
	refused(m, "params", json_null(), "no params");
	refused(m, "params", json_pack("{s:s}", "tasks", "2"), "file= must be given");
	refused(m, "cpus", json_array(), "no cpus");
	/* One task more than the stage was made for: a runner that lays it out otherwise. */
	refused(m, "cpus", json_pack("[i,i,i]", 0, 1, 2), "the agent is of another version");
	refused(m, "stage", json_integer(-1), "no stage");
	refused(m, "stage", json_integer(1 << 20), "Bad file descriptor");
	assert_false(handover_take("{", &h, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, make, unmake),
		cmocka_unit_test_setup_teardown(test_refused, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
