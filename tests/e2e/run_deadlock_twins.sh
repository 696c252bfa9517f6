#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_deadlock_twins.sh - `burl run` on programs that only look deadlocked for a while.
# Each stays in the suspicious state for several looks of burl before it goes on.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/run_lib.inc"

cat >alive.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define WHILE_NS 400000000L /* longer than several looks */
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s\n", __LINE__, #x); _exit(9); } } while (0)
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t sem, ready;
static int flag;

static void nap(void) { struct timespec ts = { 0, WHILE_NS }; while (nanosleep(&ts, &ts) != 0) ; }
static struct timespec soon(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += WHILE_NS;
    if (ts.tv_nsec >= 1000000000) { ts.tv_nsec -= 1000000000; ts.tv_sec++; }
    return ts;
}
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
static pthread_t start(void *(*f)(void *)) { pthread_t t; pthread_create(&t, NULL, f, NULL); return t; }

/* One of the two gives up in time. */
static void *timed1(void *p)
{
    struct timespec ts;
    pthread_mutex_lock(&a);
    meet();
    ts = soon();
    CHECK(pthread_mutex_timedlock(&b, &ts) == ETIMEDOUT);
    pthread_mutex_unlock(&a);
    return p;
}
static void *timed2(void *p)
{
    pthread_mutex_lock(&b);
    meet();
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
static void timed_abba(void) { run2(timed1, timed2); }
static void *try1(void *p)
{
    pthread_mutex_lock(&a);
    meet();
    while (pthread_mutex_trylock(&b) != 0) {
        pthread_mutex_unlock(&a);
        sched_yield();
        pthread_mutex_lock(&a);
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void try_abba(void) { run2(try1, timed2); }
static void *timed_rw1(void *p)
{
    struct timespec ts;
    pthread_rwlock_rdlock(&rw);
    meet();
    ts = soon();
    CHECK(pthread_rwlock_timedwrlock(&rw, &ts) == ETIMEDOUT);
    pthread_rwlock_unlock(&rw);
    return p;
}
static void *rw2(void *p) { pthread_rwlock_rdlock(&rw); meet(); pthread_rwlock_unlock(&rw); pthread_rwlock_wrlock(&rw); pthread_rwlock_unlock(&rw); return p; }
static void timed_rw(void) { run2(timed_rw1, rw2); }
static void timed_wait(void)
{
    struct timespec ts = soon();
    pthread_mutex_lock(&a);
    CHECK(pthread_cond_timedwait(&cond, &a, &ts) == ETIMEDOUT);
    pthread_mutex_unlock(&a);
    ts = soon();
    CHECK(sem_timedwait(&sem, &ts) != 0 && errno == ETIMEDOUT);
}

/* The owner sleeps, then releases. */
static void *sleep_with_a(void *p) { pthread_mutex_lock(&a); sem_post(&ready); nap(); pthread_mutex_unlock(&a); return p; }
static void sleeper(void)
{
    pthread_t t = start(sleep_with_a);
    sem_wait(&ready);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
}
static void *sleep_then_post(void *p) { nap(); sem_post(&sem); return p; }
static void late_post(void) { pthread_t t = start(sleep_then_post); sem_wait(&sem); pthread_join(t, NULL); }
static void *await_flag(void *p)
{
    pthread_mutex_lock(&a);
    while (!flag)
        pthread_cond_wait(&cond, &a);
    pthread_mutex_unlock(&a);
    return p;
}
static void set_flag(void) { pthread_mutex_lock(&a); flag = 1; pthread_cond_broadcast(&cond); pthread_mutex_unlock(&a); }

/* Woken from outside. The script sends SIGUSR1, or a line. */
static void *take_signal(void *p)
{
    sigset_t s;
    int sig;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    puts("ready");
    fflush(stdout);
    sigwait(&s, &sig);
    set_flag();
    return p;
}
static void out_sigwait(void)
{
    sigset_t s;
    pthread_t t, u;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    t = start(take_signal);
    u = start(await_flag);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
static void post(int sig) { (void)sig; sem_post(&sem); }
static void *await_sem(void *p) { while (sem_wait(&sem) != 0) {} return p; }
static void out_handler(void)
{
    pthread_t t;
    signal(SIGUSR1, post);
    t = start(await_sem);
    puts("ready");
    fflush(stdout);
    pthread_join(t, NULL);
}
static void *read_line(void *p)
{
    char c;
    puts("ready");
    fflush(stdout);
    CHECK(read(0, &c, 1) == 1);
    set_flag();
    return p;
}
static void out_read(void) { run2(read_line, await_flag); }
static void *pause_(void *p) { puts("ready"); fflush(stdout); pause(); set_flag(); return p; }
static void nothing(int sig) { (void)sig; }
static void out_pause(void)
{
    sigset_t s;
    pthread_t t = (signal(SIGUSR1, nothing), start(pause_)), u;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
    u = start(await_flag);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}

/* Woken by timers, children, threads of others. */
static void timer_signal(void)
{
    struct itimerspec it = { .it_value.tv_nsec = WHILE_NS };
    struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
    timer_t t;
    signal(SIGUSR2, post);
    CHECK(timer_create(CLOCK_MONOTONIC, &ev, &t) == 0);
    timer_settime(t, 0, &it, NULL);
    await_sem(NULL);
}
static void alarm_signal(void) { signal(SIGALRM, post); alarm(1); await_sem(NULL); }
static void on_timer(union sigval v) { (void)v; sem_post(&sem); }
static void timer_thread(void)
{
    struct itimerspec it = { .it_value.tv_nsec = WHILE_NS };
    struct sigevent ev = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer };
    timer_t t;
    CHECK(timer_create(CLOCK_MONOTONIC, &ev, &t) == 0);
    timer_settime(t, 0, &it, NULL);
    await_sem(NULL);
}
static void shared_sem(void)
{
    sem_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid;
    sem_init(s, 1, 0);
    pid = fork();
    if (pid == 0) { nap(); sem_post(s); _exit(0); }
    while (sem_wait(s) != 0) ;
    waitpid(pid, NULL, 0);
}
static void shared_mutex(void)
{
    struct { pthread_mutex_t m; sem_t held; } *s =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t at;
    pid_t pid;
    pthread_mutexattr_init(&at);
    pthread_mutexattr_setpshared(&at, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->m, &at);
    sem_init(&s->held, 1, 0);
    pid = fork();
    if (pid == 0) { pthread_mutex_lock(&s->m); sem_post(&s->held); nap(); pthread_mutex_unlock(&s->m); _exit(0); }
    sem_wait(&s->held);
    pthread_mutex_lock(&s->m);
    pthread_mutex_unlock(&s->m);
    waitpid(pid, NULL, 0);
}
/* A process that runs in our memory. */
static char clone_stack[65536] __attribute__((aligned(16)));
static int clone_main(void *p) { (void)p; nap(); sem_post(&sem); _exit(0); }
static void clone_vm(void)
{
    pid_t pid = clone(clone_main, clone_stack + sizeof clone_stack, CLONE_VM | SIGCHLD, NULL);
    CHECK(pid > 0);
    await_sem(NULL);
    waitpid(pid, NULL, 0);
}

/* libc refuses, or grants. */
static void refused(void)
{
    pthread_mutexattr_t at;
    pthread_mutex_t m;
    pthread_mutexattr_init(&at);
    pthread_mutexattr_settype(&at, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &at);
    pthread_mutex_lock(&m);
    CHECK(pthread_mutex_lock(&m) == EDEADLK);
    nap();
    pthread_mutex_unlock(&m);
    pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &at);
    pthread_mutex_lock(&m);
    CHECK(pthread_mutex_lock(&m) == 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    pthread_rwlock_wrlock(&rw);
    CHECK(pthread_rwlock_wrlock(&rw) == EDEADLK);
    CHECK(pthread_rwlock_rdlock(&rw) == EDEADLK);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_rdlock(&rw);
    CHECK(pthread_rwlock_rdlock(&rw) == 0);
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_unlock(&rw);
    CHECK(pthread_join(pthread_self(), NULL) == EDEADLK);
}
static pthread_mutex_t robust;
static void *die_with_lock(void *p) { pthread_mutex_lock(&robust); sem_post(&ready); nap(); return p; }
static void owner_dies(void)
{
    pthread_mutexattr_t at;
    pthread_t t;
    pthread_mutexattr_init(&at);
    pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &at);
    t = start(die_with_lock);
    sem_wait(&ready);
    CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    pthread_join(t, NULL);
}

/* A lock that is released by another thread than took it: the list of the thread that took it is
 * wrong, and there seems to be a cycle through it. */
static pthread_spinlock_t spin;
static int spins;
static void take(void) { if (spins) pthread_spin_lock(&spin); else pthread_mutex_lock(&b); }
static void give(void) { if (spins) pthread_spin_unlock(&spin); else pthread_mutex_unlock(&b); }
static void *take_and_want_a(void *p) { take(); sem_post(&ready); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return p; }
static void *hold_a_and_want(void *p)
{
    pthread_mutex_lock(&a);
    sem_post(&ready);
    sem_wait(&sem);
    take();
    give();
    pthread_mutex_unlock(&a);
    return p;
}
static void handed(void)
{
    pthread_t t, u = start(hold_a_and_want);
    sem_wait(&ready);
    t = start(take_and_want_a);
    sem_wait(&ready);
    give(); /* not ours */
    take();
    sem_post(&sem);
    nap();
    give();
    pthread_join(u, NULL);
    pthread_join(t, NULL);
}
static void handed_spin(void) { spins = 1; pthread_spin_init(&spin, 0); handed(); }
static void handed_mutex(void) { handed(); }

/* A spinning thread gets next to no processor time: a busy process has the only one it may use. The
 * lock is free meanwhile, and all other threads sleep. */
static _Atomic int spinning;
static void *spin_idly(void *p)
{
    CHECK(sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 }) == 0);
    spinning = 1;
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return p;
}
static void *hold_spin(void *p)
{
    pthread_spin_lock(&spin);
    sem_post(&ready);
    while (!spinning)
        sched_yield();
    nap();
    pthread_spin_unlock(&spin);
    return p;
}
static void starved_spin(void)
{
    cpu_set_t all, one;
    int cpu = 0;
    pid_t hog;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    hog = fork();
    if (hog == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sched_setaffinity(0, sizeof one, &one);
        for (;;) {}
    }
    for (int i = 0; i < 4; i++) {
        pthread_t t, u;
        pthread_attr_t at;
        spinning = 0;
        pthread_spin_init(&spin, 0);
        t = start(hold_spin);
        sem_wait(&ready);
        pthread_attr_init(&at);
        pthread_attr_setaffinity_np(&at, sizeof one, &one);
        pthread_create(&u, &at, spin_idly, NULL);
        pthread_join(t, NULL);
        pthread_join(u, NULL);
    }
    kill(hog, SIGKILL);
    waitpid(hog, NULL, 0);
}

/* A handler jumps out of a blocked lock, and the thread goes on. */
static sigjmp_buf out;
static void jump(int sig) { (void)sig; siglongjmp(out, 1); }
static pthread_t jumper;
static void *want_b(void *p)
{
    pthread_mutex_lock(&a);
    if (sigsetjmp(out, 1) == 0) {
        meet();
        pthread_mutex_lock(&b);
        CHECK(0);
    }
    nap(); /* holds a, and does not want b any more */
    pthread_mutex_unlock(&a);
    return p;
}
static void *holder_b(void *p)
{
    pthread_mutex_lock(&b);
    meet();
    nap();
    pthread_kill(jumper, SIGUSR2);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
static void longjmp_out(void)
{
    pthread_t u;
    pthread_barrier_init(&both, NULL, 2);
    signal(SIGUSR2, jump);
    jumper = start(want_b);
    u = start(holder_b);
    pthread_join(jumper, NULL);
    pthread_join(u, NULL);
}
static void canceled(void)
{
    pthread_t t = start(await_sem), u = start(await_flag);
    nap();
    pthread_cancel(t);
    pthread_join(t, NULL);
    set_flag();
    pthread_join(u, NULL);
}
/* main waits for a thread that waits for a lock of main's, until main is canceled. */
static void unlock(void *p) { pthread_mutex_unlock(p); }
static void *want_a(void *p) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return p; }
static void *join_with_a(void *p)
{
    pthread_t t;
    pthread_mutex_lock(&a);
    pthread_cleanup_push(unlock, &a);
    t = start(want_a);
    pthread_join(t, NULL);
    CHECK(0);
    pthread_cleanup_pop(0);
    return p;
}
static void canceled_join(void)
{
    pthread_t t = start(join_with_a);
    nap();
    pthread_cancel(t);
    pthread_join(t, NULL);
    pthread_mutex_lock(&a); /* released by the one that waited */
    pthread_mutex_unlock(&a);
}
static void *work(void *p) { nap(); set_flag(); return p; }
static void main_exits(void) { start(await_flag); start(work); pthread_exit(NULL); }
static void idle_workers(void) { start(await_flag); start(await_flag); start(await_sem); nap(); }

/* Much blocking, and always a thread that goes on. */
#define T 6
static pthread_mutex_t m[3] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static sem_t chain[T];
static atomic_int stop;
static long turns;
static void *busy(void *p)
{
    long id = (long)p;
    while (!stop) {
        sem_wait(&chain[id]);
        for (int i = 0; i < 3; i++)
            pthread_mutex_lock(&m[i]);
        turns++;
        pthread_cond_broadcast(&cond);
        for (int i = 2; i >= 0; i--)
            pthread_mutex_unlock(&m[i]);
        pthread_rwlock_rdlock(&rw);
        pthread_rwlock_unlock(&rw);
        if (id % 2 == 0) {
            pthread_rwlock_wrlock(&rw);
            pthread_rwlock_unlock(&rw);
        }
        sem_post(&chain[(id + 1) % T]);
    }
    sem_post(&chain[(id + 1) % T]);
    return p;
}
static void stress(void)
{
    pthread_t t[T];
    for (long i = 0; i < T; i++)
        sem_init(&chain[i], 0, i < 2);
    for (long i = 0; i < T; i++)
        pthread_create(&t[i], NULL, busy, (void *)i);
    for (int i = 0; i < 5; i++)
        nap();
    stop = 1;
    for (int i = 0; i < T; i++)
        pthread_join(t[i], NULL);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
#define CASE(x) { #x, x }
    CASE(timed_abba), CASE(try_abba), CASE(timed_rw), CASE(timed_wait), CASE(sleeper),
    CASE(late_post), CASE(out_sigwait), CASE(out_handler), CASE(out_read), CASE(out_pause),
    CASE(timer_signal), CASE(alarm_signal), CASE(timer_thread), CASE(shared_sem),
    CASE(shared_mutex), CASE(clone_vm), CASE(refused), CASE(owner_dies), CASE(handed_spin),
    CASE(handed_mutex), CASE(starved_spin),
    CASE(longjmp_out), CASE(canceled), CASE(canceled_join), CASE(main_exits), CASE(idle_workers), CASE(stress),
};

int main(int argc, char **argv)
{
    (void)argc;
    sem_init(&sem, 0, 0);
    sem_init(&ready, 0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    }
    puts("over");
    return 0;
}
SRC
build alive

for c in timed_abba try_abba timed_rw timed_wait sleeper late_post timer_signal alarm_signal \
    timer_thread shared_sem shared_mutex clone_vm refused owner_dies handed_spin handed_mutex starved_spin \
    longjmp_out \
    canceled canceled_join idle_workers stress; do
    run 0 "$BURL" run --time=60s ./alive $c
    has out 'over'
    has err 'nothing found'
    hasnt err 'still blocked'
done
run 0 "$BURL" run --time=60s ./alive main_exits
has err 'nothing found'

# outside CASE: burl runs it; once it says that it is ready, it is left alone for a while.
outside() {
    rm -f in out
    mkfifo in
    echo "+ $BURL run ./alive $1"
    "$BURL" run --time=60s ./alive "$1" <in >out 2>err &
    burl_pid=$!
    exec 4>in
    await -p $burl_pid . grep -q ready out || fail "$1 is not ready"
    await -t 0.5 exit $burl_pid && fail "$1 was ended"
    if [ "$1" = out_read ]; then
        echo x >&4
    else
        kill -USR1 "$(pgrep -P $burl_pid)"
    fi
    exec 4>&-
    wait $burl_pid
    got=$?
    [ $got -eq 0 ] || fail "exit code $got, expected 0: $1"
    has out over
    has err 'nothing found'
}
for c in out_sigwait out_handler out_read out_pause; do
    outside $c
done

# Threads that are blocked when the time is over, and nothing is certain.
run 0 "$BURL" run --time=1s ./alive out_handler
has err './alive was stopped at --time'
has err '2 threads still blocked: T0 in join at alive.c:'
has err 'T1 in sem wait at alive.c:'
has err 'nothing found'
run 0 "$BURL" run --json --time=1s ./alive out_handler
jq -e '.end == "time" and ([.blocked[].operation] == ["join", "sem wait"]) and
       all(.blocked[]; .file == "alive.c" and .line > 0 and .timed == false)' out >/dev/null ||
    fail "the blocked threads in the document"
exit 0
