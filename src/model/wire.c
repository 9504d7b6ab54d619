// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/wire.h"

const char *const wire_job_words[] = {
	[WIRE_DESCRIBE] = "describe",
	[WIRE_RUN] = "run",
	[WIRE_UNDO] = "undo",
	[WIRE_DOCTOR] = "doctor",
	[WIRE_HOLD] = "hold",
	[WIRE_HOLD + 1] = NULL,
};

const char *const wire_type_words[] = {
	[WIRE_BEGIN] = "begin",
	[WIRE_PROGRESS] = "progress",
	[WIRE_ANSWER] = "answer",
	[WIRE_ERROR] = "error",
	[WIRE_END] = "end",
	[WIRE_END + 1] = NULL,
};

const char *const wire_code_words[] = {
	[ERROR_NONE] = "none",
	[ERROR_USAGE] = "usage",
	[ERROR_UNSUPPORTED] = "unsupported",
	[ERROR_SYSTEM] = "system",
	[ERROR_DATA] = "data",
	[ERROR_TIMEOUT] = "timeout",
	[ERROR_INTERRUPTED] = "interrupted",
	[ERROR_INTERRUPTED + 1] = NULL,
};

/* {"contend":1,KEY:word,"id":…} */
static json_t *line_new(const char *key, const char *word, const char *id)
{
	json_t *line = json_object();

	json_object_set_new(line, "contend", json_integer(WIRE_VERSION));
	json_object_set_new(line, key, json_text(word));
	json_object_set_new(line, "id", json_text(id));
	return line;
}

static bool read_line(const json_t *line, const char *key, const char *const *words, int *ret_word,
		      const char **ret_id, struct error *err)
{
	int64_t version;
	const char *id;
	int word;

	/* The version first: a later one may have other fields. */
	if (!json_get_integer(line, "contend", &version, err))
		return false;
	if (version != WIRE_VERSION)
		return error_set(err, ERROR_DATA, "line format %lld, this program speaks %d",
				 (long long)version, WIRE_VERSION);
	if (!json_get_word(line, key, words, &word, err) || !json_get_string(line, "id", &id, err))
		return false;
	*ret_word = word;
	*ret_id = id;
	return true;
}

json_t *wire_request_to_json(const struct wire_request *request)
{
	json_t *line = line_new("job", wire_job_words[request->job], request->id);

	if (request->job != WIRE_RUN)
		return line;
	json_object_set_new(line, "workload", json_text(request->workload));
	if (request->params)
		json_object_set(line, "params", request->params);
	else
		json_object_set_new(line, "params", json_object());
	if (request->holder)
		json_object_set_new(line, "holder", json_integer(request->holder));
	return line;
}

bool wire_request_from_json(const json_t *object, struct wire_request *ret, struct error *err)
{
	struct wire_request request = {0};
	int job;

	if (!read_line(object, "job", wire_job_words, &job, &request.id, err))
		return error_wrap(err, "job");
	request.job = (enum wire_job)job;
	if (request.job == WIRE_RUN &&
	    (!json_get_name(object, "workload", &request.workload, err) ||
	     !json_get_strings(object, "params", &request.params, err) ||
	     (json_object_get(object, "holder") &&
	      !json_get_count(object, "holder", &request.holder, err))))
		return error_wrap(err, "job");
	*ret = request;
	return true;
}

json_t *wire_line_new(enum wire_type type, const char *id)
{
	return line_new("type", wire_type_words[type], id);
}

bool wire_line_type(const json_t *line, enum wire_type *ret_type, const char **ret_id,
		    struct error *err)
{
	int type;

	if (!read_line(line, "type", wire_type_words, &type, ret_id, err))
		return error_wrap(err, "line");
	*ret_type = (enum wire_type)type;
	return true;
}
