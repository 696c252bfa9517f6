#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# e2e: BURL_HISTORY records which function, block and access each thread role executes, alone or
# beside others, however the process ends.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

# record COMMAND...: runs it with an empty directory, facts in out.
record() {
    rm -rf hist
    mkdir hist
    BURL_HISTORY=$PWD/hist "$@" >prog.out 2>prog.err
    code=$?
    "$BURL_TEST_BUILD/support/history" hist >out 2>err || fail "cannot read the history of $*"
}

line() { grep -qxF -- "$1" out || fail "no line \"$1\""; }
noline() { ! grep -qxF -- "$1" out || fail "line \"$1\""; }

cat >two.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
static int total, other;
static pthread_barrier_t both;
static void before(void) { total++; }
static void during(void) { total++; }
static void between(void) { total++; }
static void after(void) { total++; }
static void never(void) { total++; }
static void *first(void *arg) { other++; return arg; }
static void *second(void *arg) { if (arg == NULL) never(); other--; return arg; }
int
main(int argc, char **argv)
{
    pthread_t a, b;
    int parallel = argc > 1 && atoi(argv[1]) == 1;
    pthread_barrier_init(&both, NULL, 2);
    before();
    pthread_create(&a, NULL, first, &a);
    during();
    if (!parallel) {
        pthread_join(a, NULL);
        between();
    }
    pthread_create(&b, NULL, second, &b);
    if (parallel)
        pthread_join(a, NULL);
    pthread_join(b, NULL);
    after();
    return 0;
}
SRC
for flags in -O0 -O2 '-O2 --late -fno-inline' '-O1 --blocks' '-O0 --record' '-O2 --record'; do
    # shellcheck disable=SC2086
    "$BURL" cc -g $flags two.c -o two -lpthread || fail "cannot build with $flags"
    record ./two 0
    line 'role two first.0 at two.c:19'
    line 'role two second.0 at two.c:25'
    line 'overlap two main.0 first.0'
    line 'overlap two main.0 second.0'
    noline 'overlap two first.0 second.0'
    for f in before between after; do
        line "alone two main.0 func $f"
        noline "shared two main.0 func $f"
    done
    line 'shared two main.0 func during'
    noline 'alone two main.0 func during'
    line 'shared two first.0 func first'
    line 'shared two second.0 func second'
    noline 'shared two second.0 func never'
    noline 'shared two second.0 func first'
    record ./two 1
    line 'overlap two first.0 second.0'
    noline 'alone two main.0 func between'
    grep -q '^note\|partial' out && fail "something is missing with $flags"
done
# Blocks: a branch that was not taken.
"$BURL" cc -g -O1 --blocks two.c -o two -lpthread
record ./two 0
line 'shared two second.0 block two.c:11'
line 'shared two main.0 line two.c:19'

# Not told to record: nothing is written, nothing changes.
rm -rf hist
./two 0 || fail 'two fails without BURL_HISTORY'
[ ! -e hist ] || fail 'something was written'
BURL_HISTORY=$PWD/missing ./two 0 || fail 'two fails with a directory that does not exist'
BURL_HISTORY=relative ./two 0 || fail 'two fails with a relative directory'

# The kinds of threads: C11, detached, exit by pthread_exit and by cancellation, many.
cat >kinds.c <<'SRC'
#include <pthread.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int detached_done;
static void bump(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static int c11(void *arg) { (void)arg; bump(); return 3; }
static void leave(void) { bump(); pthread_exit(NULL); }
static void *exits(void *arg) { leave(); return arg; }
static void *canceled(void *arg) { bump(); for (;;) pause(); return arg; }
static void *crowd(void *arg) { bump(); return arg; }
static void *loner(void *arg) { bump(); return arg; }
static void *detached(void *arg)
{
    pthread_mutex_lock(&m);
    detached_done = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
static void quiet(void) { x++; }
static void last(void) { x++; }
int
main(void)
{
    thrd_t t;
    pthread_t p[300];
    int r;
    thrd_create(&t, c11, NULL);
    thrd_join(t, &r);
    pthread_create(&p[0], NULL, exits, NULL);
    pthread_join(p[0], NULL);
    pthread_create(&p[0], NULL, canceled, NULL);
    pthread_cancel(p[0]);
    pthread_join(p[0], NULL);
    for (int i = 0; i < 300; i++)
        pthread_create(&p[i], NULL, crowd, NULL);
    for (int i = 0; i < 300; i++)
        pthread_join(p[i], NULL);
    for (int i = 0; i < 40; i++) {
        pthread_create(&p[i], NULL, loner, NULL);
        pthread_join(p[i], NULL);
    }
    quiet();
    pthread_create(&p[0], NULL, detached, NULL);
    pthread_detach(p[0]);
    pthread_mutex_lock(&m);
    while (!detached_done)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    last();
    return r;
}
SRC
for profile in --early --late --record; do
    "$BURL" cc $profile -fno-inline -g -O1 kinds.c -o kinds -lpthread || fail 'cannot build kinds'
    record ./kinds
    [ $code -eq 3 ] || fail "kinds ended with $code"
    for f in c11 exits canceled crowd loner detached; do
        grep -q "^shared kinds $f.0 func $f\$" out || fail "no role $f"
    done
    line 'shared kinds exits.0 func leave'
    grep -q '^role kinds crowd.15 many at kinds.c:40$' out || fail 'the last role of crowd is not many'
    grep -q '^role kinds loner.15 at kinds.c:44$' out || fail 'the last role of loner is many'
    noline 'overlap kinds loner.0 loner.1'
    line 'overlap kinds crowd.0 crowd.1'
    count out 'role kinds crowd.' 16
    line 'alone kinds main.0 func quiet'
    noline 'shared kinds main.0 func quiet'
    line 'shared kinds main.0 func last' # a detached thread may still be there
    noline 'alone kinds main.0 func last'
done

# Blocks are exact with --record, and a block in which a thread is created by a callee counts as
# executed beside it.
cat >exact.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
static int x;
static pthread_t t;
static void *worker(void *arg)
{
    if (arg)
        x++;
    else
        x--;
    return arg;
}
static void start(void *arg) { pthread_create(&t, NULL, worker, arg); }
static void stop(void) { pthread_join(t, NULL); }
int
main(int argc, char **argv)
{
    x = argc;
    if (argc > 5)
        abort();
    start(argc > 1 ? &x : NULL);
    stop();
    if (argc > 1)
        return 0;
    return argv == NULL;
}
SRC
for o in -O0 -O2; do
    "$BURL" cc --record -g $o exact.c -o exact -lpthread || fail 'cannot build exact'
    record ./exact
    line 'shared exact worker.0 block exact.c:10'
    noline 'shared exact worker.0 block exact.c:8'
    line 'alone exact main.0 block exact.c:18'
    noline 'shared exact main.0 block exact.c:18'
    noline 'alone exact main.0 block exact.c:20'
    line 'shared exact main.0 block exact.c:21'
    line 'role exact worker.0 at exact.c:13'
    line 'alone exact main.0 block exact.c:25'
    noline 'alone exact main.0 block exact.c:24'
done
# The canonical form is that of the other profiles: histories fit their builds.
for profile in --early --late --record; do
    "$BURL" cc $profile -g -O2 -c exact.c -o exact.o || fail "cannot compile with $profile"
    objcopy -O binary --set-section-flags .burl.bc=alloc --only-section=.burl.bc exact.o bc.$profile
    [ -s bc.$profile ] || fail "no bitcode with $profile"
    cmp -s bc.--early bc.$profile || fail "$profile has another canonical form"
done
# It has no hooks: the other commands refuse it.
run 3 "$BURL" test ./exact
has err 'built with `burl-cc --record`'
run 2 "$BURL" cc --record --late exact.c -o exact
has err '--record is a profile of its own'

# C++: the start routine is the library's; the role has the name of what it calls.
cat >cpp.cpp <<'SRC'
#include <mutex>
#include <thread>
static int n;
static std::mutex m;
static void work(int by) { std::lock_guard<std::mutex> g(m); n += by; }
struct job { void operator()() const { work(2); } };
int
main()
{
    std::thread a(work, 1);
    std::thread b{job()};
    a.join();
    b.join();
    work(3);
    return n == 6 ? 0 : 1;
}
SRC
for o in -O0 -O2 '-O2 --record'; do
    # shellcheck disable=SC2086
    "$BURL" c++ -g $o -fno-inline cpp.cpp -o cpp -lpthread || fail 'cannot build cpp'
    record ./cpp
    [ $code -eq 0 ] || fail "cpp ended with $code"
    [ "$(grep -c '^role cpp ' out)" -eq 3 ] || fail 'cpp has not three roles'
    [ "$(grep -c '^shared cpp .* func work$' out)" -eq 2 ] || fail 'work in two roles'
    line 'alone cpp main.0 func work'
done
