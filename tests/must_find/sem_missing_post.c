/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: A client that finds the pool closed returns without giving back its permit, and the
 *   next one waits for ever.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_CLIENTS = 2, N_PERMITS = 1 };

static sem_t permits;
static atomic_int closed;
static atomic_int served;

static void *
client(void *arg)
{
    (void)arg;
    if (atomic_load(&closed))
        return NULL;
    sem_wait(&permits);
    if (atomic_load(&closed)) {
        return NULL;
    }
    atomic_fetch_add(&served, 1);
    sem_post(&permits);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CLIENTS];

    sem_init(&permits, 0, N_PERMITS);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_create(&threads[i], NULL, client, NULL);
    atomic_store(&closed, 1);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_join(threads[i], NULL);
    sem_wait(&permits); /* all permits are back */
    sem_destroy(&permits);
    return 0;
}
