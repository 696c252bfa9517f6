/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Main waits until the queue of the pool is empty, which does not mean that the last
 *   task is done.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { N_TASKS = 3, N_WORKERS = 2 };

struct task {
    int input;
    int output;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards next, n_done and closed */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct task tasks[N_TASKS] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
static int next_task;
static int n_done;

static void *
work(void *arg)
{
    (void)arg;
    for (;;) {
        struct task *t = NULL;

        pthread_mutex_lock(&mutex);
        if (next_task < N_TASKS)
            t = &tasks[next_task++];
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
        if (t == NULL)
            return NULL;
        t->output = t->input * t->input;
        pthread_mutex_lock(&mutex);
        n_done++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
}

int
main(void)
{
    pthread_t threads[N_WORKERS];
    int sum = 0;

    for (int i = 0; i < N_WORKERS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (next_task < N_TASKS)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < N_TASKS; i++)
        sum += tasks[i].output;
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(threads[i], NULL);
    return sum <= 14 ? 0 : 1;
}
