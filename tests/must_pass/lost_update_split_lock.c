/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The read and the write of the stock lie in one critical section.
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

static void
place_order(struct stock *s, int n)
{
    pthread_mutex_lock(&s->mutex);
    if (s->on_hand >= n) {
        s->on_hand -= n;
        s->sold += n;
    }
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
