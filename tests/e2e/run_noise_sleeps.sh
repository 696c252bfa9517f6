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
static int is_zero(struct timespec ts) { return ts.tv_sec == 0 && ts.tv_nsec == 0; }
static int one(int how)
{
    struct timespec ts = { 0, MS * 1000000 }, at = after();
    struct timeval tv = { 0, MS * 1000 };
    struct pollfd p = { .fd = pipes[0], .events = POLLIN };
    struct epoll_event ev;
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
    /* Not sleeps: their time-outs stay. */
    case 20: return epoll_wait(full, &ev, 1, MS);
    case 21: return epoll_pwait(full, &ev, 1, MS, NULL);
    case 22: return epoll_pwait2(full, &ev, 1, &ts, NULL);
    case 23: return syscall(SYS_poll, &p, 1, MS);
    case 24: return syscall(SYS_ppoll, &p, 1, &ts, NULL, 0);
    case 25: return syscall(SYS_epoll_wait, full, &ev, 1, MS);
    case 26: return syscall(SYS_epoll_pwait2, full, &ev, 1, &ts, NULL, 8);
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
for how in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    n=$(tampered $how $((how + 1)))
    [ "$n" = 3 ] || fail "sleep $how: $n of 3 shortened"
done
n=$(tampered 20 27)
[ "$n" = 0 ] || fail "waits were shortened: $n"
hasnt err shortened
run 0 "$BURL" run --noise=freq=0 ./sleeps 0 13
hasnt out shortened
hasnt out failed
run 0 timeout 60 "$BURL" run --noise=freq=0,tamper ./sleeps 0 0 late
has out 'late seen'
run 0 "$BURL" run --noise=freq=0,tamper ./sleeps 0 0 signal
hasnt out ' 0'

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
    }
    running.unlock();
    t.join();
    return 0;
}
SRC
"$BURL" c++ -g -O2 cxx.cc -o cxx || fail "cannot build cxx"
"$BURL" run --noise=freq=0,tamper --json ./cxx >out.json 2>err || fail "cxx"
holds '.noise.tampered == 3' "sleep_for and sleep_until: $(jq .noise.tampered out.json)"
"$BURL" run --noise=freq=0,tamper --json ./cxx wait >out.json 2>err || fail "wait_for was shortened"
holds '.noise.tampered == 1' "wait_for: $(jq .noise.tampered out.json)"
exit 0
