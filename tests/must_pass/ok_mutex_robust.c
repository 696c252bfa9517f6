/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A thread ends with a robust mutex locked; the next one is told, repairs the data and
 *   goes on.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex; /* robust; guards the balance */
static int debit;
static int credit;

static void *
die_in_the_middle(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    debit += 10;
    return NULL;
}

static void *
repair(void *arg)
{
    int err = pthread_mutex_lock(&mutex);

    (void)arg;
    if (err == EOWNERDEAD) {
        credit = debit;
        err = pthread_mutex_consistent(&mutex);
        assert(err == 0);
    } else {
        assert(err == 0);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t a;
    pthread_t b;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, NULL, die_in_the_middle, NULL);
    pthread_create(&b, NULL, repair, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    repair(NULL);
    assert(debit == credit);
    pthread_mutex_destroy(&mutex);
    return 0;
}
