#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Errors, power, pairs and coverage of the rule that looks on the way.
set -eu

if [ "${CONTEND_LONG:-}" = 1 ]; then
	exec "$BUILD/tests/calibration/stopping" 4000 2000 "$(date +%s)"
fi
exec "$BUILD/tests/calibration/stopping" 200 100 1
