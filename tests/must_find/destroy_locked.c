/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.destroy-busy | misuse.use-destroyed
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The flag that says the worker is done is set inside the critical section, so the
 *   mutex can be destroyed while the worker still holds it.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

struct job {
    pthread_mutex_t mutex; /* guards result */
    int result;
    atomic_int done;
};

static struct job job;

static void *
work(void *arg)
{
    struct job *j = arg;

    pthread_mutex_lock(&j->mutex);
    j->result = 42;
    atomic_store(&j->done, 1);
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    pthread_mutex_init(&job.mutex, NULL);
    pthread_create(&thread, NULL, work, &job);
    while (!atomic_load(&job.done))
        sched_yield();
    pthread_mutex_destroy(&job.mutex);
    pthread_join(thread, NULL);
    assert(job.result == 42);
    return 0;
}
