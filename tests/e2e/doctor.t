#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What doctor says of this machine and of others, and that a machine that changes between runs, or is
# doubtful, is named with the verdict.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

# ---- this machine ----

run "$CONTEND" doctor
is "$status" 0 'status'
is "$err" '' 'nothing on standard error'
for group in kernel cpu 'memory management' 'limits and access' load workloads; do
	like $'\n'"$out" $'\n'"$group"$'\n  ' "has a group: $group"
done
[ "$(printf '%s\n' "$out" | longest_line)" -le 78 ]
ok '78 columns at most' [ $? = 0 ]
is "$(printf '%s' "$out" | tr -d '\n -~' | wc -c)" 0 'printable ASCII'
like "$out" "  kernel +$(uname -r)" 'the release of the kernel'
like "$out" '  page_bytes +[0-9.]+ KiB' 'bytes with their unit'

# The rows of all groups but the last ones, as "key value"; continued rows begin further right.
rows() {
	printf '%s\n' "$out" | awk '
		/^(workloads|setups|probes)$/ { exit }
		/^  [^ ]/ { if (row != "") print row; row = $0; next }
		/^   / { row = row " " $0; next }
		{ if (row != "") print row; row = "" }
		END { if (row != "") print row }'
}
is "$(rows | awk 'NF < 2' | wc -l)" 0 'every fact has a value, or is unknown'
is "$(rows | grep -c ' unknown .*!')" 0 'what is unknown is not marked'
[ "$(rows | wc -l)" -ge 60 ]
ok 'facts in plenty' [ $? = 0 ]

run "$CONTEND" doctor --format json
is "$status" 0 'json: status'
is "$(json contend_doctor)" 1 'json: its version'
for word in key group value doubts; do
	is "$(printf '%s' "$out" | grep -c "\"$word\":")" "$(json facts)" "json: $word of each fact"
done
is "$(json facts.0.value)" "$(uname -r)" 'json: the release of the kernel'
undescribed=$(printf '%s' "$out" | sed -n 's/^ *"key": "\([a-z].*\)",$/\1/p' | while read -r key; do
	grep -qF "\`$key\`" "$TOP/docs/wire.md" || echo "$key"
done)
is "$undescribed" '' 'docs/wire.md describes every fact'
[ "$(json workloads)" -ge 3 ]
ok 'json: workloads' [ $? = 0 ]

refused 2 "doctor takes no word, not 'x'" 'a word' "$CONTEND" doctor x
refused 2 "no format 'jsn'" 'an unknown format' "$CONTEND" doctor --format jsn
CONTEND_AGENT=/bin/true refused 4 'ask the agent' 'an agent that says nothing' "$CONTEND" doctor

# ---- others, by an agent that says what it is told ----

export CONTEND_AGENT=$TOP/tests/e2e/fake_agent FAKE_ANSWERS=$TMPDIR/answers

# marked KEY REASON TITLE: a row with its reason.
marked() {
	like "$(rows | tr -s ' ')" "(^|"$'\n'") $1 [^!]*! [^"$'\n'"]*$2" "$3"
}

cat >answers <<'END'
{"doctor": {"host": {"kernel": "6.12", "governor": "powersave", "frequency_driver": "intel_pstate",
	"frequency_khz": "800000-4000000", "cpus_online": "0-1", "load1": 7.25, "clocksource": "hpet",
	"CONFIG_LOCKDEP": "y", "CONFIG_PER_VMA_LOCK": "n", "thp": "always", "damon": "kdamond 0", "ksm": "on",
	"steal_boot_ratio": 0.25, "capabilities": "0", "perf_event_paranoid": 2, "smt": "on", "turbo": "on",
	"memory_bytes": 8589934592, "memory_limit_bytes": 1073741824, "later_fact": "\u001b[2J"},
	"workloads": [{"name": "made\u001b[31m", "supported": true, "why": ""},
		{"name": "absent", "supported": false, "why": "it is \u0007not there"}],
	"setups": [], "probes": []}}
END
run "$CONTEND" doctor
is "$status" 0 'a doubtful machine: status'
marked governor 'frequency follows the load' 'a governor that follows the load'
marked load1 'load 7.25 on 2 CPUs' 'a load above the CPUs'
marked clocksource 'a slow clock' 'a slow clock'
marked CONFIG_LOCKDEP 'many times dearer' 'a debug kernel'
marked thp 'huge page' 'huge pages'
marked damon 'monitor' 'DAMON'
marked ksm 'merges' 'KSM'
marked steal_boot_ratio '25.0 %' 'stolen time'
marked perf_event_paranoid 'forbids' 'what this user may not'
marked smt 'siblings' 'SMT'
marked turbo 'heat' 'turbo'
marked memory_limit_bytes '1.000 GiB' 'a limit of memory'
unlike "$(rows)" 'kernel +6.12 +!' 'a fact without a doubt is not marked'
like "$(rows | tr -s ' ')" 'CONFIG_ is not set PER_VMA_LOCK' 'what is not set'
like "$(rows | tr -s ' ')" 'mglru unknown' 'what it does not say is unknown'
like "$out" $'\nothers\n  later_fact +\\\\x1B\\[2J' 'a fact that only the agent knows'
like "$out" 'made\\x1B\[31m +yes' 'a name that would colour the terminal'
like "$out" 'absent +no: it is \\x07not there' 'why it cannot'
is "$(printf '%s' "$out" | tr -d '\n -~' | wc -c)" 0 'nothing that a terminal obeys'

echo '{"doctor": {"host": {}, "workloads": [], "setups": [], "probes": []}}' >answers
run "$CONTEND" doctor
is "$status" 0 'a machine of which nothing is known: status'
is "$(rows | grep -vc ' unknown$')" 0 'a machine of which nothing is known: all unknown'
echo '{"doctor": {"workloads": []}}' >answers
refused 4 "agent's answer: .*host" 'no host' "$CONTEND" doctor
echo '{"doctor": {"host": {}, "workloads": [{"name": "x"}], "setups": [], "probes": []}}' >answers
refused 4 "agent's answer: workloads 1" 'a workload that lacks something' "$CONTEND" doctor

# ---- with the verdict ----

ab=("$CONTEND" ab made --pairs 6 --seed 1)
machine='"cpus_online": "0-1", "kernel": "6.18"'
cat >answers <<END
{"host": {$machine, "governor": "powersave"}}
END
run "${ab[@]}"
unlike "$out" 'CHANGED|DIFFERS|DOUBTFUL' 'nothing changed, nothing is doubtful: not a word'

# From the fourth pair on.
cat >answers <<END
{"host": {$machine, "governor": "powersave"},
	$(for run in 3-A 3-B 4-A 4-B 5-A 5-B; do
		echo "\"run-$run\": {$machine, \"governor\": \"performance\"},"
	done) "": {}}
END
run "${ab[@]}" --format json
changed=$(json machine.differences.0.changes.0.arm)
is "$(json machine.differences)" 1 'a change: one fact'
is "$(json machine.differences.0.key)" governor 'a change: of what'
is "$(json machine.differences.0.of_arms)" 0 'a change: not of the arms'
is "$(json machine.differences.0.changes)" 1 'a change: once'
is "$(json machine.differences.0.changes.0.pair)" 4 'a change: in which pair'
is "$(json machine.differences.0.changes.0.before)" powersave 'a change: from what'
is "$changed" "$(printf '%s' "$out" | perl -MJSON::PP -e '
	local $/; my $r = decode_json(<STDIN>);
	my ($first) = grep { $_->{pair} == 4 && $_->{first} } @{$r->{runs}};
	print $first->{arm};')" 'a change: seen first by the run that came first'
run "$CONTEND" show 2
like "$out" $'\n'"CHANGED between runs: governor powersave -> performance \\(pair 4, ${changed^^}\\)"$'\n' \
	'a change: in the mail'

cat >answers <<END
{"host": {$machine, "thp": "never"},
	$(for pair in 0 1 2 3 4 5; do echo "\"run-$pair-B\": {$machine, \"thp\": \"always\"},"; done) "": {}}
END
run "${ab[@]}"
like "$out" $'\nDIFFERS between the arms: thp never \\(A\\), always \\(B\\)\n' \
	'all runs of A against all of B: said once'
unlike "$out" 'CHANGED' 'all runs of A against all of B: no change'

cat >answers <<END
{"host": {$machine, "load1": 1.5, "steal_ratio": 0.002, "thp": "always"},
	"run-2-B": {$machine, "load1": 4.5, "steal_ratio": 0.125, "thp": "always"},
	"run-4-B": {$machine, "load1": 4.5, "steal_ratio": 0.02, "thp": "always"}}
END
run "${ab[@]}"
like "$out" $'\nDOUBTFUL: steal_ratio: 12.5 % .*B 2 of\n? *6 runs; the worst\\)' \
	'time stolen during runs'
unlike "$out" 'DOUBTFUL: (thp|load1)' 'what is true of most machines, or is our own load, is not named'
run "$CONTEND" show 4 --format json
is "$(json machine.doubts)" 2 'the JSON report has them all'
is "$(json machine.doubts.1.runs.b)" 2 'in how many runs'

cat >answers <<END
{"host": {$machine, "load1": 1.5}, "run-3-A": {$machine, "load1": 40}}
END
run "${ab[@]}"
like "$out" $'\nDOUBTFUL: load1: load 40' 'a load that is not our own is named, in a later run too'

done_testing
