// SPDX-License-Identifier: GPL-2.0-or-later
#include "experiment/file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"

/*
 * Read event by event, so that nothing is built from what is then refused: at the first node that
 * does not belong where it is the parser stops, however deep what follows may be nested.
 */

const char *const experiment_file_keys[FILE_KEYS] = {
	[FILE_VERSION] = "contend",
	[FILE_WORKLOADS] = "workloads",
	[FILE_COMMAND] = "command",
	[FILE_BOTH] = "both",
	[FILE_A + ARM_A] = "a",
	[FILE_A + ARM_B] = "b",
	[FILE_A + ARM_C] = "c",
	[FILE_A + ARM_D] = "d",
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the one at hand */
	const char *bytes;
	size_t length;
	struct request *r;
	struct error *err;
	char **words; /* of the command */
	size_t word_count;
	bool flow_list;			     /* the list at hand is written [...] */
	size_t line[FILE_KEYS + TERM_COUNT]; /* where each key was first; 0: not yet */
};

static void reader_done(struct reader *f)
{
	yaml_event_delete(&f->event);
	yaml_parser_delete(&f->parser);
	for (size_t i = 0; i < f->word_count; i++)
		free(f->words[i]);
	free(f->words);
}

/* ---- places and refusals ---- */

static struct place place_of(yaml_mark_t mark)
{
	return (struct place){.line = mark.line + 1, .column = mark.column + 1};
}

static struct place here(const struct reader *f)
{
	return place_of(f->event.start_mark);
}

/* Where a byte is: libyaml has no mark for one that it cannot take for a character. */
static struct place place_of_byte(const struct reader *f, size_t offset)
{
	struct place p = {.line = 1, .column = 1};

	for (size_t i = 0; i < offset && i < f->length; i++) {
		if (f->bytes[i] == '\n')
			p = (struct place){.line = p.line + 1, .column = 1};
		else if ((f->bytes[i] & 0xc0) != 0x80)
			p.column++;
	}
	return p;
}

/* The byte at a mark, whose index counts characters; 0: the file ends there. */
static char byte_at(const struct reader *f, yaml_mark_t mark)
{
	size_t characters = 0;

	for (size_t i = 0; i < f->length; i++) {
		if ((f->bytes[i] & 0xc0) != 0x80 && characters++ == mark.index)
			return f->bytes[i];
	}
	return '\0';
}

#define refuse_at(f, place, ...)                                                                   \
	(error_set((f)->err, ERROR_USAGE, __VA_ARGS__), request_wrap((f)->r, place, (f)->err))
#define refuse(f, ...) refuse_at(f, here(f), __VA_ARGS__)

/* True when the file ends in what a quote or bracket began: that is where to look. */
static bool is_unclosed(const struct reader *f)
{
	const yaml_parser_t *p = &f->parser;
	char first = p->context ? byte_at(f, p->context_mark) : '\0';

	return first && strchr("\"'[{", first) && !byte_at(f, p->problem_mark);
}

static bool refuse_syntax(struct reader *f)
{
	const yaml_parser_t *p = &f->parser;

	switch (p->error) {
	case YAML_READER_ERROR:
		return refuse_at(f, place_of_byte(f, p->problem_offset), "not a text: %s",
				 p->problem);
	case YAML_SCANNER_ERROR:
	case YAML_PARSER_ERROR:
		if (byte_at(f, p->problem_mark) == '\t')
			return refuse_at(f, place_of(p->problem_mark),
					 "not YAML: a tab: lines are indented with blanks");
		if (is_unclosed(f))
			return refuse_at(f, place_of(p->context_mark),
					 "not YAML: the %c is not closed before the file ends",
					 byte_at(f, p->context_mark));
		if (!p->context)
			return refuse_at(f, place_of(p->problem_mark), "not YAML: %s", p->problem);
		return refuse_at(f, place_of(p->problem_mark), "not YAML: %s (%s, line %zu)",
				 p->problem, p->context, p->context_mark.line + 1);
	default:
		return error_set(f->err, ERROR_SYSTEM, "%s: out of memory", f->r->file);
	}
}

/* ---- events ---- */

/* What YAML has and an experiment file has not. */
static bool check_plain(struct reader *f, const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		return refuse(f, "anchor '&%.100s': there are none here, write the value out",
			      (const char *)anchor);
	if (tag)
		return refuse(f, "tag '%.100s': there are none here, values are taken as written",
			      (const char *)tag);
	return true;
}

/* Goes to the next event. */
static bool next(struct reader *f)
{
	const yaml_event_t *e = &f->event;

	yaml_event_delete(&f->event);
	if (!yaml_parser_parse(&f->parser, &f->event))
		return refuse_syntax(f);
	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return refuse(f, "alias '*%.100s': there are none here, write the value out",
			      (const char *)e->data.alias.anchor);
	case YAML_SCALAR_EVENT:
		return check_plain(f, e->data.scalar.anchor, e->data.scalar.tag);
	case YAML_SEQUENCE_START_EVENT:
		return check_plain(f, e->data.sequence_start.anchor, e->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return check_plain(f, e->data.mapping_start.anchor, e->data.mapping_start.tag);
	default:
		return true;
	}
}

static bool is_at(const struct reader *f, yaml_event_type_t type)
{
	return f->event.type == type;
}

/* The text of the scalar at hand; NULL: refused. what: "the value of budget". Owned by the caller. */
static char *take_scalar(struct reader *f, const char *what)
{
	const char *text = (const char *)f->event.data.scalar.value;
	size_t length = f->event.data.scalar.length;

	if (!is_at(f, YAML_SCALAR_EVENT))
		refuse(f, "%s is a %s, and must be one value", what,
		       is_at(f, YAML_MAPPING_START_EVENT) ? "mapping" : "list");
	else if (memchr(text, '\0', length))
		refuse(f, "%s has a zero byte in it", what);
	else if (!length && f->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
		refuse(f, "%s is missing: one that is empty is written ''", what);
	else
		return memory_string(text);
	return NULL;
}

/* ---- the keys ---- */

static bool read_version(struct reader *f)
{
	char *version __free(memory) = take_scalar(f, "the version");
	char *known __free(memory) = text_format("%d", EXPERIMENT_FILE_VERSION);

	if (!version)
		return false;
	return text_equal(version, known) ||
	       refuse(f, "version '%.100s' of the format: this program reads %s", version, known);
}

/*
 * A name that several words make: what was meant is a list, or one that was not closed and went on
 * into the next key.
 */
static bool refuse_words(struct reader *f, const char *name)
{
	struct text list __text = {0};

	if (f->event.end_mark.line != f->event.start_mark.line)
		return refuse(f,
			      "'%.100s' is not the name of a workload: it goes over two lines: "
			      "is a comma or the ] of the list missing?",
			      name);
	for (const char *at = name; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		text_puts(&list, list.length ? ", " : "");
		text_append(&list, at, length);
		at += length;
	}
	return refuse(f, "'%.100s' is not the name of a workload: a list is written [%.100s]", name,
		      text_string(&list));
}

static bool add_workload(struct reader *f)
{
	char *name __free(memory) = NULL;

	/* In a list `key: value` is a mapping, also when the list was to end before it. */
	if (is_at(f, YAML_MAPPING_START_EVENT) && f->flow_list)
		return refuse(f, "a key in the list of workloads: is the ] of the list missing?");
	name = take_scalar(f, "the name of a workload");
	if (!name)
		return false;
	if (strchr(name, ' '))
		return refuse_words(f, name);
	return request_add_workload(f->r, name, here(f), f->err) ||
	       request_wrap(f->r, here(f), f->err);
}

/* One name, or a list of them. */
static bool read_names(struct reader *f, const char *key, bool (*add)(struct reader *))
{
	struct place place = here(f);
	size_t count = 0;

	if (!is_at(f, YAML_SEQUENCE_START_EVENT))
		return add(f);
	f->flow_list = f->event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
	do {
		if (!next(f))
			return false;
		if (is_at(f, YAML_SEQUENCE_END_EVENT))
			return count ||
			       refuse_at(f, place,
					 "%s: the list is empty: name one, or leave %s out", key,
					 key);
		count++;
	} while (add(f));
	return false;
}

static bool is_merge(const char *key)
{
	return text_equal(key, "<<");
}

/* What belongs to a pair: one value, or a list of them, each as if it was said again. */
static bool read_values(struct reader *f, int where, const char *key, struct place place)
{
	char *what __free(memory) = text_format("the value of %.100s", key);
	bool list = is_at(f, YAML_SEQUENCE_START_EVENT);

	do {
		char *value __free(memory) = NULL;

		if (list && !next(f))
			return false;
		if (list && is_at(f, YAML_SEQUENCE_END_EVENT))
			return true;
		value = take_scalar(f, what);
		if (!value)
			return false;
		if (!request_add_pair(f->r, where, key, place, value, here(f), f->err))
			return request_wrap(f->r, place, f->err);
		f->r->said[f->r->said_count - 1].listed = list;
	} while (list);
	return true;
}

/* A pair of which the key is at hand. */
static bool read_pair(struct reader *f, int where)
{
	struct place place = here(f);
	char *key __free(memory) = take_scalar(f, "the name of a parameter");

	if (!key)
		return false;
	if (is_merge(key))
		return refuse(f, "merge key '<<': there are none here, write the parameters out");

	return next(f) && read_values(f, where, key, place);
}

static bool add_word(struct reader *f)
{
	char *word = take_scalar(f, "a word of the command");

	if (!word)
		return false;
	f->words = memory_grow(f->words, (f->word_count + 1) * sizeof(*f->words));
	f->words[f->word_count++] = word;
	return true;
}

static bool read_command(struct reader *f)
{
	struct place place = here(f);

	if (!is_at(f, YAML_SEQUENCE_START_EVENT))
		return refuse(f, "the command must be a list of words, as [make, -j4]");
	return read_names(f, experiment_file_keys[FILE_COMMAND], add_word) &&
	       (request_set_command(f->r, (const char *const *)f->words, f->word_count, place,
				    f->err) ||
		request_wrap(f->r, place, f->err));
}

static bool read_pairs(struct reader *f, enum file_key key)
{
	int where = key == FILE_BOTH ? SAID_BOTH : (int)(key - FILE_A);

	if (!is_at(f, YAML_MAPPING_START_EVENT))
		return refuse(f,
			      "%s must be parameters with their values, as in {window: 2s}, or {}",
			      experiment_file_keys[key]);
	if (where != SAID_BOTH)
		f->r->named[where] = true;
	do {
		if (!next(f))
			return false;
		if (is_at(f, YAML_MAPPING_END_EVENT))
			return true;
	} while (read_pair(f, where));
	return false;
}

static bool add_primary(struct reader *f)
{
	char *key __free(memory) = take_scalar(f, "the name of a metric");

	if (key)
		terms_add_primary(&f->r->file_terms, key, here(f));
	return key;
}

static bool read_term(struct reader *f, enum term term)
{
	if (term == TERM_PRIMARY)
		return read_names(f, term_words[term], add_primary);

	char *what __free(memory) = text_format("the value of %s", term_words[term]);
	char *value __free(memory) = take_scalar(f, what);

	if (!value)
		return false;
	f->r->file_terms.of_file = true;
	if (terms_set(&f->r->file_terms, term, value, f->err))
		return true;
	error_wrap(f->err, "%s", term_words[term]);
	return request_wrap(f->r, here(f), f->err);
}

/* What the key at hand is: an enum file_key, or FILE_KEYS and a term; -1: refused. */
static int find_key(struct reader *f, const char *key)
{
	struct nearest nearest = {.name = key};

	for (int i = 0; i < FILE_KEYS + TERM_COUNT; i++) {
		const char *known =
			i < FILE_KEYS ? experiment_file_keys[i] : term_words[i - FILE_KEYS];

		if (text_equal(key, known))
			return i;
		nearest_try(&nearest, known);
	}
	if (is_merge(key))
		refuse(f, "merge key '<<': there are none here, write the keys out");
	else
		refuse(f, "no key '%.100s'%s (parameters belong under both, or under a, b, c or d)",
		       key, nearest_hint(&nearest));
	return -1;
}

/* A key of the file, which is at hand, and what belongs to it. */
static bool read_key(struct reader *f)
{
	char *key __free(memory) = take_scalar(f, "a key");
	int number = key ? find_key(f, key) : -1;

	if (number < 0)
		return false;
	if (f->line[number])
		return refuse(f, "%s is there twice: first in line %zu", key, f->line[number]);
	if (number != FILE_VERSION && !f->line[FILE_VERSION])
		return refuse(f, "the first key must be %s: %d, the version of the format",
			      experiment_file_keys[FILE_VERSION], EXPERIMENT_FILE_VERSION);
	f->line[number] = here(f).line;
	if (number >= FILE_A && number < FILE_KEYS)
		f->r->named_at[number - FILE_A] = here(f);
	if (!next(f))
		return false;
	switch (number) {
	case FILE_VERSION:
		return read_version(f);
	case FILE_WORKLOADS:
		return read_names(f, experiment_file_keys[number], add_workload);
	case FILE_COMMAND:
		return read_command(f);
	default:
		return number < FILE_KEYS ? read_pairs(f, (enum file_key)number)
					  : read_term(f, (enum term)(number - FILE_KEYS));
	}
}

/* ---- the file ---- */

/* Passes what has no text of its own: the start of the stream, the end of a document. */
static bool pass(struct reader *f)
{
	return next(f);
}

static bool read_document(struct reader *f)
{
	if (!pass(f) || !next(f))
		return false;
	if (!is_at(f, YAML_DOCUMENT_START_EVENT))
		return refuse(f, "empty: an experiment file begins with %s: %d",
			      experiment_file_keys[FILE_VERSION], EXPERIMENT_FILE_VERSION);
	if (!next(f))
		return false;
	if (!is_at(f, YAML_MAPPING_START_EVENT))
		return refuse(f, "not an experiment: it must begin with %s: %d",
			      experiment_file_keys[FILE_VERSION], EXPERIMENT_FILE_VERSION);
	do {
		if (!next(f))
			return false;
	} while (!is_at(f, YAML_MAPPING_END_EVENT) && read_key(f));
	if (!is_at(f, YAML_MAPPING_END_EVENT))
		return false;
	if (!f->line[FILE_VERSION])
		return refuse(f, "the first key must be %s: %d, the version of the format",
			      experiment_file_keys[FILE_VERSION], EXPERIMENT_FILE_VERSION);
	if (!pass(f) || !next(f))
		return false;
	return is_at(f, YAML_STREAM_END_EVENT) ||
	       refuse(f, "a second document: one experiment a file");
}

bool experiment_file_parse(const char *name, const char *bytes, size_t length, struct request *r,
			   struct error *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct reader f __cleanup(reader_done) = {.r = r, .err = err};

	/* A byte order mark says nothing in UTF-8. */
	f.bytes = length >= 3 && !memcmp(bytes, mark, 3) ? bytes + 3 : bytes;
	f.length = length - (size_t)(f.bytes - bytes);
	free(r->file);
	r->file = memory_string(name);
	if (!yaml_parser_initialize(&f.parser))
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", name);
	/* No guess by its first bytes: a file in UTF-16 is refused. */
	yaml_parser_set_encoding(&f.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&f.parser, (const unsigned char *)f.bytes, f.length);
	return read_document(&f);
}

bool experiment_file_load(const char *path, struct request *r, struct error *err)
{
	bool input = text_equal(path, "-");
	struct text contents __text = {0};
	bool ok =
		input ? file_read_fd(STDIN_FILENO, "<stdin>", EXPERIMENT_FILE_BYTES, &contents, err)
		      : file_read("", path, EXPERIMENT_FILE_BYTES, &contents, err);

	if (!ok) {
		err->code = ERROR_USAGE;
		return error_wrap(err, "experiment file");
	}
	return experiment_file_parse(input ? "<stdin>" : path, text_string(&contents),
				     contents.length, r, err);
}
