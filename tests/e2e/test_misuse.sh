#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a misuse of the thread library is a finding and the execution goes on as with libc, so
#   that what follows is found as well. Each program misuses something, asserts what libc answers,
#   and then fails an assertion of its own; without burl it must come to the same assertion. With
#   --stop-at-misuse nothing follows. A suppressed misuse ends nothing either.
# BURL-TIMEOUT: 240
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >misuse.c <<'EOF'
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem, sem2;
static int ready;

static void *nothing(void *a) { return a; }
static void *unlock(void *a) { assert(pthread_mutex_unlock(&m) == 0); return a; }
static void *spin_unlock(void *a) { assert(pthread_spin_unlock(&spin) == 0); return a; }
static void *rw_unlock(void *a) { assert(pthread_rwlock_unlock(&rw) == 0); return a; }
static void *take(void *a) { pthread_mutex_lock(&m); return a; }
static void *relock(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return a; }
static void *post(void *a) { sem_post(&sem); sem_wait(&sem2); return a; }
static void *wait_sem(void *a) { __atomic_store_n(&ready, 1, 5); sem_wait(&sem); return a; }
static void *destroy_cond(void *a) { pthread_cond_destroy(&c); return a; }
static void *wait_cond(void *a)
{
    pthread_mutex_lock(a);
    __atomic_fetch_add(&ready, 1, 5);
    pthread_cond_wait(&c, a);
    pthread_mutex_unlock(a);
    return a;
}

static pthread_t go(void *(*f)(void *), void *a)
{
    pthread_t t;
    pthread_create(&t, NULL, f, a);
    return t;
}
static void run(void *(*f)(void *)) { pthread_join(go(f, NULL), NULL); }
static void until(int n) { while (__atomic_load_n(&ready, 5) < n) sched_yield(); }

#if CASE == 1 /* misuse.unlock-unlocked */
static void misuse(void) { run(nothing); assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_trylock(&m) == 0); }
#elif CASE == 2 /* misuse.unlock-foreign */
static void misuse(void) { pthread_mutex_lock(&m); run(unlock); assert(pthread_mutex_trylock(&m) == 0); assert(pthread_mutex_unlock(&m) == 0); }
#elif CASE == 3 /* misuse.destroy-busy */
static void misuse(void) { run(nothing); pthread_mutex_lock(&m); assert(pthread_mutex_destroy(&m) == EBUSY); assert(pthread_mutex_unlock(&m) == 0); }
#elif CASE == 4 /* misuse.use-destroyed */
static void misuse(void) { run(nothing); pthread_mutex_destroy(&m); assert(pthread_mutex_lock(&m) == EINVAL); assert(pthread_mutex_trylock(&m) == EINVAL); assert(pthread_mutex_unlock(&m) == EINVAL); assert(pthread_mutex_destroy(&m) == 0); }
#elif CASE == 5 /* misuse.reinit */
static void misuse(void) { run(nothing); pthread_mutex_lock(&m); assert(pthread_mutex_init(&m, NULL) == 0); assert(pthread_mutex_trylock(&m) == 0); }
#elif CASE == 6 /* misuse.relock */
static void misuse(void) { go(relock, NULL); sched_yield(); /* a failure is no scheduling point */ }
#elif CASE == 7 /* misuse.wait-without-mutex */
static void misuse(void) { struct timespec past = { 1, 0 }; run(nothing); assert(pthread_cond_timedwait(&c, &m, &past) == ETIMEDOUT); assert(pthread_mutex_trylock(&m) == EBUSY); assert(pthread_mutex_unlock(&m) == 0); }
#elif CASE == 8 /* misuse.exit-holding */
static void misuse(void) { run(take); assert(pthread_mutex_trylock(&m) == EBUSY); }
#elif CASE == 9 /* misuse.destroy-busy */
static void misuse(void) { pthread_t w = go(wait_cond, &m), d; until(1); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); d = go(destroy_cond, NULL); pthread_cond_signal(&c); pthread_join(w, NULL); pthread_join(d, NULL); }
#elif CASE == 10 /* misuse.destroy-busy */
static void misuse(void) { pthread_mutex_t *p = malloc(sizeof *p); run(nothing); pthread_mutex_init(p, NULL); pthread_mutex_lock(p); free(p); }
#elif CASE == 11 /* misuse.unlock-unlocked */
static void misuse(void) { run(nothing); pthread_spin_init(&spin, 0); assert(pthread_spin_unlock(&spin) == 0); assert(pthread_spin_lock(&spin) == 0); pthread_spin_unlock(&spin); }
#elif CASE == 12 /* misuse.unlock-foreign */
static void misuse(void) { pthread_spin_init(&spin, 0); pthread_spin_lock(&spin); run(spin_unlock); assert(pthread_spin_trylock(&spin) == 0); }
#elif CASE == 13 /* misuse.destroy-busy */
static void misuse(void) { run(nothing); pthread_spin_init(&spin, 0); pthread_spin_lock(&spin); assert(pthread_spin_destroy(&spin) == 0); assert(pthread_spin_unlock(&spin) == 0); }
#elif CASE == 14 /* misuse.use-destroyed */
static void misuse(void) { run(nothing); pthread_spin_init(&spin, 0); pthread_spin_destroy(&spin); assert(pthread_spin_lock(&spin) == 0); assert(pthread_spin_unlock(&spin) == 0); }
#elif CASE == 15 /* misuse.unlock-foreign */
static void misuse(void) { pthread_rwlock_rdlock(&rw); run(rw_unlock); assert(pthread_rwlock_trywrlock(&rw) == 0); assert(pthread_rwlock_unlock(&rw) == 0); }
#elif CASE == 16 /* misuse.destroy-busy */
static void misuse(void) { run(nothing); pthread_rwlock_wrlock(&rw); assert(pthread_rwlock_destroy(&rw) == 0); assert(pthread_rwlock_unlock(&rw) == 0); }
#elif CASE == 17 /* misuse.use-destroyed */
static void misuse(void) { run(nothing); pthread_rwlock_destroy(&rw); assert(pthread_rwlock_rdlock(&rw) == 0); assert(pthread_rwlock_unlock(&rw) == 0); }
#elif CASE == 18 /* misuse.reinit */
static void misuse(void) { run(nothing); pthread_rwlock_wrlock(&rw); assert(pthread_rwlock_init(&rw, NULL) == 0); assert(pthread_rwlock_trywrlock(&rw) == 0); }
#elif CASE == 19 /* misuse.destroy-busy */
static void misuse(void) { pthread_t w; sem_init(&sem, 0, 0); w = go(wait_sem, NULL); until(1); assert(sem_destroy(&sem) == 0); sem_post(&sem); pthread_join(w, NULL); }
#elif CASE == 20 /* misuse.use-destroyed */
static void misuse(void) { run(nothing); sem_init(&sem, 0, 1); sem_destroy(&sem); assert(sem_trywait(&sem) == 0); assert(sem_trywait(&sem) == -1); }
#elif CASE == 21 /* misuse.detach-twice */
static void misuse(void) { pthread_t t; sem_init(&sem, 0, 0); sem_init(&sem2, 0, 0); t = go(post, NULL); sem_wait(&sem); assert(pthread_detach(t) == 0); assert(pthread_detach(t) == EINVAL); }
#elif CASE == 22 /* misuse.join-twice */
static void misuse(void) { pthread_t t; sem_init(&sem, 0, 0); sem_init(&sem2, 0, 0); t = go(post, NULL); sem_wait(&sem); assert(pthread_detach(t) == 0); assert(pthread_join(t, NULL) == EINVAL); }
#elif CASE == 23 /* misuse.other */
static void misuse(void) { pthread_t a = go(wait_cond, &m), b = go(wait_cond, &other); until(2); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_lock(&other); pthread_mutex_unlock(&other); pthread_cond_broadcast(&c); pthread_join(a, NULL); pthread_join(b, NULL); }
#elif CASE == 24 /* misuse.unlock-unlocked */
static void misuse(void) { mtx_t x; run(nothing); mtx_init(&x, mtx_plain); assert(mtx_unlock(&x) == thrd_success); assert(mtx_lock(&x) == thrd_success); }
#endif

int
main(void)
{
    misuse();
    assert(!"came to the end");
}
EOF

cat >misuse.cpp <<'EOF'
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

static std::mutex m;
static int taken;

#if CASE == 25 /* misuse.unlock-unlocked */
static void misuse() { std::thread([] {}).join(); m.unlock(); assert(m.try_lock()); }
#elif CASE == 26 /* misuse.unlock-foreign */
static void misuse() { m.lock(); std::thread([] { m.unlock(); }).join(); assert(m.try_lock()); }
#elif CASE == 27 /* misuse.exit-holding */
static void misuse() { std::thread([] { m.lock(); taken++; }).join(); assert(!m.try_lock()); }
#elif CASE == 28 /* misuse.destroy-busy */
static void misuse() { auto *p = new std::mutex; p->lock(); std::thread([] {}).join(); delete p; }
#endif

int
main()
{
    misuse();
    assert(!"came to the end");
}
EOF

# hunt CODE PROGRAM [options]: result in out.json. The programs wait without loops, and a spurious
# wakeup would be a failure of its own.
hunt() {
    code=$1 prog=$2
    shift 2
    rm -rf .burl
    "$BURL" test --json --no-spurious --runs=400 "$@" "./$prog" >out.json 2>err
    got=$?
    [ $got -eq "$code" ] || fail "$prog $*: exit code $got, expected $code: $(cat err)"
}

holds() {
    jq -e "$1" out.json >/dev/null || fail "$prog: $2"
}

check() {
    n=$1 src=$2 compiler=$3
    kind=$(sed -n "s/^#.*if CASE == $n \/\* \(.*\) \*\/$/\1/p" "$src")
    [ -n "$kind" ] || fail "$src has no case $n"
    flags=-O1
    [ $((n % 3)) -eq 0 ] && flags=-O0
    "$BURL" "$compiler" -g $flags -DCASE="$n" "$src" -o "case$n" -lpthread || fail "case $n: build"
    (exec "./case$n" 2>native) 2>/dev/null && fail "case $n passes without burl"
    grep -q "came to the end" native || fail "case $n: libc is not as the test says: $(cat native)"
    hunt 1 "case$n"
    holds "[.findings[] | select(.kind == \"$kind\")] | length == 1" "no $kind"
    holds '[.findings[] | select(.kind == "crash.abort")] | length == 1' "nothing after the misuse"
    holds '[.findings[].kind | select(. != "crash.abort" and (startswith("misuse.") | not))] == []' \
        "more than that"
    holds '.findings | length == 2' "consequences are reported"
    holds '.unstable // [] | length == 0' "unstable"
    for id in 1 2; do
        "$BURL" replay --quiet $id >replay.out 2>&1
        got=$?
        [ $got -eq 1 ] || fail "case $n: replay $id ended with $got: $(cat replay.out)"
    done
}

for n in {1..24}; do
    check "$n" misuse.c cc
done
for n in {25..28}; do
    check "$n" misuse.cpp c++
done

# The old way: the first misuse is all there is.
for n in 1 10 26; do
    hunt 1 case$n --stop-at-misuse
    holds '[.findings[].kind | startswith("misuse.")] == [true]' "something after a misuse"
done

# With OS threads it is the same.
hunt 1 case2 --engine=threads
holds '[.findings[].kind] | sort == ["crash.abort", "misuse.unlock-foreign"]' "threads differ"

# A suppressed misuse ends no execution and is not reported; what follows is.
"$BURL" cc -g -O1 -DCASE=2 misuse.c -o suppressed -lpthread || fail "build"
echo "any:unlock" >suppressions
hunt 1 suppressed --suppressions=suppressions
holds '[.findings[].kind] == ["crash.abort"]' "suppressed"

# A misuse that every execution has does not keep the search from anything else, and an execution
# with one is a failing execution: nothing is proven.
cat >race.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, unused = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *a)
{
    int v;
    pthread_mutex_lock(&m); v = n; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m); n = v + 1; pthread_mutex_unlock(&m);
    return a;
}
int
main(void)
{
    pthread_t t[2];
    pthread_mutex_unlock(&unused);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
#ifdef CHECK
    assert(n == 2);
#endif
    return 0;
}
EOF
"$BURL" cc -g -O1 -DCHECK race.c -o race -lpthread && "$BURL" cc -g -O1 race.c -o harmless -lpthread ||
    fail "build"
hunt 1 race
holds '[.findings[].kind] | sort == ["crash.abort", "misuse.unlock-unlocked"]' "starved"
holds '[.findings[] | select(.kind == "misuse.unlock-unlocked") | .sequential] == [true]' "sequential"
hunt 1 harmless
holds '[.findings[].kind] == ["misuse.unlock-unlocked"]' "harmless"
"$BURL" test --fresh --runs=400 ./harmless >text 2>&1
grep -q "none fails\|only interleaving passes" text && fail "a proof in spite of a misuse"

# A deadlock at a lock whose owner has exited is the same cause, whatever the kind of lock; the search
# of all interleavings still ends. A cycle of other locks in the same program is a finding of its own.
cat >exited.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
#if LOCK == 0
#define TAKE pthread_mutex_lock(&m)
#define AWAIT pthread_mutex_lock(&m)
#elif LOCK == 1
#define TAKE pthread_rwlock_rdlock(&rw)
#define AWAIT pthread_rwlock_wrlock(&rw)
#elif LOCK == 2
#define TAKE pthread_spin_lock(&spin)
#define AWAIT pthread_spin_lock(&spin)
#else /* it holds two; the other thread waits for the one that is not named */
#define TAKE (pthread_mutex_lock(&m), pthread_mutex_lock(&second))
#define AWAIT pthread_mutex_lock(&second)
#endif
static void *
leave(void *arg)
{
    TAKE;
    return arg;
}
static void *
await(void *arg)
{
    AWAIT;
    return arg;
}
static void *
cross(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int
main(void)
{
    pthread_t t[3];

    pthread_spin_init(&spin, 0);
    pthread_create(&t[0], NULL, leave, NULL);
    pthread_join(t[0], NULL);
    pthread_create(&t[1], NULL, CROSS ? cross : await, NULL);
    pthread_create(&t[2], NULL, await, NULL);
    if (CROSS) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
EOF
for lock in 0 1 2 3; do
    "$BURL" cc -g -O1 -DLOCK=$lock -DCROSS=0 exited.c -o exited -lpthread || fail "build"
    hunt 1 exited
    holds '[.findings[].kind] == ["misuse.exit-holding"]' "exited $lock: not one finding"
done
hunt 1 exited --strategy=exhaustive
holds '.search.complete' "the search does not end"
"$BURL" cc -g -O1 -DLOCK=0 -DCROSS=1 exited.c -o crossed -lpthread || fail "build"
hunt 1 crossed
holds '[.findings[].kind] | sort == ["deadlock.cycle", "misuse.exit-holding"]' "the cycle is hidden"

# The second campaign replays what is kept, and finds the same two again.
rm -rf .burl
"$BURL" test --json --runs=400 ./race >out.json 2>err
"$BURL" test --json --runs=400 ./race >out.json 2>err
holds '[.findings[].kind] | sort == ["crash.abort", "misuse.unlock-unlocked"]' "second campaign"
exit 0
