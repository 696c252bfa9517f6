/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lazy_table.c - a table made when it is first asked for, with double-checked locking that
 * publishes it before it is filled. FIXED: published when it is ready, with release and acquire.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ENTRIES = 8, READERS = 3 };

struct table {
    int n;
    int squares[ENTRIES];
};

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static struct table *_Atomic the_table;

static void
fill(struct table *t)
{
    for (int i = 0; i < ENTRIES; i++)
        t->squares[i] = i * i;
    t->n = ENTRIES;
}

static struct table *
get_table(void)
{
    struct table *t = atomic_load(&the_table);

    if (t != NULL)
        return t;
    pthread_mutex_lock(&making);
    t = atomic_load(&the_table);
    if (t == NULL) {
        t = calloc(1, sizeof *t);
#ifdef FIXED
        fill(t);
        atomic_store(&the_table, t);
#else
        atomic_store(&the_table, t);
        fill(t);
#endif
    }
    pthread_mutex_unlock(&making);
    return t;
}

static void *
reader(void *arg)
{
    struct table *t = get_table();

    assert(t->n == ENTRIES);
    assert(t->squares[ENTRIES - 1] == (ENTRIES - 1) * (ENTRIES - 1));
    return arg;
}

int
main(void)
{
    pthread_t threads[READERS];

    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    free(the_table);
    return 0;
}
