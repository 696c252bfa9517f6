/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_init sem_destroy sem_wait sem_trywait sem_post sem_getvalue
 * Waiting must let the poster run; values, errors and errno are POSIX's.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;
static sem_t room;
static int taken;

static void *
consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        assert(sem_wait(&items) == 0);
        taken++;
        assert(sem_post(&room) == 0);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t;
    int value = -1;

    errno = 0;
    assert(sem_init(&items, 0, (unsigned)SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
    assert(sem_init(&items, 0, 0) == 0);
    assert(sem_init(&room, 0, 1) == 0);
    assert(sem_trywait(&items) == -1 && errno == EAGAIN);
    assert(sem_getvalue(&room, &value) == 0 && value == 1);
    assert(pthread_create(&t, NULL, consume, NULL) == 0);
    for (int i = 0; i < 3; i++) {
        assert(sem_wait(&room) == 0);
        assert(taken == i);
        assert(sem_post(&items) == 0);
    }
    assert(pthread_join(t, NULL) == 0);
    assert(taken == 3);
    errno = 7;
    assert(sem_getvalue(&room, &value) == 0 && value == 1);
    assert(sem_trywait(&room) == 0);
    assert(sem_getvalue(&room, &value) == 0 && value == 0);
    assert(sem_post(&room) == 0);
    assert(errno == 7); /* success leaves it alone */

    assert(sem_destroy(&items) == 0);
    assert(sem_init(&items, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&items) == -1 && errno == EOVERFLOW);
    assert(sem_trywait(&items) == 0);
    assert(sem_post(&items) == 0);
    assert(sem_destroy(&items) == 0);
    assert(sem_destroy(&room) == 0);
    return 0;
}
