#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# False positives, power and coverage on made-up kernels with boots, drift and tails, beside the rules
# of other tools.
set -eu

if [ "${CONTEND_LONG:-}" = 1 ]; then
	exec "$BUILD/tests/calibration/rules" 20000 2000 "$(date +%s)"
fi
exec "$BUILD/tests/calibration/rules" 2500 250 1
