#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# Threads that run in parallel at neighboring bytes, and at one variable under a lock: what the
# metrics say must be possible, and what must be covered is.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

same=$BURL_TEST_ROOT/tests/support/same

number() { # CONDITION
    sqlite3 free/burl.db "SELECT count(*) FROM cover_items WHERE $1"
}

cover() { # PROGRAM METRICS
    rm -rf free
    run 0 "$BURL" cover -e free -n 5 -t 0 --no-target -m "$2" -d free -q "./$1"
}

for program in beside counter; do
    "$BURL" cc -O1 -g "-I$same" "$same/$program.c" -o "$program" -lpthread || fail "$program"
done
for metrics in AVIO,GLSC AVIO GLSC; do
    cover beside $metrics
    [ "$(number 'metric = 7')" -eq 0 ] || fail "triples ($metrics) where nothing is shared"
    [ "$(number 'metric = 8 AND b > 1')" -eq 0 ] || fail "states ($metrics) where nothing is shared"
done
[ "$(number 'metric = 8 AND b = 0')" -gt 8 ] || fail "the accesses of the threads are missing"

cover counter SYNC,HB,AVIO,GLSC
# Its read comes before its write in the program, and has the smaller number.
[ "$(number 'metric = 7 AND a <= c')" -eq 0 ] || fail "a triple within one addition"
[ "$(number 'metric = 7 AND a > c')" -eq 4 ] ||
    fail "$(number 'metric = 7') triples of two sites and two threads"
[ "$(number 'metric = 8 AND b = 3')" -eq 0 ] || fail "a race under the lock"
[ "$(number 'metric = 8 AND b = 1')" -ge 2 ] || fail "no common lock"
exit 0
