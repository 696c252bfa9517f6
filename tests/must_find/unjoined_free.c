/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-free
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: main frees the request as soon as the detached worker has announced its answer, but
 *   the worker still writes its accounting into the request.
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
    sem_post(&finished);
    r->n_steps += steps;
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
