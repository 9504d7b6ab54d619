# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What the end-to-end tests share. A test sources this file, says what it found with ok, is, like
# and unlike, and ends with done_testing. tests/run gives it CONTEND, CONTEND_AGENT, BUILD and TOP,
# and a TMPDIR of its own that is its working folder; by hand the programs of build/ are taken.
#
# No test may depend on how long something takes: the machine may be slow and busy.

set -u

TOP=${TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
BUILD=${BUILD:-$TOP/build}
CONTEND=${CONTEND:-$BUILD/contend}
CONTEND_AGENT=${CONTEND_AGENT:-$BUILD/contend-agent}
export TOP BUILD CONTEND CONTEND_AGENT

if [ -z "${TMPDIR:-}" ] || [ "$PWD" != "$TMPDIR" ]; then
	TMPDIR=$(mktemp -d)
	export TMPDIR
	cd "$TMPDIR" || exit 1
	trap 'cd / && rm -rf "$TMPDIR"' EXIT
fi

# The store of a test, unless it names another one.
export CONTEND_STORE=$TMPDIR/store.db
unset ARGP_HELP_FMT POSIXLY_CORRECT

# A busy machine makes short windows long, and such runs are rightly invalid. Where it is allowed the
# tests are served first.
renice -n -20 $$ >/dev/null 2>&1

tap_count=0
tap_failed=0

# Arguments of a run that is as short as makes sense.
# shellcheck disable=SC2034
quick=(window=20ms warmup=1ms)

# say RESULT TITLE: one test; RESULT is 0 when it passed.
say() {
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
	return "$1"
}

# note TEXT: lines for whoever reads a failure.
note() {
	printf '%s\n' "$*" | head -n 40 | sed 's/^/# /'
}

# ok TITLE COMMAND...: the command succeeds.
ok() {
	local title=$1
	shift
	"$@"
	say $? "$title" || note "failed: $*"
}

# is GOT WANTED TITLE
is() {
	[ "$1" = "$2" ]
	say $? "$3" || {
		note "got:    $1"
		note "wanted: $2"
	}
}

# like GOT PATTERN TITLE: an extended regular expression of bash.
like() {
	[[ $1 =~ $2 ]]
	say $? "$3" || {
		note "got:         $1"
		note "not matched: $2"
	}
}

# unlike GOT PATTERN TITLE
unlike() {
	! [[ $1 =~ $2 ]]
	say $? "$3" || {
		note "got:     $1"
		note "matched: $2"
	}
}

# skip TITLE REASON: one test that cannot be made here.
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: the whole file cannot.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" = 0 ]
	exit
}

# run COMMAND...: leaves its exit status, standard output and standard error in status, out, err.
# shellcheck disable=SC2034
run() {
	"$@" >"$TMPDIR/run.out" 2>"$TMPDIR/run.err" </dev/null
	status=$?
	out=$(cat "$TMPDIR/run.out")
	err=$(cat "$TMPDIR/run.err")
}

# until_ok COMMAND...: run, or a function that leaves what run does, with real agents. On a machine that
# stands still meanwhile a window may be too long; such a run is rightly invalid, and status 4 when
# there are too many of them: then again, a few times.
until_ok() {
	local try
	for ((try = 0; try < 20; try++)); do
		"$@"
		[ "$status" = 4 ] && [[ $out$err =~ was[[:space:]]+measured[[:space:]]+for ]] || return 0
	done
}

# refused STATUS PATTERN TITLE COMMAND...: the command ends with the status, prints nothing, and
# gives one line of reason.
refused() {
	local wanted=$1 pattern=$2 title=$3
	shift 3
	run "$@"
	is "$status" "$wanted" "$title: status $wanted"
	is "$out" '' "$title: nothing on standard output"
	is "$(wc -l <"$TMPDIR/run.err")" 1 "$title: one line of reason"
	like "$err" "^contend: $pattern" "$title: the reason"
}

# longest_line: of standard input, in characters.
longest_line() {
	awk '{ if (length($0) > longest) longest = length($0) } END { print longest + 0 }'
}

# json FILTER: what jq or perl makes of a path such as .status or .subjects.0.pairs in $out.
json() {
	printf '%s' "$out" | perl -MJSON::PP -e '
		local $/;
		my $value = JSON::PP->new->allow_nonref->decode(<STDIN>);
		for my $key (grep { length } split /\./, $ARGV[0]) {
			$value = ref $value eq "ARRAY" ? $value->[$key] : $value->{$key};
		}
		print !defined $value ? "null" : ref $value eq "ARRAY" ? scalar(@$value) : $value;
	' "$1"
}

# last FIELD: of the newest experiment in the store.
last() {
	"$CONTEND" show --format json |
		perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->[-1]{$ARGV[0]} // "null"' "$1"
}

# runs_stored STORE: how many runs it holds in all.
runs_stored() {
	local list
	list=$("$CONTEND" show --format json --store "$1") || return
	printf '%s' "$list" | perl -MJSON::PP -MList::Util=sum0 -e '
		local $/;
		print sum0(map { $_->{runs} } @{decode_json(<STDIN>)});
	'
}

# counted COUNTER: of all tasks of the run in $out.
counted() {
	printf '%s' "$out" | perl -MJSON::PP -MList::Util=sum0 -e '
		local $/;
		print sum0(map { $_->{counters}{$ARGV[0]} } @{decode_json(<STDIN>)->{runs}[0]{tasks}})' \
		"$1"
}
