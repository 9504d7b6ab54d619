#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# More than two arms: blocks, verdicts of each arm against A, arms that rest or are given up, what the
# store, the reports and a file say of them, what is refused.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

real_agent=$CONTEND_AGENT
export CONTEND_AGENT=$TOP/tests/e2e/fake_agent
ab=("$CONTEND" ab)

# blocks ID: the arms of each block in the order in which they ran, a line each; set aside ones not.
blocks() {
	"$CONTEND" show "$1" --format json | perl -MJSON::PP -e '
		local $/;
		my %blocks;
		for my $run (@{decode_json(<STDIN>)->{runs}}) {
			push @{$blocks{"$run->{subject}"}[$run->{pair} - 1]}, uc $run->{arm} if !$run->{set_aside};
		}
		print map { join("", @{$_ // []}) . "\n" } map { @$_ } @blocks{sort keys %blocks};
	'
}

# verdict_of ARM: of the primary of the first workload, in the report in $out.
verdict_of() {
	json "subjects.0.comparisons.$1.verdicts.0.verdict"
}

# ---- a plan ----

run "${ab[@]}" made noise=10 --a cost=1000 --b cost=900 --c cost=1100 --d cost=1000 --pairs 8 --seed 4021
is "$status" 1 'four arms: one is worse'
is "$err" '' 'four arms: nothing on standard error'
like "$out" '
  A  cost=1000
  B  cost=900
  C  cost=1100
  D  cost=1000
' 'four arms: the head names all'
like "$out" 'A/A: D the same as A; a rejection is a false alarm' 'four arms: the double of A'
like "$out" '8 blocks of A, B, C and D in random order, 32 runs' 'four arms: blocks'
like "$out" '
cost +A +[0-9.]+ us
 +B +[0-9.]+ us +-[0-9.]+%.* improved \*
 +C +[0-9.]+ us +[+][0-9.]+%.* regressed \*
 +D ' 'four arms: a row for each'
like "$out" 'corrected for 3 comparisons' 'four arms: their number'
like "$out" '
B against A:
.*
C against A:
' 'four arms: each has its own part'
is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 'four arms: 78 columns at most'
one=$(last id)
is "$(blocks "$one" | paste -sd ' ')" 'DCAB ABCD DCAB BDCA DCBA DABC BDCA DBAC' \
	'four arms: the order of the seed'
is "$("$CONTEND" show "$one")" "$out" 'four arms: show says the same'
run "$CONTEND" show --format json
is "$(json 0.verdicts.0) $(json 0.verdicts.1)" 'improved regressed' 'four arms: the list has all verdicts'
run "$CONTEND" show "$one" --format json
is "$(verdict_of 0) $(verdict_of 1)" 'improved regressed' 'four arms: verdicts in the JSON'
is "$(json subjects.0.comparisons.1.verdicts.0.arm) $(json subjects.0.comparisons.1.verdicts.0.figures.c)" 'c 8' \
	'four arms: they carry their arm'
is "$(json subjects.0.comparisons.2.aa) $(json judgement.aa)" '1 0' 'four arms: A/A of one'
is "$(json experiment.labels.d) $(json subjects.0.params.c.cost)" 'cost=1000 1100' 'four arms: labels and parameters'

# ---- the same again ----

command=$(json experiment.command)
is "$command" 'contend ab made noise=10 --a cost=1000 --b cost=900 --c cost=1100 --d cost=1000 --pairs 8 --seed 4021' \
	'the command that repeats it'
read -ra words <<<"$command"
run "$CONTEND" "${words[@]:1}" --format json
is "$(json experiment.command)" "$command" 'it repeats it'
run "$CONTEND" show "$one" --format yaml
printf '%s\n' "$out" >arms.yaml
like "$out" '
c:
  cost: 1100
d:
  cost: 1000
' 'a file has all arms'
run "${ab[@]}" -f arms.yaml --format json
is "$(json experiment.command)" "$command" 'the file repeats it'
run "${ab[@]}" made --b cost=900 --c '' --pairs 6 --seed 1 --format json
is "$(json experiment.command)" "contend ab made --b cost=900 --c '' --pairs 6 --seed 1" 'an empty arm is an arm'

# ---- arms that have enough ----

run "${ab[@]}" made noise=40 --b cost=1300 --c cost=1002 --margin 0% --seed 2
rested=$(last id)
is "$status" 1 'until decided: status'
blocks "$rested" >rested.blocks
is "$(grep -c B rested.blocks)" "$("$CONTEND" show "$rested" --format json | perl -MJSON::PP -e '
	local $/; print decode_json(<STDIN>)->{subjects}[0]{comparisons}[0]{pairs}')" 'until decided: B ran its pairs'
[ "$(grep -c B rested.blocks)" -lt "$(grep -c C rested.blocks)" ]
ok 'until decided: B rests when it is decided, C goes on' [ $? = 0 ]
is "$(grep -c A rested.blocks)" "$(wc -l <rested.blocks)" 'until decided: A is in every block'
is "$(awk '/B/ && seen { print "again" } !/B/ { seen = 1 }' rested.blocks)" '' 'until decided: and does not come back'

# ---- arms that fail ----

run "${ab[@]}" made noise=10 --b cost=900 --c does=crash --pairs 8
is "$status" 1 'C crashes: status'
like "$out" 'C CRASHES, its last 3 runs in a row: crashed' 'C crashes: said first'
like "$out" '
 +B .* improved \*
' 'C crashes: B has its verdict'
is "$(blocks "$(last id)" | tr -d AB | grep -c C) $(blocks "$(last id)" | grep -c B)" '3 8' \
	'C crashes: it is given up, and the others go on'
run "${ab[@]}" made noise=10 --b cost=900 --c does=invalid --pairs 8
is "$status" 4 'C cannot do it: status'
like "$out" 'NOT POSSIBLE, the last 3 runs of C gave nothing' 'C cannot do it: the report'
run "${ab[@]}" made --a does=failed --b cost=900 --c cost=800 --pairs 8
is "$status" 4 'A cannot do it: status'
is "$(last runs)" 9 'A cannot do it: all end'
is "$(grep -c 'NOT POSSIBLE' <<<"$out")" 1 'A cannot do it: said once'
run "${ab[@]}" made other noise=10 --b made.does=failed --c made.does=failed --pairs 8 --seed 1
is "$status" 4 'no arm is left: status'
like "$out" '^2 workloads, 4 comparisons with A: 2 (cleared|undecided), 2 not possible' \
	'no arm is left: the other workload goes on'
like "$out" 'corrected for 4 comparisons' 'two workloads: the family is of all'

# Given up, and mended: it is tried again, and the blocks that it missed are not made up for.
run "${ab[@]}" made noise=900 --b cost=1010 --c does=failed,at=1+2+3 --margin 0% --seed 5
mended=$(last id)
# It is futile to go on at some pair, or 40 are the end.
ended=$(blocks "$mended" | wc -l)
is "$(blocks "$mended" | grep -c C)" 3 'given up: C is'
ok 'given up: B went on' [ "$ended" -ge 8 ]
run "${ab[@]}" --resume "$mended" --max-pairs 44
is "$(blocks "$mended" | grep -n C | cut -d : -f 1 | paste -sd ' ')" "1 2 3 $(seq -s ' ' $((ended + 1)) 44)" \
	'taken up again: it is tried again'
run "$CONTEND" show "$mended" --format json
is "$(json subjects.0.comparisons.0.pairs) $(json subjects.0.comparisons.1.pairs) $(json subjects.0.comparisons.1.dropped)" \
	"44 $((44 - ended)) 3" 'taken up again: pairs of each'

# ---- what is refused ----

refused 2 "--c without --b: arms are named in order; --b '' is one as the defaults are" 'C without B' \
	"${ab[@]}" made --c cost=5
refused 2 '--d without --c: ' 'D without C' "${ab[@]}" made --b cost=5 --d cost=5
refused 2 'cost for all arms and cost for --c give the same parameter twice' 'C and all' "${ab[@]}" made cost=1 --b '' --c cost=2
refused 2 "--c 'x': must begin with name=" 'C without a name' "${ab[@]}" made --b '' --c x
printf 'contend: 1\nworkloads: made\nc: {cost: 5}\n' >gap.yaml
refused 2 'gap.yaml:3:1: c without b: arms are named in order; b: .. is one as the' 'C without B in a file' "${ab[@]}" -f gap.yaml
run "${ab[@]}" -f gap.yaml --b cost=4 --pairs 2 --seed 1 --format json
is "$(json experiment.command)" 'contend ab made --b cost=4 --c cost=5 --pairs 2 --seed 1' 'B on the command line beside the file'
refused 2 '--c: with --resume only' 'C beside --resume' "${ab[@]}" --resume 1 --c cost=5
run "${ab[@]}" made noise=900 --b cost=1010 --c cost=1000 --pairs 6 --seed 3
refused 2 'experiment [0-9]+: its end after 6 pairs was seen and used up its alpha' 'no extension of several arms' \
	"${ab[@]}" --resume "$(last id)" --pairs 12

# ---- with the real agent ----

export CONTEND_AGENT=$real_agent
until_ok run "${ab[@]}" null "${quick[@]}" --a delay=0% --b delay=2% --c delay=5% --pairs 6 --seed 4021
is "$(blocks "$(last id)" | paste -sd ' ')" 'BCA ABC BAC ABC ABC ACB' 'null: the order of the seed'
like "$out" '6 blocks of A, B and C in random order, 18 runs|pairs dropped whole' 'null: the report'

done_testing
