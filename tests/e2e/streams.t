#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Standard input, output and error in every bad state: closed, full, not blocking, hung up, with a
# reader that leaves.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

tiny=(window=5ms warmup=0 --pairs 2)

measure() {
	run "$CONTEND" ab null "${tiny[@]}" --seed 1
}
until_ok measure
is "$status" 3 'a store to show'
report=$out

# ---- nobody gets what is written ----

# unheard TITLE REDIRECTION WORD...: status 4, and the reason on standard error.
unheard() {
	local title=$1 redirection=$2
	shift 2
	run bash -c "\"\$@\" $redirection" bash "$CONTEND" "$@"
	is "$status" 4 "$title: status"
	like "$err" '^contend: standard output: write' "$title: the reason"
	is "$(wc -l <run.err)" 1 "$title: one line"
}

for words in 'show' 'show 1' 'show 1 --format json' 'list' 'doctor' '--help' 'ab --help' '--version'; do
	# shellcheck disable=SC2086
	unheard "closed: $words" '>&-' $words
	[ -c /dev/full ] || continue
	# shellcheck disable=SC2086
	unheard "full: $words" '>/dev/full' $words
done
unheard 'closed: ab' '>&-' ab null "${tiny[@]}"
is "$(last runs)" 4 'closed: ab: its runs are stored'
like "$(last end)" '^planned end$' 'closed: ab: and so is its end'
run bash -c '"$CONTEND_AGENT" describe >&-'
is "$status" 1 'closed: the agent: status'

# ---- a store must not become standard output ----

for closed in '<&-' '2>&-' '<&- >&-' '<&- 2>&-' '<&- >&- 2>&-'; do
	rm -f only.db*
	run bash -c "\"\$@\" $closed" bash "$CONTEND" ab null "${tiny[@]}" --store only.db
	like "$status" '^[34]$' "closed $closed: status"
	is "$(head -c 15 only.db)" 'SQLite format 3' "closed $closed: the store is one"
	is "$(runs_stored only.db)" 4 "closed $closed: and has its runs"
done
run bash -c '"$@" <&-' bash "$CONTEND" show 1
is "$out" "$report" 'without standard input the report is the same'

# ---- a reader that leaves has what it wanted ----

run bash -c 'set -o pipefail; "$CONTEND" show 1 | head -n 1'
is "$status: $err" '0: ' 'head: silent, and a success'
is "$out" "$(head -n 1 <<<"$report")" 'head: its line'
run bash -c 'set -o pipefail; "$CONTEND" --help | true'
is "$status: $err" '0: ' 'a reader that reads nothing: silent, and a success'

# ---- standard output does not block ----

# A report that is longer than the pipe, whose reader comes late.
"$CONTEND" show 1 --format json >whole.json
ok 'the report is longer than a page' [ "$(wc -c <whole.json)" -gt 4096 ]
cat >slow <<'END2'
use strict;
use warnings;
use Fcntl;
pipe(my $reader, my $writer) or die;
fcntl($writer, F_SETFL, O_WRONLY | O_NONBLOCK) or die;
fcntl($writer, 1031, 4096) or die; # F_SETPIPE_SZ
my $pid = fork() // die;
if (!$pid) {
	open(STDOUT, '>&', $writer) or die;
	close($reader);
	exec(@ARGV);
}
close($writer);
select(undef, undef, undef, 0.3);
print while sysread($reader, $_, 5000);
waitpid($pid, 0);
exit($? >> 8);
END2
perl slow "$CONTEND" show 1 --format json >late.json 2>late.err
is "$?: $(cat late.err)" '0: ' 'not blocking: status'
ok 'not blocking: the report is whole' cmp -s whole.json late.json

# ---- the terminal hangs up ----

if command -v script >/dev/null; then
	# As a login shell does it, the hang-up is handed on.
	cat >session <<'END2'
trap 'kill -HUP $!' HUP
CONTEND_TEST_MARK=$1 "$CONTEND" run null window=1h 2>hung.err &
wait
wait $!
echo $? >hung.status
END2
	mark=$$-hung
	script -qec "bash session $mark" terminal.log </dev/null >/dev/null 2>&1 &
	terminal=$!
	ok 'hang-up: a run is under way' eventually are_processes 3
	kill -KILL $terminal
	ok 'hang-up: it ends' eventually test -s hung.status
	is "$(cat hung.status)" 5 'hang-up: status'
	is "$(last end)" interrupted 'hang-up: the store knows'
	ok 'hang-up: no process is left' eventually are_gone
else
	skip 'hang-up' 'script (of bsdutils) is not there to make a terminal'
fi

done_testing
