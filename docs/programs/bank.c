/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/bank.c - two customers of docs/howto/measure-interleavings.md. */
#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    long sum;
} a = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void
pay_in(long n)
{
    pthread_mutex_lock(&a.lock);
    a.sum += n;
    pthread_mutex_unlock(&a.lock);
}

static void
charge(long n)
{
    long old;

    pthread_mutex_lock(&a.lock);
    old = a.sum;
    pthread_mutex_unlock(&a.lock);
    if (old >= n) {
        pthread_mutex_lock(&a.lock);
        a.sum = old - n;
        pthread_mutex_unlock(&a.lock);
    }
}

static void *
customer(void *arg)
{
    pay_in(10);
    charge(4);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
