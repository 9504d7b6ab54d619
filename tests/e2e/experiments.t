#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ready files of experiments/: each is taken as it is, does a pair, and says at its top what it
# asks, how long it takes and how it is read.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

for file in "$TOP"/experiments/*.yaml; do
	name=${file##*/}
	like "$(head -n 1 "$file")" '^# .*\?$' "$name: the question comes first"
	like "$(cat "$file")" $'\n# How long: ' "$name: how long it takes"
	like "$(cat "$file")" $'\n# How to read it: ' "$name: how it is read"
	is "$(awk 'length($0) > 100' "$file")" '' "$name: 100 columns at most"
	until_ok run "$CONTEND" ab -f "$file" --pairs 1 --format yaml
	if [ "$status" = 4 ] && [[ $err =~ 'cannot run here' ]]; then
		skip "$name: a pair" "${err#contend: }"
		continue
	fi
	# One pair decides nothing.
	is "$status" 3 "$name: a pair: status" || note "$("$CONTEND" show "$(last id)")"
	is "$err" '' "$name: nothing on standard error"
	like "$out" $'\npairs: 1\n' "$name: the file that repeats it"
done

done_testing
