#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# haltOneThread delays correct programs and never deadlocks them, whatever the halted thread holds
# and whatever the others wait for; timeoutTamper shortens sleeps and nothing else.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >halt.c <<'SRC'
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t bar;
static int n, pipes[2], back[2];
static atomic_int flag;
static volatile sig_atomic_t seen;
#define ROUNDS 40
static void *locks(void *a)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return a;
}
static void *echo(void *a)
{
    char x;
    while (read(pipes[0], &x, 1) == 1)
        (void)!write(back[1], &x, 1);
    return a;
}
static void *consumer(void *a)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&m);
        while (n == 0)
            pthread_cond_wait(&c, &m);
        n--;
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
    }
    return a;
}
static void *rounds(void *a)
{
    for (int i = 0; i < ROUNDS; i++)
        pthread_barrier_wait(&bar);
    return a;
}
static void *spinner(void *a)
{
    while (atomic_load(&flag) == 0)
        ;
    return a;
}
static void *sleeper(void *a)
{
    for (int i = 0; i < 20; i++)
        poll(NULL, 0, 1);
    return a;
}
static void on_alarm(int s)
{
    (void)s;
    seen = 1;
}
static void *until_alarm(void *a)
{
    while (!seen)
        pause();
    return a;
}
int main(int argc, char **argv)
{
    const char *what = argv[1];
    pthread_t t[3];
    char x = 'x';
    (void)argc;
    if (strcmp(what, "locks") == 0) {
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, locks, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        return n != 3 * ROUNDS;
    }
    if (strcmp(what, "pipe") == 0) { /* the other thread waits for input alone */
        pipe(pipes);
        pipe(back);
        pthread_create(&t[0], NULL, echo, NULL);
        for (int i = 0; i < ROUNDS; i++) {
            n++;
            if (write(pipes[1], &x, 1) != 1 || read(back[0], &x, 1) != 1)
                return 1;
        }
        close(pipes[1]);
        pthread_join(t[0], NULL);
        return 0;
    }
    if (strcmp(what, "cond") == 0) {
        pthread_create(&t[0], NULL, consumer, NULL);
        for (int i = 0; i < ROUNDS; i++) {
            pthread_mutex_lock(&m);
            while (n != 0)
                pthread_cond_wait(&c, &m);
            n++;
            pthread_cond_broadcast(&c);
            pthread_mutex_unlock(&m);
        }
        pthread_join(t[0], NULL);
        return n;
    }
    if (strcmp(what, "barrier") == 0) {
        pthread_barrier_init(&bar, NULL, 3);
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, rounds, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        return 0;
    }
    if (strcmp(what, "spin") == 0) { /* the halted thread alone can end the other's loop */
        pthread_create(&t[0], NULL, spinner, NULL);
        for (int i = 0; i < ROUNDS; i++)
            n++;
        atomic_store(&flag, 1);
        pthread_join(t[0], NULL);
        return 0;
    }
    if (strcmp(what, "sleep") == 0) {
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, sleeper, NULL);
        for (int i = 0; i < ROUNDS; i++)
            n++;
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
        return 0;
    }
    if (strcmp(what, "signal") == 0) {
        signal(SIGALRM, on_alarm);
        pthread_create(&t[0], NULL, sleeper, NULL);
        alarm(1);
        until_alarm(NULL);
        pthread_join(t[0], NULL);
        return 0;
    }
    if (strcmp(what, "exit") == 0) { /* the process ends while others may be halted */
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, locks, NULL);
        exit(0);
    }
    if (strcmp(what, "fork") == 0) {
        pthread_create(&t[0], NULL, locks, NULL);
        for (int i = 0; i < 5; i++) {
            int status;
            pid_t p = fork();
            if (p == 0) {
                for (int k = 0; k < 100000; k++)
                    n++;
                execl("/bin/true", "true", (char *)NULL);
                _exit(1);
            }
            if (waitpid(p, &status, 0) != p || status != 0)
                return 1;
        }
        pthread_join(t[0], NULL);
        return 0;
    }
    return 2;
}
SRC
build halt -Wno-unused-result
halted=0
for what in locks pipe cond barrier spin sleep signal exit fork; do
    for seed in 1 2 3; do
        run 0 timeout 60 "$BURL" run --json --noise=yield:freq=1000,strength=1,halt --noise-seed=$seed ./halt $what
        mv out out.json
        holds '.findings == []' "a finding in $what with seed $seed"
        halted=$((halted + $(jq .noise.halted out.json)))
    done
done
[ $halted -ge 20 ] || fail "only $halted halts"
# Together with every detector, and with none.
for detect in race,lockset,triple,lockorder none; do
    run 0 timeout 60 "$BURL" run --noise=sleep:freq=300,strength=1,halt,tamper --detect=$detect ./halt cond
    has err "nothing found"
done

# ---- halts that are left ---------------------------------------------------------------------------

# Threads are left by siglongjmp from a handler, or by asynchronous cancellation, most of them while they are halted.
# Afterwards there are halts as before: other threads are blocked then, so they end at once.
cat >left.c <<'SRC'
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#define TIMES 12
static sigjmp_buf back;
static volatile sig_atomic_t armed;
static atomic_int jumps, turns, running;
static volatile int n;
static pthread_t main_thread;
static sem_t end;
static void jump(int sig)
{
    (void)sig;
    jumps++;
    if (armed)
        siglongjmp(back, 1);
}
/* Sends a signal after some turns of its own: main has been halted meanwhile, or not. */
static void *sends(void *arg)
{
    while (jumps < TIMES) {
        int seen = jumps;
        for (int i = 0; i < 10; i++)
            sched_yield();
        pthread_kill(main_thread, SIGUSR1);
        while (jumps == seen)
            sched_yield();
    }
    while (sem_wait(&end) != 0)
        ;
    return arg;
}
static void *canceled(void *arg)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    turns = 0;
    for (;;)
        turns++;
    return arg;
}
static void *waits(void *arg)
{
    while (sem_wait(&end) != 0)
        ;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    int cancels = argc > 1 && strcmp(argv[1], "cancel") == 0;
    sem_init(&end, 0, 0);
    main_thread = pthread_self();
    if (cancels) {
        pthread_create(&t, NULL, waits, NULL);
        for (int i = 0; i < TIMES; i++) {
            turns = 0;
            pthread_create(&u, NULL, canceled, NULL);
            while (turns < 20)
                sched_yield();
            pthread_cancel(u);
            pthread_join(u, NULL);
        }
    } else {
        signal(SIGUSR1, jump);
        pthread_create(&t, NULL, sends, NULL);
        sigsetjmp(back, 1);
        armed = 1;
        while (jumps < TIMES)
            n++;
        armed = 0;
    }
    puts("left");
    fflush(stdout);
    for (int i = 0; i < 300; i++)
        n++;
    sem_post(&end);
    pthread_join(t, NULL);
    return 0;
}
SRC
build left -Wno-unused-result
for what in jump cancel; do
    for seed in 1 2 3; do
        timeout 120 "$BURL" run --json --noise=sleep:freq=1000,strength=1,halt,seed=$seed ./left $what >out.json 2>err ||
            fail "exit code $?: $what with seed $seed"
        holds '.findings == []' "a finding in $what with seed $seed"
        halted=$(jq .noise.halted out.json)
        [ "$halted" -ge 20 ] || fail "$what with seed $seed: only $halted halts"
    done
done

# ---- sleeps ----------------------------------------------------------------------------------------

cat >sleeps.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static int pipes[2];
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void *wait_for_end(void *arg)
{
    char x;
    (void)!read(pipes[0], &x, 1);
    return arg;
}
static void on_alarm(int s) { (void)s; }
#define MS 100
/* Sleeps MS ms in the way of this number; false: there is none. */
static int one(int how)
{
    struct timespec ts = { 0, MS * 1000000 }, at;
    struct timeval tv = { 0, MS * 1000 };
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    switch (how) {
    case 0: return nanosleep(&ts, NULL) == 0;
    case 1: return usleep(MS * 1000) == 0;
    case 2: return clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL) == 0;
    case 3:
        clock_gettime(CLOCK_MONOTONIC, &at);
        at.tv_nsec += MS * 1000000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == 0;
    case 4: return thrd_sleep(&ts, NULL) == 0;
    case 5: return poll(NULL, 0, MS) == 0;
    case 6: return ppoll(NULL, 0, &ts, NULL) == 0;
    case 7: return select(0, NULL, NULL, NULL, &tv) == 0 && tv.tv_sec == 0 && tv.tv_usec == 0;
    case 8: return pselect(0, NULL, NULL, NULL, &ts, NULL) == 0;
    /* Not a sleep: its time-out stays. */
    case 9:
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec += MS * 1000000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        pthread_mutex_lock(&m);
        while (pthread_cond_timedwait(&c, &m, &at) != ETIMEDOUT)
            ;
        pthread_mutex_unlock(&m);
        return 1;
    case 10: {
        struct pollfd p = { .fd = pipes[0], .events = POLLIN };
        return poll(&p, 1, MS) == 0;
    }
    default: return 0;
    }
}
int main(void)
{
    pthread_t t;
    struct timespec ts = { 3600, 5 }, rem = { 0, 0 };
    double start;
    pipe(pipes);
    pthread_create(&t, NULL, wait_for_end, NULL);
    for (int how = 0; how <= 10; how++) {
        double least = 1e9; /* the machine may be busy, but sleeps do not end early */
        for (int i = 0; i < 4; i++) {
            start = now();
            if (!one(how))
                printf("%d failed\n", how);
            least = now() - start < least ? now() - start : least;
        }
        printf("%d %d\n", how, (int)(least * 1000));
    }
    /* What remains of an hour after about a second. */
    signal(SIGALRM, on_alarm);
    alarm(1);
    start = now();
    if (nanosleep(&ts, &rem) == -1 && errno == EINTR)
        printf("rem %d\n", (int)(rem.tv_sec + rem.tv_nsec / 1e9 + (now() - start) + 0.5));
    else
        printf("rem 3600\n"); /* the factor was tiny */
    errno = 0;
    ts.tv_nsec = 1000000000;
    printf("invalid %d %d\n", nanosleep(&ts, NULL), errno == EINVAL);
    printf("abs in the past %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){ 1, 0 }, NULL));
    close(pipes[1]);
    pthread_join(t, NULL);
    return 0;
}
SRC
build sleeps -Wno-unused-result
run 0 "$BURL" run --noise=freq=0,tamper ./sleeps
has out "rem 3600"
has out "invalid -1 1"
has out "abs in the past 0"
hasnt out failed
hasnt err "warning"
# Four factors that are uniform in [0, 1), and the same in every run.
for how in 0 1 2 3 4 5 6 7 8; do
    took=$(sed -n "s/^$how //p" out)
    [ "$took" -lt 100 ] || fail "sleep $how was not shortened: $took ms"
done
for how in 9 10; do
    took=$(sed -n "s/^$how //p" out)
    [ "$took" -ge 100 ] || fail "wait $how was shortened: $took ms"
done
run 0 "$BURL" run --noise=freq=0 ./sleeps
has out "rem 3600"
for how in 0 1 2 3 4 5 6 7 8 9 10; do
    took=$(sed -n "s/^$how //p" out)
    [ "$took" -ge 100 ] || fail "without tamper $how takes $took ms"
done
exit 0
