/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overrun.c - a recorder writes samples into a ring that is long enough as a rule, and
 * checks for overrun one too late: only when the reader is a whole ring behind, a sample
 * is overwritten before it is read.  It takes a long stretch of the recorder alone. FIXED:
 * the check is right, the sample is dropped.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { RING = 16, SAMPLES = 40 };

static _Atomic int ring[RING];
static _Atomic int written;
static _Atomic int read_so_far;
static atomic_bool done;

static void *
recorder(void *arg)
{
    for (int sample = 1; sample <= SAMPLES; sample++) {
        int w = written;

#ifdef FIXED
        if (w - read_so_far >= RING)
            continue;
#else
        if (w - read_so_far > RING)
            continue;
#endif
        ring[w % RING] = sample;
        written = w + 1;
    }
    done = true;
    return arg;
}

static void *
reader(void *arg)
{
    int last = 0;

    for (;;) {
        bool over = done;
        int r = read_so_far;

        if (r < written) {
            int sample = ring[r % RING];

            assert(sample > last);
            last = sample;
            read_so_far = r + 1;
        } else if (over) {
            break;
        } else {
            sched_yield();
        }
    }
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, recorder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
