#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the diagnoses find in experiments that are clean, and in ones that are not.
set -eu

if [ "${CONTEND_LONG:-}" = 1 ]; then
	exec "$BUILD/tests/calibration/diagnoses" 4000 "$(date +%s)"
fi
exec "$BUILD/tests/calibration/diagnoses" 120 1
