#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Stores that cannot be used: one line of reason, status 4, and the file is as it was.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"

ab=("$CONTEND" ab null "${quick[@]}")

# A store with something to lose.
run "${ab[@]}" --pairs 2 --store good.db
is "$status" 3 'a store is made'
is "$(runs_stored good.db)" 4 'with four runs'
rm -f good.db-wal good.db-shm

# set_byte OFFSET BYTE FILE: the last of four bytes at OFFSET of the header.
set_number() {
	perl -e 'open(my $f, "+<:raw", $ARGV[2]) or die; seek($f, $ARGV[0], 0);
		print $f pack("N", $ARGV[1]) or die; close($f) or die' "$@"
}

# cannot TITLE PATTERN FILE: neither reading nor measuring works, and the file stays the same.
cannot() {
	local title=$1 pattern=$2 file=$3
	local before
	before=$(sha256sum "$file")
	refused 4 "$pattern" "$title: ab" "${ab[@]}" --pairs 1 --store "$file"
	refused 4 "$pattern" "$title: show" "$CONTEND" show 1 --store "$file"
	is "$(sha256sum "$file")" "$before" "$title: not a byte is changed"
}

cp good.db newer.db
set_number 60 99 newer.db
cannot 'a newer schema' '.*newer\.db.*(newer|version)' newer.db

cp good.db foreign.db
set_number 68 1 foreign.db
cannot "another program's database" '.*foreign\.db' foreign.db

cp good.db corrupt.db
perl -e 'open(my $f, "+<:raw", "corrupt.db") or die; my $size = -s $f;
	for (my $at = 4096; $at < $size; $at += 512) { seek($f, $at, 0); print $f "\xa5" x 256 }'
cannot 'a corrupt store' '.*corrupt\.db' corrupt.db

head -c 5000 good.db >cut.db
cannot 'a store that was cut' '.*cut\.db' cut.db

echo 'what somebody wrote' >text.db
cannot 'not a database' '.*text\.db' text.db

# ---- no access ----

refused 4 '.*good\.db/store\.db' 'a folder that is a file' "${ab[@]}" --pairs 1 --store good.db/store.db
mkdir folder
refused 4 '.*folder' 'a folder' "${ab[@]}" --pairs 1 --store folder
run "$CONTEND" show --store missing.db
like "$status" '^[24]$' 'a store that is not there: status'
like "$err" '^contend: .*missing\.db' 'a store that is not there: the reason'
is "$(wc -l <run.err)" 1 'a store that is not there: one line'
[ ! -e missing.db ]
ok 'a store that is not there: it is not made' [ $? = 0 ]
run "$CONTEND" show 4711 --store good.db
like "$status" '^[24]$' 'an experiment that is not there: status'
like "$err" '^contend: .*4711' 'an experiment that is not there: the reason'

if [ "$(id -u)" != 0 ]; then
	mkdir locked
	chmod 500 locked
	refused 4 '.*locked/store\.db' 'an unwritable folder' "${ab[@]}" --pairs 1 --store locked/store.db
	chmod 700 locked
elif unshare -m true 2>/dev/null; then
	mkdir locked
	refused 4 '.*locked/store\.db' 'an unwritable folder' \
		unshare -m sh -c 'mount -t tmpfs -o ro tmpfs locked && exec "$@"' sh \
		"${ab[@]}" --pairs 1 --store locked/store.db
else
	skip 'an unwritable folder' 'root writes everywhere, and mounting is not allowed here'
fi

unset HOME XDG_DATA_HOME CONTEND_STORE
refused 2 '' 'no place for a store' "${ab[@]}" --pairs 1
export CONTEND_STORE=$TMPDIR/store.db HOME=$TMPDIR

# ---- a disk that gets full ----

# full TITLE FOLDER COMMAND...: the command must fail in the middle of an experiment, say how many
# runs are kept, and these must be there.
full() {
	local title=$1 store=$2
	shift 2
	run "$@"
	is "$status" 4 "$title: status"
	is "$(wc -l <run.err)" 1 "$title: one line of reason"
	like "$err" '^contend: experiment [0-9]+, [0-9]+ runs kept: pair [0-9]+, [AB]: ' "$title: the reason"
	local kept=${err#*, }
	kept=${kept%% *}
	ok "$title: some runs were kept" [ "${kept:-0}" -gt 0 ]
	is "$(runs_stored "$store")" "$kept" "$title: and they are in the store"
	run "$CONTEND" show 1 --store "$store"
	is "$status" 0 "$title: the experiment can be shown"
}

# bash counts in KiB. The store begins with some 50 of them.
full 'a limit of file size' limit.db \
	bash -c 'ulimit -f 400 && exec "$@"' bash "${ab[@]}" raw=2000 --pairs 2000 --store limit.db
bash -c 'ulimit -f 0 && exec "$@"' bash "${ab[@]}" --pairs 1 --store nothing.db >none.out 2>none.err
is $? 4 'not even an empty store fits: status'

if [ "$(id -u)" = 0 ] && unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /mnt' 2>/dev/null; then
	mkdir small
	# The store must be looked at while the file system is there: all of it in one namespace.
	cat >in_namespace <<'END'
mount -t tmpfs -o size=600k tmpfs small || exit
"$@" >small.out 2>small.err
echo $? >small.status
"$CONTEND" show --format json --store small/store.db >small.json
"$CONTEND" show 1 --store small/store.db >small.mail
echo $? >small.show
END
	unshare -m bash in_namespace "${ab[@]}" raw=2000 --pairs 2000 --store small/store.db
	is "$(cat small.status)" 4 'a full disk: status'
	is "$(wc -l <small.err)" 1 'a full disk: one line of reason'
	like "$(cat small.err)" '^contend: experiment 1, [0-9]+ runs kept: ' 'a full disk: the reason'
	out=$(cat small.json)
	kept=$(sed 's/.*, \([0-9]*\) runs kept.*/\1/' small.err)
	is "$(json 0.runs)" "$kept" 'a full disk: the runs are in the store'
	ok 'a full disk: some runs were kept' [ "${kept:-0}" -gt 0 ]
	is "$(cat small.show)" 0 'a full disk: the experiment can be shown'
else
	skip 'a full disk' 'mounting a small file system is not allowed here'
fi

# ---- two at once ----

cp good.db shared.db
"${ab[@]}" --pairs 4 --store shared.db >one.out 2>one.err &
"${ab[@]}" --pairs 4 --store shared.db >two.out 2>two.err
second=$?
wait $!
like "$?$second" '^[0-4][0-4]$' 'two experiments in one store at once'
is "$(cat one.err two.err)" '' 'two at once: no complaint'
is "$(runs_stored shared.db)" 20 'two at once: all runs are there'

done_testing
