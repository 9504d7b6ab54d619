#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What every workload makes of no task, of more tasks than CPUs, and of a user who may do little: a
# reason, or a run that says what it was, and a clean machine.
# shellcheck source=tap.sh
. "$(dirname "$0")/tap.sh"
# shellcheck source=processes.sh
. "$TOP/tests/e2e/processes.sh"

# marked COMMAND...: run, with a mark by which its processes are found.
marked() {
	mark=$$-$RANDOM-$RANDOM
	CONTEND_TEST_MARK=$mark run "$@"
	eventually are_gone
}

# was_run TITLE: it is ok; or its tasks were measured for too long, for they had to wait for a CPU, and
# that is said.
was_run() {
	like "$(json runs.0.outcome): $(json runs.0.reason)" '^(ok: $|invalid: .* was measured for )' "$1"
}

run "$CONTEND" list workloads
names=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z][a-z0-9_]*\).*/\1/p')
# They need a file, or a program; tests of their own give them one.
names=$(grep -vxE 'external|command' <<<"$names")

# CPUs that this process may use.
cpus=$(nproc)

# ---- tasks ----

for name in $names; do
	run "$CONTEND" list "$name"
	[[ $out =~ [[:space:]]tasks=1 ]] || continue
	refused 2 'tasks=0: must be 1 to ' "$name tasks=0" "$CONTEND" run "$name" tasks=0
	marked "$CONTEND" run "$name" tasks=$((cpus + 1)) window=100ms --format json
	ok "$name tasks=$((cpus + 1)): no process is left" are_gone
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		skip "$name tasks=$((cpus + 1))" "$(json runs.0.reason)"
		continue
	fi
	was_run "$name tasks=$((cpus + 1)): the outcome"
	like "$out" "$((cpus + 1)) tasks on [0-9]+ CPU" "$name tasks=$((cpus + 1)): it is said"
done

# ---- users ----

if [ "$(id -u)" != 0 ] || ! setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
	skip 'as another user' 'only root may become one'
	done_testing
fi

# Where that user can execute the programs and keep a store.
there=$(mktemp -d /tmp/contend-test.XXXXXX)
trap 'rm -rf "$there"; cd / && rm -rf "$TMPDIR"' EXIT
chmod 755 "$there"
cp "$CONTEND" "$CONTEND_AGENT" "$BUILD/contend-runner" "$there"
mkdir -m 777 "$there/own"
cd "$there/own" || exit 1

# as_nobody WORD...: contend with these, by a user who owns nothing.
as_nobody() {
	HOME=$there/own TMPDIR=$there/own CONTEND_STORE=$there/own/store.db \
		CONTEND_AGENT=$there/contend-agent CONTEND_RUNNER=$there/contend-runner \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$there/contend" "$@"
}

for name in $names; do
	marked as_nobody run "$name" window=100ms --format json
	ok "$name, no privilege: no process is left" are_gone
	if [ "$(json runs.0.outcome)" = unsupported ]; then
		like "$(json runs.0.reason)" '[a-z]' "$name, no privilege: it says what it lacks"
	else
		was_run "$name, no privilege"
	fi
done
is "$(find "$there/own" -mindepth 1 ! -name 'store.db*')" '' 'no privilege: no file is left'

# A program whose file may be executed and not be read is nobody's to look into.
chmod 711 "$there/contend-agent"
for file in maps smaps numa_maps smaps_rollup query; do
	marked as_nobody run proc_maps "file=$file" window=100ms --format json
	is "$(json runs.0.outcome)" unsupported "proc_maps file=$file of what may not be read: the outcome"
	like "$(json runs.0.reason)" 'permission denied|CONFIG_NUMA|PROCMAP_QUERY' \
		"proc_maps file=$file of what may not be read: the reason"
	ok "proc_maps file=$file of what may not be read: no process is left" are_gone
done
chmod 755 "$there/contend-agent"

# A /proc that shows each user their own processes alone.
hidden() {
	unshare -m bash -c 'mount --make-rprivate / && mount -t proc -o hidepid=2 proc /proc && "$@"' \
		hidden "$@"
}
if hidden true 2>/dev/null; then
	export -f as_nobody
	export there
	until_ok run hidden bash -c 'as_nobody "$@"' nobody run proc_maps file=smaps window=100ms --format json
	is "$(json runs.0.outcome): $(json runs.0.reason)" 'ok: ' 'hidepid=2: the own processes are there'
else
	skip 'hidepid=2' 'no /proc can be mounted here'
fi

done_testing
