/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A semaphore is used for the hand-over, which any thread may post.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

struct device {
    sem_t busy;
    sem_t submitted;
    int job;
    int completed;
};

static struct device device;

static void
device_submit(struct device *d, int job)
{
    sem_wait(&d->busy);
    d->job = job;
    sem_post(&d->submitted);
}

static void
device_complete(struct device *d)
{
    sem_wait(&d->submitted);
    d->completed += d->job;
    sem_post(&d->busy);
}

static void *
complete(void *arg)
{
    device_complete(arg);
    return NULL;
}

int
main(void)
{
    pthread_t thread;

    sem_init(&device.busy, 0, 1);
    sem_init(&device.submitted, 0, 0);
    pthread_create(&thread, NULL, complete, &device);
    device_submit(&device, 3);
    pthread_join(thread, NULL);
    assert(device.completed == 3);
    return 0;
}
