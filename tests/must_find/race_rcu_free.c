/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The old version is freed as soon as the new one is published, though a reader may be
 *   in it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct version {
    int number;
    int limit;
};

static struct version *_Atomic current;
static atomic_int n_readers;

static void *
read_limit(void *arg)
{
    int *limit = arg;
    struct version *v;

    atomic_fetch_add(&n_readers, 1);
    v = atomic_load(&current);
    *limit = v->limit;
    atomic_fetch_sub(&n_readers, 1);
    return NULL;
}

static void *
update(void *arg)
{
    struct version *v = malloc(sizeof *v);
    struct version *old;

    (void)arg;
    v->number = 2;
    v->limit = 200;
    old = atomic_exchange(&current, v);
    free(old);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    struct version *first = malloc(sizeof *first);
    int limit = 0;

    first->number = 1;
    first->limit = 100;
    atomic_store(&current, first);
    pthread_create(&threads[0], NULL, read_limit, &limit);
    pthread_create(&threads[1], NULL, update, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&current));
    return limit >= 0 ? 0 : 1;
}
