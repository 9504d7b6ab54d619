#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When an experiment ends that is looked at on the way: by a maximum, a budget, or when it is decided;
# its looks, what is kept of them when it is killed, extended or asked for again, and what is refused.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
ab=("$CONTEND" ab made noise=200 --margin 0% --seed 3)

# primary KEY: of the verdict on the primary, in the report in $out.
primary() {
	json "subjects.0.comparisons.b.verdicts.0.$1"
}

# looks: after how many pairs there are looks, in the report in $out.
looks() {
	local i count list=()
	count=$(primary looks_planned)
	for ((i = 0; i < count; i++)); do
		list+=("$(primary "looks_planned.$i")")
	done
	(IFS=, && echo "${list[*]}")
}

# ---- a maximum ----

run "${ab[@]}" --format json
is "$(looks)" 8,16,24,32,40 'the default: looks at every fifth of 40'
is "$(json experiment.planned_pairs)" 40 'the default: they were planned for 40'
run "${ab[@]}" --max-pairs 20 --format json
is "$(looks)" 8,12,16,20 'a maximum of 20: its looks'
is "$(json experiment.plan).$(json experiment.pairs)" decided.20 'a maximum of 20: until decided, at most 20'
is "$(primary rule)" sequential 'a maximum: the rule'
is "$(primary e_process_share)" 0.525 'a maximum: the share of the e-process'
like "$(json experiment.command)" '--max-pairs 20 ' 'a maximum: what repeats it'
run "$CONTEND" show 2
like "$out" 'looks planned at 8, 12, 16 and 20 decide by p' 'a maximum: the report'
"$CONTEND" show 2 --format yaml >again.yaml
like "$(cat again.yaml)" 'max-pairs: 20' 'a maximum: the file'
run "$CONTEND" ab -f again.yaml --format json
is "$(json experiment.pairs).$(looks)" 20.8,12,16,20 'a maximum: the file repeats it'
run "$CONTEND" ab -f again.yaml --max-pairs 15 --format json
is "$(json experiment.pairs)" 15 'a maximum: the command line replaces that of the file'
run "${ab[@]}" --max-pairs 9 --format json
is "$(json experiment.plan).$(json experiment.pairs).$(primary rule)" pairs.9.sign_flip \
	'under 10 it is a plan of pairs'
like "$(json experiment.command)" '--pairs 9 ' 'under 10: what repeats it says so'

# Two of twelve pairs fail: the look that was planned for the twelfth is taken at the end.
run "$CONTEND" ab made noise=100 --margin 0% --seed 3 --max-pairs 12 --b cost=1040,does=failed,at=3+7 \
	--format json
is "$(primary pairs).$(looks)" 10.9,10 'pairs dropped: the last look is at the end'
is "$(primary rule)" sequential_end 'pairs dropped: the rule says so'

# ---- decided by a look, and by the e-process ----

run "$CONTEND" ab made noise=100 --b cost=1030 --margin 1% --seed 3 --format json
is "$(primary verdict)" regressed 'a small change: found'
is "$(primary rejected_by)" look 'a small change: by a look'
run "$CONTEND" ab made noise=100 --b cost=1500 --margin 1% --seed 3 --format json
is "$(primary rejected_by)" e_process 'a large change: by the e-process'
[ "$(primary rejected_at)" -le 8 ]
ok 'a large change: in a few pairs' [ $? = 0 ]

# ---- no maximum ----

run "$CONTEND" ab made noise=100 --b cost=1100 --until-decided --seed 3 --format json
is "$status" 1 'until decided: it regressed'
is "$(json end)" decided 'until decided: the end'
is "$(json experiment.pairs).$(json experiment.planned_pairs).$(looks)" null.null. 'until decided: no maximum, no look'
is "$(primary rule).$(primary e_process_share)" e_process.1 'until decided: the e-process has all of alpha'
like "$(json experiment.command)" '--until-decided ' 'until decided: what repeats it'
id=$(json experiment.id)
like "$("$CONTEND" show "$id")" 'no maximum planned, so no looks; an e-process after every pair' \
	'until decided: the report'
"$CONTEND" show "$id" --format yaml >open.yaml
like "$(cat open.yaml)" 'until-decided: yes' 'until decided: the file'
run "$CONTEND" ab -f open.yaml --format json
is "$(json experiment.pairs).$(primary rule)" null.e_process 'until decided: the file repeats it'
run "${ab[@]}" --until-decided --budget 1s --format json
is "$(json end).$(json experiment.plan).$(looks)" 'planned end.budget.' 'until decided, within a budget'
like "$(json experiment.command)" '--budget 1s .*--until-decided' 'until decided, within a budget: what repeats it'

# ---- a budget ----

# planned STORE: the number of pairs that fit into a budget, by the first pair.
planned() {
	"$CONTEND" show 1 --store "$1" --format json | perl -MJSON::PP -MList::Util=sum0 -e '
		local $/;
		my $report = decode_json(<STDIN>);
		my $ns = sum0 map { $_->{ended_ns} - $_->{started_ns} }
			grep { $_->{pair} == 1 && !$_->{set_aside} } @{$report->{runs}};
		print int($report->{experiment}{planned_budget_ns} / $ns);
	'
}

run "${ab[@]}" --budget 3s --store budget.db --format json
pairs=$(planned budget.db)
if [ "$(primary rule)" = sequential_end ]; then
	is "$(looks | sed 's/.*,//')" "$(primary pairs)" 'a budget: the last look is at the end of the time'
else
	is "$(looks | sed 's/.*,//')" "$pairs" 'a budget: looks for the pairs that fit in by the first one'
fi
before=$(looks)
run "$CONTEND" show 1 --store budget.db --format json
is "$(looks)" "$before" 'a budget: shown again'
run "$CONTEND" ab --resume 1 --budget 4s --store budget.db --format json
is "$(looks)" "$before" 'a budget: more time, the same looks'
is "$(json experiment.planned_budget_ns).$(json experiment.budget_ns)" 3000000000.4000000000 \
	'a budget: what was planned, and what it has'
run "${ab[@]}" --budget 100ms --store short.db --format json
is "$(primary rule)" e_process 'a budget for a few pairs: no looks'

# ---- an extension ----

run "${ab[@]}" --max-pairs 12 --store more.db --format json
run "$CONTEND" ab --resume 1 --max-pairs 16 --store more.db --format json
is "$(primary pairs).$(looks)" 16.9,12 'more pairs: the looks that were planned'
like "$("$CONTEND" show 1 --store more.db)" $'with --max-pairs 16[ \n]+instead of 12' 'more pairs: the report says so'
refused 2 'experiment 1: --max-pairs 10: it has 16 already' 'fewer than it has' \
	"$CONTEND" ab --resume 1 --max-pairs 10 --store more.db
run "${ab[@]}" --pairs 6 --store plan.db
refused 2 'experiment 1: it was begun with a number of pairs and no look' 'a maximum for a plan of pairs' \
	"$CONTEND" ab --resume 1 --max-pairs 30 --store plan.db

# ---- where nothing can come of it ----

run "$CONTEND" ab made noise=900 --margin 0% --seed 3 --store futile.db --format json
is "$status.$(json end)" 3.futile 'futile: undecided, and the end'
is "$(json judgement.futile).$(primary futile).$(primary verdict)" 1.1.undecided 'futile: the report in JSON'
run "$CONTEND" show 1 --store futile.db
like "$out" 'ended early, undecided: 40 pairs would hardly' 'futile: the report'
runs=$(runs_stored futile.db)
run "$CONTEND" ab --resume 1 --store futile.db
like "$err" 'nothing was run; --max-pairs N gives it some' 'futile: nothing left to do'
run "$CONTEND" ab --resume 1 --max-pairs 44 --store futile.db --format json
is "$status.$(json end).$(primary pairs)" '3.planned end.44' 'futile, and given more room: it goes on to its end'

# ---- what excludes what ----

for pair in 'pairs=6 max-pairs=20' 'pairs=6 budget=1m' 'max-pairs=20 budget=1m'; do
	read -r one other <<<"$pair"
	refused 2 "--${other%=*}: excludes --${one%=*}: either says when to end" "--${one%=*} and --${other%=*}" \
		"$CONTEND" ab made "--$one" "--$other"
	refused 2 "--${one%=*}: excludes --${other%=*}: either says when to end" "--${other%=*} and --${one%=*}" \
		"$CONTEND" ab made "--$other" "--$one"
done
for end in pairs=6 max-pairs=20; do
	refused 2 "--until-decided: excludes --${end%=*}: either" "--${end%=*} and --until-decided" \
		"$CONTEND" ab made "--$end" --until-decided
done
refused 2 '--max-pairs: must be 1 to 1000000, not 0' 'no pairs' "$CONTEND" ab made --max-pairs 0
refused 2 '--until-decided: with --resume only' 'until decided, later' "$CONTEND" ab --resume 1 --until-decided
printf 'contend: 1\nworkloads: [made]\nmax-pairs: 20\nbudget: 1m\n' >two.yaml
refused 2 'two.yaml:4:9: budget: excludes max-pairs: either says' 'two ends in a file' "$CONTEND" ab -f two.yaml

done_testing
