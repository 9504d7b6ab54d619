# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the tests of the fuzz targets share: fuzz NAME replays the corpus of a target, in the build
# without sanitizers and in the one with them, and has libFuzzer look for more.
# shellcheck source=../e2e/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/../e2e/tap.sh"

# The build that has sanitizers, and libFuzzer where there is one.
sanitized=$TOP/build-asan

replay() {
	local name=$1 build=$2
	local title="$name: each input of the corpus, ${build##*/}"
	local program=$build/tests/fuzz/replay-$name
	local inputs=("$TOP/tests/fuzz/corpus/$name"/*)

	if [ ! -x "$program" ]; then
		skip "$title" "no ${program#"$TOP"/}"
		return
	fi
	run "$program" "${inputs[@]}"
	is "$status $out" "0 ${#inputs[@]} replayed" "$title"
	[ "$status" = 0 ] || note "$(tail -n 30 "$TMPDIR/run.err")"
}

# A new seed each time, unless FUZZ_SEED is one. What libFuzzer finds it leaves in the build folder.
explore() {
	local name=$1
	local seconds=${CONTEND_LONG:+60} seed=${FUZZ_SEED:-$((RANDOM * 32768 + RANDOM + 1))}
	local program=$sanitized/tests/fuzz/fuzz-$name found=$sanitized/found
	local title

	title="$name: ${seconds:=5} s of libFuzzer"
	if [ ! -x "$program" ]; then
		skip "$title" "no ${program#"$TOP"/}: no clang with libFuzzer (libclang-rt-14-dev)"
		return
	fi
	mkdir -p new "$found"
	echo "# $name: seed $seed (again with FUZZ_SEED=$seed)"
	run "$program" -seed="$seed" -max_total_time="$seconds" -max_len=16384 \
		-timeout=300 -report_slow_units=300 \
		-rss_limit_mb=1024 -malloc_limit_mb=256 -dict="$TOP/tests/fuzz/$name.dict" \
		-artifact_prefix="$found/$name-" new "$TOP/tests/fuzz/corpus/$name"
	is "$status" 0 "$title"
	if [ "$status" = 0 ]; then
		note "$(grep -o 'Done [0-9]* runs' "$TMPDIR/run.err")"
	else
		note "$(grep -o 'Test unit written to .*' "$TMPDIR/run.err")"
		note "$(grep -E '^(fuzz:|==|SUMMARY|    #)' "$TMPDIR/run.err" | head -n 30)"
	fi
}

fuzz() {
	replay "$1" "$BUILD"
	replay "$1" "$sanitized"
	explore "$1"
	done_testing
}
