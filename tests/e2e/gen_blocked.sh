#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on calls that wait. A wakeup that was forgotten is a finding; a call that waits because
# nothing was put in is not.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_box

run 1 "$BURL" gen --json --tests=2000 --seed=1 box.h -- box.c -DBUG
case $(jq -r '.findings[0].kind' out) in
    deadlock.*) ;;
    *) fail "another kind: $(jq -r '.findings[0].kind' out)" ;;
esac
dir=$(first_finding)
grep -q 'box_get(' "$dir/test.c" || fail "the call that waits is not in the test"
number=$(jq -r '.findings[0].number' out)
run 1 "$BURL" replay "$number"

run 0 "$BURL" gen --json --tests=300 --seed=1 box.h -- box.c
[ "$(jq '.stats.explained' out)" -gt 0 ] || fail "no call ever waited: the test shows nothing"
run 0 "$BURL" gen --json --tests=200 --seed=3 --threads=3 box.h -- box.c

# On free threads the same state is seen, rather than a time-out.
rm -rf .burl
run 1 "$BURL" gen --json --executor=free --tests=5000 --seed=1 box.h -- box.c -DBUG
case $(jq -r '.findings[0].kind' out) in
    deadlock.*) ;;
    *) fail "free: another kind: $(jq -r '.findings[0].kind' out)" ;;
esac
run 0 "$BURL" gen --json --executor=free --tests=60 --seed=1 box.h -- box.c
[ "$(jq '.stats.explained' out)" -gt 0 ] || fail "free: no call ever waited"

# A call that waits may make another wait: that is no violation either.
write_gate
run 0 "$BURL" gen --json --tests=250 --seed=1 gate.h -- gate.c
[ "$(jq '.stats.explained' out)" -gt 0 ] || fail "no call of the gate ever waited"
[ "$(jq .stats.set_apart out)" = 0 ] || fail "a gate that works was suspected"
