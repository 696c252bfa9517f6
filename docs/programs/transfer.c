/* SPDX-License-Identifier: Apache-2.0 */
/* Two transfers in opposite directions, each with one lock when it asks for the other's. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t yours = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_have_one;

static void
transfer(pthread_mutex_t *from, pthread_mutex_t *to)
{
    pthread_mutex_lock(from);
    pthread_barrier_wait(&both_have_one);
    pthread_mutex_lock(to);
    pthread_mutex_unlock(to);
    pthread_mutex_unlock(from);
}

static void *
pay(void *arg)
{
    transfer(&mine, &yours);
    return arg;
}

static void *
repay(void *arg)
{
    transfer(&yours, &mine);
    return arg;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_barrier_init(&both_have_one, NULL, 2);
    pthread_create(&a, NULL, pay, NULL);
    pthread_create(&b, NULL, repay, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
