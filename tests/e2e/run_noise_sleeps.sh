#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_noise_sleeps.sh - tamper shortens sleeps only: waits for descriptors without any descriptor are
# sleeps, as library functions and as raw system calls. The number of shortened sleeps decides, not the time.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >sleeps.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define MS 20
static int pipes[2];
static int empty, full, late;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static struct timespec after(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += MS * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}
static const struct timespec constant = { 0, MS * 1000000 };
static const struct timeval constant_tv = { 0, MS * 1000 };
extern int __poll_chk(struct pollfd *, nfds_t, int, size_t);
extern int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
static int is_zero(struct timespec ts) { return ts.tv_sec == 0 && ts.tv_nsec == 0; }
static int one(int how)
{
    struct timespec ts = { 0, MS * 1000000 }, at = after();
    struct timeval tv = { 0, MS * 1000 };
    struct pollfd p = { .fd = pipes[0], .events = POLLIN };
    struct pollfd none[2] = { { .fd = -1, .events = POLLIN }, { .fd = -5, .events = POLLIN } };
    struct pollfd one_fd[2] = { none[0], p };
    struct epoll_event ev;
    fd_set rd, wr;
    sigset_t none_set;
    const long with_mask[2] = { (long)&none_set, 8 };
    const long without_mask[2] = { 0, 8 };
    sigemptyset(&none_set);
    FD_ZERO(&rd);
    FD_ZERO(&wr);
    switch (how) {
    case 0: return epoll_wait(empty, &ev, 1, MS);
    case 1: return epoll_pwait(empty, &ev, 1, MS, NULL);
    case 2: return epoll_pwait2(empty, &ev, 1, &ts, NULL);
    case 3: return syscall(SYS_nanosleep, &ts, NULL);
    case 4: return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
    case 5: return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    case 6: return syscall(SYS_poll, NULL, 0, MS);
    case 7: return syscall(SYS_ppoll, NULL, 0, &ts, NULL, 0) || !is_zero(ts);
    case 8: return syscall(SYS_select, 0, NULL, NULL, NULL, &tv) || tv.tv_sec || tv.tv_usec;
    case 9: return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, NULL) || !is_zero(ts);
    case 10: return syscall(SYS_epoll_wait, empty, &ev, 1, MS);
    case 11: return syscall(SYS_epoll_pwait, empty, &ev, 1, MS, NULL, 8);
    case 12: return syscall(SYS_epoll_pwait2, empty, &ev, 1, &ts, NULL, 8);
    /* Nothing to wait for: negative descriptors, empty sets. */
    case 13: return poll(none, 2, MS);
    case 14: return ppoll(none, 2, &ts, NULL);
    case 15: return select(70, &rd, &wr, NULL, &tv) || tv.tv_sec || tv.tv_usec;
    case 16: return pselect(70, NULL, &wr, &rd, &ts, NULL);
    case 17: return syscall(SYS_poll, none, 2, MS);
    case 18: return syscall(SYS_ppoll, none, 2, &ts, NULL, 0) || !is_zero(ts);
    case 19: return syscall(SYS_select, 70, &rd, &wr, NULL, &tv) || tv.tv_sec || tv.tv_usec;
    case 20: return syscall(SYS_pselect6, 70, &rd, NULL, &wr, &ts, NULL) || !is_zero(ts);
    case 21: return __poll_chk(none, 2, MS, sizeof none);
    case 22: return __ppoll_chk(none, 2, &ts, NULL, sizeof none);
    /* The kernel cannot write what remains, and does not mind. */
    case 23: return syscall(SYS_ppoll, NULL, 0, &constant, NULL, 0);
    case 24: return syscall(SYS_select, 0, NULL, NULL, NULL, &constant_tv);
    /* glibc's pselect() passes a structure also without a mask. */
    case 25: return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, without_mask) || !is_zero(ts);
    /* Not sleeps: their time-outs stay. */
    case 40: return epoll_wait(full, &ev, 1, MS);
    case 41: return epoll_pwait(full, &ev, 1, MS, NULL);
    case 42: return epoll_pwait2(full, &ev, 1, &ts, NULL);
    case 43: return syscall(SYS_poll, &p, 1, MS);
    case 44: return syscall(SYS_ppoll, &p, 1, &ts, NULL, 0);
    case 45: return syscall(SYS_epoll_wait, full, &ev, 1, MS);
    case 46: return syscall(SYS_epoll_pwait2, full, &ev, 1, &ts, NULL, 8);
    case 47: return poll(one_fd, 2, MS);
    case 48: return ppoll(one_fd, 2, &ts, NULL);
    case 49: FD_SET(pipes[0], &rd); return select(pipes[0] + 1, &rd, &wr, NULL, &tv);
    case 50: FD_SET(pipes[0], &rd); return pselect(pipes[0] + 1, &rd, NULL, NULL, &ts, NULL);
    case 51: return syscall(SYS_ppoll, one_fd, 2, &ts, NULL, 0);
    case 52: FD_SET(pipes[0], &rd); return syscall(SYS_select, pipes[0] + 1, &rd, NULL, NULL, &tv);
    case 53: return __poll_chk(one_fd, 2, MS, sizeof one_fd);
    /* With a signal mask they wait for a signal. */
    case 54: return ppoll(NULL, 0, &ts, &none_set);
    case 55: return pselect(0, NULL, NULL, NULL, &ts, &none_set);
    case 56: return epoll_pwait(empty, &ev, 1, MS, &none_set);
    case 57: return epoll_pwait2(empty, &ev, 1, &ts, &none_set);
    case 58: return __ppoll_chk(none, 2, &ts, &none_set, sizeof none);
    case 59: return syscall(SYS_ppoll, NULL, 0, &ts, &none_set, 8L);
    case 60: return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, with_mask);
    case 61: return syscall(SYS_epoll_pwait, empty, &ev, 1, MS, &none_set, 8L);
    case 62: return syscall(SYS_epoll_pwait2, empty, &ev, 1, &ts, &none_set, 8L);
    default: return -2;
    }
}
static void *wait_for_end(void *arg)
{
    char x;
    (void)!read(pipes[0], &x, 1);
    return arg;
}
/* Makes the wait of main end: by an event on a descriptor that was not there when it began. */
static void *adds(void *arg)
{
    int *two = arg;
    struct epoll_event ev = { .events = EPOLLIN };
    (void)!write(two[1], "x", 1);
    epoll_ctl(late, EPOLL_CTL_ADD, two[0], &ev);
    return NULL;
}
static void on_alarm(int s) { (void)s; }
int main(int argc, char **argv)
{
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : 0;
    struct epoll_event ev = { .events = EPOLLIN };
    struct timespec hour = { 3600, 0 }, rem = { 0, 0 };
    struct timeval tv = { 3600, 0 };
    int two[2];
    pthread_t t, t2;
    (void)!pipe(pipes);
    (void)!pipe(two);
    empty = epoll_create1(0);
    full = epoll_create1(0);
    late = epoll_create1(0);
    epoll_ctl(full, EPOLL_CTL_ADD, pipes[0], &ev);
    pthread_create(&t, NULL, wait_for_end, NULL);
    for (int how = from; how < to; how++) {
        for (int i = 0; i < 3; i++) {
            double start = now();
            if (one(how) != 0)
                printf("%d failed\n", how);
            if (now() - start < MS / 1e3)
                printf("%d shortened\n", how);
        }
    }
    if (argc > 3 && strcmp(argv[3], "late") == 0) {
        /* However short the first part of the wait is, the event is seen unless the thread comes after it. */
        for (int i = 0; i < 20; i++) {
            pthread_create(&t2, NULL, adds, two);
            while (epoll_wait(late, &ev, 1, 1000) == 0)
                ;
            pthread_join(t2, NULL);
            epoll_ctl(late, EPOLL_CTL_DEL, two[0], NULL);
        }
        puts("late seen");
    }
    if (argc > 3 && strcmp(argv[3], "signal") == 0) {
        signal(SIGALRM, on_alarm);
        alarm(1);
        long r = syscall(SYS_nanosleep, &hour, &rem);
        printf("nanosleep %d\n", r == 0 || (errno == EINTR && rem.tv_sec >= 3590));
        alarm(1);
        r = syscall(SYS_select, 0, NULL, NULL, NULL, &tv);
        printf("select %d\n", r == 0 || (errno == EINTR && tv.tv_sec >= 3590));
        alarm(1);
        r = syscall(SYS_ppoll, NULL, 0, &hour, NULL, 0);
        printf("ppoll %d\n", r == 0 || (errno == EINTR && hour.tv_sec >= 3590));
        errno = 0;
        hour.tv_nsec = 1000000000;
        r = syscall(SYS_nanosleep, &hour, NULL);
        printf("invalid %d\n", r == -1 && errno == EINVAL);
    }
    close(pipes[1]);
    pthread_join(t, NULL);
    return 0;
}
SRC
build sleeps -Wno-unused-result
tampered() { # FROM TO -> sleeps that were shortened; what the program printed is in err
    "$BURL" run --noise=freq=0,tamper --json ./sleeps "$@" >out.json 2>err || fail "exit code $?: $(cat err)"
    hasnt err failed
    jq .noise.tampered out.json
}
for how in $(seq 0 25); do
    n=$(tampered $how $((how + 1)))
    [ "$n" = 3 ] || fail "sleep $how: $n of 3 shortened"
done
n=$(tampered 40 63)
[ "$n" = 0 ] || fail "waits were shortened: $n"
hasnt err shortened
run 0 "$BURL" run --noise=freq=0 ./sleeps 0 26
hasnt out shortened
hasnt out failed
run 0 timeout 60 "$BURL" run --noise=freq=0,tamper ./sleeps 0 0 late
has out 'late seen'
run 0 "$BURL" run --noise=freq=0,tamper ./sleeps 0 0 signal
hasnt out ' 0'

# ---- what a sleep that a signal interrupts returns -------------------------------------------------

# A thread sends a signal when the sleep has taken some milliseconds. What remains is then less than was asked
# for, and at least that without the time which passed in the program.
cat >rest.c <<'SRC'
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static atomic_int sleeping, over;
static pid_t main_tid;
static pthread_t main_thread;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
/* Is main in a system call, asleep? */
static int is_asleep(void)
{
    char path[64], state = 0;
    FILE *f;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)main_tid);
    f = fopen(path, "r");
    if (f == NULL || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f != NULL)
        fclose(f);
    return state == 'S';
}
static void *interrupts(void *arg)
{
    while (!over) {
        double since = 0;
        while (sleeping && !over) {
            if (!is_asleep())
                since = 0;
            else if (since == 0)
                since = now();
            else if (now() - since > 0.005) {
                pthread_kill(main_thread, SIGUSR1);
                since = 0;
            }
        }
        sched_yield();
    }
    return arg;
}
static void handler(int s) { (void)s; }
#define HOUR 3600
static void check(const char *name, int interrupted, double rest, double took)
{
    if (!interrupted || rest > HOUR - 0.004 || rest < HOUR - took - 0.001)
        printf("%s is wrong: %d, %.6f remain after %.6f\n", name, interrupted, rest, took);
}
static double seconds(struct timespec ts) { return ts.tv_sec + ts.tv_nsec / 1e9; }
static double micros(struct timeval tv) { return tv.tv_sec + tv.tv_usec / 1e6; }
#define SLEEP(name, call, interrupted, rest)           \
    do {                                               \
        struct timespec ts = { HOUR, 0 }, rem = { 0 }; \
        struct timeval tv = { HOUR, 0 };               \
        double start = now(), took;                    \
        long r;                                        \
        (void)ts; (void)rem; (void)tv;                 \
        errno = 0;                                     \
        sleeping = 1;                                  \
        r = call;                                      \
        took = now() - start;                          \
        check(name, interrupted, rest, took);          \
        sleeping = 0;                                  \
    } while (0)
#define FAILED (r == -1 && errno == EINTR)
int main(void)
{
    struct sigaction sa = { .sa_handler = handler };
    struct timeval tv = { HOUR, 0 };
    pthread_t t;
    unsigned left = 3;
    int n = 0;
    sigaction(SIGUSR1, &sa, NULL);
    main_thread = pthread_self();
    main_tid = gettid();
    pthread_create(&t, NULL, interrupts, NULL);
    SLEEP("sleep", sleep(HOUR), r == HOUR - 1 && errno == EINTR, HOUR - 0.005);
    SLEEP("nanosleep", nanosleep(&ts, &rem), FAILED, seconds(rem));
    SLEEP("nanosleep in place", nanosleep(&ts, &ts), FAILED, seconds(ts));
    SLEEP("usleep", usleep(4000000000u), FAILED, HOUR - 0.005);
    SLEEP("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &rem), r == EINTR && errno == 0,
          seconds(rem));
    SLEEP("thrd_sleep", thrd_sleep(&ts, &rem), r == -1 && errno == 0, seconds(rem));
    SLEEP("select", select(0, NULL, NULL, NULL, &tv), FAILED, micros(tv));
    SLEEP("raw nanosleep", syscall(SYS_nanosleep, &ts, &rem), FAILED, seconds(rem));
    SLEEP("raw clock_nanosleep", syscall(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &ts, &rem), FAILED,
          seconds(rem));
    SLEEP("raw ppoll", syscall(SYS_ppoll, NULL, 0, &ts, NULL, 0), FAILED, seconds(ts));
    SLEEP("raw select", syscall(SYS_select, 0, NULL, NULL, NULL, &tv), FAILED, micros(tv));
    SLEEP("raw pselect6", syscall(SYS_pselect6, 0, NULL, NULL, NULL, &ts, NULL), FAILED, seconds(ts));
    /* The usual loop: each round has less left. */
    sleeping = 1;
    while (n < 20 && (left = sleep(left)) > 0)
        n++;
    sleeping = 0;
    printf("%d rounds\n", n);
    if (syscall(SYS_select, -1, NULL, NULL, NULL, &tv) != -1 || errno != EINVAL || tv.tv_sec < HOUR - 60)
        printf("a refused select leaves %d s\n", (int)tv.tv_sec);
    over = 1;
    pthread_join(t, NULL);
    puts("over");
    return 0;
}
SRC
build rest -Wno-unused-result
# A factor so small that an hour becomes less than 5 ms is as likely as one in 700,000.
for seed in 1 2 3; do
    run 0 timeout 300 "$BURL" run --noise=freq=0,tamper,seed=$seed ./rest
    has out over
    hasnt out wrong
    hasnt out refused
    grep -q '^[0-2] rounds' out || fail "sleep is called again and again: $(grep rounds out)"
done
run 0 timeout 300 "$BURL" run ./rest
hasnt out wrong
hasnt out refused
has out '2 rounds'

# ---- C++ ------------------------------------------------------------------------------------------

# C++ sleeps, and waits of C++ with a time-out.
cat >cxx.cc <<'SRC'
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
using namespace std::chrono;
int main(int argc, char **)
{
    std::mutex end;
    std::unique_lock<std::mutex> running(end);
    /* Noise is for programs with more than one thread: this one stays to the end. */
    std::thread t([&end] { std::this_thread::sleep_for(milliseconds(5)); end.lock(); end.unlock(); });
    if (argc > 1) {
        std::mutex m;
        std::condition_variable c;
        std::unique_lock<std::mutex> l(m);
        auto start = steady_clock::now();
        c.wait_for(l, milliseconds(20), [] { return false; });
        if (steady_clock::now() - start < milliseconds(20))
            return 1;
    } else {
        std::this_thread::sleep_for(milliseconds(5));
        std::this_thread::sleep_until(steady_clock::now() + milliseconds(5));
        /* This clock may be set, so the library reads it until the time has come. */
        auto until = system_clock::now() + milliseconds(5);
        std::this_thread::sleep_until(until);
        if (system_clock::now() < until)
            return 1;
    }
    running.unlock();
    t.join();
    return 0;
}
SRC
"$BURL" c++ -g -O2 cxx.cc -o cxx || fail "cannot build cxx"
"$BURL" run --noise=freq=0,tamper --json ./cxx >out.json 2>err || fail "cxx"
holds '.noise.tampered > 3' "sleep_for and sleep_until: $(jq .noise.tampered out.json)"
"$BURL" run --noise=freq=0,tamper --json ./cxx wait >out.json 2>err || fail "wait_for was shortened"
holds '.noise.tampered == 1' "wait_for: $(jq .noise.tampered out.json)"
exit 0
