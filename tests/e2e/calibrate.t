#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contend calibrate: A/A, known shifts, what is kept of them and quoted later.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

real_agent=$CONTEND_AGENT
fake=$TOP/tests/e2e/fake_agent

# flat TEXT: on one line, as if nothing had been broken.
flat() {
	tr -s ' \n' ' ' <<<"$1"
}

# calibrations: how many the store has.
calibrations() {
	"$CONTEND" calibrate --list --format json |
		perl -MJSON::PP -e 'local $/; print scalar @{decode_json(<STDIN>)}'
}

# ---- an agent whose figures are what is asked for: the rate falls by just what the delay is ----

export CONTEND_AGENT=$fake
cat >answers <<'END'
{"host": {"kernel": "6.18.44", "cpus_online": "0-1", "governor": "performance", "load1": 0.1}}
END
export FAKE_ANSWERS=$TMPDIR/answers
made=(made --primary work cost=100000 noise=1000)
# So that no shift has less pairs than there are, however slow the machine is.
hour=(--budget 1h)

run "$CONTEND" calibrate "${made[@]}" "${hour[@]}" --seed 3
is "$status" 0 'calibrate: status'
is "$err" '' 'calibrate: nothing on standard error'
like "$out" '^calibration for made: ' 'calibrate: the report'
like "$out" 'experiments 1 \.\. 5' 'calibrate: five experiments'
like "$out" 'none \(A/A\) +0\.0+% +no ' 'calibrate: A/A is not rejected'
like "$out" 'delay=5% +-4\.[0-9]+% +yes ' 'calibrate: 5 % is found'
like "$(flat "$out")" 'cut into 6 experiments of 6 pairs: 0 rejected, where 95 %' 'calibrate: small A/As'
like "$(flat "$out")" 'this machine resolves [0-9.]+ % in [0-9]+ pairs' 'calibrate: what it resolves'
like "$out" 'confirmed: of [2-4] known shifts' 'calibrate: the shifts confirm that'
like "$(flat "${out//\\/}")" "contend calibrate made cost=100000 noise=1000 --budget 1h --primary work --seed 3" \
	'calibrate: the command to repeat it'
is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 'calibrate: fits a mail'
is "$(LC_ALL=C; printf '%s' "$out" | tr -d '\n -~' | wc -c)" 0 'calibrate: is ASCII'
is "$(calibrations)" 1 'calibrate: it is kept'
first=$out

run "$CONTEND" calibrate --show 1
is "$status" 0 '--show: status'
is "$out" "$first" '--show prints the same'
run "$CONTEND" calibrate --list
like "$out" '    1  20..-..-..  [0-9.]+ % in [0-9]+ pairs .*  made cost=100000' '--list'

# Its experiments are stored as any other is, and A/A has all its planned pairs.
for id in 1 2 3 4 5; do
	run "$CONTEND" show $id
	is "$status" 0 "experiment $id can be shown"
done
run "$CONTEND" show 1 --format json
is "$(json experiment.plan)" pairs 'A/A has a planned number of pairs'
is "$(json subjects.0.comparisons.0.aa)" 1 'A/A has no delay'
run "$CONTEND" show 3 --format json
is "$(json experiment.plan)" decided 'a shift is looked for until decided'
is "$(json subjects.0.params.b.delay)" 2% 'the second shift is 2 %'
is "$(json experiment.margin)" 0 'and not until it is cleared'

run "$CONTEND" calibrate "${made[@]}" "${hour[@]}" --seed 3 --format json
is "$status" 0 'json: status'
is "$(json contend_calibration)" 1 'json: its version'
is "$(json calibrations.0.missing)" 0 'json: nothing is missing'
is "$(json calibrations.0.check)" confirmed 'json: confirmed'
is "$(json calibrations.0.shifts)" 4 'json: four shifts'
is "$(json calibrations.0.shifts.0.held)" 1 'json: an interval holds what was injected'
is "$(json calibrations.0.aa.found)" 0 'json: A/A'

# answers: what a report in $out says, but for times and numbers in the store.
answers() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		my $c = decode_json(<STDIN>)->{calibrations}[0];
		print join " ", $c->{resolved}{effect}, $c->{resolved}{pairs}, $c->{sd},
			map { "$_->{estimate}/$_->{pairs}" } $c->{aa}, @{$c->{shifts}}'
}

# The same seed and figures: the same answer, whatever else is in the store.
once=$(answers)
run "$CONTEND" calibrate "${made[@]}" "${hour[@]}" --seed 3 --format json
is "$(answers)" "$once" 'a seed repeats it'

# ---- quoted where the workload, its parameters, the primary and the machine are the same ----

quoted='calibrated 20..-..-.. \(experiments 11 \.\. 15\): this machine resolves '
run "$CONTEND" ab "${made[@]}" --pairs 6
like "$out" "$quoted" 'ab quotes it'
id=$(last id)
run "$CONTEND" show "$id"
like "$out" "$quoted" 'show quotes it'
run "$CONTEND" ab "${made[@]}" --pairs 6 --format json
is "$(json subjects.0.calibration.id)" 3 'json quotes it'
is "$(json subjects.0.calibration.changes)" 0 'json: no state is another one'
run "$CONTEND" ab made other --primary made.work cost=100000 noise=1000 --pairs 6
like "$(flat "$out")" 'made: calibrated ' 'of several workloads it says which'
run "$CONTEND" ab made --primary work cost=100000 noise=1000 window=1000ms --pairs 6
like "$out" "$quoted" '1000ms is 1s'
run "$CONTEND" ab made --primary work cost=100000 --a noise=1000 --b noise=2000 --pairs 6
like "$out" "$quoted" 'one arm is as it was'
run "$CONTEND" ab made --primary work cost=100000 --a noise=900 --b noise=2000 --pairs 6
unlike "$out" 'calibrated' 'no arm is as it was'
run "$CONTEND" ab made cost=100000 noise=1000 --pairs 6
unlike "$out" 'calibrated' 'another primary'
run "$CONTEND" ab made --primary work cost=100000 noise=1000 window=2s --pairs 6
unlike "$out" 'calibrated' 'another window'
run "$CONTEND" ab other --primary work cost=100000 noise=1000 --pairs 6
unlike "$out" 'calibrated' 'another workload'
run "$CONTEND" show 1
unlike "$out" 'calibrated' 'nor does what was measured before'

sed -i 's/performance/powersave/; s/"load1": 0.1/"load1": 0.2/' answers
run "$CONTEND" ab "${made[@]}" --pairs 6
like "$(flat "$out")" 'in another state of the machine' 'another state: it is said'
like "$(flat "$out")" 'governor performance then, now powersave' 'another state: which'
unlike "$out" 'this machine resolves' 'another state: no figure'
run "$CONTEND" ab "${made[@]}" --pairs 6 --format json
is "$(json subjects.0.calibration.changes.0.key)" governor 'another state: json'

# ---- where there is less to say ----

run "$CONTEND" calibrate made noise=10
is "$status" 0 'no rate: status'
like "$(flat "$out")" 'what the change must be is not known: the primary metric is neither' 'no rate: it is said'
like "$out" 'delay=5% +yes ' 'no rate: a shift is looked for'
run "$CONTEND" calibrate made --primary work
is "$status" 0 'no spread: status'
like "$(flat "$out")" 'what this machine resolves is not known: .* no spread' 'no spread: it is said'
run "$CONTEND" ab made --primary work --pairs 6
unlike "$out" 'calibrated' 'no spread: nothing to quote'

# Several workloads, one of which gives up.
kept=$(calibrations)
run "$CONTEND" calibrate made other --primary work made.does=failed other.noise=3
is "$status" 4 'one gives up: status'
like "$(flat "$out")" 'NOT COMPLETE: 5 of its experiments are missing: experiment [0-9]+ gave up: .*as asked' \
	'one gives up: why'
like "$out" 'calibration for other' 'one gives up: the other does not'
is "$(calibrations)" $((kept + 1)) 'one gives up: the other is kept'

# ---- refused ----

refused 2 'delay=1%: delay= is what calibrate gives' 'a delay' "$CONTEND" calibrate made delay=1%
refused 2 'made.delay=1%: delay= is what' 'an addressed one' "$CONTEND" calibrate made made.delay=1%
refused 2 'made: 10.00 s is too little for the 52 pairs' 'no time' "$CONTEND" calibrate made --budget 10s
refused 2 '--list: with --show nothing' 'both' "$CONTEND" calibrate --list --show 1
refused 2 'made: with --show nothing' 'to show and to run' "$CONTEND" calibrate made --show 1
refused 2 'seed: with --list nothing' 'to list and to seed' "$CONTEND" calibrate --seed 1 --list
refused 2 'store .* has no calibration 99' 'an unknown one' "$CONTEND" calibrate --show 99
refused 2 'no workload' 'an unknown workload' "$CONTEND" calibrate unknown
refused 2 "no option '--pairs'" 'a number of pairs' "$CONTEND" calibrate made --pairs 9
refused 4 'absent cannot run here' 'an unsupported one' "$CONTEND" calibrate absent

# ---- more runs of one that is kept ----

kept=$("$CONTEND" calibrate --list --format json | perl -MJSON::PP -e '
	local $/; my $l = decode_json(<STDIN>); print "$l->[-1]{id} $l->[-1]{experiments}[1]"')
"$CONTEND" calibrate --show "${kept% *}" >before.txt
stored=$(runs_stored "$CONTEND_STORE")
refused 2 "experiment ${kept#* }: it is a part of calibration ${kept% *}, whose findings more runs would change" \
	'more pairs for a shift of a calibration' "$CONTEND" ab --resume "${kept#* }" --max-pairs 90
is "$(runs_stored "$CONTEND_STORE")" "$stored" 'more pairs for a shift of a calibration: nothing was run'
"$CONTEND" calibrate --show "${kept% *}" >after.txt
ok 'more pairs for a shift of a calibration: it says what it said' cmp -s before.txt after.txt

# ---- interrupted, killed ----

kept=$(calibrations)
start "$CONTEND" calibrate "${made[@]}" window=1s does=hang at=9
ok 'interrupt: A/A is under way' eventually are_processes 2
sleep 1
kill -INT "$job"
wait "$job"
is $? 5 'interrupt: status'
like "$(flat "$(cat job.out)")" 'NOT COMPLETE: 5 of its experiments are missing: interrupted' \
	'interrupt: what is missing'
like "$(flat "$(cat job.out)")" "contend ab --resume $(last id) goes" 'interrupt: how to go on'
is "$(last end)" interrupted 'interrupt: the experiment knows'
is "$(calibrations)" "$kept" 'interrupt: no calibration is kept'

# In the second experiment, behind 40 pairs of A/A: what these showed is shown.
cat >slow <<'END'
#!/bin/bash
read -r job
case $job in
*'"delay":"5%"'*) sleep 0.2 ;;
esac
printf '%s\n' "$job" | "$FAKE"
END
chmod +x slow
export FAKE=$fake
stored=$(runs_stored "$CONTEND_STORE")
CONTEND_AGENT=$TMPDIR/slow start "$CONTEND" calibrate "${made[@]}" "${hour[@]}"
ok 'interrupt in a shift: it is under way' eventually are_stored $((stored + 82))
kill -INT "$job"
wait "$job"
is $? 5 'interrupt in a shift: status'
like "$(flat "$(cat job.out)")" \
	'delay=5% has not ended, and 3 known shifts were not begun: A/A alone would have it that this machine resolves' \
	'interrupt in a shift: what A/A showed, and what is missing to it'
like "$(flat "$(cat job.out)")" 'delay=5% +not ended' 'interrupt in a shift: the shift did not end'
like "$(flat "$(cat job.out)")" 'NOT COMPLETE: 4 of its' 'interrupt in a shift: what is missing'
is "$(calibrations)" "$kept" 'interrupt in a shift: no calibration is kept'

stored=$(runs_stored "$CONTEND_STORE")
CONTEND_AGENT=$TMPDIR/slow start "$CONTEND" calibrate "${made[@]}" "${hour[@]}"
ok 'kill: the second experiment is under way' eventually are_stored $((stored + 82))
kill -9 "$job"
wait "$job" 2>/dev/null
is "$(calibrations)" "$kept" 'kill: no calibration is kept'
id=$(last id)
is "$(last end)" null 'kill: the experiment has not ended'
run "$CONTEND" ab --resume "$id"
like "$status" '^[01]$' 'kill: it can be gone on with'
run "$CONTEND" show $((id - 1)) --format json
is "$(json end)" 'planned end' 'kill: A/A is whole'

# ---- the real agent, with runs as short as can be ----

export CONTEND_AGENT=$real_agent
unset FAKE_ANSWERS
short=(null window=50ms warmup=1ms --budget 15s)
until_ok run "$CONTEND" calibrate "${short[@]}"
like "$status" '^[01]$' 'null: status'
like "$(flat "$out")" 'must be: what the delay comes to' 'null: what a delay comes to is known'
like "$(flat "$out")" 'this machine resolves ' 'null: what it resolves'
until_ok run "$CONTEND" ab null window=50ms warmup=1ms --pairs 2
like "$out" 'calibrated 20' 'null: ab quotes it'
until_ok run "$CONTEND" calibrate exit_mmap window=50ms warmup=1ms size=1M --budget 4s
like "$(flat "$out")" 'no known shifts: delay= is between two operations, and no latency holds it' \
	'exit_mmap: no shifts'
done_testing
