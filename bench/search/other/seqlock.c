/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seqlock.c - a reader of a sequence lock looks whether a write is under way, reads both halves,
 * and does not look again. It must meet a whole second write between its two reads. FIXED:
 * it looks again.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { WRITES = 3, READS = 2 };

static _Atomic unsigned sequence;
static _Atomic int low;
static _Atomic int high;

static void *
writer(void *arg)
{
    for (int i = 1; i <= WRITES; i++) {
        sequence++;
        low = i;
        high = -i;
        sequence++;
    }
    return arg;
}

static void *
reader(void *arg)
{
    for (int i = 0; i < READS; i++) {
        unsigned before;
        int l;
        int h;

        do {
            before = sequence;
            while (before & 1) {
                sched_yield();
                before = sequence;
            }
            l = low;
            h = high;
#ifdef FIXED
        } while (before != sequence);
#else
        } while (0);
#endif
        assert(l + h == 0);
    }
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
