// SPDX-License-Identifier: GPL-2.0-or-later
/* A test case that was built for a later contend. */
extern const unsigned int contend_abi;
extern const char contend_description[];
const unsigned int contend_abi = 99;
const char contend_description[] = "From the future";

void contend_work(void *t);

void contend_work(void *t)
{
	(void)t;
}
