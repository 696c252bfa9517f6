/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=burst --detect=none --runs=1500 --stop-at-first
 * BURL-WHY: Two nodes follow each other's log of 64 entries. A node further behind starts afresh
 *   and notes it in a table of which the last five are kept.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { ENTRIES = 64, ROUNDS = 1000, TABLE = 5 };

struct node {
    atomic_uint head; /* entries written */
    unsigned seen;    /* of the other's */
};

static struct node nodes[2];
static atomic_uint n_resyncs;
static atomic_uint resyncs[TABLE];

static void
note_resync(unsigned at)
{
    const unsigned i = atomic_fetch_add(&n_resyncs, 1);

    atomic_store(&resyncs[i % TABLE], at);
}

static void *
run(void *arg)
{
    struct node *me = arg;
    const struct node *other = &nodes[me == nodes];

    for (int i = 0; i < ROUNDS; i++) {
        const unsigned head = atomic_load(&other->head);

        if (head - me->seen > ENTRIES)
            note_resync(head);
        me->seen = head;
        atomic_fetch_add(&me->head, 1);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, run, &nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
