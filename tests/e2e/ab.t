#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `contend ab`: the main job, with the null workload.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

width_ok() {
	is "$(printf '%s\n' "$out" | longest_line | awk '{ print $1 <= 78 }')" 1 \
		"$1: 78 columns at most"
}

# ---- both arms alike ----

until_ok run "$CONTEND" ab null "${quick[@]}" --pairs 6 --seed 4021
# A false alarm (1) is rare, and no fault.
like "$status" '^[013]$' 'A/A: a verdict'
is "$err" '' 'A/A: nothing on standard error'
like "$out" 'A/A' 'A/A: the report says so'
like "$out" '6 pairs' 'A/A: pairs'
like "$out" 'seed 4021' 'A/A: the seed'
like "$out" 'contend ab null window=20ms warmup=1ms --pairs 6 --seed 4021' 'A/A: the command'
width_ok 'A/A'
is "$(LC_ALL=C grep -c '[^ -~]' <<<"$out")" 0 'A/A: ASCII only'
is "$(last runs)" 12 'A/A: twelve runs are stored'
mail=$out
verdict=$status
id=$(last id)

run "$CONTEND" show "$id"
is "$out" "$mail" 'show prints the same from the store'
is "$status" 0 'show: status'
run "$CONTEND" show "$id" --format json
is "$(json status.code)" "$verdict" 'json: the same exit status'
run "$CONTEND" show
is "$(printf '%s\n' "$out" | awk 'length > 78' | wc -l)" 0 'show: no line of the list is longer than 78'
like "$out" $'\n +'"$id"$'  [0-9-]+ [0-9:]+ +12  planned end  [a-z]+ +ab null window=20ms' 'show: the experiment in the list'

# ---- a difference that is there ----

# Six pairs would do: most may be dropped.
until_ok run "$CONTEND" ab null "${quick[@]}" --pairs 20 --b delay=300%
is "$status" 1 'a delay in B: status'
like "$out" 'regressed' 'a delay in B: the verdict'
width_ok 'a delay in B'
until_ok run "$CONTEND" ab null "${quick[@]}" --pairs 20 --a delay=300%
is "$status" 0 'a delay in A: status'
like "$out" 'improved' 'a delay in A: the verdict'

until_ok run "$CONTEND" ab null "${quick[@]}" --b delay=300% --format json
is "$status" 1 'until decided: status'
is "$err" '' 'until decided: nothing on standard error'
is "$(json status.code)" 1 'until decided: the JSON has the status'
pairs=$(($(last runs) / 2))
ok "until decided: earlier than at the planned end ($pairs pairs)" [ "$pairs" -lt 40 ]
first=$out
run "$CONTEND" show "$(last id)" --format json
is "$out" "$first" 'until decided: show prints the same from the store'

# ---- other plans ----

until_ok run "$CONTEND" ab null "${quick[@]}" --budget 1ms
like "$status" '^[03]$' 'a budget that is too small: status'
is "$(last runs)" 2 'a budget that is too small: one pair'

until_ok run "$CONTEND" ab null "${quick[@]}" --pairs 3 --b delay=300%
is "$status" 3 'three pairs: no verdict is possible'
like "$out" 'undecided' 'three pairs: undecided'

# ---- several workloads, one of them addressed ----

until_ok run "$CONTEND" ab null brk1 "${quick[@]}" null.delay=10% --pairs 2 --format json
is "$status" 3 'two workloads: status'
is "$(json subjects)" 2 'two workloads: both in the JSON'
until_ok run "$CONTEND" ab null brk1 "${quick[@]}" --pairs 2
width_ok 'two workloads'
like "$out" '^2 workloads: 2 undecided' 'two workloads: the first line'
mail=$out
run "$CONTEND" show "$(last id)"
is "$out" "$mail" 'two workloads: show prints the same'
until_ok run "$CONTEND" ab null brk1 "${quick[@]}" --b null.delay=300% --pairs 20
is "$status" 1 'two workloads, one worse: status'
like "$out" $'\nnull: operations .* regressed\n' 'two workloads, one worse: its row'

# ---- the command that is printed repeats it ----

run "$CONTEND" ab null 'window=20ms' "warmup=1ms" --a 'delay=10%' --b '' --pairs=2 -q \
	--store "$TMPDIR/other.db"
is "$err" '' '--quiet, = and an empty arm'
command=$("$CONTEND" show --format json --store other.db |
	perl -MJSON::PP -e 'local $/; print decode_json(<>)->[-1]{command}')
like "$command" '^contend ab null window=20ms warmup=1ms --a delay=10% --pairs 2 --seed [0-9]+$' \
	'the command: what matters of it'
sh -c "\"$CONTEND\" ${command#contend } --store other.db" >/dev/null
again=$("$CONTEND" show --format json --store other.db |
	perl -MJSON::PP -e 'local $/; print decode_json(<>)->[-1]{command}')
is "$again" "$command" 'the command: a shell takes it, and it is the same again'
order() {
	"$CONTEND" show "$1" --format json --store other.db |
		perl -MJSON::PP -e 'local $/; print JSON::PP->new->canonical->encode(
			[map { [@$_{qw(pair arm first)}] } @{decode_json(<>)->{runs} // []}])'
}
is "$(order 1)" "$(order 2)" 'the command: the same order of runs'

# ---- what is no output ----

"$CONTEND" ab null "${quick[@]}" --pairs 2 | true
is "${PIPESTATUS[0]}" 3 'a reader that went away: the verdict stands'
"$CONTEND" ab null "${quick[@]}" --pairs 2 >/dev/full 2>full.err
is $? 4 'standard output is full: status'
like "$(cat full.err)" '^contend: standard output: ' 'standard output is full: the reason'
"$CONTEND" ab null "${quick[@]}" --pairs 2 >&- 2>&-
is $? 4 'closed streams: nobody has got the report'
run "$CONTEND" show
is "$status" 0 'and nothing was written into the store instead'

done_testing
