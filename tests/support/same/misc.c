/* SPDX-License-Identifier: Apache-2.0 */
/* pthread_once, recursive and spin locks, time-outs, thread-local variables, assertions, a
 * semaphore that is free at once. */
#define _GNU_SOURCE
#include <assert.h>
#include <time.h>

#include "turn.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_spinlock_t spin;
static sem_t room;
static __thread int mine;
static int made, sum;

static void
make(void)
{
    made = 1;
}

static void *
work(void *arg)
{
    struct timespec past = { 0 };

    pthread_once(&once, make);
    sem_wait(&room);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    sum += made + ++mine;
    pthread_mutex_unlock(&again);
    sum++;
    pthread_mutex_unlock(&again);
    pthread_spin_lock(&spin);
    sum += *(int *)arg;
    pthread_spin_unlock(&spin);
    assert(sum != 77);
    sem_trywait(&room);
    sem_timedwait(&room, &past);
    sem_post(&room);
    return NULL;
}

int
main(void)
{
    int arg = 4;

    pthread_spin_init(&spin, 0);
    sem_init(&room, 0, 1);
    for (int i = 0; i < 3; i++) {
        run_alone(work, &arg);
        assert(sum != 88);
        sum++;
    }
    return sum == 0;
}
