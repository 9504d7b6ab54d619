#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload proc_maps, with real readers and a real writer.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

[ "$(nproc)" -ge 2 ] || skip_all 'the readers need a CPU apart from the writer, and there is one'

# ---- the comparison of make quickstart ----

until_ok run "$CONTEND" ab proc_maps --a file=smaps --b file=maps --pairs 6 window=300ms
like "$status" '^[013]$' 'ab: a verdict'
is "$err" '' 'ab: nothing on standard error'
is "$(longest_line <run.out | awk '{ print $1 <= 78 }')" 1 'ab: 78 columns at most'
is "$(LC_ALL=C grep -c '[^ -~]' run.out)" 0 'ab: ASCII only'
verdict=$status

run "$CONTEND" show "$(last id)" --format json
is "$status" 0 'json: status of show'
is "$(json status.code)" "$verdict" 'json: valid, and it has the status of the comparison'
is $(($(json subjects.0.comparisons.0.pairs) + $(json subjects.0.comparisons.0.dropped))) 6 'json: six pairs, with those dropped'

# Runs in which a CPU has tasks of two roles, or all tasks have one CPU.
shared=$(perl -MJSON::PP -e '
	local $/;
	for my $run (grep { $_->{outcome} eq "ok" } @{decode_json(<STDIN>)->{runs}}) {
		my %cpus;
		$cpus{$_->{cpu}}{$_->{role}} = 1 for @{$run->{tasks}};
		print "$run->{id} " if keys %cpus < 2 || grep { keys %$_ > 1 } values %cpus;
	}' <run.out)
is "$shared" '' 'reader and writer have CPUs of their own'

# ---- what there is to read ----

# roles: of the tasks of the first run in $out.
roles() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		print join " ", map { $_->{role} } @{decode_json(<STDIN>)->{runs}[0]{tasks}}'
}

# measured TITLE ROLES WORD...: a run with these words is ok, and has a task of each role.
measured() {
	local title=$1 roles=$2
	shift 2
	until_ok run "$CONTEND" run proc_maps "$@" window=100ms --format json
	if [ "$(json runs.0.outcome)" = unsupported ] && [ "$1" = file=query ]; then
		skip "$title" "$(json runs.0.reason)"
		return
	fi
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$status" 0 "$title: status"
	is "$(roles)" "$roles" "$title: its tasks"
}

measured 'no readers' 'writer' file=none
measured 'a file without mappings' 'writer reader' file=stat
measured 'an ioctl for each mapping' 'writer reader' file=query
measured 'a spinner' 'writer reader spinner' busy_ms=5

done_testing
