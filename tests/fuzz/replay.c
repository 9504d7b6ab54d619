// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "fuzz.h"
#include "model/json.h"

/*
 * A fuzz target without libFuzzer: gives it each file that is named, once, and counts them. The
 * last name that was written is the one that a death belongs to.
 */
int main(int argc, char **argv)
{
	enum { INPUT_BYTES = 64 << 20 };

	json_use_memory();
	for (int i = 1; i < argc; i++) {
		struct text input __text = {0};
		unsigned char *exact;
		struct error err;

		fprintf(stderr, "%s\n", argv[i]);
		if (!file_read("", argv[i], INPUT_BYTES, &input, &err))
			fuzz_fail("%s", err.text);
		/* Without the zero behind a text, so that a sanitizer sees what is read beyond. */
		exact = malloc(input.length ? input.length : 1);
		memcpy(exact, text_string(&input), input.length);
		LLVMFuzzerTestOneInput(exact, input.length);
		free(exact);
	}
	printf("%d replayed\n", argc - 1);
	return 0;
}
