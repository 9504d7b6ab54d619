// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "made.h"
#include "model/description.h"

static const char text[] =
	"{'name':'proc_maps','summary':'reads maps','needs':'a second CPU',"
	"'roles':[{'name':'writer','help':'maps and unmaps'},{'name':'reader','help':''}],"
	"'params':["
	"{'name':'file','type':'choice','preset':'maps','choices':'maps|smaps','help':''},"
	"{'name':'tasks','type':'count','preset':'1','low':1,'high':4096,'help':''}],"
	"'metrics':["
	"{'name':'scans','unit':'1/s','better':'higher','summary':'rate','of':'reader.scans',"
	"'primary':false,'multitask':false,'help':''},"
	"{'name':'latency_p50','unit':'ns','better':'lower','summary':'p50',"
	"'of':'writer.latency','primary':true,'multitask':false,'help':''},"
	"{'name':'failures','unit':'ratio','better':'neither','summary':'ratio',"
	"'of':'writer.failures','per':'writer.operations','primary':false,'multitask':false,"
	"'help':''}],"
	"'later':{}}";

static void test_read(void **state)
{
	json_t *object = made(text);
	struct description *d __free(description) = NULL;
	struct error err;

	(void)state;
	if (!description_from_json(object, &d, &err))
		fail_msg("%s", err.text);
	/* Its own reference keeps every string. */
	json_decref(object);
	assert_string_equal(d->name, "proc_maps");
	assert_string_equal(d->summary, "reads maps");
	assert_string_equal(d->needs, "a second CPU");
	assert_null(d->unsupported);

	assert_string_equal(d->roles[0].name, "writer");
	assert_string_equal(d->roles[0].help, "maps and unmaps");
	assert_string_equal(d->roles[1].name, "reader");
	assert_null(d->roles[2].name);

	assert_string_equal(d->params[0].name, "file");
	assert_string_equal(d->params[1].preset, "1");
	assert_true(d->params[1].high == 4096);
	assert_null(d->params[2].name);

	assert_int_equal(d->metric_count, 3);
	assert_string_equal(d->metrics[2].per, "writer.operations");
	assert_null(d->metrics[3].name);
	assert_ptr_equal(description_primary(d), &d->metrics[1]);
	assert_ptr_equal(description_metric(d, "scans"), &d->metrics[0]);
	assert_null(description_metric(d, "scan"));
	assert_null(description_metric(d, ""));
	description_free(NULL);
}

static void unsupported(json_t *value, const char *expected)
{
	json_t *object __free(json) = made(text);
	struct description *d __free(description) = NULL;
	struct error err;

	json_object_set_new(object, "unsupported", value);
	assert_true(description_from_json(object, &d, &err));
	if (expected)
		assert_string_equal(d->unsupported, expected);
	else
		assert_null(d->unsupported);
}

static void test_unsupported(void **state)
{
	(void)state;
	unsupported(json_null(), NULL);
	unsupported(json_string(""), NULL);
	unsupported(json_string("one CPU only"), "one CPU only");
}

/* Puts a changed copy of a part in the place of another one, and expects a refusal. */
static void refuse(const char *key, json_t *value, const char *why)
{
	json_t *object __free(json) = made(text);
	struct description *d = NULL;
	struct error err;

	if (value)
		json_object_set_new(object, key, value);
	else
		json_object_del(object, key);
	if (description_from_json(object, &d, &err))
		fail_msg("taken, but: %s", why);
	assert_null(d);
	assert_int_equal(err.code, ERROR_DATA);
	assert_string_equal(err.text, why);
}

/* One more element behind those of a list; NULL: the first one once more. */
static json_t *longer(const char *key, json_t *element)
{
	json_t *object __free(json) = made(text);
	json_t *list = json_object_get(object, key);

	if (element)
		json_array_append_new(list, element);
	else
		json_array_append(list, json_array_get(list, 0));
	return json_incref(list);
}

static json_t *metric(const char *part)
{
	json_t *object = made("{'name':'more','unit':'ns','better':'lower','summary':'p50',"
			      "'of':'writer.latency','primary':false,'multitask':false,"
			      "'help':''}");
	json_t *changes __free(json) = made(part);

	json_object_update(object, changes);
	return object;
}

static void test_refuses(void **state)
{
	json_t *many = json_array();

	(void)state;
	refuse("name", NULL, "workload: field 'name' is not a string");
	refuse("name", json_string("a.b"),
	       "workload: field 'name' is not a name (letters, digits, _ and -)");
	refuse("summary", NULL, "workload 'proc_maps': field 'summary' is not a string");
	refuse("needs", json_null(), "workload 'proc_maps': field 'needs' is not a string");
	refuse("unsupported", json_true(),
	       "workload 'proc_maps': field 'unsupported' is not a string");
	refuse("roles", NULL, "workload 'proc_maps': field 'roles' is not an array");
	refuse("roles", json_array(), "workload 'proc_maps': metric 'scans': no role 'reader'");
	refuse("roles", longer("roles", json_string("x")),
	       "workload 'proc_maps': role 2: field 'name' is not a string");
	refuse("roles", longer("roles", NULL),
	       "workload 'proc_maps': role 'writer' is declared twice");
	refuse("params", json_object(), "workload 'proc_maps': field 'params' is not an array");
	refuse("params", longer("params", NULL),
	       "workload 'proc_maps': parameter 'file' is declared twice");
	refuse("params", longer("params", made("{'name':'x'}")),
	       "workload 'proc_maps': parameter 'x': field 'type' is not a string");
	refuse("params",
	       longer("params", made("{'name':'x','type':'count','preset':'0','help':'',"
				     "'needs':'file=smap'}")),
	       "workload 'proc_maps': parameter 'x' needs 'file=smap', which cannot be given");
	refuse("metrics", NULL, "workload 'proc_maps': field 'metrics' is not an array");
	refuse("metrics", json_array(), "workload 'proc_maps': 0 primary metrics, not one");
	refuse("metrics", longer("metrics", NULL),
	       "workload 'proc_maps': metric 'scans' is declared twice");
	refuse("metrics", longer("metrics", metric("{'primary':true}")),
	       "workload 'proc_maps': 2 primary metrics, not one");
	refuse("metrics", longer("metrics", metric("{'primary':true,'better':'neither'}")),
	       "workload 'proc_maps': metric 'more' is primary, but never judged");
	refuse("metrics", longer("metrics", metric("{'of':'write.latency'}")),
	       "workload 'proc_maps': metric 'more': no role 'write'");
	refuse("metrics", longer("metrics", metric("{'summary':'ratio','per':'x.y'}")),
	       "workload 'proc_maps': metric 'more': no role 'x'");
	refuse("metrics", longer("metrics", metric("{'of':1}")),
	       "workload 'proc_maps': metric 'more': field 'of' is not a string");

	for (int i = 0; i < 257; i++)
		json_array_append_new(many, json_object());
	refuse("params", many, "workload 'proc_maps': field 'params' has more than 256 elements");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
