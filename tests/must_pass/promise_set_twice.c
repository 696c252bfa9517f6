/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: An exchange decides which thread resolves the promise; the other one does nothing.
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

    if (atomic_exchange(&p->resolved, 1))
        return;
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
