// SPDX-License-Identifier: GPL-2.0-or-later
/* A test case that wants what nobody has. */
char *testcase_description = "Wants what nobody has";

void frobnicate_the_kernel(void);
void testcase(unsigned long long *iterations, unsigned long nr);

void testcase(unsigned long long *iterations, unsigned long nr)
{
	for (;;) {
		frobnicate_the_kernel();
		*iterations += nr;
	}
}
