// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/conduct.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/conclude.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "experiment/repeat.h"

bool conduct_store(const struct common *c, bool create, struct store **ret_store, struct error *err)
{
	char *usual __free(memory) = NULL;

	if (!c->store) {
		usual = store_default_path(err);
		if (!usual)
			return false;
	}
	return store_open(c->store ? c->store : usual, create, ret_store, err);
}

/*
 * Every run would say the same, three times. What the agent told is about the defaults: where
 * parameters were given it is for the runs to find out. Beside others it is given up, and they go
 * on.
 */
static bool check_supported(const struct experiment *e, struct error *err)
{
	const struct subject *s = &e->subjects[0];
	const struct description *d = s->description;

	if (e->subject_count > 1 || !d->unsupported)
		return true;
	for (int arm = 0; arm < e->arm_count; arm++) {
		if (json_object_size(s->params[arm]))
			return true;
	}
	return error_set(err, ERROR_UNSUPPORTED, "%s cannot run here: %s", d->name, d->unsupported);
}

bool conduct_heed_interrupts(int *ret_stop_fd, struct error *err)
{
	if (!interrupt_catch(ret_stop_fd, err))
		return error_wrap(err, "heed interrupts");
	store_stop_on(*ret_stop_fd);
	return true;
}

bool conduct_resolve(struct experiment *e, struct request *request, int stop_fd,
		     struct agent_identity *ret_agent, struct error *err)
{
	struct inventory agent __cleanup(inventory_done) = {0};

	if (!target_describe(&target_local, stop_fd, &agent, ret_agent, err) ||
	    !request_resolve(request, agent.workloads, agent.cpus, e, err) ||
	    !check_supported(e, err))
		return false;
	/* One arm has no order that a seed would repeat. */
	if (e->plan != PLAN_SINGLE && !request->terms.said[TERM_SEED] &&
	    !request->file_terms.said[TERM_SEED])
		e->seed = random_fresh_seed();
	return true;
}

bool conduct_keep(struct experiment *e, struct store *store, struct error *err)
{
	e->created_ns = clock_wall_ns();
	return repeat_command(e, &e->command, err) && store_add_experiment(store, e, err) &&
	       store_claim(store, e->id, err);
}

/* Whether a run of it changes the machine. */
static bool changes_machine(const struct experiment *e)
{
	for (size_t i = 0; i < e->subject_count; i++) {
		for (int arm = 0; arm < e->arm_count; arm++) {
			const char *name;
			json_t *value;

			json_object_foreach(e->subjects[i].params[arm], name, value) {
				const struct param *p =
					param_find(e->subjects[i].description->params, name);

				if (p && p->setup && !p->private)
					return true;
			}
		}
	}
	return false;
}

bool conduct_run(struct lab_case *held, struct store *store, int stop_fd,
		 const struct agent_identity *agent, bool beyond, const struct common *c,
		 enum lab_end *ret_end, struct judgement **ret_judgement, struct error *err)
{
	struct progress progress;
	const struct lab_watch watch = {
		.progress = progress_show,
		.context = &progress,
		.stop_fd = stop_fd,
	};
	char version[] = CONTEND_VERSION;
	char *said __free(memory) = memory_string(agent->text);
	const struct session session = {.version = version, .agent = said, .beyond = beyond};
	bool kept, holds = changes_machine(held->experiment);

	if (holds && !target_local.hold(stop_fd, err))
		return false;
	progress_init(&progress, c->quiet);
	kept = lab_run(held, &target_local, store, &watch, &session, ret_end, ret_judgement, err);
	progress_clear(&progress);
	if (holds)
		target_local.release();
	return kept || error_wrap(err, "experiment %lld, %zu runs kept",
				  (long long)held->experiment->id, held->runs.count);
}

int conduct_case(struct lab_case *held, struct store *store, int stop_fd,
		 const struct agent_identity *agent, bool beyond, const struct common *c,
		 struct error *err)
{
	struct judgement *judgement __free(judgement) = NULL;
	enum lab_end end;

	if (!conduct_run(held, store, stop_fd, agent, beyond, c, &end, &judgement, err))
		return COMMAND_FAILED;
	return conclude(held, judgement, store, c, err);
}

int conduct(struct experiment *e, struct request *request, const struct common *c,
	    struct error *err)
{
	struct store *store __free(store) = NULL;
	struct lab_case held = {.experiment = e};
	struct agent_identity agent;
	int stop_fd, status;

	/* Before the experiment is in the store: from there on an interrupt has an end to write. */
	if (!conduct_heed_interrupts(&stop_fd, err) ||
	    !conduct_resolve(e, request, stop_fd, &agent, err) ||
	    (changes_machine(e) && !target_local.hold(stop_fd, err)) ||
	    !conduct_store(c, true, &store, err) || !conduct_keep(e, store, err))
		return COMMAND_FAILED;
	status = conduct_case(&held, store, stop_fd, &agent, false, c, err);
	/* The caller's. */
	held.experiment = NULL;
	lab_case_done(&held);
	return status;
}
