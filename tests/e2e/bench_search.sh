#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The bench of the search on a few programs: the shape of its tables, published figures beside ours,
# and that a program that cannot fail, or a twin that fails, makes a target MISSED.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

bench=$BURL_TEST_ROOT/scripts/bench-search.sh
built=$(dirname "$BURL")

run 2 "$bench" --build="$built" --trials=many
run 2 "$bench" --build="$built" --programs=no_such_program

# Found, with what was published beside it; rows are kept, so that a second run only prints.
"$bench" --build="$built" --dir=d --trials=2 --runs=2000 --twin-runs=50 --strategies="default random" \
    --programs='^(deadlock01|wronglock_1)$' >out 2>err
[ $? -le 1 ] || fail "exit code"
grep -qE '^deadlock01 +2/2 +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +5 +3 +4 +20 +2$' out ||
    fail "no row of deadlock01 with published figures"
grep -qE '^wronglock_1 +[0-9.]+ +[0-9.]+ *$' out || fail "no means by strategy"
grep -qE '^random +([0-9]+\.[0-9] +){3}2\.0 +2 +[0-9.]+$' out || fail "no row of what random finds"
grep -qE '^every program in each of 2 trials within 2000 schedules: 2 of 2 +met$' out || fail "not met"
grep -qE '^safestack in under a minute: - +not measured$' out || fail "judged what was not measured"
grep -qE '^twins silent for 50 schedules: 2 +met$' out || fail "twins"
[ "$(wc -l <d/rows.tsv)" -eq 10 ] || fail "not 2 programs by 2 strategies by 2 trials and 2 twins"
cp out first
"$bench" --build="$built" --dir=d --trials=2 --runs=2000 --twin-runs=50 --strategies="default random" \
    --programs='^(deadlock01|wronglock_1)$' >out 2>err
cmp -s out first || fail "the second run prints something else"

# A list of our own: one that never fails, one whose twin does, and one that fails otherwise than said.
mkdir list
cat >list/never.c <<'SRC'
int
main(void)
{
    return 0;
}
SRC
cat >list/always.c <<'SRC'
#include <stdlib.h>
int
main(void)
{
    abort();
}
SRC
printf 'never\tnever.c\t-\t-\tcrash\nalways\talways.c\t-\t-\tdeadlock\n' >list/programs.tsv
run 1 "$bench" --build="$built" --list=list/programs.tsv --trials=2 --runs=100 --twin-runs=10 \
    --strategies=default
grep -qE '^never +0/2 +- +- +- +- +-' out || fail "never"
grep -qE '^always +2/2 .*unexpected crash.abort$' out || fail "always"
has out "within 100 schedules: 1 of 2"
has out "MISSED: never (0/2)"
has out "MISSED: always (crash.abort)"
hasnt out "MISSED: always (0/2)"

# What cannot be built is said, and is no result.
printf 'broken\tnothing.c\t-\t-\tcrash\n' >list/programs.tsv
run 3 "$bench" --build="$built" --list=list/programs.tsv --trials=1 --runs=10
has err "cannot build broken"
