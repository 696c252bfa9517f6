#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Correct OpenMP programs are silent under `burl run`: barriers, reductions of all three ways,
# critical sections, locks, tasks and their dependences are understood. C and C++.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/support/openmp.inc"

find_openmp
build_openmp correct cc correct.c
build_openmp classes c++ classes.cpp
for c in $(./correct); do
    "$BURL" run ./correct "$c" >out 2>err || fail "$c is correct"
done
for c in $(./classes | grep -v racy); do
    "$BURL" run ./classes "$c" >out 2>err || fail "$c (C++) is correct"
done
[ "$(./correct | wc -l)" -ge 30 ] || fail "some cases are missing"
# The three ways of a reduction, one after the other.
for way in tree atomic critical; do
    KMP_FORCE_REDUCTION=$way "$BURL" run ./correct reduction_used >out 2>err ||
        fail "a reduction by $way is correct"
    KMP_FORCE_REDUCTION=$way "$BURL" run ./correct reduction_user >out 2>err ||
        fail "a reduction of the user's by $way is correct"
done

# What regions, barriers, tasks and reductions order is ordered in every schedule: `burl test` lists
# no potential race.
for c in $(./correct | grep -E '^(reduction|critical|atomic|single|task|barrier)'); do
    "$BURL" test --fresh --seed=1 --runs=40 --json ./correct "$c" >out.json 2>err || fail "$c under control"
    holds '[.suspects[] | select(.kind == "potential-race")] == []' "$c: a potential race"
done
