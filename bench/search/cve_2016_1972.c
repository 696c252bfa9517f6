/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2016_1972.c - ConVul: a video decoder ends its worker while a job is started on it.
 *
 * The end takes the status down to "not there" and then frees what the job needs; the launch has
 * looked at the status before, without the lock, and hands the worker a job on freed memory.
 * FIXED: look and hand over with the lock, and free with it.
 */
#include <pthread.h>
#include <stdlib.h>

enum status { NOT_OK, OK, WORK };

struct frame {
    int row;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum status status;
    struct frame *frame;
} worker = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .status = OK };

static void *
worker_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&worker.lock);
    for (;;) {
        while (worker.status == OK)
            pthread_cond_wait(&worker.changed, &worker.lock);
        if (worker.status == NOT_OK)
            break;
        worker.frame->row++;
        worker.status = OK;
        pthread_cond_broadcast(&worker.changed);
    }
    pthread_mutex_unlock(&worker.lock);
    return NULL;
}

static void *
launch(void *arg)
{
    (void)arg;
#ifdef FIXED
    pthread_mutex_lock(&worker.lock);
    if (worker.status == OK) {
        worker.frame->row = 0;
        worker.status = WORK;
        pthread_cond_broadcast(&worker.changed);
    }
    pthread_mutex_unlock(&worker.lock);
#else
    if (worker.status == OK) {
        worker.frame->row = 0;
        pthread_mutex_lock(&worker.lock);
        if (worker.status == OK) {
            worker.status = WORK;
            pthread_cond_broadcast(&worker.changed);
        }
        pthread_mutex_unlock(&worker.lock);
    }
#endif
    return NULL;
}

static void *
end(void *arg)
{
    struct frame *frame;

    (void)arg;
    pthread_mutex_lock(&worker.lock);
    while (worker.status == WORK)
        pthread_cond_wait(&worker.changed, &worker.lock);
    worker.status = NOT_OK;
    frame = worker.frame;
    pthread_cond_broadcast(&worker.changed);
    pthread_mutex_unlock(&worker.lock);
    free(frame);
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];

    worker.frame = calloc(1, sizeof *worker.frame);
    pthread_create(&threads[0], NULL, worker_main, NULL);
    pthread_create(&threads[1], NULL, launch, NULL);
    pthread_create(&threads[2], NULL, end, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
