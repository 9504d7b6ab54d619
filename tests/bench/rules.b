#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How often the rules of other tools, and ours, are right: the tables of tests/calibration with a
# smaller error of simulation than a test has time for.
set -eu

"$BUILD/tests/calibration/rules" "${EXPERIMENTS:-4000}" "${EXPERIMENTS:-4000}" 1 | grep '^#'
"$BUILD/tests/calibration/tails" "${EXPERIMENTS:-4000}" 1 | grep '^#'
"$BUILD/tests/calibration/stopping" "${EXPERIMENTS:-1000}" "${EXPERIMENTS:-1000}" 1 | grep '^#'
