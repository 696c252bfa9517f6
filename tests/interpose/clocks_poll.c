/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: clock_gettime gettimeofday time timespec_get clock
 * BURL-WHY: reading a clock moves it: a loop that polls the time ends.
 */
#include <assert.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static int64_t
mono_us(void)
{
    struct timespec ts;

    assert(clock_gettime(CLOCK_MONOTONIC, &ts) == 0);
    return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

int
main(void)
{
    int64_t end = mono_us() + 2000;
    struct timespec ts;
    struct timeval a;
    struct timeval b;
    clock_t c;

    while (mono_us() < end)
        ;
    assert(gettimeofday(&a, NULL) == 0);
    do {
        assert(gettimeofday(&b, NULL) == 0);
    } while (a.tv_usec == b.tv_usec);
    assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
    assert(ts.tv_sec >= b.tv_sec);
    assert(time(NULL) >= b.tv_sec - 1); /* libc reads a coarser clock */
    c = clock();
    while (clock() == c)
        ;
    return 0;
}
