/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CONTEND_TESTS_UNIT_EXPERIMENT_KNOWN_H
#define CONTEND_TESTS_UNIT_EXPERIMENT_KNOWN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "model/description.h"

/* The workloads that requests are resolved against. */

/*
 * Four workloads: `file` is only the reader's, `ops` the null ones', `tasks` everybody's but for
 * the last one.
 */
static const char reader_text[] =
	"{'name':'reader','summary':'reads','needs':'','roles':[{'name':'task','help':''}],"
	"'params':["
	"{'name':'file','type':'choice','preset':'maps','choices':'maps|smaps|none','help':''},"
	"{'name':'tasks','type':'count','preset':'1','low':1,'high':64,'help':''},"
	"{'name':'argument','type':'text','preset':'','help':''}],"
	"'metrics':["
	"{'name':'latency','unit':'ns','better':'lower','summary':'p50','of':'task.latency',"
	"'primary':true,'multitask':false,'help':''},"
	"{'name':'scans','unit':'1/s','better':'higher','summary':'rate','of':'task.scans',"
	"'primary':false,'multitask':false,'help':''},"
	"{'name':'size','unit':'bytes','better':'neither','summary':'total','of':'task.size',"
	"'primary':false,'multitask':false,'help':''}]}";

static const char null_text[] =
	"{'name':'%s','summary':'nothing','needs':'','roles':[{'name':'task','help':''}],"
	"'params':["
	"{'name':'ops','type':'count','preset':'1','help':''},"
	"{'name':'keep','type':'count','preset':'0','help':'','needs':'ops=1'},"
	"{'name':'tasks','type':'count','preset':'1','low':1,'high':4,'help':''}],"
	"'metrics':["
	"{'name':'latency','unit':'ns','better':'lower','summary':'p50','of':'task.latency',"
	"'primary':false,'multitask':false,'help':''},"
	"{'name':'rate','unit':'1/s','better':'higher','summary':'rate','of':'task.ops',"
	"'primary':true,'multitask':false,'help':''}]}";

static const char solo_text[] =
	"{'name':'solo','summary':'one task','needs':'','roles':[{'name':'task','help':''}],"
	"'params':[],"
	"'metrics':["
	"{'name':'rate','unit':'1/s','better':'higher','summary':'rate','of':'task.ops',"
	"'primary':true,'multitask':false,'help':''}]}";

/* With the parameters of a setup, which have no default, and one a dot in its name. */
static const char walker_text[] =
	"{'name':'walker','summary':'swaps','needs':'','roles':[{'name':'task','help':''}],"
	"'params':["
	"{'name':'size','type':'bytes','preset':'1M','help':''},"
	"{'name':'memcg','type':'bytes','help':'','setup':'memcg'},"
	"{'name':'memcg.swap','type':'bytes','help':'','setup':'memcg'}],"
	"'metrics':["
	"{'name':'rate','unit':'1/s','better':'higher','summary':'rate','of':'task.ops',"
	"'primary':true,'multitask':false,'help':''}]}";

/* It executes a command, and takes figures from what that prints. */
static const char runner_text[] =
	"{'name':'runner','summary':'executes','needs':'','roles':[{'name':'program','help':''}],"
	"'params':["
	"{'name':'argv','type':'command','preset':'','help':'','required':true},"
	"{'name':'metric','type':'metric','preset':'','help':''},"
	"{'name':'timeout','type':'duration','preset':'1m','low':1,'high':1e12,'help':''},"
	"{'name':'memcg','type':'bytes','help':'','setup':'memcg'},"
	"{'name':'memcg.swap','type':'bytes','help':'','setup':'memcg'}],"
	"'metrics':["
	"{'name':'real','unit':'ns','better':'lower','summary':'total','of':'program.real_ns',"
	"'primary':true,'multitask':false,'help':''}]}";

static struct description *known[7];

static inline struct description *describe(const char *format, const char *name)
{
	struct text text __text = {0};
	json_t *object __free(json) = NULL;
	struct description *d = NULL;
	struct error err = {0};
	char *at;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	text_printf(&text, format, name);
#pragma GCC diagnostic pop
	for (at = text.bytes; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	if (!json_parse(text.bytes, text.length, &object, &err) ||
	    !description_from_json(object, &d, &err))
		fail_msg("%s", err.text);
	return d;
}

static inline int set_up(void **state)
{
	(void)state;
	known[0] = describe(reader_text, "");
	known[1] = describe(null_text, "null");
	known[2] = describe(null_text, "void");
	known[3] = describe(solo_text, "");
	known[4] = describe(walker_text, "");
	known[5] = describe(runner_text, "");
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	for (size_t i = 0; known[i]; i++)
		description_free(known[i]);
	return 0;
}

#endif
