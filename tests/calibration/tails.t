#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# False positives and power of quantiles as figures of runs.
set -eu

if [ "${CONTEND_LONG:-}" = 1 ]; then
	exec "$BUILD/tests/calibration/tails" 20000 "$(date +%s)"
fi
exec "$BUILD/tests/calibration/tails" 1000 1
