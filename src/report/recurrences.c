// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/recurrences.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* A number of a text, in all texts that are alike. */
struct varying {
	bool is_name; /* of a task, as in "reader 0: ...": no more and no less than others */
	unsigned long long *names; /* ascending */
	size_t name_count;
	char *low[ARM_MOST], *high[ARM_MOST]; /* as they were written; NULL: not of that arm */
};

/*
 * The length of the number that begins at `at` in a text, 0 where none does: digits that are part
 * of a word (brk1, 0x1f) or of a version (6.18.44) are not to be counted with.
 */
static size_t number_length(const char *text, const char *at)
{
	static const char digits[] = "0123456789";
	size_t length = strspn(at, digits), behind;

	if (!length ||
	    (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.')))
		return 0;
	if (at[length] == '.') {
		behind = strspn(at + length + 1, digits);
		length += behind ? behind + 1 : 0;
	}
	return length;
}

bool recurrences_are_alike(const char *a, const char *b)
{
	const char *at = a, *bt = b;

	while (*at || *bt) {
		size_t a_length = number_length(a, at), b_length = number_length(b, bt);

		if (!a_length != !b_length)
			return false;
		at += a_length;
		bt += b_length;
		if (!a_length && *at++ != *bt++)
			return false;
	}
	return true;
}

static struct recurrence *add_new(struct recurrences *r, const char *text)
{
	r->list = memory_grow(r->list, (r->count + 1) * sizeof(*r->list));
	r->list[r->count] = (struct recurrence){.text = memory_string(text)};
	return &r->list[r->count++];
}

void recurrences_add(struct recurrences *r, const char *text, int arm)
{
	for (size_t i = 0; i < r->count; i++) {
		if (text_equal(r->list[i].text, text)) {
			r->list[i].runs[arm]++;
			return;
		}
	}
	add_new(r, text)->runs[arm]++;
}

static void note_name(struct varying *v, unsigned long long name)
{
	size_t at = 0;

	while (at < v->name_count && v->names[at] < name)
		at++;
	if (at < v->name_count && v->names[at] == name)
		return;
	v->names = memory_grow(v->names, (v->name_count + 1) * sizeof(*v->names));
	memmove(v->names + at + 1, v->names + at, (v->name_count - at) * sizeof(*v->names));
	v->names[at] = name;
	v->name_count++;
}

static void replace(char **number, char *with)
{
	free(*number);
	*number = memory_string(with);
}

static void note_number(struct varying *v, char *number, int arm)
{
	double value = strtod(number, NULL);

	if (v->is_name)
		note_name(v, strtoull(number, NULL, 10));
	if (!v->low[arm] || value < strtod(v->low[arm], NULL))
		replace(&v->low[arm], number);
	if (!v->high[arm] || value > strtod(v->high[arm], NULL))
		replace(&v->high[arm], number);
}

/* The numbers of a text, each to the one in its place. */
static void note_numbers(struct recurrence *r, const char *text, int arm)
{
	size_t length, index = 0;

	for (const char *at = text; *at; at += length ? length : 1) {
		char *number __free(memory) = NULL;

		length = number_length(text, at);
		if (!length)
			continue;
		if (index == r->number_count) {
			r->numbers = memory_grow(r->numbers,
						 (r->number_count + 1) * sizeof(*r->numbers));
			r->numbers[r->number_count++] =
				(struct varying){.is_name = at[length] == ':'};
		}
		number = text_format("%.*s", (int)length, at);
		note_number(&r->numbers[index++], number, arm);
	}
}

void recurrences_add_alike(struct recurrences *r, const char *text, int arm, size_t run)
{
	struct recurrence *own = NULL;

	for (size_t i = 0; i < r->count && !own; i++) {
		if (recurrences_are_alike(r->list[i].text, text))
			own = &r->list[i];
	}
	if (!own)
		own = add_new(r, text);
	own->varies |= !text_equal(own->text, text);
	note_numbers(own, text, arm);
	if (own->last_run != run + 1)
		own->runs[arm]++;
	own->last_run = run + 1;
}

/* ---- what is said of them all ---- */

/* "0 .. 3, 7": three in a row are a range. */
static void put_names(struct text *out, const struct varying *v)
{
	for (size_t i = 0, last; i < v->name_count; i = last + 1) {
		for (last = i;
		     last + 1 < v->name_count && v->names[last + 1] == v->names[last] + 1;)
			last++;
		if (last == i + 1)
			last = i;
		text_printf(out, "%s%llu", i ? ", " : "", v->names[i]);
		if (last > i)
			text_printf(out, " .. %llu", v->names[last]);
	}
}

static void put_range(struct text *out, const char *low, const char *high)
{
	if (text_equal(low, high))
		text_puts(out, low);
	else
		text_printf(out, "%s .. %s", low, high);
}

static bool is_less(const char *a, const char *b)
{
	return strtod(a, NULL) < strtod(b, NULL);
}

/* Whether the ranges of some two arms have nothing in common. */
static bool lie_apart(const struct varying *v)
{
	for (int a = 0; a < ARM_MOST; a++) {
		for (int b = 0; b < ARM_MOST; b++) {
			if (v->low[a] && v->low[b] && is_less(v->high[a], v->low[b]))
				return true;
		}
	}
	return false;
}

static void put_number(struct text *out, const struct varying *v)
{
	const char *low = NULL, *high = NULL, *separator = "";

	if (v->is_name) {
		put_names(out, v);
		return;
	}
	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (!v->low[arm])
			continue;
		low = !low || is_less(v->low[arm], low) ? v->low[arm] : low;
		high = !high || is_less(high, v->high[arm]) ? v->high[arm] : high;
	}
	if (!lie_apart(v)) {
		put_range(out, low, high);
		return;
	}
	for (int arm = 0; arm < ARM_MOST; arm++) {
		if (!v->low[arm])
			continue;
		text_printf(out, "%s%s ", separator, arm_words[arm]);
		put_range(out, v->low[arm], v->high[arm]);
		separator = ", ";
	}
}

static void write_text(struct recurrence *r)
{
	struct text out = {0};
	size_t length, index = 0;

	for (const char *at = r->text; *at; at += length ? length : 1) {
		length = number_length(r->text, at);
		if (length)
			put_number(&out, &r->numbers[index++]);
		else
			text_append(&out, at, 1);
	}
	free(r->text);
	r->text = text_take(&out);
}

void recurrences_finish(struct recurrences *r)
{
	size_t first = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct recurrence own = r->list[i];

		if (own.varies)
			write_text(&own);
		if (!own.runs[ARM_A]) {
			r->list[i] = own;
			continue;
		}
		memmove(r->list + first + 1, r->list + first, (i - first) * sizeof(own));
		r->list[first++] = own;
	}
}

void recurrences_done(struct recurrences *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct recurrence *own = &r->list[i];

		for (size_t k = 0; k < own->number_count; k++) {
			for (int arm = 0; arm < ARM_MOST; arm++) {
				free(own->numbers[k].low[arm]);
				free(own->numbers[k].high[arm]);
			}
			free(own->numbers[k].names);
		}
		free(own->numbers);
		free(own->text);
	}
	free(r->list);
}
