/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: nanosleep clock_nanosleep usleep sleep clock_gettime gettimeofday time timespec_get
 *   clock
 * BURL-NATIVE: no
 * BURL-WHY: sleeps of hours pass on virtual time, and every clock moves with them.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600

static int64_t
now(clockid_t c)
{
    struct timespec ts;

    assert(clock_gettime(c, &ts) == 0);
    return ts.tv_sec;
}

static void *
sleep_long(void *arg)
{
    struct timespec ts = { HOUR, 999999999 };

    assert(nanosleep(&ts, NULL) == 0);
    return arg;
}

int
main(void)
{
    int64_t mono = now(CLOCK_MONOTONIC);
    int64_t wall = now(CLOCK_REALTIME);
    int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    clock_t ticks = clock();
    time_t t0 = time(NULL);
    struct timespec ts = { HOUR, 0 };
    struct timeval tv;
    pthread_t t;

    assert(nanosleep(&ts, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= mono + HOUR);
    assert(sleep(HOUR) == 0);
    assert(now(CLOCK_MONOTONIC) >= mono + 2 * HOUR);
    assert(usleep(999999) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= mono + 3 * HOUR);
    ts.tv_sec = now(CLOCK_REALTIME) + HOUR;
    assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) == 0);
    assert(now(CLOCK_REALTIME) >= wall + 4 * HOUR);
    assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL) == 0); /* is past: no wait */
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &ts, NULL) == EINVAL);
    ts.tv_nsec = -1;
    assert(nanosleep(&ts, NULL) == -1 && errno == EINVAL);

    assert(pthread_create(&t, NULL, sleep_long, NULL) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) >= mono + 5 * HOUR);

    assert(gettimeofday(&tv, NULL) == 0 && tv.tv_sec >= wall + 5 * HOUR);
    assert(time(&t0) == t0 && t0 >= wall + 5 * HOUR);
    assert(timespec_get(&ts, TIME_UTC) == TIME_UTC && ts.tv_sec >= wall + 5 * HOUR);
    assert(timespec_get(&ts, 77) == 0);
    assert(clock() - ticks >= (clock_t)5 * HOUR * CLOCKS_PER_SEC);
    assert(now(CLOCK_PROCESS_CPUTIME_ID) >= cpu + 5 * HOUR);
    assert(clock_gettime(1000, &ts) == -1 && errno == EINVAL);
    return 0;
}
