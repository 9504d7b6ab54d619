/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_JUDGE_VERDICT_H
#define CONTEND_JUDGE_VERDICT_H

#include "model/experiment.h"
#include "stats/interval.h"
#include "stats/sequential.h"

/* The nouns of a judgement. judge.h makes one; the files beside it fill in what they are about. */

enum verdict {
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
	VERDICT_CLEARED, /* no regression beyond the margin */
	VERDICT_UNDECIDED,
	VERDICT_NONE, /* described only: the metric has no better direction, or nothing to judge */
};

extern const char *const verdict_words[];

/* What the differences of a metric are measured on. */
enum judge_scale {
	SCALE_LOG,	  /* d = log(b/a), the rule; estimate and interval are ratios - 1 */
	SCALE_DIFFERENCE, /* some figure is zero: d = b - a, estimate and interval in the unit */
};

extern const char *const judge_scale_words[];

/* Which rule gave p-value, interval and verdict. */
enum judge_rule {
	RULE_SIGN_FLIP,	 /* all pairs planned before, no look: exact sign-flip test and paired t */
	RULE_E_PROCESS,	 /* no maximum, or an extension: the sign-flip e-process alone */
	RULE_PAIRED_T,	 /* under 6 pairs: an interval, never a sign-flip verdict */
	RULE_SEQUENTIAL, /* a maximum: the e-process, and looks that were planned (sequential.h) */
	/* The same where its end came with fewer pairs: the looks that were left are spent. */
	RULE_SEQUENTIAL_END,
};

extern const char *const judge_rule_words[];

/* What keeps a family of metrics together at alpha (judge/families.h). */
enum judge_correction {
	CORRECTION_NONE,   /* in no family, or alone in it */
	CORRECTION_HOLM,   /* by their p alone */
	CORRECTION_MAX_T,  /* step-down max-T: the same sign patterns for all metrics of an arm */
	CORRECTION_BLOCKS, /* closed testing of several arms: permutations within blocks */
};

extern const char *const judge_correction_words[]; /* NULL for CORRECTION_NONE */

/* True for the rules that may be asked after every pair. */
bool judge_rule_is_sequential(enum judge_rule rule);

/* What rejected no change first; NULL for SEQUENTIAL_NOTHING. */
extern const char *const judge_part_words[];

/* Fewer pairs give no verdict: 2/2^5 is above 5 % two-sided. */
enum { JUDGE_LEAST_PAIRS = 6 };

/* Runs of one arm in a row that are not ok, after which the next would not be either. */
enum { JUDGE_GIVE_UP_RUNS = 3 };

struct metric_verdict {
	const struct metric *metric; /* borrowed from the experiment */
	bool primary;
	int arm;	  /* the one that is compared with A; ARM_A: of several, or of none */
	size_t pairs;	  /* pairs with a figure in both arms: n */
	size_t refused;	  /* whole pairs without one, and the first reason: */
	char *refusal;	  /* NULL: none */
	double *a, *b;	  /* the figures by pair, `pairs` each: of A, of the other arm */
	int64_t *numbers; /* of these pairs, ascending */
	int64_t samples_a, samples_b; /* median number of samples or operations behind a figure */
	double middle_a, middle_b;    /* medians of the figures */
	enum judge_scale scale;
	enum judge_rule rule;
	/*
	 * exp(c) - 1, or c itself: the mean of d, under a sequential rule its Hodges-Lehmann
	 * estimate.
	 */
	double estimate;
	struct interval interval;  /* the one that the rule justifies, at 1 - alpha */
	struct interval sign_flip; /* inversion of the sign-flip test; under looks unbounded */
	struct interval paired_t;  /* for information; after an early stop it is too narrow */
	/*
	 * RULE_SIGN_FLIP on the log scale: the one-sided bound on worsening, a ratio - 1, at the
	 * level that `cleared` needs in its family, the larger of those by Student's t and by the
	 * sign-flip test (which is infinite where too few pairs can exclude anything); else NAN.
	 */
	double bound;
	double p;	   /* two-sided, of this metric alone (anytime-valid under looks) */
	double p_adjusted; /* in its family: primaries by themselves, others within the workload */
	/*
	 * A sequential rule: the largest E so far against no change, and on the log scale against
	 * worsening by the margin or more; else NAN.
	 */
	double evidence, clearing;
	size_t comparisons; /* size of its family; 0: it is in none */
	enum judge_correction correction;
	/*
	 * A sequential rule: its looks, of which the first looks_spent are behind, what rejected no
	 * change at `level` first, uncorrected, and after how many pairs; and after how many
	 * worsening by the margin was excluded. 0: it is not.
	 */
	struct sequential_plan plan;
	size_t looks_spent;
	enum sequential_part rejected_by;
	size_t rejected_at, cleared_at;
	int rejected_side; /* 1: by the differences above 0 then, -1: below; 0: not rejected */
	/* What p_adjusted is compared with: alpha, and in an extension what the first end left. */
	double level;
	/* In an extension: a verdict that was won at the first end and stays. */
	bool won_before;
	double spread; /* sample sd of d */
	enum verdict verdict;
	bool worse;	    /* cleared, and yet significantly worse: within the margin */
	bool settled;	    /* more pairs would not change the verdict (docs/method.md) */
	bool futile;	    /* undecided, and hardly to be decided within its maximum */
	int64_t more_pairs; /* undecided: pairs still needed, 0: unknown (docs/method.md) */
	const char *remark; /* "identical", "no events", …; NULL: none. Static. */
};

/*
 * True for a metric that has figures in under half of the pairs: neither change nor verdict, for
 * those that have one are no random part of all (docs/method.md).
 */
bool metric_is_scarce(const struct metric_verdict *v);

/* True for a metric whose figures are zero in all pairs, in both arms. */
bool metric_has_no_events(const struct metric_verdict *v);

/* Frees what it owns, not itself. */
void metric_verdict_done(struct metric_verdict *v);

/* A workload, and an arm of it compared with A. */
struct comparison {
	const struct subject *subject; /* borrowed */
	size_t index;		       /* of the workload, in the experiment */
	int arm;		       /* not A */
	bool aa; /* it has the parameters of A: a rejection is a false alarm */
	struct metric_verdict *metrics; /* in the description's order, the primary first */
	size_t metric_count;
	/* What no metric is made of (judge/explore.h); NULL: blind, or a glance. */
	struct exploration *explored;
	size_t pairs;	  /* whole pairs used */
	size_t dropped;	  /* pairs with a member that is not ok */
	char *first_drop; /* "pair 3, B: invalid: reader 0 …"; NULL: none */
	/* Of A and the other arm, in the pairs that this has a part in. */
	size_t runs[ARM_MOST], failed[ARM_MOST];
	size_t crashes_in_row[ARM_MOST];  /* at the end of the series */
	size_t failures_in_row[ARM_MOST]; /* any outcome but ok */
	/*
	 * It can do no more, and no other run of it is worth while: the arm crashed three times in
	 * a row while A did well, or what was asked cannot be done. Other comparisons go on.
	 */
	bool crashes, impossible;
	char *why_not; /* reason for either; NULL */
};

/* What became of a comparison, in one word: each has exactly one. */
enum finding {
	FINDING_REGRESSED,
	FINDING_CRASHES,
	FINDING_IMPROVED,
	FINDING_CLEARED,
	FINDING_UNDECIDED,
	FINDING_NONE, /* VERDICT_NONE */
	FINDING_IMPOSSIBLE,
	FINDING_COUNT,
};

extern const char *const finding_words[];

/* By what the exit status goes by: a crash or a regression before what cannot be done. */
enum finding comparison_finding(const struct comparison *v);

struct judgement {
	struct comparison *comparisons; /* by workload, then by arm */
	size_t comparison_count;
	/*
	 * By arm: of several workloads together (judge/overall.h); NULL: of A, of one, blind, a
	 * glance.
	 */
	struct overall *overall[ARM_MOST];
	/* By curve, then by arm (judge/curve.h); none: of no curve, blind, a glance. */
	struct curve_verdict *curves;
	size_t curve_count;
	size_t looks; /* looks taken; 0 for PLAN_PAIRS */
	/*
	 * PLAN_PAIRS before its end: no figure was looked at and the verdicts hold none, for
	 * whoever decides how it goes on must not know them.
	 */
	bool blind;
	int64_t first_end; /* an extension: the pairs after which it was judged first; 0: none */
	bool early;	   /* decided before the planned end */
	bool futile;	   /* ended before: what is undecided would hardly be decided by then */
	bool finished;	   /* the planned end was reached, or one of both */
	bool aa;	   /* all arms alike: a rejection is a false alarm */
	bool crashes;	   /* of any comparison */
	bool impossible;   /* for any comparison */
};

enum judge_when {
	JUDGE_LOOK, /* in the middle: under PLAN_PAIRS, which takes no look, it is blind */
	JUDGE_END,  /* the planned end, or the budget is spent: no more pairs will come */
	/*
	 * What JUDGE_END is for a workload that was given up while others came to the end, which
	 * judge() finds out itself: under PLAN_PAIRS nothing is cleared.
	 */
	JUDGE_CUT,
	/*
	 * A look of which only the primaries count, for after every pair: nothing else is measured,
	 * and where there are many pairs an interval only with a verdict.
	 */
	JUDGE_GLANCE,
};

#endif
