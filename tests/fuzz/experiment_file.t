#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The fuzz target fuzz_experiment_file.c.
# shellcheck source=run.sh
. "$(dirname "$0")/run.sh"

fuzz experiment_file
