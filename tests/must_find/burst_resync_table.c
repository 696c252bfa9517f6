/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=burst --detect=none --runs=1500 --stop-at-first
 * BURL-WHY: Two nodes follow each other's log of 64 entries. A node further behind starts afresh
 *   and notes it in a table of five that is never cleared. It takes six long leads, one after the
 *   other and by turns, to fill it: random walks make none, PCT of depth 3 makes three.
 */
#include <assert.h>
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
static unsigned resyncs[TABLE];

static void
note_resync(unsigned at)
{
    const unsigned i = atomic_fetch_add(&n_resyncs, 1);

    assert(i < TABLE);
    resyncs[i] = at;
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
