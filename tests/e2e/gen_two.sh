#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Two runs of `burl gen` in one directory at the same time do not mix: each tests its own sources.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag

"$BURL" gen --json --tests=400 --seed=1 bag.h -- bag.c >good.out 2>good.err &
first=$!
run 1 "$BURL" gen --json --tests=400 --seed=1 bag.h -- bag.c -DBUG
wait "$first" || fail "the run on good sources: $(jq -r '.findings[0].kind, .error' good.out)"
[ "$(jq .stats.tests good.out)" = 400 ] || fail "the run on good sources ended early"
run 1 "$BURL" replay "$(jq -r '.findings[0].number' out)"
