/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: main frees the registry when the worker has reported its result, but the worker's
 *   thread-specific data is destroyed later, and its destructor writes into the registry.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

struct registry {
    int n_live;
    int n_ended;
};

static pthread_key_t key;
static sem_t reported;
static int result;

/* Runs in the ending thread, after its start routine has returned. */
static void
sign_off(void *arg)
{
    struct registry *r = arg;

    r->n_live--;
    r->n_ended++;
}

static void *
worker(void *arg)
{
    struct registry *r = arg;

    r->n_live++;
    pthread_setspecific(key, r);
    result = 12;
    sem_post(&reported);
    return NULL;
}

int
main(void)
{
    struct registry *r = calloc(1, sizeof *r);
    pthread_t thread;
    int ok;

    sem_init(&reported, 0, 0);
    pthread_key_create(&key, sign_off);
    pthread_create(&thread, NULL, worker, r);
    sem_wait(&reported);
    ok = result == 12;
    free(r);
    pthread_join(thread, NULL);
    pthread_key_delete(key);
    sem_destroy(&reported);
    return ok ? 0 : 1;
}
