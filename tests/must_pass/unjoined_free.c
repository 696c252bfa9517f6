/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: The worker announces the answer with its last access; nothing is touched after the
 *   post.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

struct request {
    int input;
    int answer;
    int n_steps;
};

static sem_t finished; /* static: outlives every request */

static void *
compute(void *arg)
{
    struct request *r = arg;
    int steps = 0;

    for (int n = r->input; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1)
        steps++;
    r->answer = steps;
    r->n_steps += steps;
    sem_post(&finished);
    return NULL;
}

int
main(void)
{
    struct request *r = calloc(1, sizeof *r);
    pthread_attr_t attr;
    pthread_t thread;
    int answer;

    sem_init(&finished, 0, 0);
    r->input = 6;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attr, compute, r);
    pthread_attr_destroy(&attr);
    sem_wait(&finished);
    answer = r->answer;
    free(r);
    assert(answer == 8);
    sched_yield();
    return 0;
}
