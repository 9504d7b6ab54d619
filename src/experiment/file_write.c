// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "experiment/file.h"
#include "experiment/repeat.h"

/* Writing an experiment file. What it has is in file.h, how it is read in file.c. */

struct writer {
	yaml_emitter_t emitter;
	bool ok; /* false: memory ended, the only thing that can go wrong */
};

static int append(void *text, unsigned char *bytes, size_t length)
{
	text_append(text, (const char *)bytes, length);
	return 1;
}

/* Hands over an event, if it was made. */
static void emit(struct writer *w, yaml_event_t *event, int made)
{
	if (!made)
		w->ok = false;
	else if (w->ok)
		w->ok = yaml_emitter_emit(&w->emitter, event);
	else
		yaml_event_delete(event);
}

/*
 * Plain where every reader of YAML takes it for one word or number; not even where libyaml itself
 * would do without quotes, as in `~`.
 */
static bool is_plain(const char *text)
{
	static const char marks[] = "_.%/+-,";

	for (const char *at = text; *at; at++) {
		if (!isalnum((unsigned char)*at) && (at == text || !strchr(marks, *at)))
			return false;
	}
	return *text;
}

static void put(struct writer *w, const char *text)
{
	const yaml_char_t *bytes = (const yaml_char_t *)text;
	yaml_scalar_style_t style =
		is_plain(text) ? YAML_PLAIN_SCALAR_STYLE : YAML_DOUBLE_QUOTED_SCALAR_STYLE;
	yaml_event_t event;

	emit(w, &event,
	     yaml_scalar_event_initialize(&event, NULL, NULL, bytes, (int)strlen(text), 1, 1,
					  style));
}

static void begin_mapping(struct writer *w)
{
	yaml_event_t event;

	emit(w, &event,
	     yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE));
}

static void end_mapping(struct writer *w)
{
	yaml_event_t event;

	emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

static void begin_list(struct writer *w)
{
	yaml_event_t event;

	emit(w, &event,
	     yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_FLOW_SEQUENCE_STYLE));
}

static void end_list(struct writer *w)
{
	yaml_event_t event;

	emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

static void put_workloads(struct writer *w, const struct request *r)
{
	put(w, experiment_file_keys[FILE_WORKLOADS]);
	begin_list(w);
	for (size_t i = 0; i < r->workload_count; i++)
		put(w, r->workloads[i].name);
	end_list(w);
}

static void put_primaries(struct writer *w, const struct terms *t)
{
	if (!t->primary_count)
		return;
	put(w, term_words[TERM_PRIMARY]);
	if (t->primary_count > 1)
		begin_list(w);
	for (size_t i = 0; i < t->primary_count; i++)
		put(w, t->primaries[i].key);
	if (t->primary_count > 1)
		end_list(w);
}

static void put_command(struct writer *w, const char *command)
{
	json_t *words __free(json) = NULL;
	struct error ignored;

	if (!command || !json_parse(command, strlen(command), &words, &ignored))
		return;
	put(w, experiment_file_keys[FILE_COMMAND]);
	begin_list(w);
	for (size_t i = 0; i < json_array_size(words); i++)
		put(w, json_string_value(json_array_get(words, i)));
	end_list(w);
}

/* The number of pairs from this one on that say the same key for the same arms. */
static size_t count_again(const struct request *r, size_t first)
{
	size_t count = 1;

	while (first + count < r->said_count &&
	       r->said[first + count].where == r->said[first].where &&
	       text_equal(r->said[first + count].key, r->said[first].key))
		count++;
	return count;
}

static void put_pairs(struct writer *w, const struct request *r, enum file_key key, int where)
{
	size_t count;

	put(w, experiment_file_keys[key]);
	begin_mapping(w);
	for (size_t i = 0; i < r->said_count; i += count) {
		count = count_again(r, i);
		if (r->said[i].where != where)
			continue;
		put(w, r->said[i].key);
		if (count > 1)
			begin_list(w);
		for (size_t k = i; k < i + count; k++)
			put(w, r->said[k].value);
		if (count > 1)
			end_list(w);
	}
	end_mapping(w);
}

static void put_term(struct writer *w, const struct experiment *e, enum term term)
{
	char *text __free(memory) = terms_text(e, term);

	if (!text)
		return;
	put(w, term_words[term]);
	put(w, text);
}

static void put_experiment(struct writer *w, const struct experiment *e, const struct request *r)
{
	static const enum term order[] = {
		TERM_PAIRS,  TERM_MAX_PAIRS, TERM_BUDGET, TERM_UNTIL_DECIDED,
		TERM_MARGIN, TERM_ALPHA,     TERM_SEED,	  TERM_STRICT,
	};
	char *version __free(memory) = text_format("%d", EXPERIMENT_FILE_VERSION);

	begin_mapping(w);
	put(w, experiment_file_keys[FILE_VERSION]);
	put(w, version);
	put_workloads(w, r);
	put_command(w, r->command);
	put_pairs(w, r, FILE_BOTH, SAID_BOTH);
	for (int arm = 0; arm < e->arm_count; arm++)
		put_pairs(w, r, (enum file_key)(FILE_A + arm), arm);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		put_term(w, e, order[i]);
	put_primaries(w, &r->terms);
	end_mapping(w);
}

static bool write_document(const struct experiment *e, const struct request *r, struct text *out)
{
	struct writer w = {.ok = true};
	yaml_event_t event;

	if (!yaml_emitter_initialize(&w.emitter))
		return false;
	yaml_emitter_set_output(&w.emitter, append, out);
	yaml_emitter_set_unicode(&w.emitter, 1);
	/* Lines are not folded. */
	yaml_emitter_set_width(&w.emitter, -1);
	emit(&w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
	emit(&w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
	put_experiment(&w, e, r);
	emit(&w, &event, yaml_document_end_event_initialize(&event, 1));
	emit(&w, &event, yaml_stream_end_event_initialize(&event));
	yaml_emitter_delete(&w.emitter);
	return w.ok;
}

/* ---- reading it back ---- */

/* The experiment that a file makes, of the workloads of this one. */
static bool read_back(const struct experiment *e, const struct text *file, struct experiment *ret,
		      struct error *err)
{
	struct description **known __free(memory) =
		memory_array(e->subject_count + 1, sizeof(struct description *));
	struct request r __cleanup(request_done) = {0};

	for (size_t i = 0; i < e->subject_count; i++)
		known[i] = e->subjects[i].description;
	if (!experiment_file_parse("file", text_string(file), file->length, &r, err) ||
	    !request_resolve(&r, known, 0, ret, err))
		return false;
	terms_apply(&r.terms, &r.file_terms, ret);
	return true;
}

static bool is_same(const struct experiment *a, struct experiment *b)
{
	/* These are not a part of what was asked. */
	b->created_ns = a->created_ns;
	b->command = memory_string(a->command);
	for (size_t i = 0; i < a->curve_count && i < b->curve_count; i++) {
		free(b->curves[i].asked);
		b->curves[i].asked = memory_string(a->curves[i].asked);
		b->curves[i].cpus = a->curves[i].cpus;
	}
	/* One that was made before there were looks is asked again with them. */
	if (a->plan == PLAN_DECIDED && a->pairs && !a->planned_pairs)
		b->planned_pairs = 0;

	json_t *first __free(json) = experiment_to_json(a);
	json_t *second __free(json) = experiment_to_json(b);

	return json_equal(first, second);
}

static bool check(const struct experiment *e, const struct text *file, struct error *err)
{
	struct experiment *back __free(experiment) = experiment_new();

	if (!read_back(e, file, back, err)) {
		err->code = ERROR_DATA;
		return false;
	}
	return is_same(e, back) ||
	       error_set(err, ERROR_DATA, "a file cannot say all that it was made with");
}

bool experiment_file_write(const struct experiment *e, struct text *out, struct error *err)
{
	static const char failed[] = "write the experiment file";
	struct request r __cleanup(request_done) = {0};
	struct text file __text = {0};

	if (e->plan == PLAN_SINGLE)
		return error_set(err, ERROR_USAGE,
				 "%s: a file is about two arms, and this was `contend run`",
				 failed);
	if (!repeat_request(e, &r, err)) {
		err->code = ERROR_DATA;
		return error_wrap(err, "%s", failed);
	}
	if (!write_document(e, &r, &file))
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", failed);
	if (!check(e, &file, err))
		return error_wrap(err, "%s", failed);
	text_append(out, text_string(&file), file.length);
	return true;
}
