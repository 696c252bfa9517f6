/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: A worker counts its task as done before it submits the follow-up task. The pool is
 *   empty for a moment, the owner shuts it down, and the follow-up is refused.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_TASKS = 8, DEPTH = 2 };

struct pool {
    pthread_mutex_t mutex; /* guards the rest */
    pthread_cond_t changed;
    int tasks[MAX_TASKS]; /* the depth of each waiting task */
    int n_tasks;
    int pending; /* waiting or running */
    int n_done;
    bool stop;
};

static struct pool pool = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};

static void
submit_locked(struct pool *p, int depth)
{
    if (p->stop)
        return;
    p->tasks[p->n_tasks++] = depth;
    p->pending++;
    pthread_cond_broadcast(&p->changed);
}

static void
finish_locked(struct pool *p)
{
    p->n_done++;
    p->pending--;
    pthread_cond_broadcast(&p->changed);
}

static void
run_task(struct pool *p, int depth)
{
    pthread_mutex_lock(&p->mutex);
    finish_locked(p);
    pthread_mutex_unlock(&p->mutex);
    pthread_mutex_lock(&p->mutex);
    if (depth > 0)
        submit_locked(p, depth - 1);
    pthread_mutex_unlock(&p->mutex);
}

static void *
worker(void *arg)
{
    struct pool *p = arg;

    for (;;) {
        int depth;

        pthread_mutex_lock(&p->mutex);
        while (p->n_tasks == 0 && !p->stop)
            pthread_cond_wait(&p->changed, &p->mutex);
        if (p->n_tasks == 0) {
            pthread_mutex_unlock(&p->mutex);
            return NULL;
        }
        depth = p->tasks[--p->n_tasks];
        pthread_mutex_unlock(&p->mutex);
        run_task(p, depth);
    }
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &pool);
    pthread_mutex_lock(&pool.mutex);
    submit_locked(&pool, DEPTH);
    while (pool.pending > 0)
        pthread_cond_wait(&pool.changed, &pool.mutex);
    pool.stop = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(pool.n_done == DEPTH + 1);
    return 0;
}
