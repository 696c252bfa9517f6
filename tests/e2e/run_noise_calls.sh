#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every interposed synchronization function has a noise point before and after the call. The rows
# that must have one are those of src/wire/libfn/ with a lock, a thread role or another statement of
# synchronization; each is named by a case below, or left out for a reason.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# Without a case: no such library here, the caller does not come back, attributes, and functions
# that the compiler calls for variables (the C++ program below has those).
without="g_mutex_lock g_mutex_trylock g_mutex_unlock g_cond_wait g_cond_wait_until
    __cxa_guard_acquire __cxa_guard_release __cxa_guard_abort pthread_exit thrd_exit"

cat >calls.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static int pipes[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, c2;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER, rw2;
static pthread_spinlock_t sp, sp2;
static pthread_barrier_t b, b2;
static sem_t s, s2;
static mtx_t mt, mt2;
static cnd_t cn, cn2;
static int word;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag onceflag = ONCE_FLAG_INIT;
static const struct timespec past = { 1, 0 };
static void nothing(void) {}
static void *idle(void *arg)
{
    char x;
    (void)!read(pipes[0], &x, 1);
    return arg;
}
static void *empty(void *arg) { return arg; }
static int empty11(void *arg) { (void)arg; return 0; }
static void create_join(void) { pthread_t t; pthread_create(&t, NULL, empty, NULL); pthread_join(t, NULL); }
static void create_detach(void) { pthread_t t; pthread_create(&t, NULL, empty, NULL); pthread_detach(t); }
static void create_cancel(void) { pthread_t t; pthread_create(&t, NULL, idle, NULL); pthread_cancel(t); pthread_join(t, NULL); }
static void create_join11(void) { thrd_t t; thrd_create(&t, empty11, NULL); thrd_join(t, NULL); }
static void create_detach11(void) { thrd_t t; thrd_create(&t, empty11, NULL); thrd_detach(t); }
static pthread_t other;
static void named(void) { sem_t *n = sem_open("/burl-noise-test", O_CREAT, 0600, 1); sem_close(n); sem_unlink("/burl-noise-test"); }
static void futex(void) { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }
static void getvalue(void) { int v; sem_getvalue(&s, &v); }
#define CALL(name, points, body) static void f_##name(void) { body; }
/* name, points of one round, calls; the functions of a round are in the comment of the case */
#define CASES(X) \
    X(mutex, 4, pthread_mutex_lock(&m); pthread_mutex_unlock(&m)) \
    X(mutex_try, 4, pthread_mutex_trylock(&m); pthread_mutex_unlock(&m)) \
    X(mutex_timed, 4, pthread_mutex_timedlock(&m, &past); pthread_mutex_unlock(&m)) \
    X(mutex_clock, 4, pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past); pthread_mutex_unlock(&m)) \
    X(mutex_life, 4, pthread_mutex_init(&m2, NULL); pthread_mutex_destroy(&m2)) \
    X(mutex_robust, 2, pthread_mutex_consistent(&m)) \
    X(cond_life, 4, pthread_cond_init(&c2, NULL); pthread_cond_destroy(&c2)) \
    X(cond_wake, 4, pthread_cond_signal(&c); pthread_cond_broadcast(&c)) \
    X(cond_timed, 6, pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &past); pthread_mutex_unlock(&m)) \
    X(cond_clock, 6, pthread_mutex_lock(&m); pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past); pthread_mutex_unlock(&m)) \
    X(rw_life, 4, pthread_rwlock_init(&rw2, NULL); pthread_rwlock_destroy(&rw2)) \
    X(rw_rd, 4, pthread_rwlock_rdlock(&rw); pthread_rwlock_unlock(&rw)) \
    X(rw_tryrd, 4, pthread_rwlock_tryrdlock(&rw); pthread_rwlock_unlock(&rw)) \
    X(rw_timedrd, 4, pthread_rwlock_timedrdlock(&rw, &past); pthread_rwlock_unlock(&rw)) \
    X(rw_clockrd, 4, pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &past); pthread_rwlock_unlock(&rw)) \
    X(rw_wr, 4, pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw)) \
    X(rw_trywr, 4, pthread_rwlock_trywrlock(&rw); pthread_rwlock_unlock(&rw)) \
    X(rw_timedwr, 4, pthread_rwlock_timedwrlock(&rw, &past); pthread_rwlock_unlock(&rw)) \
    X(rw_clockwr, 4, pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &past); pthread_rwlock_unlock(&rw)) \
    X(spin, 4, pthread_spin_lock(&sp); pthread_spin_unlock(&sp)) \
    X(spin_try, 4, pthread_spin_trylock(&sp); pthread_spin_unlock(&sp)) \
    X(spin_life, 4, pthread_spin_init(&sp2, 0); pthread_spin_destroy(&sp2)) \
    X(barrier, 2, pthread_barrier_wait(&b)) \
    X(barrier_life, 4, pthread_barrier_init(&b2, NULL, 1); pthread_barrier_destroy(&b2)) \
    X(sem_life, 4, sem_init(&s2, 0, 0); sem_destroy(&s2)) \
    X(sem, 4, sem_post(&s); sem_wait(&s)) \
    X(sem_try, 2, sem_trywait(&s)) \
    X(sem_timed, 2, sem_timedwait(&s, &past)) \
    X(sem_clock, 2, sem_clockwait(&s, CLOCK_MONOTONIC, &past)) \
    X(sem_value, 2, getvalue()) \
    X(sem_named, 6, named()) \
    X(once, 2, pthread_once(&once, nothing)) \
    X(once11, 2, call_once(&onceflag, nothing)) \
    X(mtx, 4, mtx_lock(&mt); mtx_unlock(&mt)) \
    X(mtx_try, 4, mtx_trylock(&mt); mtx_unlock(&mt)) \
    X(mtx_timed, 4, mtx_timedlock(&mt, &past); mtx_unlock(&mt)) \
    X(mtx_life, 4, mtx_init(&mt2, mtx_plain); mtx_destroy(&mt2)) \
    X(cnd_life, 4, cnd_init(&cn2); cnd_destroy(&cn2)) \
    X(cnd_wake, 4, cnd_signal(&cn); cnd_broadcast(&cn)) \
    X(cnd_timed, 6, mtx_lock(&mt); cnd_timedwait(&cn, &mt, &past); mtx_unlock(&mt)) \
    X(futex, 2, futex()) \
    X(tryjoin, 2, pthread_tryjoin_np(other, NULL)) \
    X(timedjoin, 2, pthread_timedjoin_np(other, NULL, &past)) \
    X(clockjoin, 2, pthread_clockjoin_np(other, NULL, CLOCK_MONOTONIC, &past)) \
    X(join, 4, create_join()) \
    X(detach, 4, create_detach()) \
    X(cancel, 6, create_cancel()) \
    X(join11, 4, create_join11()) \
    X(detach11, 4, create_detach11())
CASES(CALL)
static const struct { const char *name; int points; void (*fn)(void); } cases[] = {
#define ROW(name, points, body) { #name, points, f_##name },
    CASES(ROW)
};
int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 0;
    if (argc == 1) {
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
            printf("%s %d\n", cases[i].name, cases[i].points);
        return 0;
    }
    void (*fn)(void) = NULL;
    pipe(pipes);
    pthread_spin_init(&sp, 0);
    pthread_barrier_init(&b, NULL, 1);
    sem_init(&s, 0, 0);
    mtx_init(&mt, mtx_timed);
    cnd_init(&cn);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(cases[i].name, argv[1]) == 0)
            fn = cases[i].fn;
    }
    pthread_create(&other, NULL, idle, NULL);
    for (int i = 0; i < rounds; i++)
        fn();
    close(pipes[1]);
    pthread_join(other, NULL);
    return 0;
}
SRC
build calls -Wno-unused-result -Wno-deprecated-declarations

# Waits without a time-out have none here; their points are those of the timed forms' interposers.
waits="pthread_cond_wait cnd_wait"
rows=$(sed -n 's/^RTV\{0,1\}(\([a-zA-Z0-9_]*\),.*\(LOCK\|THREAD\|SYNC\)(.*/\1/p' \
    "$BURL_TEST_ROOT"/src/wire/libfn/threads.def "$BURL_TEST_ROOT"/src/wire/libfn/cxx.def)
[ "$(echo "$rows" | wc -l)" -gt 40 ] || fail "the rows are not found: $rows"
for row in $rows; do
    case " $(echo $without) $waits " in
    *" $row "*) continue ;;
    esac
    grep -q "[^a-z_]$row(" calls.c || fail "the synchronization function $row has no case"
done

# points NAME ROUNDS: places of a run, of which some may be accesses of the program.
points() {
    run 0 "$BURL" run --json --detect=none --noise=yield:freq=1,strength=1 ./calls "$1" "$2" >/dev/null
    jq .noise.places out
}
run 0 ./calls
cp out list
while read -r name want; do
    five=$(points "$name" 5)
    ten=$(points "$name" 10)
    # The program's own accesses add to it, and nothing takes away.
    [ $((ten - five)) -ge $((5 * want)) ] ||
        fail "$name: $((ten - five)) points in 5 rounds, expected $((5 * want))"
    [ $((ten - five)) -le $((5 * (want + 8))) ] ||
        fail "$name: $((ten - five)) points in 5 rounds, expected about $((5 * want))"
done <list

# C++: guards of local variables, and the library's own types.
cat >guard.cpp <<'SRC'
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
struct late { late() { value = 3; } int value; };
static late &instance() { static late l; return l; }
int main()
{
    int sum = 0;
    std::mutex m;
    std::condition_variable cv;
    bool ready = false;
    std::thread a([&] { std::lock_guard<std::mutex> g(m); sum += instance().value; ready = true; cv.notify_one(); });
    std::thread b([&] { std::unique_lock<std::mutex> g(m); cv.wait(g, [&] { return ready; }); sum += instance().value; });
    auto f = std::async(std::launch::async, [] { return instance().value; });
    a.join();
    b.join();
    return sum + f.get() != 9;
}
SRC
build guard
for kind in yield sleep wait busyWait synchYield mixed; do
    run 0 "$BURL" run --noise=$kind:freq=500,strength=2,halt ./guard
    has err "nothing found"
done
exit 0
