/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_REPORT_MAIL_H
#define CONTEND_REPORT_MAIL_H

#include "report/facts.h"
#include "report/figure.h"
#include "report/page.h"

/* The parts of the mail report. */

/* A comparison: mail_compare.c. One run of one arm: mail_run.c. Several runs of it: mail_runs.c. */
bool mail_compare(const struct findings *f, const struct facts *facts, struct text *out,
		  struct error *err);
bool mail_run(const struct findings *f, const struct facts *facts, struct text *out,
	      struct error *err);
bool mail_runs(const struct findings *f, const struct facts *facts, struct text *out,
	       struct error *err);

/* The first lines of one workload, what was found: mail_finding.c. */
void mail_finding(const struct findings *f, struct text *out);

/*
 * The first lines of several workloads, or of the points of a curve: mail_several.c. What was
 * found, counted; and a row for each.
 */
void mail_findings(const struct findings *f, struct text *out);
bool mail_summary(const struct findings *f, struct text *out, struct error *err);

/* How all primaries, which are one family, are to be read: mail_primaries.c. */
void mail_primaries(const struct findings *f, struct text *out);

/* Which workloads an experiment has: a curve is one. */
size_t mail_workloads(const struct experiment *e);

/*
 * A curve: mail_curve.c. Of `contend run` all there is; what its arms came to, a row a point; its
 * parameters, as it was asked for (mail_params()).
 */
bool mail_run_curve(const struct findings *f, const struct facts *facts, struct text *out,
		    struct error *err);
bool mail_curve_points(const struct findings *f, const struct curve *c, struct text *out,
		       struct error *err);
char *mail_curve_params(const struct experiment *e, const struct curve *c, int arms);
/* The runs of all its points together; recurrences, failures and diagnoses are left out. */
struct subject_facts mail_curve_facts(const struct facts *facts, const struct curve *c);
/* What mail_put_each() heads the points with, "tasks=2"; the caller's, as each of them. */
char **mail_curve_heads(const struct experiment *e, const struct curve *c);

/* Its verdicts: mail_curve_verdicts.c. */
struct mail_row;
size_t mail_curve_rows(const struct findings *f, const struct curve *c, bool scaling,
		       struct mail_row *ret_rows, char **ret_labels);
/* At most so many rows, and as many labels, which are the caller's. */
size_t mail_curve_rows_most(const struct findings *f, const struct curve *c);
bool mail_curve(const struct findings *f, const struct facts *facts, const struct curve *c,
		bool alone, struct text *out, struct error *err);

/* The table of a comparison: mail_table.c. */
struct mail_row {
	const struct metric_verdict *v;
	struct figure_style figure;
	struct change_style change;
	const char *workload; /* whose primary this is, in a table of workloads; NULL */
	const char *instead;  /* of the verdict; NULL: that of the metric */
	const char *label; /* in place of what the metric is called, as page_table_row() has it */
	bool is_mean;	   /* of ratios: the arms have no figures of their own */
	int arm;	   /* of more than two: whose row it is, and A's has its figure only */
};

struct mail_row mail_row(const struct metric_verdict *v);

/*
 * A metric of a workload in more than two arms, a row for A and one for each of the `count`
 * comparisons, in a common unit. Returns how many rows there are: none where no comparison has one.
 */
size_t mail_rows_of_arms(const struct comparison *comparisons, size_t count,
			 const struct metric *metric, struct mail_row *ret_rows);

/*
 * True for a metric that is not judged, and had one figure above zero in all runs: a row of it says
 * nothing.
 */
bool mail_is_constant(const struct metric_verdict *v);

/*
 * True for a change that is not in its own interval. A mean is drawn by a single pair more than the
 * interval of a test is; and a sequential interval keeps what was excluded on the way, whatever
 * came later.
 */
bool mail_lies_outside(const struct metric_verdict *v);

/* True when a comparison shows the metric in its table; a primary without any figure is shown. */
bool mail_has_row(const struct metric_verdict *v);

/*
 * what: the name of the first column. Of two arms there are columns A and B, of more a row for each
 * arm and a column for their medians.
 */
bool mail_table(struct text *out, const char *what, const struct experiment *e,
		const struct mail_row *rows, size_t count, struct error *err);

/* A plan for thousands of pairs has no three digits. */
enum { MORE_PAIRS_MAX = 999 };

/* In words; NULL: none. Static. */
const char *mail_correction(enum judge_correction correction);

/* What the columns are, as the plan has looks or not, and the average of differences. Static. */
const char *mail_columns(const struct experiment *e, bool looks);
const char *mail_average(bool looks);

/*
 * A family under `--pairs N` in which no verdict of a kind can be won, however the pairs come out:
 * says so, and how many pairs can. who: "secondary", "workload". mail_family.c.
 */
struct mail_family {
	const char *who;
	size_t groups;	    /* corrected jointly within so many; 0: by Holm */
	size_t pairs;	    /* of the metric that has most */
	size_t comparisons; /* 0: it is none */
	double alpha;
};
void mail_family(struct text *out, const struct mail_family *family);

/*
 * Which E decides of so many workloads, or comparisons, that are one family. decides: the largest.
 */
void mail_family_evidence(struct text *out, size_t comparisons, const char *what, double decides);

/*
 * Remarks of several parts of a report, those that all of them have once and first, the others
 * below the head of their part: mail_each.c.
 */
void mail_put_each(const struct text *parts, const char *const *heads, size_t count,
		   struct text *out);

/* What they have in common: mail_parts.c, and of the machine mail_machine.c. */

/* Appends a remark below a table: a paragraph whose later lines are indented. */
void mail_remark(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Appends a line "  PART      PART      PART" or, where that is too long, a line for each part.
 * Empty parts (NULL or "") are left out. lead: what stands before the words of a part ("A  "), which
 * are aligned when they take several lines.
 */
struct mail_part {
	const char *lead, *words;
};
void mail_parts(struct text *out, const struct mail_part *parts, size_t count);

/* What a row is called, with what of the unit its cells do not say: "reader bytes (per scan)". */
char *mail_label(const struct metric *m, const struct figure_style *style);
/*
 * The same for a row: of the quantiles of a series, which are read together, one says whose they
 * are.
 */
char *mail_row_label(const struct metric *m, const struct figure_style *style);

/*
 * The order of `count` rows, whose metrics are borrowed from one description, the primary first:
 * those of the primary's series in their own order, from p50 to max, then the others.
 */
void mail_order(const struct metric *const *metrics, size_t count, size_t *ret_order);

/*
 * Labels after a comma each: "writer call p50, p95, writer stalled". {0} is none.
 */
struct mail_labels {
	struct text text;
	const struct metric *last; /* borrowed */
};
void mail_add_label(struct mail_labels *labels, const struct metric *m);
void mail_labels_done(struct mail_labels *labels);

/* What has no row, and why: mail_absent.c. Metrics with one reason share a line. */
struct mail_refusal {
	const struct metric *metric;
	const char *reason;
};
void mail_no_figures(const struct subject *s, const struct mail_refusal *list, size_t count,
		     struct text *out);

/*
 * Says which quantiles of a subject's runs have no figure because none of them had the samples for
 * it, and which window would have them.
 */
void mail_shortage(const struct findings *f, size_t subject, struct text *out);
/* True for a metric that is said there. */
bool mail_is_short(const struct findings *f, size_t subject, const struct metric *m);

/* "Linux 6.18.44, 2 CPUs, KVM guest". Owned by the caller. */
char *mail_machine(const struct facts *facts);

/* "12.3 s", "41 min": a time that nobody compares. */
void mail_time(struct text *out, int64_t ns);

/* "1 pair", "14 pairs". */
void mail_count(struct text *out, size_t count, const char *what);

/* " of 1.003 s in 6 s": the windows and the time of a subject's runs, as far as they are known. */
void mail_windows(struct text *out, const struct subject_facts *s);

/* "all runs", "A 3 of 14, B 1 of 14 runs". */
void mail_which(struct text *out, const size_t runs[ARM_MOST], const size_t of[ARM_MOST],
		bool one_arm);

/* The runs of all arms. */
size_t mail_all(const size_t runs[ARM_MOST]);

/* "A, B and C", "A and B". */
void mail_arms(struct text *out, const struct experiment *e);

/* What the runs of a subject remark, and the failures in them. One arm: no A and B is named. */
void mail_recurrences(struct text *out, const struct subject_facts *s, bool one_arm);

/* What a workload's runs say of the conditions they were made under: mail_diagnosis.c. */
void mail_diagnoses(const struct findings *f, const struct facts *facts, size_t subject,
		    struct text *out);

/* Why runs of one arm are not ok, a remark for each reason. */
void mail_troubles(struct text *out, const struct subject_facts *s);

/* The parameters "a=1 b=2" that all of the first `arms` arms have. Owned by the caller. */
char *mail_params(const struct subject *s, int arms);

/* The looks that were taken at a comparison's primary, where there is more to say than that. */
void mail_looks(const struct findings *f, const struct comparison *c, struct text *out);

/* Which calibrations stand behind the verdicts, where some do: mail_quote.c. */
void mail_quotes(const struct findings *f, const struct facts *facts, struct text *out);

/* Runs that were set aside, who took the experiment up again, and how it can go on. */
void mail_history(const struct findings *f, const struct facts *facts, struct text *out);

/* The machine in a line, what changed in it between runs, and what makes figures doubtful. */
void mail_environment(const struct findings *f, const struct facts *facts, struct text *out);

/*
 * A line below the head where something makes all figures doubtful; what it is stands at the end.
 */
void mail_doubts(const struct facts *facts, struct text *out);

/* The environment, and the command: mail_footer.c. */
void mail_footer(const struct findings *f, const struct facts *facts, struct text *out);

#endif
