#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A wild write that leaves plausible numbers in the control block is found, whatever it changes: counts, failures,
# the position of a search, its doubts, the scheduling points. Nothing is claimed of such a program.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cp "$BURL_TEST_ROOT/tests/support/plausible.c" . || exit 1
cc -O1 -c "$BURL_TEST_ROOT/tests/support/plausible_poke.c" -o poke.o || exit 1
"$BURL" cc -g -O1 -I"$BURL_TEST_ROOT/src" plausible.c poke.o -o plausible -lpthread || fail "cannot build"

for how in direct foreign; do
    for what in counts failed search doubts points; do
        rm -rf .burl
        run 1 "$BURL" test --strategy=exhaustive --seed=1 -- ./plausible $how $what
        # A finding of its own, or the cause of one that no replay reproduces.
        grep -q 'memory.wild-write\|a wild write' out || fail "$how $what: no wild write"
        grep -q "^exhaustive: .*pass" out && fail "$how $what: a proof"
        # The stack of a search is empty in a replay, where nothing is overwritten then.
        [ $how = foreign ] || [ $what = search ] || has out "control block at plausible.c:"
    done
done
# With random schedules, and one process for each execution.
for options in "--reset=fork" "--engine=threads" "--jobs=1"; do
    for how in direct foreign; do
        rm -rf .burl
        run 1 "$BURL" test --runs=200 --seed=1 $options -- ./plausible $how counts
        has out "memory.wild-write"
        run 1 "$BURL" replay 1
        has out "memory.wild-write"
    done
done
# The nearest correct program. It has code without hooks: no proof, and that is the only reason.
rm -rf .burl
run 4 "$BURL" test --strategy=exhaustive --seed=1 -- ./plausible direct none
hasnt out "wild-write"
has out "were not built by burl"
