#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# OpenMP programs with a race each: `burl run` finds it. Which thread executes an iteration or a task
# is up to the OpenMP library, so one thread may have executed all of them: then the program runs
# again.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/support/openmp.inc"

find_openmp
build_openmp racy cc racy.c
build_openmp classes c++ classes.cpp
finds() {
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$BURL" run "$@" >out 2>err
        [ $? -eq 1 ] || continue
        grep -q race.data out err || fail "$*: not a race"
        return
    done
    fail "$* has a race"
}
for c in $(./racy); do
    finds ./racy "$c"
done
finds ./classes racy
