#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/report.schema.json and docs/plan.schema.json hold for every golden report and plan and for what the
# program prints, and are strict: they refuse a key more or less.
# shellcheck source=../e2e/tap.sh
. "$(dirname "$0")/../e2e/tap.sh"

# Debian's own interpreter, for which python3-jsonschema is packaged.
python=/usr/bin/python3
if ! "$python" -W ignore -c 'import jsonschema' 2>/dev/null; then
	echo '1..1'
	echo 'ok 1 - the JSON report and its schema # SKIP no python3-jsonschema'
	exit 0
fi

cat >validate.py <<'END'
import copy
import json
import sys

import jsonschema

# What may have any keys: their names come from parameters, counters and the machine.
OPEN = {"host", "counters", "a", "b", "c", "d"}

# Not every experiment has these arms.
OPTIONAL = {"b", "c", "d"}


def complain(validator, report):
    return "; ".join(
        "%s: %s" % ("/".join(map(str, e.path)), e.message[:200])
        for e in list(validator.iter_errors(report))[:5]
    )


def objects(value, key=None):
    """All objects inside, each with the key that it stands under."""
    if isinstance(value, dict):
        yield value, key
        for name, inner in value.items():
            yield from objects(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, key)


def looseness(validator, report):
    """Keys that may be missing and objects that may have more of them."""
    # One run and one subject say all that a hundred do.
    for name in ("runs", "subjects"):
        if name in report:
            del report[name][1:]
    if complain(validator, report):
        return "the cut report is not valid: " + complain(validator, report)
    for inner, key in list(objects(report)):
        if key in OPEN:
            continue
        inner["surplus"] = 1
        if validator.is_valid(report):
            return "takes another key in " + str(key)
        del inner["surplus"]
        # Of a curve that may not be seen yet no arm has points.
        for name in [] if key == "points" else list(inner):
            kept = dict(inner)
            del inner[name]
            if name not in OPTIONAL and validator.is_valid(report):
                return "does not miss %s in %s" % (name, key)
            inner.clear()
            inner.update(kept)
    return ""


schema = json.load(open(sys.argv[2]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
report = json.load(open(sys.argv[3]))
why = {"valid": complain, "strict": looseness}[sys.argv[1]](validator, report)
if why:
    sys.exit("%s: %s" % (sys.argv[3], why))
END

schema=$TOP/docs/report.schema.json
validate() {
	"$python" -W ignore validate.py "$1" "$schema" "$2"
}

for report in "$TOP"/tests/golden/report/*.json; do
	ok "$(basename "$report") is valid" validate valid "$report"
done
for report in single runs_drift planned dropped extended several_interrupted curve_run curve_ab; do
	ok "strict: $report.json" validate strict "$TOP/tests/golden/report/$report.json"
done

schema=$TOP/docs/plan.schema.json
for plan in "$TOP"/tests/golden/plan/*.json; do
	ok "plan/$(basename "$plan") is valid" validate valid "$plan"
done
for plan in stored pilot; do
	ok "strict: plan/$plan.json" validate strict "$TOP/tests/golden/plan/$plan.json"
done
schema=$TOP/docs/calibration.schema.json
for report in "$TOP"/tests/golden/calibration/*.json; do
	ok "calibration/$(basename "$report") is valid" validate valid "$report"
done
schema=$TOP/docs/report.schema.json

if [ -x "$CONTEND" ] && [ -x "$CONTEND_AGENT" ]; then
	until_ok run "$CONTEND" run null "${quick[@]}" --format json
	is "$status" 0 'contend run: status'
	ok 'contend run: the report is valid' validate valid run.out
	until_ok run "$CONTEND" run null "${quick[@]}" --runs 3 --format json
	ok 'contend run --runs: the report is valid' validate valid run.out
	until_ok run "$CONTEND" ab null "${quick[@]}" --a record=no --b record=yes --pairs 2 --format json
	is "$status" 3 'contend ab: status of two pairs, which decide nothing'
	ok 'contend ab: the report is valid' validate valid run.out
	until_ok run "$CONTEND" plan null "${quick[@]}" --format json
	schema=$TOP/docs/plan.schema.json
	ok 'contend plan: the plan is valid' validate valid run.out
	until_ok run "$CONTEND" calibrate null window=10ms warmup=1ms --budget 8s --format json
	like "$status" '^[01]$' 'contend calibrate: status'
	schema=$TOP/docs/calibration.schema.json
	ok 'contend calibrate: the report is valid' validate valid run.out
	run "$CONTEND" show --format json
	schema=$TOP/docs/list.schema.json
	ok 'contend show: the list is valid' validate valid run.out
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - what the program prints # SKIP contend is not built"
fi

done_testing
