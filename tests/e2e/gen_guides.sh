#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen`: every guide under both executors runs, finds, and says so; Ctrl-C ends in order.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag

for guide in covcon covcon-code random least-tried; do
    run 1 "$BURL" gen --json --tests=4000 --guide=$guide bag.h -- bag.c -DBUG
    [ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "$guide: another kind"
done
run 0 "$BURL" gen --json --executor=free --tests=60 bag.h -- bag.c -DSLOW
[ "$(jq '.stats.tests' out)" = 60 ] || fail "free: not all tests ran"
[ "$(jq '.stats.executions' out)" = 60 ] || fail "free: a test runs once"
[ "$(jq '[.pairs[] | select(.covered > 0)] | length' out)" -gt 0 ] || fail "free: nothing overlapped"

rm -rf .burl
run 4 terminal -TERM '21 of 21 pairs covered' "$BURL" gen --time=60s bag.h -- bag.c
has out "before the interrupt"
