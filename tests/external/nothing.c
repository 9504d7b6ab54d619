// SPDX-License-Identifier: GPL-2.0-or-later
/* A shared object that is no test case. */
int frobnicate(int x);
int twiddle(int x);

int frobnicate(int x)
{
	return x + 1;
}

int twiddle(int x)
{
	return x ^ 1;
}
