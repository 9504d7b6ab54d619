#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What holds for a run of every workload as `contend list` describes it, in both modes: it is ok, each
# task did something and nothing of it failed, each metric has a figure or says why not, and neither a
# process nor a file is left.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# What some cannot do without.
declare -A needed=([external]="file=$TMPDIR/case.so" [command]="-- sh -c true")

cat >case.c <<'END'
#include <unistd.h>
char *testcase_description = "getppid";
void testcase(unsigned long long *iterations, unsigned long nr)
{
	(void)nr;
	for (;;) {
		getppid();
		(*iterations)++;
	}
}
END
gcc -O2 -shared -fPIC -o case.so case.c || needed[external]=

# files: what a run could have left on the machine.
files() {
	find "$TMPDIR" /dev/shm -mindepth 1 ! -path "$TMPDIR/store.db*" ! -path "$TMPDIR/run.*" 2>/dev/null |
		sort
	[ ! -e /proc/sysvipc/shm ] || tail -n +2 /proc/sysvipc/shm | awk '{print "shm", $2}'
}

# wrong: what is wrong with the run in $out, a line each.
wrong() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		my $report = decode_json(<STDIN>);
		my $run = $report->{runs}[0];
		my $of = $report->{subjects}[0];
		print "no task\n" if !@{$run->{tasks}};
		for my $task (@{$run->{tasks}}) {
			my ($name, $counters) = ("$task->{role} $task->{task}", $task->{counters});
			print "$name did nothing\n" if !$counters->{operations};
			print "$name failed $counters->{failures} times\n" if $counters->{failures};
		}
		my %figures = map { $_->{metric} => $_ } @{$run->{figures}};
		print "no figure\n" if !grep { defined $_->{value} } values %figures;
		for my $name (map { $_->{name} } @{$of->{metrics}}) {
			my $figure = $figures{$name};
			print "$name: neither a figure nor a reason\n"
				if !$figure || !defined $figure->{value} && !length($figure->{refusal} // "");
		}
	' 2>&1 || echo 'the report cannot be read'
}

# sane TITLE WORKLOAD WORD...
sane() {
	local title=$1 before
	shift
	before=$(files)
	mark=$$-$RANDOM-$RANDOM
	export CONTEND_TEST_MARK=$mark
	until_ok run "$CONTEND" run --format json "$@"
	unset CONTEND_TEST_MARK
	# What comes to an end is given the time for it.
	eventually are_gone
	is "$(processes)" '' "$title: no process is left"
	is "$(files)" "$before" "$title: no file is left"
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		skip "$title" "$(json runs.0.reason)"
		return
	fi
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome" || return
	is "$status" 0 "$title: status"
	is "$(wrong)" '' "$title: what it counted"
}

run "$CONTEND" list workloads
names=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z][a-z0-9_]*\).*/\1/p')
ok 'there are workloads' [ "$(wc -w <<<"$names")" -gt 20 ]
for name in $names; do
	if [ "${needed[$name]-x}" = '' ]; then
		skip "$name" 'what it needs could not be made'
		continue
	fi
	run "$CONTEND" list "$name"
	modes=mode=process\ mode=thread
	[[ $out =~ [[:space:]]mode=process ]] || modes=seed=1
	time=window=100ms
	# Programs take the time that they take.
	[[ $out =~ [[:space:]]window= ]] || modes=timeout=1m time=
	for mode in $modes; do
		# shellcheck disable=SC2086
		sane "$name $mode" "$name" "$mode" $time ${needed[$name]-}
	done
done

done_testing
