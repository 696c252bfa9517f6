#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: what one execution shows to be possible is brought about by the next, with default settings
#   and whatever the seed.
set -u

fail() {
    echo "FAILED: $*"
    exit 1
}

# within N PROGRAM: the failure shows in the first N schedules.
within() {
    for seed in 1 20 300 4000; do
        rm -rf .burl
        "$BURL" test --json --seed=$seed --jobs=1 --runs=100 --stop-at-failure --no-minimise "./$2" >out.json
        n=$(jq '[.findings[] | select(.kind | startswith("race") | not) | .found_after] | min' out.json)
        [ "$n" != null ] && [ "$n" -le "$1" ] || fail "$2, seed $seed: schedule $n, not $1"
    done
}

# One read must see the initial value while forty threads stand between their two writes.
"$BURL" cc -g -O1 "$BURL_TEST_ROOT/tests/must_find/reads_from_crowd.c" -o crowd -lpthread || fail "cannot build"
within 2 crowd
exit 0
