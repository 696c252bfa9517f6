#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A program that overwrites burl's control block: a finding or a clear message, never a crash, a hang or
# gigabytes. make soak-scribble does the same a thousand times under ASan and UBSan.
# BURL-TIMEOUT: 600
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cp "$BURL_TEST_ROOT/tests/support/scribble.c" . && build scribble

# Sizes and offsets: the host has its own.
run 1 "$BURL" test --time=2s --seed=1 -- ./scribble sizes 1
has out "memory.wild-write"
has out "burl's control block at scribble.c:"
run 1 "$BURL" replay 1
has out "memory.wild-write"
run 1 "$BURL" run --time=2s --dir=r -- ./scribble sizes 1
has err "memory.wild-write"
# Texts: none of them may reach the terminal.
run 1 "$BURL" test --time=1s --seed=1 --dir=t -- ./scribble table 1
cat out err | grep -q "$(printf '\033')" && fail "an escape character was printed"
# The nearest correct program.
run 0 "$BURL" test --runs=50 --seed=1 --dir=n -- ./scribble none 1

"$BURL_TEST_ROOT/scripts/soak-scribble.sh" --burl="$BURL" --from=1 --runs=50 --max-mb=1500 >soak.out 2>&1 ||
    { cat soak.out; fail "scribbling at random"; }
