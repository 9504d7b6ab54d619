#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The workload process_mrelease: what the calls said fits together, and no victim stays.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$(dirname "$0")/processes.sh"

# measured TITLE WORD...: a run with these words is ok, or this machine cannot and says why.
measured() {
	local title=$1
	shift
	until_ok run "$CONTEND" run process_mrelease window=500ms "$@" --format json
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		skip "$title" "$(json runs.0.reason)"
		return 1
	fi
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' "$title: the outcome"
	is "$(counted failures)" 0 "$title: no failure"
	[ "$(counted victim)" -gt 0 ]
	ok "$title: there were victims" [ $? = 0 ]
}

outcomes() {
	echo $(($(counted released) + $(counted again) + $(counted lost) + $(counted refused)))
}

for words in 'size=1M' 'size=1M threads=3' 'size=1M tasks=2' 'size=64k victim_cpu=same'; do
	# shellcheck disable=SC2086
	if measured "$words" $words; then
		is "$(counted calls)" "$(counted victim)" "$words: a call for each victim"
		is "$(outcomes)" "$(counted calls)" "$words: an outcome for each call"
	fi
done
if measured 'reap=no' size=1M reap=no victim_cpu=same; then
	is "$(counted calls) $(outcomes)" '0 0' 'reap=no: no call'
fi

nobody_stays killer process_mrelease size=16M vmas=100 victim_cpu=same -- reap=yes reap=no

done_testing
