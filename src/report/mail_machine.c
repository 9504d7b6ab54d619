// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/fingerprint.h"
#include "report/mail.h"

/* What the mail report says of the machine. Longer lists and values are in the JSON report. */
enum { FACTS_SHOWN = 6, VALUE_SHOWN = 48 };

static const char *host_string(const struct machine *machine, const char *key)
{
	return json_string_value(json_object_get(machine->host, key));
}

/* "2 CPUs" or, where the run was not allowed all of them, "2 of 8 CPUs". */
static void put_cpus(struct text *out, const struct machine *machine)
{
	const char *online = host_string(machine, "cpus_online");
	const char *allowed = host_string(machine, "cpus_allowed");
	int64_t all = online ? fingerprint_cpu_count(online) : 0;
	int64_t own = allowed ? fingerprint_cpu_count(allowed) : 0;

	if (!all)
		return;
	/* The list of allowed CPUs may name some that are not there. */
	if (own && own < all)
		text_printf(out, ", %" PRId64 " of %" PRId64 " CPUs", own, all);
	else
		text_printf(out, ", %" PRId64 " CPU%s", all, all == 1 ? "" : "s");
}

char *mail_machine(const struct facts *facts)
{
	const struct machine *machine = &facts->machine;
	const struct difference *differ = machine_difference(machine, "kernel");
	const char *kernel = host_string(machine, "kernel");
	const char *hypervisor = host_string(machine, "hypervisor");
	struct text out = {0};

	if (!machine->host)
		return memory_string("machine not known");
	text_puts(&out, "Linux");
	if (differ)
		text_puts(&out, differ->of_arms && differ->values.count == 2 ? ", two kernels"
									     : ", several kernels");
	else if (kernel)
		text_printf(&out, " %s", kernel);
	put_cpus(&out, machine);
	if (hypervisor && text_equal(hypervisor, "none"))
		text_puts(&out, ", bare metal");
	else if (hypervisor)
		text_printf(&out, ", %s guest", hypervisor);
	/* Without KVM every instruction is emulated: such times say nothing about a machine. */
	if (machine_emulated(machine))
		text_puts(&out, " (EMULATED: no real times)");
	return text_take(&out);
}

/* ---- below everything ---- */

static void put_separated(struct text *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_separated(struct text *out, const char *format, ...)
{
	va_list args;

	if (out->length)
		text_puts(out, ", ");
	va_start(args, format);
	text_vprintf(out, format, args);
	va_end(args);
}

static void put_bytes(struct text *out, const struct machine *machine, const char *key,
		      const char *what)
{
	const json_t *value = json_object_get(machine->host, key);
	struct text size __text = {0};

	if (!json_is_number(value) || machine_difference(machine, key))
		return;
	figure_print_alone(&size, json_number_value(value), "bytes");
	put_separated(out, "%s%s", text_string(&size), what);
}

static void put_environment(struct text *out, const struct machine *machine)
{
	static const struct {
		const char *key, *before;
	} words[] = {
		{"cpu_model", ""},
		{"machine", ""},
		{"governor", "governor "},
		{"clocksource", "clock "},
		{"thp", "THP "},
		{"dir_filesystem", "files on "},
		{"program", "program "},
		{"version", "kernel "},
	};
	struct text line __text = {0};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *value = host_string(machine, words[i].key);

		/* What differs has a line of its own. */
		if (value && *value && !machine_difference(machine, words[i].key))
			put_separated(&line, "%s%s", words[i].before, value);
		if (!i)
			put_bytes(&line, machine, "memory_bytes", "");
	}
	put_bytes(&line, machine, "page_bytes", " pages");
	if (machine->load_low < machine->load_high)
		put_separated(&line, "load %.2f .. %.2f", machine->load_low, machine->load_high);
	else if (!isnan(machine->load_low))
		put_separated(&line, "load %.2f", machine->load_low);
	if (line.length)
		mail_remark(out, "environment: %s", text_string(&line));
}

/* ---- what changed ---- */

/* Two values as text; of long ones the words that differ: command lines are all alike. */
static void put_values(struct text *before, struct text *after, const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b), shorter, head = 0, tail = 0;

	shorter = a_length < b_length ? a_length : b_length;
	if (a_length + b_length > 2 * VALUE_SHOWN) {
		while (head < shorter && a[head] == b[head])
			head++;
		while (head && a[head - 1] != ' ')
			head--;
		while (tail < shorter - head && a[a_length - tail - 1] == b[b_length - tail - 1])
			tail++;
		while (tail && a[a_length - tail] != ' ')
			tail--;
	}

	char *a_words __free(memory) =
		text_format("%s%.*s%s", head ? "... " : "", (int)(a_length - head - tail), a + head,
			    tail ? " ..." : "");
	char *b_words __free(memory) =
		text_format("%s%.*s%s", head ? "... " : "", (int)(b_length - head - tail), b + head,
			    tail ? " ..." : "");

	page_ascii(before, a_words, VALUE_SHOWN);
	page_ascii(after, b_words, VALUE_SHOWN);
}

/* "pair 4, A", "brk1 pair 4, A" of several workloads, "run 3" of one arm. */
static void put_run(struct text *out, const struct findings *f, size_t run)
{
	const struct experiment *x = f->experiment;
	const struct entry *e = &f->runs->list[run];

	if (x->plan == PLAN_SINGLE) {
		text_printf(out, "run %zu", run + 1);
		return;
	}
	if (x->subject_count > 1)
		text_printf(out, "%s ", x->subjects[e->subject].description->name);
	text_printf(out, "pair %" PRId64 ", %s", e->pair + 1, arm_words[e->arm]);
}

/* What an arm has there; NULL: it has no runs. */
static const char *value_of(const struct difference *d, int arm)
{
	for (size_t i = 0; i < d->values.count; i++) {
		if (d->values.list[i].runs[arm])
			return d->values.list[i].text;
	}
	return NULL;
}

/* ": 6.17 (A), 6.18 (B)": the value of each arm. */
static void put_values_of_arms(struct text *line, const struct difference *d)
{
	const char *a = value_of(d, ARM_A);
	bool first = true;

	for (int arm = ARM_B; arm < ARM_MOST; arm++) {
		const char *other = value_of(d, arm);
		struct text a_text __text = {0}, other_text __text = {0};

		if (!other)
			continue;
		put_values(&a_text, &other_text, a ? a : other, other);
		if (first && a)
			put_separated(line, "%s %s (A)", d->key, text_string(&a_text));
		put_separated(line, "%s%s (%s)", first && !a ? d->key : "",
			      text_string(&other_text), arm_words[arm]);
		first = false;
	}
}

/* One line for all facts that are not the same in all arms, but are within each. */
static void put_arms(struct text *out, const struct machine *machine)
{
	struct text line __text = {0};
	size_t count = 0;

	for (size_t i = 0; i < machine->difference_count; i++) {
		const struct difference *d = &machine->differences[i];

		if (d->of_arms && ++count <= FACTS_SHOWN)
			put_values_of_arms(&line, d);
	}
	if (count > FACTS_SHOWN)
		put_separated(&line, "and %zu others, which the JSON report has",
			      count - FACTS_SHOWN);
	if (count)
		mail_remark(out, "DIFFERS between the arms: %s", text_string(&line));
}

/* ": madvise (A 6, B 10), always (A 4, B 0)": values in how many runs; of long ones nothing. */
static void put_counts(struct text *out, const struct recurrences *values, int arms)
{
	struct text line __text = {0};

	for (size_t i = 0; i < values->count; i++) {
		if (strlen(values->list[i].text) > VALUE_SHOWN)
			return;
	}
	for (size_t i = 0; i < values->count && i < FACTS_SHOWN; i++) {
		const struct recurrence *r = &values->list[i];

		put_separated(&line, "%s (", r->text);
		for (int arm = 0; arm < arms; arm++) {
			text_puts(&line, arm ? ", " : "");
			if (arms > 1)
				text_printf(&line, "%s ", arm_words[arm]);
			text_printf(&line, "%zu", r->runs[arm]);
		}
		text_puts(&line, ")");
	}
	if (values->count > FACTS_SHOWN)
		put_separated(&line, "%zu others", values->count - FACTS_SHOWN);
	text_printf(out, ": %s", text_string(&line));
}

static void put_change(struct text *out, const struct findings *f, const struct difference *d)
{
	const struct change *first = d->changes;
	struct text before __text = {0}, after __text = {0}, where __text = {0}, more __text = {0};

	put_values(&before, &after, first->before, first->after);
	put_run(&where, f, first->run);
	if (d->change_count > 1) {
		text_printf(&more, ", and %zu more time%s", d->change_count - 1,
			    d->change_count > 2 ? "s" : "");
		put_counts(&more, &d->values, f->experiment->arm_count);
	}
	mail_remark(out, "CHANGED between runs: %s %s -> %s (%s)%s", d->key, text_string(&before),
		    text_string(&after), text_string(&where), text_string(&more));
}

static void put_changes(struct text *out, const struct findings *f, const struct machine *machine)
{
	size_t count = 0;

	for (size_t i = 0; i < machine->difference_count; i++) {
		if (!machine->differences[i].of_arms && ++count <= FACTS_SHOWN)
			put_change(out, f, &machine->differences[i]);
	}
	if (count > FACTS_SHOWN)
		mail_remark(out, "CHANGED between runs: %zu other facts, which the JSON report has",
			    count - FACTS_SHOWN);
}

/* ---- what makes figures doubtful ---- */

/* Of which runs; of the load, before which one it was that high. */
static void put_where(struct text *out, const struct findings *f, const struct facts *facts,
		      const struct machine_doubt *d)
{
	bool several = mail_all(d->runs) > 1;

	if (!text_equal(d->key, "load1")) {
		mail_which(out, d->runs, facts->runs, f->experiment->plan == PLAN_SINGLE);
		text_puts(out, d->degree > 0 && several ? "; the worst" : "");
		return;
	}
	if (several) {
		text_puts(out, "before ");
		mail_which(out, d->runs, facts->runs, f->experiment->plan == PLAN_SINGLE);
		text_puts(out, "; the worst, ");
	}
	text_puts(out, "before ");
	if (d->worst)
		put_run(out, f, d->worst);
	else
		text_puts(out, "the first run");
}

static void put_doubts(struct text *out, const struct findings *f, const struct facts *facts)
{
	for (size_t i = 0; i < facts->machine.doubt_count; i++) {
		const struct machine_doubt *d = &facts->machine.doubts[i];
		struct text where __text = {0};

		if (!d->grave)
			continue;
		put_where(&where, f, facts, d);
		mail_remark(out, "DOUBTFUL: %s: %s (%s)", d->key, d->reason, text_string(&where));
	}
}

/* What a doubt is, without why it is one. */
void mail_doubts(const struct facts *facts, struct text *out)
{
	struct text line __text = {0};

	for (size_t i = 0; i < facts->machine.doubt_count; i++) {
		const struct machine_doubt *d = &facts->machine.doubts[i];

		if (d->grave)
			put_separated(&line, "%.*s", (int)strcspn(d->reason, ":"), d->reason);
	}
	if (line.length)
		mail_remark(out, "DOUBTFUL: %s; see below", text_string(&line));
}

void mail_environment(const struct findings *f, const struct facts *facts, struct text *out)
{
	put_environment(out, &facts->machine);
	put_arms(out, &facts->machine);
	put_changes(out, f, &facts->machine);
	put_doubts(out, f, facts);
}
