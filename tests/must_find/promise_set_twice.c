/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.double-free | memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Two resolvers both find the promise unresolved, and both run and free its
 *   continuation: the second uses it after it was freed, or frees it again.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct continuation {
    int *out;
    int factor;
};

struct promise {
    atomic_int resolved;
    struct continuation *then;
};

static struct promise promise;

static void
promise_resolve(struct promise *p, int value)
{
    struct continuation *c = p->then;

    if (atomic_load(&p->resolved))
        return;
    atomic_store(&p->resolved, 1);
    *c->out = value * c->factor;
    free(c);
}

static void *
from_cache(void *arg)
{
    (void)arg;
    promise_resolve(&promise, 21);
    return NULL;
}

static void *
from_network(void *arg)
{
    (void)arg;
    promise_resolve(&promise, 21);
    return NULL;
}

int
main(void)
{
    int answer = 0;
    pthread_t a;
    pthread_t b;

    promise.then = malloc(sizeof *promise.then);
    promise.then->out = &answer;
    promise.then->factor = 2;
    pthread_create(&a, NULL, from_cache, NULL);
    pthread_create(&b, NULL, from_network, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(answer == 42);
    return 0;
}
