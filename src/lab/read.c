// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/memory.h"
#include "import/importer.h"
#include "lab/block.h"

void block_read_outputs(const struct experiment *e, size_t subject, struct run *run)
{
	struct error err;

	if (importer_read_run(run, e->subjects[subject].description, &err))
		return;
	free(run->reason);
	run->outcome = OUTCOME_INVALID;
	run->reason = memory_string(err.text);
}

bool lab_read(struct lab_case *c, struct store *store, int64_t id, struct error *err)
{
	if (!store_read_all(store, id, &c->experiment, &c->runs, &c->history, err))
		return false;
	for (size_t i = 0; i < c->runs.count; i++)
		block_read_outputs(c->experiment, c->runs.list[i].subject, c->runs.list[i].run);
	return true;
}
