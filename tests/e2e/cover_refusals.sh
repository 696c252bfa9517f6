#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `burl cover` on programs that have nothing to interleave, cannot be watched, fail, or are not there,
# and with options that make no sense: each gets its exit code and a sentence.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

printf '#include <stdio.h>\nstatic int x;\nint main(void) { x++; printf("%%d\\n", x); return 0; }\n' >single.c
build single
run 0 "$BURL" cover --runs=50 ./single
has err "one thread: there is nothing to interleave"
[ "$(n_items .burl 0)" -eq 0 ] || fail "pairs in a program of one thread"
[ "$(n_items .burl 11)" -gt 0 ] || fail "no lines"

cc -g -O1 single.c -o plain || fail cc
run 3 "$BURL" cover --runs=5 -d none ./plain
has err "burl-cc"
[ ! -e none ] || fail "a store was made for a program that cannot be covered"
run 2 "$BURL" cover --runs=5 ./nothere
run 2 "$BURL" cover
has err "which program?"

write_locked
sed 's/pthread_mutex_\(un\)*lock(&m);//' locked.c >racy.c
build racy
run 1 "$BURL" cover --runs=500 -d racy.d ./racy
has err "an execution failed (exit.nonzero"
has err 'burl test ./racy'
[ "$(n_items racy.d 0)" -gt 2 ] || fail "a failing program covers too"
sqlite3 racy.d/burl.db 'SELECT max(flags) FROM cover_items WHERE metric = 0' | grep -q 1 ||
    fail "no pair is marked as racy"

write_queue
build locked
for bad in --metrics=LP,NOPE --metrics= --metrics=LP, --metrics=locationpairs; do
    run 2 "$BURL" cover $bad ./locked
done
run 2 "$BURL" cover --metrics=locaton-pairs ./locked
has err "did you mean location-pairs?"
run 2 "$BURL" cover --engine=free --strategy=pct ./locked
has err "cannot be combined with"
# Context is told, or it is said that it is not.
run 0 "$BURL" cover --engine=free --context=1 --metrics=LP --runs=3 -d ctx.d ./locked
has out "in context"
run 2 "$BURL" cover report a b
run 2 "$BURL" cover prune a.c:3
run 2 "$BURL" cover prune a.c b.c:2 --reason=x
has err "is not a place"
run 2 "$BURL" cover prune a.c:1 b.c:2
has err "--reason"
run 2 "$BURL" cover hunt --engine=free ./locked
run 2 "$BURL" cover hunt --forget ./locked
for sub in report hunt prune "hunt ./locked"; do
    run 2 "$BURL" cover -d empty.d $sub
    has err "there is no store in empty.d; run \`burl cover ./prog\` first"
    [ ! -e empty.d ] || fail "$sub made a directory"
done
run 2 "$BURL" cover report -d racy.d ./locked
has err "has not been covered yet"
mkdir findings.d && run 0 "$BURL" test --runs=5 -d findings.d ./locked
run 2 "$BURL" cover report -d findings.d
has err "nothing has been covered yet"

# An option that a sub-command does not look at is refused; in the environment it is for others.
refused() {
    option=$1
    shift
    run 2 "$BURL" cover "$@" "$option"
    has err "does not take ${option%%=*};"
}
for option in --exhaustive --tries=3 --reason=x --remove; do
    run 2 "$BURL" cover "$option" ./locked
    has err "does not take ${option%%=*};"
done
for option in --reason=x --remove --tries=3 --exhaustive --runs=3 --seed=1 --forget --strategy=pct; do
    refused $option report
done
for option in --metrics=LP --reason=x --context=2 --strategy=pct --forget --until-saturated=3; do
    refused $option hunt
done
for option in --html=x --lcov=x --gaps=3 --metrics=LP --runs=3 --fail-under=LP=3; do
    refused $option prune
done
[ ! -e x ] || fail "a file was written"
run 2 "$BURL" cover hunt --runs=5 -d racy.d
has err "--exhaustive"
run 2 "$BURL" cover hunt --tries=0 -d racy.d
has err "at least 1"
run 0 env BURL_TRIES=3 BURL_REASON=x BURL_EXHAUSTIVE=yes "$BURL" cover report -d racy.d
run 2 "$BURL" cover --html --runs=5 ./locked
has err "if it is the value: --html=--runs=5"
[ ! -e --runs=5 ] || fail "an option became a directory"

# A long failure is cut between words, and it can be seen that it was.
cat >wordy.c <<'SRC'
#include <assert.h>
#include <pthread.h>
static int total;
static void *
add(void *a)
{
    total++;
    return a;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    pthread_join(t, 0);
    assert(total == 2 && "the first of many words" && "the second of many words" &&
           "the third of many words" && "the fourth of many words" && "the fifth of many words");
    return 0;
}
SRC
build wordy
run 1 "$BURL" cover --runs=3 -d wordy.d ./wordy
grep -Eq 'an execution failed \(.*(many|words"|the|&&|"the|of|first|second|third|fourth) \.\.\.\)' err ||
    fail "cut within a word"

# What stands behind the program is the program's.
run 0 "$BURL" cover --runs=10 -d args.d ./locked --json --metrics=x
has err "is passed to it"
hasnt out '"executions"'

# Free threads.
run 0 "$BURL" cover --engine=free --runs=20 -d free.d ./locked
has out "20 executions in 1 campaign"
has out "free"
run 0 "$BURL" cover --runs=20 -d free.d ./locked
has out "40 executions in 2 campaigns"
exit 0
