#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Ctrl-C ends `burl synth` in every phase: exit code 4 and a message while there is nothing to keep, then
# the summary with what was found so far, exit code 1.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
write_bin

# interrupt CODE PATTERN args...: SIGINT once the command has printed PATTERN.
interrupt() {
    local code=$1 pattern=$2
    shift 2
    echo "+ $pattern"
    rm -rf .burl
    terminal -INT "$pattern" "$BURL" synth --time=100s "$@" >out
    got=$?
    [ $got -eq "$code" ] || fail "exit code $got, expected $code"
}

interrupt 4 'compiling' bin.h -- bin.c -DBUG test_bin.c
has out 'interrupted while compiling; no test was run'
cat >endless.c <<'SRC'
#include "bin.h"
volatile int spin = 1;
int
main(void)
{
    struct bin *b = bin_new();

    while (spin)
        bin_size(b);
    return 0;
}
SRC
interrupt 4 'recording seed' --exec-timeout=100s bin.h -- bin.c -DBUG endless.c
has out 'interrupted while recording the seeds; no test was run'
# A function that takes very long, so that the phase does.
sed 's/^bin_size(struct bin \*b)$/&\n{ for (volatile int i = 0; i < 10000000; i++) ; return b->n; }\nint bin_size_2(struct bin *b)/' \
    bin.c >slow.c
interrupt 4 'writing sequential seeds' bin.h -- slow.c -DBUG
has out 'interrupted while writing sequential seeds; no test was run'

# While tests run.
module=$BURL_TEST_ROOT/bench/intruder/vector
interrupt 1 'burl replay 1' "$module/vector.h" -- "$module/vector.c" "$module/seed.c"
has out 'so far; not every test was run'
[ -s .burl/findings/1/test.c ] || fail "the finding was not kept"
run 1 "$BURL" replay --quiet 1
