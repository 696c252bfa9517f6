/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: main frees the registry only after the worker has been joined, and so after its
 *   destructors.
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
    pthread_join(thread, NULL);
    ok = ok && r->n_live == 0 && r->n_ended == 1;
    free(r);
    pthread_key_delete(key);
    sem_destroy(&reported);
    return ok ? 0 : 1;
}
