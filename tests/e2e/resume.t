#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `ab --resume`: experiments that are killed again and again and taken up each time come to the same as
# one that was left alone; what can be asked of an experiment, and what is refused.
#
# 30 kills in all, with CONTEND_LONG=1 200. RANDOM decides the moments; its seed is printed,
# CONTEND_TEST_SEED repeats it.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

seed=${CONTEND_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "# seed $seed"

real_agent=$CONTEND_AGENT
fake_agent=$TOP/tests/e2e/fake_agent

# dump STORE ID: the runs that count, one a line, without the order of time.
dump() {
	"$CONTEND" show "$2" --store "$1" --format json | perl -MJSON::PP -e '
		local $/;
		my $report = decode_json(<STDIN>);
		print map { "$_\n" } sort map {
			my ($cost) = grep { $_->{metric} eq "cost" } @{$_->{figures}};
			join " ", $_->{subject}, $_->{pair}, $_->{arm}, $_->{first} ? 1 : 0, $_->{outcome},
				$cost ? $cost->{value} : "";
		} grep { !$_->{set_aside} } @{$report->{runs}};
	'
}

# places: of such lines, without outcome and figure.
places() {
	cut -d ' ' -f 1-4
}

# agents: what the controller has started, workers too.
agents() {
	processes | grep -vx "$job"
}

# strike KIND: a kill; 0 when there was somebody to kill.
strike() {
	case $1 in
	controller) kill -9 "$job" 2>/dev/null ;;
	all)
		# shellcheck disable=SC2046
		kill -9 $(processes) 2>/dev/null
		;;
	agent) kill -9 "$(agents | head -n 1)" 2>/dev/null ;;
	worker) kill -9 "$(agents | tail -n 1)" 2>/dev/null ;;
	esac
}

# torment STORE KINDS COMMAND...: starts the experiment, kills something after a moment, takes it up
# again, and so on to its end. Counts kills, and in clean how often no process was left.
kills=0 clean=0 ends=0
declare -A struck=()
torment() {
	local store=$1 kind id=
	local -a list
	read -ra list <<<"$2"
	shift 2
	while :; do
		if [ -z "$id" ]; then
			start "$@" --store "$store"
		else
			start "$CONTEND" ab --resume "$id" --store "$store"
		fi
		kind=${list[RANDOM % ${#list[@]}]}
		sleep "0.$(printf '%03d' $((RANDOM % 900)))"
		if strike "$kind"; then
			kills=$((kills + 1))
			struck[$kind]=$((${struck[$kind]:-0} + 1))
			# What survives the death of an agent is stopped as a user would.
			sleep "0.$(printf '%03d' $((RANDOM % 100)))"
			kill -INT "$job" 2>/dev/null
		fi
		wait "$job" 2>/dev/null
		eventually are_gone && clean=$((clean + 1))
		ends=$((ends + 1))
		id=$("$CONTEND" show --store "$store" --format json 2>/dev/null |
			perl -MJSON::PP -e 'local $/; my $l = decode_json(<STDIN> || "[]"); print $l->[-1]{id} if @$l')
		[ -z "$id" ] ||
			! "$CONTEND" show --store "$store" | tr '\n' ' ' | grep -qE ' (decided|futile|planned +end) ' || return
	done
}

# ---- the same, run for run ----

wanted=15
[ -z "${CONTEND_LONG:-}" ] || wanted=150
export CONTEND_AGENT=$fake_agent
experiments=0 same=0 once=0 crashed=0
# One of each plan at least, with three arms and with two.
while [ $kills -lt $wanted ] || [ $experiments -lt 4 ]; do
	experiments=$((experiments + 1))
	plan=(made other --seed $((RANDOM + 1)) noise=40)
	kinds='controller all'
	# With looks a crash decides what is run next; without, it is one run that is not there.
	if [ $((experiments % 2)) = 1 ]; then
		plan+=(--pairs 7)
		kinds+=' agent'
	else
		plan+=(--b other.cost=1060 --margin 0%)
	fi
	# One arm rests before the other does.
	[ $((experiments % 4)) -gt 2 ] || [ $((experiments % 4)) = 0 ] ||
		plan+=(--b made.cost=1300 --c made.cost=1040)
	rm -f whole.db* cut.db*
	run "$CONTEND" ab "${plan[@]}" --store whole.db
	before=$kills
	torment cut.db "$kinds" "$CONTEND" ab "${plan[@]}"
	dump whole.db 1 >whole.runs
	dump cut.db 1 >cut.runs
	agents_struck=$(grep -c crashed cut.runs)
	crashed=$((crashed + agents_struck))
	if cmp -s <(places <whole.runs) <(places <cut.runs) &&
		[ "$(comm -13 whole.runs cut.runs | grep -vc crashed)" = 0 ]; then
		same=$((same + 1))
	else
		note "experiment $experiments (${plan[*]}), after $((kills - before)) kills:"
		note "$(diff whole.runs cut.runs)"
	fi
	[ "$(places <cut.runs | sort | uniq -d | wc -l)" = 0 ] && once=$((once + 1))
done
note "$experiments experiments, $kills kills (controller ${struck[controller]:-0}, agent" \
	"${struck[agent]:-0}, all ${struck[all]:-0}), $crashed runs that crashed with their agent"
is $same $experiments 'a killed experiment equals one that was left alone, run for run'
is $once $experiments 'no run counts twice'
ok 'kills of an agent alone are runs that crashed' [ $crashed -le "${struck[agent]:-0}" ]

# ---- with the real agent: sound ----

wanted=$((kills + 15))
[ -z "${CONTEND_LONG:-}" ] || wanted=$((kills + 50))
export CONTEND_AGENT=$real_agent
fake_kills=$kills
sound=0 experiments=0
struck=()
while [ $kills -lt $wanted ]; do
	experiments=$((experiments + 1))
	rm -f real.db*
	torment real.db 'controller agent worker all' "$CONTEND" ab null "${quick[@]}" --pairs 10
	dump real.db 1 >real.runs
	[ "$(places <real.runs | uniq | wc -l)" = 20 ] && [ "$(wc -l <real.runs)" = 20 ] &&
		[ "$(cut -d ' ' -f 2 real.runs | sort -un | paste -sd ' ')" = '1 2 3 4 5 6 7 8 9 10' ] &&
		sound=$((sound + 1))
done
note "$experiments experiments, $((kills - fake_kills)) kills (controller ${struck[controller]:-0}," \
	"agent ${struck[agent]:-0}, worker ${struck[worker]:-0}, all ${struck[all]:-0})"
is $sound $experiments 'real runs: every pair is there once'
is $clean $ends 'no process was ever left'

# ---- what can be asked ----

export CONTEND_AGENT=$fake_agent
ab=("$CONTEND" ab)

# cut_after N STORE COMMAND...: an experiment that was interrupted when it had N runs at least.
cut_after() {
	local count=$1 store=$2
	shift 2
	export CONTEND_STORE=$store
	start "$@"
	eventually are_stored "$count"
	kill -INT "$job"
	wait "$job"
	status=$?
	out=$(cat job.out)
}

cut_after 14 "$TMPDIR/blind.db" "${ab[@]}" made --b cost=1500 noise=20 --pairs 1000 --seed 3
is "$status" 5 'a plan that was cut: status'
unlike "${out//delay=0%/}" '%|1000 ns|1 us|regressed' 'a plan that was cut: no figure, no verdict'
like "$out" 'contend ab --resume 1
.*contend ab --resume 1 --pairs [0-9]+' 'a plan that was cut: both ways on'
is "$("$CONTEND" show 1)" "$out" 'a plan that was cut: show says the same'
run "$CONTEND" show 1 --format json
is "$(json judgement.blind).$(json runs).$(json subjects.0.comparisons.0.verdicts)" 1.0.0 \
	'a plan that was cut: nor does JSON show more'
like "$("$CONTEND" show)" 'interrupted +- ' 'a plan that was cut: no verdict in the list'
pairs=$(json subjects.0.comparisons.0.pairs)
refused 2 'experiment 1: --pairs 2: it has [0-9]+ already' 'fewer than there are' "${ab[@]}" --resume 1 --pairs 2
run "${ab[@]}" --resume 1 --pairs "$pairs"
is "$status" 1 'ended with what it has: status'
like "$out" "$pairs pairs planned, no look before the end" 'ended with what it has: its own rule'
run "${ab[@]}" --resume 1
is "$status" 1 'nothing left to do: the status of the verdict'
like "$err" 'nothing was run' 'nothing left to do: it says so'

refused 2 'experiment 1: it was begun without --budget' 'another plan' "${ab[@]}" --resume 1 --budget 1m
for fixed in --alpha=0.1 --margin=1% --primary=work --seed=4 --a=cost=1 --b=cost=1 --strict made cost=5; do
	refused 2 "${fixed%%=*}.*fixed before" "$fixed beside --resume" "${ab[@]}" --resume 1 "$fixed"
done
refused 2 '.*no experiment 7' 'an unknown experiment' "${ab[@]}" --resume 7
refused 2 '--resume' 'not a number' "${ab[@]}" --resume x
refused 2 '.*no store' 'no store' "${ab[@]}" --resume 1 --store none.db
[ ! -e none.db ]
ok 'no store: none is made' [ $? = 0 ]
run "$CONTEND" run made --runs 3
refused 2 'experiment 2: it is of .contend run.' 'runs of one arm' "${ab[@]}" --resume 2

cut_after 14 "it's.db" "${ab[@]}" made other --b cost=1500 noise=20 --pairs 1000 --store "it's.db"
unlike "${out//delay=0%/}" '%|1000 ns|1 us|regressed|improved' 'several workloads, cut: no figure, no verdict'
like "$out" "contend ab --resume 1 --store 'it'.''s.db'
.*contend ab --resume 1 --store 'it'.''s.db' --pairs [0-9]+" 'the way on names the store that was given'
run "$CONTEND" show 1 --store "it's.db" --format json
is "$(json subjects.0.comparisons.0.finding) $(json subjects.1.comparisons.0.finding) $(json judgement.comparisons.undecided)" \
	'undecided undecided 2' 'several workloads, cut: nor do the findings tell'

# One of two was given up, and the other is decided: only the first is tried again.
run "${ab[@]}" made other noise=10 --b cost=900 --a made.does=failed --seed 1 --store mended.db
is "$status" 4 'given up beside one that is decided: status'
runs=$(runs_stored mended.db)
run "${ab[@]}" --resume 1 --store mended.db
is "$status.$(($(runs_stored mended.db) - runs))" 4.6 'taken up again: three more tries, and the other rests'

# A plan of 25 pairs has used up its alpha, one of three has not.
run "${ab[@]}" made noise=30 --pairs 25 --seed 1 --store spent.db
refused 2 'experiment 1: its end after 25 pairs was seen and used up its alpha' 'alpha is used up' \
	"${ab[@]}" --resume 1 --pairs 60 --store spent.db
is "$(runs_stored spent.db)" 50 'alpha is used up: nothing was run'
run "${ab[@]}" made --b cost=1500 noise=20 --pairs 3 --seed 1 --store three.db
is "$status" 3 'three pairs: undecided'
refused 2 'experiment 1: .*no verdict before pair' 'not enough pairs' "${ab[@]}" --resume 1 --pairs 4 --store three.db
run "${ab[@]}" --resume 1 --pairs 12 --store three.db
is "$status" 1 'three pairs, extended: status'
like "$out" 'an extension: what 3 pairs had shown was seen' 'three pairs, extended: the report says so'
like "$out" 'looks: 2, after 3 pairs at 5 %.*after 12 pairs at 5 %' 'three pairs, extended: both looks'
like "$("$CONTEND" show --store three.db)" 'planned end  regressed' 'the list has the verdict'

# With looks more room costs nothing, and a verdict stays.
run "${ab[@]}" made --b cost=1500 noise=20 --seed 1 --store looks.db
is "$status" 1 'until decided: status'
like "$out" 'judged after pairs 1 \.\. [0-9]+; the last: E ' 'until decided: the looks'
runs=$(runs_stored looks.db)
run "${ab[@]}" --resume 1 --store looks.db
is "$(runs_stored looks.db)" "$runs" 'decided: nothing is run'
run "${ab[@]}" --resume 1 --pairs 45 --store looks.db
is "$status.$(runs_stored looks.db)" 1.90 'given room: it goes on to its end'
run "${ab[@]}" made noise=30 --margin 0% --budget 1s --seed 1 --store budget.db
runs=$(runs_stored budget.db)
run "${ab[@]}" --resume 1 --budget 2s --store budget.db
ok 'more time: it goes on' [ "$(runs_stored budget.db)" -gt "$runs" ]
refused 2 'experiment 1: it was begun with --budget' 'pairs for a budget' "${ab[@]}" --resume 1 --pairs 9 --store budget.db

# What repeats an experiment that was extended: as it was asked for, and then the extension.
# repeats STORE REPORT FILE: report and file match these, and the file makes what was asked for.
repeats() {
	like "$("$CONTEND" show 1 --store "$1")" "$2" "$1: the report says what repeats it"
	run "$CONTEND" show 1 --store "$1" --format yaml
	is "$status$err" 0 "$1: there is a file of it"
	like "$out" "$3" "$1: it is as it was asked for, and says what became of it"
	printf '%s\n' "$out" >again.yaml
	run "${ab[@]}" -f again.yaml --store "again-$1" --format json
	is "$(json experiment.command)" "$("$CONTEND" show 1 --store "$1" --format json | perl -MJSON::PP -e \
		'local $/; print decode_json(<STDIN>)->{experiment}{command}')" "$1: and asks for the same"
}
repeats looks.db 'contend ab made .*--seed 1
then, to extend it: contend ab --resume [0-9]+ --max-pairs 45' 'repeats it.
# then, to extend it: contend ab --resume [0-9]+ --max-pairs 45
contend: 1
'
unlike "$("$CONTEND" show 1 --store looks.db --format yaml)" $'\npairs: ' 'until decided: the file has no number of pairs'
repeats three.db 'then, to extend it: contend ab --resume [0-9]+ --pairs 12' \
	'# then, to extend it: contend ab --resume [0-9]+ --pairs 12
.*pairs: 3
'
repeats budget.db 'then, to extend it: contend ab --resume [0-9]+ --budget 2s' \
	'# then, to extend it: contend ab --resume [0-9]+ --budget 2s
.*budget: 1s
'
run "$CONTEND" show 1 --store "$TMPDIR/blind.db" --format yaml
like "$out" "# with --pairs $pairs instead, as was said before its end
.*pairs: 1000
" 'ended with what it has: the file says so'

# Another agent than the one it was begun with.
sed "s/'how much'/'how much?'/; s/help => 'the figure'/help => 'another figure'/" "$fake_agent" >other_agent
chmod +x other_agent
cut_after 4 "$TMPDIR/agent.db" "${ab[@]}" made noise=30 --pairs 1000
CONTEND_AGENT=$TMPDIR/other_agent refused 4 "experiment 1: workload made has other params .*'cost'" \
	'another description' "${ab[@]}" --resume 1

# One process at a time.
start "${ab[@]}" --resume 1
eventually are_processes 2
refused 4 '.*another process runs experiment 1' 'twice at once' "${ab[@]}" --resume 1
kill -INT "$job"
wait "$job"

# Stopped while the agent is asked what it has.
cat >slow_agent <<'END2'
#!/bin/sh
touch slow.begun
exec sleep 60 <&-
END2
chmod +x slow_agent
CONTEND_AGENT=$TMPDIR/slow_agent start "${ab[@]}" made
eventually test -e slow.begun
kill -INT "$job"
wait "$job"
is $? 5 'stopped before the first run: status'
like "$(cat job.err)" 'stopped' 'stopped before the first run: the reason'

done_testing
