/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-WHY: A reader keeps a pointer into the array while the writer's realloc moves it.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct journal {
    pthread_mutex_t mutex; /* guards the rest */
    long *entries;
    size_t used;
    size_t room;
};

static struct journal journal = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static void
journal_add(struct journal *j, long entry)
{
    pthread_mutex_lock(&j->mutex);
    if (j->used == j->room) {
        j->room = j->room == 0 ? 2 : j->room * 64;
        j->entries = realloc(j->entries, j->room * sizeof *j->entries);
    }
    j->entries[j->used++] = entry;
    pthread_mutex_unlock(&j->mutex);
}

static long
journal_first(struct journal *j)
{
    const long *first;

    pthread_mutex_lock(&j->mutex);
    first = &j->entries[0];
    pthread_mutex_unlock(&j->mutex);
    return *first;
}

static void *
writer(void *arg)
{
    (void)arg;
    journal_add(&journal, 2);
    journal_add(&journal, 3);
    return NULL;
}

static void *
reader(void *arg)
{
    (void)arg;
    assert(journal_first(&journal) == 1);
    return NULL;
}

int
main(void)
{
    pthread_t w;
    pthread_t r;

    journal_add(&journal, 1);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    free(journal.entries);
    return 0;
}
