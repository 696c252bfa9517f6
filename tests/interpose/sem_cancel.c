/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_wait sem_timedwait
 * Waiting for a semaphore is a cancellation point.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t never;
static sem_t begun;
static int cleaned;

static void
clean_up(void *arg)
{
    (void)arg;
    cleaned++;
}

static void *
wait_for_ever(void *arg)
{
    struct timespec ts;

    pthread_cleanup_push(clean_up, NULL);
    assert(sem_post(&begun) == 0);
    do {
        assert(clock_gettime(CLOCK_REALTIME, &ts) == 0);
        ts.tv_sec += 1000000; /* may pass: time is virtual */
    } while ((arg != NULL ? sem_timedwait(&never, &ts) : sem_wait(&never)) != 0);
    pthread_cleanup_pop(0);
    return NULL;
}

int
main(void)
{
    pthread_t t;
    void *result;

    assert(sem_init(&never, 0, 0) == 0 && sem_init(&begun, 0, 0) == 0);
    for (int i = 0; i < 2; i++) {
        assert(pthread_create(&t, NULL, wait_for_ever, i == 0 ? NULL : &never) == 0);
        assert(sem_wait(&begun) == 0);
        assert(pthread_cancel(t) == 0);
        assert(pthread_join(t, &result) == 0);
        assert(result == PTHREAD_CANCELED && cleaned == i + 1);
    }
    assert(sem_post(&never) == 0);
    assert(sem_trywait(&never) == 0); /* the canceled threads took nothing */
    assert(sem_destroy(&never) == 0);
    return 0;
}
