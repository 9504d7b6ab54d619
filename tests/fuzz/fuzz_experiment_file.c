// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "base/memory.h"
#include "experiment/file.h"
#include "experiment/repeat.h"
#include "fuzz.h"

/*
 * Any bytes as an experiment file. What is accepted is resolved against the workloads that the
 * agent of this tree describes, written, and read back: that gives the same, or the reason is a
 * bug.
 */

static struct description *known[16];

static void read_known(void)
{
	struct text text __text = {0};
	json_t *object __free(json) = NULL;
	json_t *array, *workload;
	struct error err;
	size_t i;

	if (!file_read("", FUZZ_DESCRIBED, 1 << 20, &text, &err) ||
	    !json_parse(text.bytes, text.length, &object, &err) ||
	    !json_get_array(object, "workloads", &array, &err))
		fuzz_fail("read " FUZZ_DESCRIBED ": %s", err.text);
	json_array_foreach(array, i, workload)
		if (i + 1 < sizeof(known) / sizeof(*known) &&
		    !description_from_json(workload, &known[i], &err))
			fuzz_fail("workload %zu: %s", i, err.text);
}

static bool resolve(const char *bytes, size_t length, struct experiment *e, struct error *err)
{
	struct request r __cleanup(request_done) = {0};

	if (!experiment_file_parse("fuzz", bytes, length, &r, err) ||
	    !request_resolve(&r, known, 2, e, err))
		return false;
	terms_apply(&r.terms, &r.file_terms, e);
	return true;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length)
{
	struct experiment *e __free(experiment) = experiment_new();
	char *command __free(memory) = NULL;
	struct text file __text = {0};
	struct error err = {0};

	if (!known[0])
		read_known();
	if (length > EXPERIMENT_FILE_BYTES)
		return 0;
	if (!resolve((const char *)bytes, length, e, &err)) {
		/*
		 * A place, and a reason; nothing that comes from the file may be what is at fault.
		 */
		if (err.code != ERROR_USAGE || !text_starts(err.text, "fuzz:"))
			if (e->subject_count || !text_starts(err.text, "no workload is named"))
				fuzz_fail("refused with code %d: %s", (int)err.code, err.text);
		return 0;
	}
	if (!experiment_file_write(e, &file, &err))
		fuzz_fail("not written: %s", err.text);
	if (!repeat_command(e, &command, &err))
		fuzz_fail("no command: %s", err.text);
	return 0;
}
