#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress run` at its limits: no base, --time too short, Ctrl-C, suppressions, a list of bugs
# that has a typing error; `burl regress experiment`.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/regress_run_lib.inc"

for i in 1 2 3; do
    echo "add$i: ./count add"
done >burl.tests
build count
run 2 "$BURL" regress run
has err "burl regress record"
run 0 "$BURL" regress record --as=v1
run 2 "$BURL" regress run --for=racs
has err 'did you mean races?'
run 2 "$BURL" regress run --base=nope

build count -DNOLOCK
cp -r .burl store
run 4 "$BURL" regress run --time=1ms
has out "time is over; not run to the end: add"
has out "3 of 3 selected, 0 run"

# Ctrl-C at the first progress line: what was found before is kept.
terminal "test [0-9] of 3" "$BURL" regress run >out 2>&1
got=$?
[ $got -eq 4 ] || [ $got -eq 1 ] || fail "exit code $got after Ctrl-C"
grep -q "interrupted\|of 3 selected" out || fail "no summary after Ctrl-C"

echo "race:total" >rules
run 0 "$BURL" regress run --for=races --dir=store --suppressions=rules
hasnt out "new finding"

run 0 "$BURL" regress experiment --dir=store --for=races
has out "rta "
has out "random "
"$BURL" regress experiment --dir=store --for=races --repeat=2 --technique=rta,simrt --json >out.json
holds '.bugs | length == 1' "bugs to find"
holds '[.techniques[] | .name] == ["rta", "simrt"]' "techniques"
holds '.techniques[] | select(.name == "rta") | .tests == 3 and .bugs == 1 and .apfd > 0.8' "rta"
holds '.techniques[] | select(.name == "simrt") | .bugs == 1' "simrt"
holds '[.tests[].threads] | length == 3 and all(. > 1)' "thread roles of the recorded tests"
run 2 "$BURL" regress experiment --dir=store --technique=sim
