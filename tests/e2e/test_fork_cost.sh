#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a forked execution costs is the number of pages that it touches, which does not depend on
# what else the machine does. Tables spread over many pages, and variables between them, made it
# 125 with fibers and 160 with threads; it is 41 and 68. The limits leave room for other kernels and
# libraries. The start of the processes is taken off by running a different number of executions.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

faults_of() {
    "$BURL_TEST_BUILD/support/faults" "$BURL" test --quiet --engine="$1" --reset=fork \
        --strategy=random --detect=none --runs="$2" --jobs=1 --dir="store-$1-$2" ./bench3
}

"$BURL" cc -O2 "$BURL_TEST_ROOT/bench/spine/bench3.c" -o bench3 -lpthread || fail "cannot build"
for pair in fibers/70 threads/110; do
    engine=${pair%/*}
    few=$(faults_of "$engine" 100) || fail "$engine: 100 executions"
    many=$(faults_of "$engine" 400) || fail "$engine: 400 executions"
    each=$(((many - few) / 300))
    echo "$engine: $each faults per execution"
    [ $each -gt 5 ] || fail "$engine: the executions were not counted"
    [ $each -le "${pair#*/}" ] || fail "$engine: $each page faults in each execution"
done
