/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-ENGINES: both
 * BURL-WHY: Both workers take the locks in the same order; the monitor thread is stopped at the
 *   end.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t stock = PTHREAD_MUTEX_INITIALIZER;  /* guards n_items */
static pthread_mutex_t orders = PTHREAD_MUTEX_INITIALIZER; /* guards n_orders */
static int n_items = 10;
static int n_orders;
static atomic_int stop;

static void *
monitor(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        usleep(1000);
    return NULL;
}

static void *
sell(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&orders);
    pthread_mutex_lock(&stock);
    n_orders++;
    n_items--;
    pthread_mutex_unlock(&stock);
    pthread_mutex_unlock(&orders);
    return NULL;
}

static void *
take_back(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&orders);
    pthread_mutex_lock(&stock);
    n_orders--;
    n_items++;
    pthread_mutex_unlock(&stock);
    pthread_mutex_unlock(&orders);
    return NULL;
}

int
main(void)
{
    pthread_t watcher;
    pthread_t seller;
    pthread_t taker;

    pthread_create(&watcher, NULL, monitor, NULL);
    pthread_create(&seller, NULL, sell, NULL);
    pthread_create(&taker, NULL, take_back, NULL);
    pthread_join(seller, NULL);
    pthread_join(taker, NULL);
    atomic_store(&stop, 1);
    pthread_join(watcher, NULL);
    return n_items == 10 && n_orders == 0 ? 0 : 1;
}
