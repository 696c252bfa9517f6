/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2016_7911.c - ConVul: the I/O priority of a task is asked for while the task ends.
 *
 * The task's I/O context is there when it is looked at, and gone when its priority is read: a null
 * dereference. FIXED: both under the task's lock.
 */
#include <pthread.h>
#include <stdlib.h>

struct io_context {
    int priority;
};

static struct {
    pthread_mutex_t lock;
    struct io_context *io;
} task = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int answer;

static void *
get_priority(void *arg)
{
    (void)arg;
#ifdef FIXED
    pthread_mutex_lock(&task.lock);
    if (task.io != NULL)
        answer = task.io->priority;
    pthread_mutex_unlock(&task.lock);
#else
    if (task.io != NULL)
        answer = task.io->priority;
#endif
    return NULL;
}

static void *
task_ends(void *arg)
{
    struct io_context *io;

    (void)arg;
    pthread_mutex_lock(&task.lock);
    io = task.io;
    task.io = NULL;
    pthread_mutex_unlock(&task.lock);
    free(io);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    task.io = calloc(1, sizeof *task.io);
    task.io->priority = 4;
    pthread_create(&threads[0], NULL, get_priority, NULL);
    pthread_create(&threads[1], NULL, task_ends, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return answer == 0 || answer == 4 ? 0 : 1;
}
