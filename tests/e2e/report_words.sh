#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a report says about the failing operation must be true: which access crashed, and
# that main returned, wherever the last call before that was.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# A null pointer followed right after an unlock: it is the read that crashes, not the unlock.
cat >crash.c <<'SRC'
#include <pthread.h>
#include <stddef.h>
struct job { int id, cost; };
static struct job *slot;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *
clear(void *arg)
{
    pthread_mutex_lock(&m);
    slot = NULL;
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(void)
{
    static struct job job = { 1, 2 };
    struct job *mine;
    pthread_t t;
    slot = &job;
    pthread_create(&t, NULL, clear, NULL);
    pthread_mutex_lock(&m);
    mine = slot;
    pthread_mutex_unlock(&m);
    sum += mine->cost;
    pthread_join(t, NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 crash.c -o crash -lpthread || fail "cannot build crash.c"
"$BURL" test --detect=none --runs=200 ./crash >out 2>&1
[ $? -eq 1 ] || fail "crash: $(cat out)"
grep -q 'T0 main dereferences a null pointer (SIGSEGV): it reads mine->cost at crash.c:26' out ||
    fail "the title does not say what crashed: $(sed -n 2p out)"
grep -q '^! .*read mine->cost: crashes' out || fail "the last row is wrong: $(grep '^!' out)"
grep -q 'unlock: crashes' out && fail "a successful unlock is said to crash"

# What the program printed before it failed is in the report, although nothing flushed it.
cat >said.c <<'SRC'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int n;
static void *
work(void *arg)
{
    n++;
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
    printf("the sum is %d\n", n);
    assert(n == 2);
    return 0;
}
SRC
"$BURL" cc -g said.c -o said -lpthread || fail "cannot build said.c"
for how in "--engine=fibers --reset=snapshot" "--engine=fibers --reset=fork" "--engine=threads"; do
    "$BURL" test --detect=none --runs=500 --dir=.said $how ./said >out 2>&1
    [ $? -eq 1 ] || fail "said $how: $(cat out)"
    grep -q '^ *| the sum is 1$' out || fail "$how: the program's output is not in the report: $(cat out)"
    "$BURL" replay 1 --dir=.said >out 2>&1
    grep -q '^ *| the sum is 1$' out || fail "$how: the program's output is not in the replay"
    rm -rf .said
done

# main returns after destructors that live in system headers.
cat >code.cpp <<'SRC'
#include <string>
#include <thread>
#include <vector>
static int n;
static void add() { n++; }
int
main()
{
    std::vector<std::string> names(3, "a name that is too long to be kept inside");
    std::thread a(add), b(add);
    a.join();
    b.join();
    return n == 2 ? 0 : 5;
}
SRC
"$BURL" c++ -g -O1 code.cpp -o code -lpthread || fail "cannot build code.cpp"
"$BURL" test --detect=none --runs=500 --dir=.burl2 ./code >out 2>&1
[ $? -eq 1 ] || fail "code: $(cat out)"
sed -n 2p out | grep -q 'the program exited with code 5: main returned it' ||
    fail "the title does not blame main: $(sed -n 2p out)"
grep -q 'new_allocator.h' out && fail "a system header is shown as the place of the failure"
[ "$(grep -c 'exit(5)' out)" -eq 1 ] || fail "the exit is not shown once: $(grep 'exit(' out)"
exit 0

# A signal without waiters is not why threads hang when later ones woke a thread: here the last
# one reached a waiter of the wrong kind.
cat >kinds.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n;
static void *
put(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 1)
            pthread_cond_wait(&c, &m);
        n = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
static void *
get(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (n == 0)
            pthread_cond_wait(&c, &m);
        n = 0;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int
main(void)
{
    void *(*const all[4])(void *) = { put, put, get, get };
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, all[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
"$BURL" cc -g -pthread kinds.c -o kinds || fail "kinds.c does not build"
"$BURL" test --seed=1 --runs=2000 --stop-at-failure --dir=kinds.d ./kinds >out 2>&1
[ $? -eq 1 ] || fail "kinds: nothing found"
grep -q "waits for a signal on c" out || { cat out; fail "kinds: not the deadlock that was meant"; }
grep "signal c: " out | tail -n 1 | grep -q "wakes 1" || { cat out; fail "kinds: another order"; }
! grep -q "lost wakeup" out || { cat out; fail "kinds: a lost wakeup that was none"; }
