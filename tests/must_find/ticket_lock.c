/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort | hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The next ticket is read and written back in two steps. Two threads can draw the same
 *   number, and both enter, or the display runs past a ticket and its holder waits for ever.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_THREADS = 2, N_ROUNDS = 2 };

struct ticket_lock {
    atomic_uint next;
    atomic_uint serving;
};

static struct ticket_lock lock;
static int inside;  /* guarded by lock */
static int entered; /* guarded by lock */

static void
ticket_acquire(struct ticket_lock *l)
{
    unsigned mine = atomic_load(&l->next);

    atomic_store(&l->next, mine + 1);
    while (atomic_load(&l->serving) != mine)
        sched_yield();
}

static void
ticket_release(struct ticket_lock *l)
{
    atomic_fetch_add(&l->serving, 1);
}

static void *
visit(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_ROUNDS; i++) {
        ticket_acquire(&lock);
        inside++;
        assert(inside == 1);
        entered++;
        inside--;
        ticket_release(&lock);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(entered == N_THREADS * N_ROUNDS);
    return 0;
}
