#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-ROWS: g_mutex_lock g_mutex_trylock g_mutex_unlock g_cond_wait g_cond_wait_until
# BURL-WHY: GLib's locks are made of atomic operations and futexes inside a library that is not
#   instrumented; what they protect is no race, and what they do not protect is one. The library
#   here does as GLib does, so that GLib itself need not be installed.
set -eu

cat >locks.c <<'EOF2'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static int
futex(void *p, int op, unsigned v, struct timespec *ts)
{
    return (int)syscall(SYS_futex, p, op, v, ts);
}
int
g_mutex_trylock(unsigned *m)
{
    unsigned zero = 0;
    return __atomic_compare_exchange_n(m, &zero, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
static void
lock(unsigned *m)
{
    if (g_mutex_trylock(m))
        return;
    while (__atomic_exchange_n(m, 2, __ATOMIC_ACQUIRE) != 0)
        futex(m, FUTEX_WAIT_PRIVATE, 2, NULL);
}
static void
unlock(unsigned *m)
{
    if (__atomic_exchange_n(m, 0, __ATOMIC_RELEASE) == 2)
        futex(m, FUTEX_WAKE_PRIVATE, 1, NULL);
}
void
g_mutex_lock(unsigned *m)
{
    lock(m);
}
void
g_mutex_unlock(unsigned *m)
{
    unlock(m);
}
void
g_cond_wait(unsigned *c, unsigned *m)
{
    unsigned was = __atomic_load_n(c, __ATOMIC_RELAXED);
    unlock(m);
    futex(c, FUTEX_WAIT_PRIVATE, was, NULL);
    lock(m);
}
int
g_cond_wait_until(unsigned *c, unsigned *m, int64_t end)
{
    unsigned was = __atomic_load_n(c, __ATOMIC_RELAXED);
    struct timespec ts = { .tv_nsec = 1000 };
    int r;
    (void)end;
    unlock(m);
    r = futex(c, FUTEX_WAIT_PRIVATE, was, &ts);
    r = !(r < 0 && errno == ETIMEDOUT);
    lock(m);
    return r;
}
void
g_cond_signal(unsigned *c)
{
    __atomic_fetch_add(c, 1, __ATOMIC_RELAXED);
    futex(c, FUTEX_WAKE_PRIVATE, 1, NULL);
}
EOF2
cat >prog.c <<'EOF2'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
void g_mutex_lock(unsigned *m);
int g_mutex_trylock(unsigned *m);
void g_mutex_unlock(unsigned *m);
void g_cond_wait(unsigned *c, unsigned *m);
int g_cond_wait_until(unsigned *c, unsigned *m, int64_t end);
void g_cond_signal(unsigned *c);
static unsigned m, c;
static int n, ready, tried;
static void *
work(void *arg)
{
    g_mutex_lock(&m);
    while (!ready)
#ifdef UNTIL
        g_cond_wait_until(&c, &m, 1);
#else
        g_cond_wait(&c, &m);
#endif
    n++;
    g_mutex_unlock(&m);
#ifdef RACY
    tried++;
#else
    if (g_mutex_trylock(&m)) {
        tried++;
        g_mutex_unlock(&m);
    }
#endif
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    g_mutex_lock(&m);
    n++;
    ready = 1;
    g_cond_signal(&c);
    g_mutex_unlock(&m);
    if (g_mutex_trylock(&m)) {
        tried++;
        g_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    assert(n == 2);
    return 0;
}
EOF2
${CC:-cc} -w -fPIC -shared locks.c -o liblocks.so

# build WORDS: the program, and what burl says of it, in out.txt.
tested() {
    "$BURL" cc -w -g "$@" prog.c -L. -llocks -Wl,-rpath,"$PWD" -o prog
    code=0
    "$BURL" test --detect=race --runs=1000 ./prog >out.txt 2>&1 </dev/null || code=$?
}

for how in -DWAIT -DUNTIL; do
    tested $how
    [ $code -eq 0 ] || { echo "$how: a correct program is flagged"; cat out.txt; exit 1; }
    "$BURL" run ./prog >out.txt 2>&1 </dev/null || { echo "$how: flagged by burl run"; cat out.txt; exit 1; }
done
tested -DRACY
[ $code -eq 1 ] && grep -q 'data race on tried' out.txt || {
    echo "the race is missed: exit code $code"
    cat out.txt
    exit 1
}
# What such a library does is not seen, so nothing is proven about a program that uses it.
"$BURL" test --fresh --strategy=exhaustive --detect=none ./prog >out.txt 2>&1 </dev/null && code=0 || code=$?
[ $code -eq 4 ] || { cat out.txt; exit 1; }
grep -q 'not complete: liblocks.so was not built by burl' out.txt || {
    echo "a proof without knowing the locks"
    cat out.txt
    exit 1
}
