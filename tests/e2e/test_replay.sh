#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl replay`: exit codes 1, 0 and 3, --trace, --schedule, a rebuilt program, gdb.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

source_with() {
    cat <<EOF
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int n;
$1
static void *
work(void *arg)
{
    $2
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
EOF
}

build() {
    "$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"
}

replay() {
    code=$1
    shift
    echo "+ burl replay $*"
    "$BURL" replay "$@" >out 2>err
    got=$?
    cat err
    [ $got -eq "$code" ] || {
        cat out
        fail "exit code $got, expected $code"
    }
}

source_with "" "n++;" >prog.c
build
"$BURL" test --detect=none --runs=500 ./prog >found 2>err
[ $? -eq 1 ] || fail "nothing found: $(cat err)"
grep -q "1 preemption" found || fail "a lost update needs one preemption, not more"
replay 1 1
grep -q '(same steps)' out || fail "not the same steps"
grep -q "n++;" out || fail "the place of the race is not shown"
replay 1 --trace 1
[ "$(grep -c "n++" out)" -ge 4 ] || [ "$(grep -c "prog.c:9" out)" -ge 4 ] ||
    fail "--trace does not show the four accesses"
cp out before
replay 1 1 --trace
cmp -s before out || fail "--trace after the number does something else than before it"
replay 1 --times=5 1
grep -q "5 of 5" out || fail "--times does not count"
cp .burl/findings/1/schedule.txt kept.txt
replay 1 --schedule=kept.txt
replay 1 --schedule=kept.txt ./prog
"$BURL" show 1 >out || fail "show"
grep -q "crash.abort" out || fail "show does not show the finding"
"$BURL" show --json 1 | jq -e '.kind == "crash.abort"' >/dev/null || fail "show --json"
"$BURL" findings >out
[ $? -eq 1 ] || fail "findings must end with 1 when there are some"

# Lines moved: the build is another one, the sites are found again by name.
source_with "/* a comment

  of some lines */" "n++;" >prog.c
build
replay 1 1
grep -q "rebuilt" err || fail "a rebuilt program goes unnoticed"

# The bug is fixed: the failure is not reproduced.
source_with "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;" \
    "pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);" >prog.c
build
"$BURL" replay 1 >out 2>err
got=$?
[ $got -eq 0 ] || [ $got -eq 3 ] || fail "exit code $got after the fix"
grep -q "not reproduced" out || fail "the verdict is not said"

source_with "" "n++;" >prog.c
build
if command -v gdb >/dev/null; then
    "$BURL" replay --gdb 1 </dev/null >out 2>&1
    got=$?
    [ $got -eq 0 ] || fail "gdb could not be started ($got)"
    grep -q "burl: the failure (crash.abort) is here" out || {
        tail -n 20 out
        fail "gdb did not stop at the failure"
    }
    grep -q "prog.c" out || fail "no source lines in gdb's backtrace"

    # Lines moved and a function is new: the places are found again for gdb too.
    source_with "static int more;
static void before(void) { more++; }" "before(); n++;" >prog.c
    build
    "$BURL" replay 1 --gdb </dev/null >out 2>&1 || fail "gdb could not be started"
    grep -q "rebuilt" out || fail "a rebuilt program goes unnoticed under gdb"
    grep -q "burl: the failure (crash.abort) is here" out || fail "no failure in gdb after a rebuild"
    mv prog prog.away
    "$BURL" replay 1 --gdb </dev/null >out 2>&1
    [ $? -eq 2 ] || fail "a program that is gone is not said to be: $(cat out)"
    mv prog.away prog

    # A fault under gdb stops in the program's own line, with every thread of the interleaving
    # named as in the report, and without the runtime's frames in the way.
    cat >null.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
static int number, *p = &number;
static void *
clear(void *arg)
{
    p = NULL;
    return arg;
}
static void *
use(void *arg)
{
    int *mine = p;
    *mine = 1;
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, clear, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
EOF
    "$BURL" cc -g -O0 null.c -o null || fail "cannot build null.c"
    "$BURL" test --detect=none --runs=500 --dir=.null ./null >found 2>&1
    [ $? -eq 1 ] || fail "nothing found in null.c"
    printf 'print mine\nbt\nburl-threads\n' | "$BURL" replay 1 --gdb --dir=.null >out 2>&1 ||
        fail "gdb could not be started"
    grep -q "burl: the failure (crash.signal) is here, in T1" out || fail "not said where: $(cat out)"
    grep -q '= (int \*) 0x0' out || fail "the program's frame is not selected: $(cat out)"
    grep -q 'T0 .*null.c:23' out || fail "main is not shown in its join: $(cat out)"
    grep -q 'access_slow' out && fail "frames of the runtime are in the way: $(cat out)"
else
    echo "gdb is not installed; the rest passed"
    exit 77
fi
exit 0
