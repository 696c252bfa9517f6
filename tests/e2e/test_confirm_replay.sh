#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a race is replayed like any failure: from its number, from its file, with the same steps, on
#   either engine, in gdb, and after a rebuild that moved its lines.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

source_with() {
    cat <<EOF
#include <pthread.h>
#include <stdlib.h>
$1
struct box {
    int before, value;
};
static void *
put(void *arg)
{
    struct box *b = arg;
    b->value = 1;
    return NULL;
}
static void *
get(void *arg)
{
    struct box *b = arg;
    return b->value > 1 ? arg : NULL;
}
int
main(void)
{
    struct box *b = calloc(1, sizeof *b);
    pthread_t t, u;
    pthread_create(&t, NULL, put, b);
    pthread_create(&u, NULL, get, b);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(b);
    return 0;
}
EOF
}

replay() {
    code=$1
    shift
    "$BURL" replay "$@" >out 2>err
    got=$?
    [ $got -eq "$code" ] || fail "burl replay $*: exit code $got, expected $code: $(cat err out)"
}

source_with "" >prog.c
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"
"$BURL" test --runs=100 ./prog >found 2>err
[ $? -eq 1 ] || fail "nothing found: $(cat err)"
grep -q ', 1 finding$' found || fail "not one finding: $(cat found)"
grep -q 'race.data' found || fail "no race: $(cat found)"

schedule=.burl/findings/1/schedule.txt
for line in 'burl-schedule 3' 'observe race' 'stop race' 'verdict race.data'; do
    grep -qx "$line" $schedule || fail "the schedule has no line '$line'"
done
[ "$(grep -c '^stop-site ' $schedule)" = 2 ] || fail "not two places"

replay 1 1
grep -q 'reproduced exactly (same steps): race.data' out || fail "not the same steps: $(tail -n 2 out)"
[ "$(grep -c 'created by T0' out)" = 2 ] || fail "not both threads: $(cat out)"
replay 1 --times=3 1
grep -q '3 of 3 runs failed with race.data, 3 of them exactly as recorded (same steps)' out || fail "$(cat out)"
replay 1 --trace 1
grep -q '^# race.data after' out || fail "--trace does not say how it ended: $(tail -n 2 out)"
replay 1 --engine=threads 1
grep -q '(same steps)' out || fail "the threads engine takes another way: $(tail -n 2 out)"
cp $schedule kept.txt
replay 1 --schedule=kept.txt
replay 1 --json 1
jq -e '.exact == 1 and .verdict == "race.data" and .finding.kind == "race.data"' out >/dev/null ||
    fail "--json: $(cat out)"

# Without the places to stop at it runs on to its end, which is fine.
sed -e '/^observe /d' -e '/^stop/d' -e 's/^checksum .*/checksum none/' kept.txt >without.txt
replay 0 --schedule=without.txt
grep -q 'ended with pass' out || fail "$(tail -n 2 out)"

if command -v gdb >/dev/null; then
    "$BURL" replay --gdb 1 </dev/null >out 2>&1 || fail "gdb could not be started: $(cat out)"
    grep -q 'burl: the failure (race.data) is here' out || fail "gdb did not stop: $(tail -n 20 out)"
    grep -q 'prog.c' out || fail "no source lines in gdb's backtrace"
fi

# Lines moved and there is more code: the places are found again.
source_with "static int more;
static void *
early(void *arg)
{
    more++;
    return arg;
}
void *(*volatile other)(void *) = early;" >prog.c
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"
replay 1 1
grep -q 'rebuilt' err || fail "a rebuilt program goes unnoticed"
grep -q 'reproduced' out || fail "$(tail -n 2 out)"

# One of the places is gone: said, and the race cannot show.
sed -i 's/b->value > 1 ? arg : NULL/arg == NULL ? arg : NULL/' prog.c
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"
"$BURL" replay 1 >out 2>err
got=$?
[ $got -eq 0 ] || [ $got -eq 3 ] || fail "exit code $got: $(cat out)"
grep -q 'a site of the race or region no longer exists' err || fail "no message says so: $(cat err)"
exit 0
