#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The progress line: on a terminal, and nowhere else.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

run "$CONTEND" ab null "${quick[@]}" --pairs 3
is "$err" '' 'silent in a pipe'
is "$(printf '%s' "$out" | tr -cd '\r' | wc -c)" 0 'no carriage return in the report'

command -v script >/dev/null || skip_all 'script (of bsdutils) is not there to make a terminal'

# on_terminal COMMAND...: its standard error is a terminal, its standard output a file.
on_terminal() {
	local words
	words=$(printf '%q ' "$@")
	script -qec "$words >terminal.out" terminal.log </dev/null >/dev/null
	status=$?
	out=$(cat terminal.out)
	# script's own first and last line.
	err=$(sed '1d;$d' terminal.log)
}

until_ok on_terminal "$CONTEND" ab null "${quick[@]}" --pairs 6
like "$status" '^[013]$' 'on a terminal: status'
like "$err" $'\r' 'on a terminal: the line is rewritten'
like "$err" '/6 pairs' 'on a terminal: pairs done of those planned'
like "$err" '[AB]: null' 'on a terminal: what runs'
like "$err" 's left' 'on a terminal: time left'
unlike "$err" '%.*\.\.' 'on a terminal: no estimate before the end of planned pairs'
like "$err" $'\r *\r*$' 'on a terminal: the line is wiped in the end'
unlike "$out" $'\r' 'on a terminal: the report is clean'

on_terminal "$CONTEND" ab null "${quick[@]}" --budget 3s --b delay=20% --margin 30%
like "$err" '[0-9] pairs?' 'with a budget: pairs done'
like "$err" '[-+][0-9.]+%' 'with a budget: the estimate so far'

on_terminal "$CONTEND" ab null "${quick[@]}" --pairs 3 --quiet
is "$err" '' '--quiet: nothing'
on_terminal "$CONTEND" list
is "$err" '' 'other commands: nothing'

done_testing
