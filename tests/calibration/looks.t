#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The judge with looks is the rule whose errors stopping.t finds.
set -eu

if [ "${CONTEND_LONG:-}" = 1 ]; then
	exec "$BUILD/tests/calibration/looks" 4000 400 "$(date +%s)"
fi
exec "$BUILD/tests/calibration/looks" 40 8 1
