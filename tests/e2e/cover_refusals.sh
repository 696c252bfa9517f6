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
has err "burl cc"
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
has err "do not go together"
run 2 "$BURL" cover report a b
run 2 "$BURL" cover prune a.c:3
run 2 "$BURL" cover prune a.c b.c:2 --reason=x
has err "is not a place"
run 2 "$BURL" cover prune a.c:1 b.c:2
has err "--reason"
run 2 "$BURL" cover hunt --engine=free ./locked
run 2 "$BURL" cover hunt --forget ./locked
run 2 "$BURL" cover report -d empty.d
has err "there is no store"
run 2 "$BURL" cover report -d racy.d ./locked
has err "has not been covered yet"
mkdir findings.d && run 0 "$BURL" test --runs=5 -d findings.d ./locked
run 2 "$BURL" cover report -d findings.d
has err "nothing has been covered yet"

# What stands behind the program is the program's.
run 0 "$BURL" cover --runs=10 -d args.d ./locked --json --metrics=x
has err "is given to it"
hasnt out '"executions"'

# Free threads.
run 0 "$BURL" cover --engine=free --runs=20 -d free.d ./locked
has out "20 executions in 1 campaign"
has out "free"
run 0 "$BURL" cover --runs=20 -d free.d ./locked
has out "40 executions in 2 campaigns"
exit 0
