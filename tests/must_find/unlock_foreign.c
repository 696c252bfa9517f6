/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.unlock-foreign
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: The submitter locks the device and the completion thread unlocks it; a mutex may be
 *   unlocked only by the thread that locked it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

struct device {
    pthread_mutex_t busy;
    sem_t submitted;
    int job;
    int completed;
};

static struct device device;

static void
device_submit(struct device *d, int job)
{
    pthread_mutex_lock(&d->busy);
    d->job = job;
    sem_post(&d->submitted);
}

static void
device_complete(struct device *d)
{
    sem_wait(&d->submitted);
    d->completed += d->job;
    pthread_mutex_unlock(&d->busy);
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

    pthread_mutex_init(&device.busy, NULL);
    sem_init(&device.submitted, 0, 0);
    pthread_create(&thread, NULL, complete, &device);
    device_submit(&device, 3);
    pthread_join(thread, NULL);
    assert(device.completed == 3);
    return 0;
}
