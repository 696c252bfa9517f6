#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: what one execution shows to be possible is reproduced by the next, with default settings
#   and whatever the seed.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# within N PROGRAM: the failure shows in the first N schedules.
within() {
    for seed in ${seeds:-1 20 300 4000}; do
        rm -rf .burl
        "$BURL" test --json --seed=$seed --jobs=1 --runs=100 --stop-at-failure --no-minimize "./$2" >out.json
        n=$(jq '[.findings[] | select(.kind | startswith("race") | not) | .found_after] | min' out.json)
        [ "$n" != null ] && [ "$n" -le "$1" ] || fail "$2, seed $seed: schedule $n, not $1"
    done
}

build() { # SOURCE PROGRAM FLAGS...
    "$BURL" cc -g -O1 "$BURL_TEST_ROOT/$1" -o "$2" "${@:3}" -lpthread || fail "cannot build"
}

# One read must see the initial value while forty threads stand between their two writes.
build tests/must_find/reads_from_crowd.c crowd
within 2 crowd
# A larger one, with seeds that gave up, or walked, before the last thread was where it is held.
build bench/search/twostage.c twostage -DN=100
build bench/search/reorder.c reorder -DN=100
seeds=22000066 within 2 twostage
seeds=22000066 within 2 reorder
# The first schedule keeps windows open: between two critical sections, and between load and store.
build tests/must_find/check_then_act.c check_then_act
within 1 check_then_act
build tests/must_find/refcount_double_free.c refcount
within 1 refcount
# A reader without a lock comes while the writer stands inside its critical section.
build bench/search/other/lazy_table.c lazy_table
within 2 lazy_table
exit 0
