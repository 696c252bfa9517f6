/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The lock guards the read and the write of the stock, but is dropped between them, so
 *   two orders can be granted from the same old value.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_CLERKS = 2, N_ORDERS = 2, ORDER = 5, INITIAL = 100 };

struct stock {
    pthread_mutex_t mutex; /* guards the rest */
    int on_hand;
    int sold;
};

static struct stock stock = { .mutex = PTHREAD_MUTEX_INITIALIZER, .on_hand = INITIAL };

static int
stock_get(struct stock *s)
{
    int n;

    pthread_mutex_lock(&s->mutex);
    n = s->on_hand;
    pthread_mutex_unlock(&s->mutex);
    return n;
}

static void
stock_set(struct stock *s, int n)
{
    pthread_mutex_lock(&s->mutex);
    s->on_hand = n;
    pthread_mutex_unlock(&s->mutex);
}

static void
place_order(struct stock *s, int n)
{
    int left = stock_get(s);

    if (left < n)
        return;
    stock_set(s, left - n);
    pthread_mutex_lock(&s->mutex);
    s->sold += n;
    pthread_mutex_unlock(&s->mutex);
}

static void *
clerk(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_ORDERS; i++)
        place_order(&stock, ORDER);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_CLERKS];

    for (int i = 0; i < N_CLERKS; i++)
        pthread_create(&threads[i], NULL, clerk, NULL);
    for (int i = 0; i < N_CLERKS; i++)
        pthread_join(threads[i], NULL);
    assert(stock.on_hand + stock.sold == INITIAL);
    return 0;
}
