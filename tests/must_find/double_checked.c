/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: The pointer to the table is published before the table is filled, and the first test
 *   of the double-checked locking is outside the lock: another thread uses the half-built table.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { N_ENTRIES = 4 };

struct table {
    int size;
    int squares[N_ENTRIES];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* serializes the construction */
static struct table *_Atomic the_table;

static void
fill(struct table *t)
{
    for (int i = 0; i < N_ENTRIES; i++)
        t->squares[i] = i * i;
    t->size = N_ENTRIES;
}

static struct table *
get_table(void)
{
    struct table *t = atomic_load(&the_table);

    if (t != NULL)
        return t;
    pthread_mutex_lock(&mutex);
    t = atomic_load(&the_table);
    if (t == NULL) {
        t = calloc(1, sizeof *t);
        atomic_store(&the_table, t);
        fill(t);
    }
    pthread_mutex_unlock(&mutex);
    return t;
}

static void *
look_up(void *arg)
{
    const struct table *t = get_table();

    (void)arg;
    assert(t->size == N_ENTRIES);
    assert(t->squares[3] == 9);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&the_table));
    return 0;
}
