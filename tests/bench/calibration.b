#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What this machine can tell apart now: 40 experiments with equal arms, in which every difference
# that is found is a false alarm, and 40 in which the crew makes B 5 % slower and nobody tells the
# judge. 8 pairs of 50 ms each.
set -eu

export CONTEND_STORE=$TMPDIR/store.db
experiments=${EXPERIMENTS:-40}

# series TITLE WORD...: counts the verdicts on the primary metric.
series() {
	local title=$1 i
	shift
	for ((i = 0; i < experiments; i++)); do
		"$CONTEND" ab null window=50ms warmup=10ms --pairs 8 --format json "$@" || :
	done | perl -MJSON::PP -e '
		my ($title, %count, $rejected, $all, @estimates) = (shift, (), 0, 0);
		local $/;
		my $reports = JSON::PP->new;
		$reports->incr_parse(scalar <STDIN>);
		while (my $report = $reports->incr_parse) {
			my $v = $report->{subjects}[0]{verdicts}[0];
			$all++;
			$count{$v->{verdict}}++;
			$rejected++ if defined $v->{p} && $v->{p} <= 0.05;
			push @estimates, 100 * $v->{estimate} if defined $v->{estimate};
		}
		@estimates = sort { $a <=> $b } @estimates;
		printf "%s: %s of %d; p <= 0.05 in %d; middle estimate %+.1f%%\n", $title,
			join(", ", map { sprintf "%d %s", $count{$_} // 0, $_ }
				qw(regressed improved cleared undecided)),
			$all, $rejected, @estimates ? $estimates[@estimates / 2] : 0' "$title"
}

series 'equal arms'
series 'B 5 % slower' --b delay=5%
