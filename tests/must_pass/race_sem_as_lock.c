/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: A binary semaphore is a lock: a post orders what was done before the next wait's
 *   return.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t gate; /* guards visitors */
static int visitors;

static void *
visit(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&gate);
        visitors++;
        sem_post(&gate);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    sem_init(&gate, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, visit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sem_destroy(&gate);
    return visitors <= 4 ? 0 : 1;
}
