#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 900
#
# Programs whose threads go in a fixed order cover the same under control and on free threads, item
# by item: SYNC, HB, AVIO and GLSC together, and those of each fitness function alone.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

same=$BURL_TEST_ROOT/tests/support/same
# Outcomes that say which of two threads the system ran first: had to wait, did not, was waited for,
# arrived last, had ended.
timing="metric = 5 AND b IN (1, 2, 9, 10, 11, 12, 13, 14, 15, 16)"

items() { # STORE CONDITION
    sqlite3 "$1/burl.db" "SELECT metric, a, b, c, d FROM cover_items
                          WHERE NOT ($timing) AND ($2) ORDER BY 1, 2, 3, 4, 5"
}

compare() { # PROGRAM CONDITION METRICS
    rm -rf free
    run 0 "$BURL" cover -e free -n 1 -t 0 --no-target -m "$3" -d free -q "./$1"
    items control "$2" >control.items
    items free "$2" >free.items
    [ -s control.items ] || fail "$1: nothing was covered"
    cmp control.items free.items || {
        diff control.items free.items
        fail "$1: $3 differ (<: control, >: free threads)"
    }
}

for program in joins mutexes atomics rwlocks condvars barriers heap stacks ranges bytes pool turns misc \
               cxx; do
    source=$same/$program.c
    cc="cc"
    if [ "$program" = cxx ]; then
        source=$same/$program.cc
        cc="c++"
    fi
    "$BURL" $cc -O1 -g "-I$same" "$source" -o "$program" -lpthread || fail "$program does not build"
    rm -rf control
    run 0 "$BURL" cover -s nonpreemptive -n 1 -t 0 --no-target -m SYNC,HB,AVIO,GLSC -d control -q \
        "./$program"
    # Which thread arrives last at a barrier, and so lets the others go on, is the system's choice.
    all="1"
    hb="metric IN (5, 6, 7)"
    if [ "$program" = barriers ]; then
        all="metric <> 6"
        hb="metric IN (5, 7)"
    fi
    compare "$program" "$all" SYNC,HB,AVIO,GLSC
    compare "$program" "$hb" SYNC,HB,AVIO
    compare "$program" "metric = 8" GLSC
done
exit 0
