/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a producer and two workers share a bounded queue.
 */
#include <stdio.h>
#include <stdlib.h>

#include "queue.h"

enum { N_WORKERS = 2, N_JOBS = 4, N_SLOTS = 2 };

struct worker {
    pthread_t thread;
    struct queue *queue;
    int spent;
};

static struct job *
job_new(int id)
{
    struct job *job = malloc(sizeof *job);

    if (job == NULL)
        exit(2);
    job->id = id;
    job->cost = 10 * (id + 1);
    return job;
}

static void *
run_worker(void *arg)
{
    struct worker *w = arg;

    for (int i = 0; i < N_JOBS / N_WORKERS; i++) {
        struct job *job = queue_take(w->queue);

        w->spent += job->cost;
        free(job);
    }
    return NULL;
}

int
main(void)
{
    struct worker workers[N_WORKERS];
    struct queue queue;
    int spent = 0;

    queue_init(&queue, N_SLOTS);
    for (int i = 0; i < N_WORKERS; i++) {
        workers[i] = (struct worker){ .queue = &queue };
        pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
    }
    for (int i = 0; i < N_JOBS; i++)
        queue_put(&queue, job_new(i));
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        spent += workers[i].spent;
    }
    queue_deinit(&queue);
    printf("spent: %d\n", spent);
    return spent == 100 ? 0 : 1;
}
