// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "base/memory.h"
#include "report/mail_plan.h"

char *mail_plan_percent(double ratio)
{
	struct text out = {0};

	if (!isfinite(ratio))
		text_puts(&out, "-");
	else
		text_printf(&out, "%.*f%%", ratio >= .0995 ? 1 : 2, 100 * ratio);
	return text_take(&out);
}

char *mail_plan_effect(double ratio)
{
	return ratio > 1 && isfinite(ratio) ? memory_string(">100%") : mail_plan_percent(ratio);
}

char *mail_plan_time(double ns)
{
	struct text out = {0};

	if (!isfinite(ns) || ns <= 0)
		text_puts(&out, "-");
	else if (ns >= 48 * 3600e9)
		text_printf(&out, "%.0f days", ns / (24 * 3600e9));
	else if (ns >= 100 * 60e9)
		text_printf(&out, "%.1f h", ns / 3600e9);
	else
		mail_time(&out, (int64_t)ns);
	return text_take(&out);
}

char *mail_plan_pairs(size_t pairs)
{
	return pairs ? text_format("%zu", pairs) : text_format(">%d", PLANNING_PAIRS_MAX);
}
