/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: A polling loop that sleeps and gives up at a deadline; both outcomes are handled,
 *   and the clock never runs backwards.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_NS (20 * 1000 * 1000)

static atomic_int ready;

static int64_t
now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void *
work(void *arg)
{
    struct timespec nap = { .tv_sec = 0, .tv_nsec = 3 * 1000 * 1000 };

    (void)arg;
    nanosleep(&nap, NULL);
    atomic_store(&ready, 1);
    return NULL;
}

int
main(void)
{
    int64_t begin = now_ns();
    int64_t last = begin;
    pthread_t thread;
    int seen = 0;

    pthread_create(&thread, NULL, work, NULL);
    while (!seen && last - begin < DEADLINE_NS) {
        int64_t now;

        usleep(1000);
        seen = atomic_load(&ready);
        now = now_ns();
        assert(now >= last);
        last = now;
    }
    assert(seen || last - begin >= DEADLINE_NS);
    pthread_join(thread, NULL);
    assert(atomic_load(&ready));
    return 0;
}
