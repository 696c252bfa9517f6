#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_deadlock.sh - `burl run` on programs that deadlock: kind, threads, exit code.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/run_lib.inc"

cat >dead.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define N 3
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t ring[N] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER };
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t sa, sb;
static mtx_t ma, mb;
static cnd_t cc;
static pthread_barrier_t both, few;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static sem_t sem, ready;
static pthread_t main_thread, ids[N];
static atomic_int go;

static void meet(void) { pthread_barrier_wait(&both); }
static void run2(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t t, u;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t, NULL, f, NULL);
    pthread_create(&u, NULL, g, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
static void run1(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    pthread_join(t, NULL);
}

static void *abba1(void *p) { pthread_mutex_lock(&a); meet(); pthread_mutex_lock(&b); return p; }
static void *abba2(void *p) { pthread_mutex_lock(&b); meet(); pthread_mutex_lock(&a); return p; }
static void abba(void) { run2(abba1, abba2); }

static void set_type(int type, int robust, int protocol)
{
    pthread_mutexattr_t at;
    pthread_mutexattr_init(&at);
    pthread_mutexattr_settype(&at, type);
    if (robust)
        pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&at, protocol);
    pthread_mutex_init(&a, &at);
    pthread_mutex_init(&b, &at);
}
static void abba_recursive(void) { set_type(PTHREAD_MUTEX_RECURSIVE, 0, 0); abba(); }
static void abba_errorcheck(void) { set_type(PTHREAD_MUTEX_ERRORCHECK, 0, 0); abba(); }
static void abba_adaptive(void) { set_type(PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0); abba(); }
static void abba_robust(void) { set_type(PTHREAD_MUTEX_NORMAL, 1, 0); abba(); }
static void abba_inherit(void) { set_type(PTHREAD_MUTEX_NORMAL, 0, PTHREAD_PRIO_INHERIT); abba(); }

static void *in_ring(void *p)
{
    int i = (int)(long)p;
    pthread_mutex_lock(&ring[i]);
    meet();
    pthread_mutex_lock(&ring[(i + 1) % N]);
    return p;
}
static void ring3(void)
{
    pthread_barrier_init(&both, NULL, N);
    for (long i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, in_ring, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(ids[i], NULL);
}

/* Another thread goes on for ever. */
static void *tick(void *p)
{
    for (;;)
        usleep(1000);
    return p;
}
static void abba_ticker(void)
{
    pthread_t t;
    pthread_create(&t, NULL, tick, NULL);
    abba();
}
static void self_ticker(void)
{
    pthread_t t;
    pthread_create(&t, NULL, tick, NULL);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_wrlock(&rw);
}

static void relock(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&a); }
static void relock_robust(void) { set_type(PTHREAD_MUTEX_NORMAL, 1, 0); relock(); }
static void relock_mtx(void) { mtx_init(&ma, mtx_plain); mtx_lock(&ma); mtx_lock(&ma); }
static void relock_spin(void) { pthread_spin_init(&sa, 0); pthread_spin_lock(&sa); pthread_spin_lock(&sa); }

static void rw_upgrade(void) { pthread_rwlock_rdlock(&rw); pthread_rwlock_wrlock(&rw); }
static void *upgrade(void *p) { pthread_rwlock_rdlock(&rw); meet(); pthread_rwlock_wrlock(&rw); return p; }
static void rw_upgrade2(void) { run2(upgrade, upgrade); }
static void *rw1(void *p) { pthread_rwlock_rdlock(&rw); meet(); pthread_mutex_lock(&a); return p; }
static void *rw2(void *p) { pthread_mutex_lock(&a); meet(); pthread_rwlock_wrlock(&rw); return p; }
static void rw_cycle(void) { run2(rw1, rw2); }
static void *rw3(void *p) { pthread_rwlock_wrlock(&rw); meet(); pthread_mutex_lock(&a); return p; }
static void *rw4(void *p) { pthread_mutex_lock(&a); meet(); pthread_rwlock_rdlock(&rw); return p; }
static void rw_cycle2(void) { run2(rw3, rw4); }
/* A reader that reads again behind a writer that is preferred. */
static int is_asleep(pid_t tid)
{
    char path[64], state = 0;
    FILE *f;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    f = fopen(path, "r");
    if (f == NULL || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f != NULL)
        fclose(f);
    return state == 'S';
}
static _Atomic pid_t writer;
static void *rw_writer(void *p) { writer = gettid(); pthread_rwlock_wrlock(&rw); return p; }
static void rw_preferred(void)
{
    pthread_rwlockattr_t at;
    pthread_t t;
    pthread_rwlockattr_init(&at);
    pthread_rwlockattr_setkind_np(&at, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&rw, &at);
    pthread_rwlock_rdlock(&rw);
    pthread_create(&t, NULL, rw_writer, NULL);
    while (writer == 0 || !is_asleep(writer))
        sched_yield();
    pthread_rwlock_rdlock(&rw);
}

static void *spin1(void *p) { pthread_spin_lock(&sa); meet(); pthread_spin_lock(&sb); return p; }
static void *spin2(void *p) { pthread_spin_lock(&sb); meet(); pthread_spin_lock(&sa); return p; }
static void spin_abba(void) { pthread_spin_init(&sa, 0); pthread_spin_init(&sb, 0); run2(spin1, spin2); }
static void *mtx1(void *p) { mtx_lock(&ma); meet(); mtx_lock(&mb); return p; }
static void *mtx2(void *p) { mtx_lock(&mb); meet(); mtx_lock(&ma); return p; }
static void mtx_abba(void) { mtx_init(&ma, mtx_plain); mtx_init(&mb, mtx_timed); run2(mtx1, mtx2); }

static void *lock_a(void *p) { pthread_mutex_lock(&a); return p; }
static void join_lock(void) { pthread_mutex_lock(&a); run1(lock_a); }
static void join_ticker(void)
{
    pthread_t t;
    pthread_create(&t, NULL, tick, NULL);
    join_lock();
}
static int c11_lock(void *p) { (void)p; mtx_lock(&ma); return 0; }
static void join_mtx(void)
{
    thrd_t t;
    mtx_init(&ma, mtx_plain);
    mtx_lock(&ma);
    thrd_create(&t, c11_lock, NULL);
    thrd_join(t, NULL);
}
/* Three threads join each other; libc refuses only a pair. */
static void *join_next(void *p)
{
    meet();
    pthread_join(ids[((long)p + 1) % N], NULL);
    return p;
}
static void join_ring(void)
{
    pthread_barrier_init(&both, NULL, N + 1);
    for (long i = 0; i < N; i++)
        pthread_create(&ids[i], NULL, join_next, (void *)i);
    meet();
    pthread_exit(NULL);
}
static void *join_main_(void *p) { pthread_mutex_lock(&a); pthread_join(main_thread, NULL); return p; }
static void *hold_a(void *p) { pthread_mutex_lock(&a); sem_post(&ready); sem_wait(&sem); return p; }
static void join_main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, hold_a, NULL);
    sem_wait(&ready);
    pthread_create(&u, NULL, join_main_, NULL);
    pthread_join(u, NULL);
}

static int flag;
static void cond_lost(void)
{
    pthread_cond_signal(&cond); /* no waiter */
    pthread_mutex_lock(&a);
    while (!flag)
        pthread_cond_wait(&cond, &a);
}
static void *waiter(void *p)
{
    pthread_mutex_lock(&a);
    while (!flag)
        pthread_cond_wait(&cond, &a);
    pthread_mutex_unlock(&a);
    return p;
}
static void cond_lost2(void) { run2(waiter, waiter); }
static int c11_waiter(void *p)
{
    (void)p;
    mtx_lock(&ma);
    while (!flag)
        cnd_wait(&cc, &ma);
    return 0;
}
static void cnd_lost(void)
{
    thrd_t t;
    mtx_init(&ma, mtx_plain);
    cnd_init(&cc);
    thrd_create(&t, c11_waiter, NULL);
    thrd_join(t, NULL);
}
/* The waiter holds b; the thread that wakes it holds a and wants b. */
static void *retake1(void *p)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    sem_post(&ready);
    while (!flag)
        pthread_cond_wait(&cond, &a);
    return p;
}
static void *retake2(void *p)
{
    sem_wait(&ready);
    pthread_mutex_lock(&a);
    flag = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_lock(&b);
    return p;
}
static void retake_ticker(void)
{
    pthread_t t;
    pthread_create(&t, NULL, tick, NULL);
    run2(retake1, retake2);
}
static void *retake_timed1(void *p)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec = 0;
    ts.tv_sec++;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    sem_post(&ready);
    pthread_cond_timedwait(&cond, &a, &ts);
    return p;
}
static void *retake_timed2(void *p)
{
    sem_wait(&ready);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    return p;
}
static void retake_timed(void) { run2(retake_timed1, retake_timed2); }

static void sem_lost(void) { sem_wait(&sem); }
static void *sem_waiter(void *p) { sem_wait(&sem); return p; }
static void sem_lost2(void) { run2(sem_waiter, sem_waiter); }
static void *at_barrier(void *p) { pthread_barrier_wait(&few); return p; }
static void barrier_few(void) { pthread_barrier_init(&few, NULL, 3); run2(at_barrier, at_barrier); }
static void barrier_alone(void) { pthread_barrier_init(&few, NULL, 2); pthread_barrier_wait(&few); }

static void once_again(void) { pthread_once(&once, once_again); }
static void once_self(void) { pthread_once(&once, once_again); }
static void c11_again(void) { call_once(&c11_once, c11_again); }
static void call_once_self(void) { call_once(&c11_once, c11_again); }
static void init_locks(void) { meet(); pthread_mutex_lock(&a); }
static void *once1(void *p) { pthread_once(&once, init_locks); return p; }
static void *once2(void *p) { pthread_mutex_lock(&a); meet(); pthread_once(&once, init_locks); return p; }
static void once_lock(void) { run2(once1, once2); }

static void owner_exits(void) { run1(lock_a); run1(lock_a); }
static void *spin_on_a(void *p) { pthread_spin_lock(&sa); return p; }
static void spin_exits(void) { pthread_spin_init(&sa, 0); run1(spin_on_a); run1(spin_on_a); }
/* main is gone, the others wait for each other. */
static void *exit_main(void *p) { pthread_join(main_thread, NULL); pthread_mutex_lock(&a); pthread_mutex_lock(&b); sem_wait(&sem); return p; }
static void main_exits(void)
{
    pthread_t t;
    pthread_create(&t, NULL, exit_main, NULL);
    pthread_exit(NULL);
}
static void *detached1(void *p) { pthread_mutex_lock(&a); sem_post(&ready); sem_wait(&sem); return p; }
static void detached(void)
{
    pthread_attr_t at;
    pthread_t t;
    pthread_attr_init(&at);
    pthread_attr_setdetachstate(&at, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &at, detached1, NULL);
    sem_wait(&ready);
    pthread_mutex_lock(&a);
}
/* The program ends while two of its threads wait for each other. */
static _Atomic pid_t tids[2];
static void *late1(void *p) { tids[0] = gettid(); return abba1(p); }
static void *late2(void *p) { tids[1] = gettid(); return abba2(p); }
static void abba_then_exit(void)
{
    pthread_t t, u;
    pthread_barrier_init(&both, NULL, 3);
    pthread_create(&t, NULL, late1, NULL);
    pthread_create(&u, NULL, late2, NULL);
    meet();
    while (!is_asleep(tids[0]) || !is_asleep(tids[1]))
        sched_yield();
    exit(0);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
#define CASE(x) { #x, x }
    CASE(abba), CASE(abba_recursive), CASE(abba_errorcheck), CASE(abba_adaptive), CASE(abba_robust),
    CASE(abba_inherit), CASE(ring3), CASE(abba_ticker), CASE(self_ticker), CASE(relock),
    CASE(relock_robust), CASE(relock_mtx), CASE(relock_spin), CASE(rw_upgrade), CASE(rw_upgrade2),
    CASE(rw_cycle), CASE(rw_cycle2), CASE(rw_preferred), CASE(spin_abba), CASE(mtx_abba),
    CASE(join_lock), CASE(join_ticker), CASE(join_mtx), CASE(join_ring), CASE(join_main), CASE(cond_lost),
    CASE(cond_lost2), CASE(cnd_lost), CASE(retake_ticker), CASE(retake_timed), CASE(sem_lost),
    CASE(sem_lost2), CASE(barrier_few), CASE(barrier_alone), CASE(once_self), CASE(call_once_self),
    CASE(once_lock), CASE(owner_exits), CASE(spin_exits), CASE(main_exits), CASE(detached), CASE(abba_then_exit),
};

int main(int argc, char **argv)
{
    sem_init(&sem, 0, 0);
    sem_init(&ready, 0, 0);
    main_thread = pthread_self();
    go = argc;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    }
    return 0;
}
SRC
build dead

# dead KIND CASE...: the program must be ended with a finding of this kind, and no other deadlock.
dead() {
    kind=$1
    shift
    for c in "$@"; do
        rm -rf .burl
        run 1 "$BURL" run --time=60s --json ./dead "$c"
        jq -e --arg kind "$kind" '[.findings[].kind] == [$kind] and .end == "deadlock"' out \
            >/dev/null || fail "$c: expected $kind, got $(jq -c '[.end, [.findings[].kind]]' out)"
        jq -e '.findings[0].detail.threads | length > 0 and
               all(.[]; .stack[0].at.file == "dead.c" and .stack[0].at.line > 0)' out \
            >/dev/null || fail "$c: stacks"
    done
}

dead deadlock.cycle abba abba_recursive abba_errorcheck abba_adaptive abba_robust abba_inherit \
    ring3 abba_ticker self_ticker rw_upgrade rw_upgrade2 rw_cycle rw_cycle2 rw_preferred spin_abba \
    mtx_abba join_lock join_ticker join_mtx retake_ticker retake_timed once_lock
dead misuse.relock relock relock_robust relock_mtx relock_spin
dead deadlock.stuck join_ring join_main cond_lost cond_lost2 cnd_lost sem_lost sem_lost2 \
    barrier_few barrier_alone once_self call_once_self owner_exits spin_exits main_exits detached

# What the threads hold and want is said, with places.
rm -rf .burl
run 1 "$BURL" run ./dead abba
has err "wait for each other's locks: T1 holds a, T2 holds b"
has err 'T1 abba1: blocked: lock b'
has err 'holds a, taken at dead.c:'
has err './dead deadlocked and was stopped after'
has err 'deadlock.cycle'
hasnt err 'nothing found'
hasnt err '(step'
"$BURL" findings >out 2>err
has out 'deadlock.cycle'
# The finding of burl test is the same one.
run 1 "$BURL" test --runs=200 ./dead abba
has out 'known from an earlier campaign'

# Threads that are deadlocked when the program ends by itself.
rm -rf .burl
run 1 "$BURL" run --json ./dead abba_then_exit
jq -e '[.findings[].kind] == ["deadlock.cycle"] and .exit_code == 0 or .end == "deadlock"' out \
    >/dev/null || fail "abba_then_exit"

# Suppressions apply.
echo 'deadlock:abba1' >one.supp
run 0 "$BURL" run --suppressions=one.supp ./dead abba
has err 'suppressed: 1 finding'

# lockorder has recorded the requests that closed the cycle.
run 1 "$BURL" run --json --detect=race,lockorder ./dead abba
jq -e '[.suspects[] | select(.kind == "lock-cycle")] | length == 1 and .[0].has_finding' out \
    >/dev/null || fail "lockorder"
# And when a run is ended by its time.
cat >order.c <<'SRC'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn; /* relaxed: one after the other, and nothing orders them */
static void two(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_mutex_lock(y);
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *f(void *p)
{
    two(&a, &b);
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    for (;;)
        pause();
    return p;
}
static void *g(void *p)
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) == 0)
        sched_yield();
    two(&b, &a);
    for (;;)
        pause();
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, f, NULL);
    pthread_create(&u, NULL, g, NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
build order
run 0 "$BURL" run --json --time=1s --detect=race,lockorder ./order
jq -e '[.suspects[] | select(.kind == "lock-cycle")] | length == 1' out >/dev/null ||
    fail "lockorder at --time"
jq -e '.end == "time" and (.blocked | map([.thread, .operation]) == [[0, "join"]])' out \
    >/dev/null || fail "blocked threads at --time"
run 0 "$BURL" run --time=1s ./order
has err '1 thread still blocked: T0 in join at order.c:'

# A free run has no trace: it cannot say that there was no signal.
run 1 "$BURL" run ./dead cond_lost
has err 'waits for a signal on cond'
hasnt err 'never signaled'

# Many runs.
rm -rf .burl
run 1 "$BURL" test --engine=free --runs=3 --json ./dead cond_lost
jq -e '.findings[0].kind == "deadlock.stuck" and .findings[0].count == 3' out >/dev/null ||
    fail "burl test --engine=free"
exit 0
