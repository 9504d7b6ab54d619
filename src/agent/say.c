// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "agent/agent.h"
#include "base/file.h"
#include "base/text.h"

void agent_say(struct agent *a, json_t *line)
{
	char *bytes = json_line(line);
	struct text t __text = {.bytes = bytes, .length = strlen(bytes), .room = strlen(bytes) + 1};
	struct error ignored;

	json_decref(line);
	text_puts(&t, "\n");
	if (!a->gone && !file_write_all(a->output, t.bytes, t.length, &ignored))
		a->gone = true;
}

void agent_say_progress(struct agent *a, const char *phase, double share)
{
	json_t *line = wire_line_new(WIRE_PROGRESS, a->id);

	json_object_set_new(line, "phase", json_text(phase));
	json_object_set_new(line, "share", json_real(share));
	agent_say(a, line);
}
