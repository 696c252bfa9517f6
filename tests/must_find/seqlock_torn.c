/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The reader waits until no write is under way but does not look at the sequence
 *   number again afterwards, so a write in the middle of its reading gives it half old, half new
 *   data.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_WRITES = 2, N_READS = 2 };

/* The position is atomic only so that a read beside a write is defined; the sequence number is what
 * makes the pair consistent. */
struct position {
    atomic_uint sequence; /* odd while a write is under way */
    atomic_int x;
    atomic_int y;
};

static struct position position;

static void
position_set(struct position *p, int v)
{
    atomic_fetch_add(&p->sequence, 1);
    atomic_store(&p->x, v);
    atomic_store(&p->y, -v);
    atomic_fetch_add(&p->sequence, 1);
}

static void
position_get(struct position *p, int *x, int *y)
{
    unsigned before;

    do {
        before = atomic_load(&p->sequence);
    } while (before % 2 != 0 && sched_yield() == 0);
    *x = atomic_load(&p->x);
    *y = atomic_load(&p->y);
}

static void *
writer(void *arg)
{
    (void)arg;
    for (int i = 1; i <= N_WRITES; i++)
        position_set(&position, i * 10);
    return NULL;
}

static void *
reader(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_READS; i++) {
        int x;
        int y;

        position_get(&position, &x, &y);
        assert(x == -y);
    }
    return NULL;
}

int
main(void)
{
    pthread_t w;
    pthread_t r;

    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
