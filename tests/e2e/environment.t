#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What surrounds the program must not change what it measures and prints: locale, time zone, umask,
# what malloc() fills memory with.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

measure() {
	run "$CONTEND" ab null window=20.5ms warmup=1ms --pairs 2 --margin 2.5% --alpha 0.05 --seed 1
}
until_ok measure
is "$status" 3 'a store to show'
mail=$("$CONTEND" show 1)
json=$("$CONTEND" show 1 --format json)

# same TITLE COMMAND...: the reports are byte for byte what they are without it.
same() {
	local title=$1
	shift
	is "$("$@" "$CONTEND" show 1)" "$mail" "$title: the mail"
	is "$("$@" "$CONTEND" show 1 --format json)" "$json" "$title: the JSON report"
	# Numbers are read as they are written: with a point.
	until_ok run "$@" "$CONTEND" ab null window=20.5ms warmup=1ms --pairs 2 --margin 2.5%
	is "$status: $err" '3: ' "$title: a comparison"
	refused 2 "window=20,5ms: '20,5ms' is not a duration" "$title: a comma" \
		"$@" "$CONTEND" ab null window=20,5ms
}

same 'LC_ALL=C' env LC_ALL=C
same 'a locale that is not there' env LC_ALL=xx_YY.UTF-8
mkdir locales
made=0
for name in tr_TR.UTF-8/tr_TR/UTF-8 tr_TR.ISO-8859-9/tr_TR/ISO-8859-9 de_DE.UTF-8/de_DE/UTF-8; do
	IFS=/ read -r locale source charset <<<"$name"
	if localedef -i "$source" -f "$charset" "locales/$locale" 2>/dev/null; then
		made=$((made + 1))
		# A dotless i, a comma for the point: whoever heeds them everywhere gets them wrong.
		same "$locale" env LOCPATH="$TMPDIR/locales" LC_ALL="$locale"
	fi
done
[ $made -gt 0 ] || skip 'Turkish and German' 'localedef has no sources of locales here'

same 'memory that is not zero' env MALLOC_PERTURB_=165
same 'memory that is not zero, the other way' env MALLOC_PERTURB_=90
same 'another time zone' env TZ=Asia/Kathmandu
same 'a time zone that is not there' env TZ=:/no/such/zone
same 'a narrow terminal' env COLUMNS=20 TERM=dumb
same 'no environment but this' env -i CONTEND_STORE="$CONTEND_STORE" CONTEND_AGENT="$CONTEND_AGENT"

# ---- umask ----

# mode FILE...
mode() {
	stat -c %a "$@" | tr '\n' ' '
}

for mask in 000 022 077; do
	rm -rf new
	until_ok run sh -c 'umask $1 && shift && exec "$@"' sh $mask \
		"$CONTEND" run null window=20ms --store new/folder/store.db
	is "$status: $err" '0: ' "umask $mask: status"
	# What was measured is nobody else's business.
	is "$(mode new new/folder)" '700 700 ' "umask $mask: the folders are the user's alone"
	case $mask in
	077) is "$(mode new/folder/store.db)" '600 ' 'umask 077: the store' ;;
	*) is "$(mode new/folder/store.db)" '644 ' "umask $mask: the store" ;;
	esac
done

# ---- /proc of another PID namespace: /proc/PID there is a stranger ----

if unshare -pf true 2>/dev/null; then
	for workload in exit_mmap proc_maps; do
		run unshare -pf "$CONTEND" run $workload window=20ms --format json
		is "$status" 4 "$workload with a foreign /proc: status"
		is "$(json runs.0.outcome)" unsupported "$workload with a foreign /proc: the outcome"
		like "$(json runs.0.reason)" '/proc is of another PID namespace' \
			"$workload with a foreign /proc: the reason"
		until_ok run unshare -pf --mount-proc "$CONTEND" run $workload "${quick[@]}"
		is "$status" 0 "$workload in a PID namespace with a /proc of its own"
	done
else
	skip 'a foreign /proc' 'no PID namespace can be made'
fi

done_testing
