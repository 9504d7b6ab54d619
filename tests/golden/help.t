#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The --help of each command, letter by letter. With UPDATE=1 the files are written instead.
# shellcheck source=../e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

golden=$TOP/tests/golden/help

# check NAME COMMAND...
check() {
	local name=$1
	shift
	run "$@"
	if [ -n "${UPDATE:-}" ]; then
		printf '%s\n' "$out" >"$golden/$name.txt"
	fi
	is "$status" 0 "$name: status"
	is "$err" '' "$name: nothing on standard error"
	is "$out" "$(cat "$golden/$name.txt")" "$name: as in golden/help/$name.txt"
	is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 79 }')" 1 "$name: fits a terminal"
	# argp looks behind its buffer at a line that just fits, and breaks it or not by what is there.
	is "$(MALLOC_PERTURB_=85 "$@")" "$out" "$name: the same whatever is in memory"
}

check contend "$CONTEND" --help
commands=$("$CONTEND" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
	check "$command" "$CONTEND" "$command" --help
	is "$("$CONTEND" "$command" -h)" "$(cat "$golden/$command.txt")" "$command: -h is the same"
done
is "$(cd "$golden" && echo *.txt)" \
	"$(for name in contend $commands; do echo "$name.txt"; done | sort | paste -sd ' ')" \
	'a file for each command'
run env ARGP_HELP_FMT=rmargin=5 timeout 20 "$CONTEND" ab --help
is "$out" "$(cat "$golden/ab.txt")" 'the environment does not lay out the help'

done_testing
