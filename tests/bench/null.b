#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tool itself costs.
set -eu

export CONTEND_STORE=$TMPDIR/store.db

# operations RECORD: operations a second of the null workload, the best of five runs.
operations() {
	local run
	for ((run = 0; run < 5; run++)); do
		"$CONTEND" run null window=500ms record="$1" --format json || :
	done | perl -MJSON::PP -e '
		my $best = 0;
		local $/;
		my $reports = JSON::PP->new;
		$reports->incr_parse(scalar <STDIN>);
		while (my $report = $reports->incr_parse) {
			for my $figure (map { @{$_->{figures} // []} } @{$report->{runs}}) {
				next unless $figure->{metric} eq "operations" && $figure->{value};
				$best = $figure->{value} if $figure->{value} > $best;
			}
		}
		die "no run succeeded\n" unless $best;
		print $best'
}

# per_operation RECORD: ns.
per_operation() {
	operations "$1" | perl -ne 'printf "%.1f", 1e9 / $_'
}

# start_up COMMAND...: ms from start to end, the middle one of 200.
start_up() {
	perl -MTime::HiRes=time -e '
		open(STDOUT, ">", "/dev/null");
		my @took;
		for (1 .. 200) {
			my $begin = time;
			system(@ARGV) == 0 or die "@ARGV: status $?\n";
			push @took, time - $begin;
		}
		printf STDERR "%.2f", 1000 * (sort { $a <=> $b } @took)[100]' "$@" 2>&1
}

row() {
	printf '%-52s %10s %-3s %s\n' "$@"
}

row 'an empty operation, recorded' "$(per_operation yes)" ns ''
row 'an empty operation, counted only' "$(per_operation no)" ns ''
row 'a sample into the histogram' "$("$BUILD/tests/bench/histogram")" ns '(aim: under 10)'
row 'contend --help' "$(start_up "$CONTEND" --help)" ms ''
row 'contend list (with a start of the agent)' "$(start_up "$CONTEND" list)" ms ''
