/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O2
 * BURL-ARGS: --runs=500
 * BURL-WHY: The record is replaced under the lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct record {
    char name[24];
    double price;
    int stock;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards record */
static struct record record = { "pear", 0.25, 100 };

static void *
replace(void *arg)
{
    struct record fresh = { "apple", 0.5, 50 };

    pthread_mutex_lock(&mutex);
    record = fresh;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *
report(void *arg)
{
    int *stock = arg;

    pthread_mutex_lock(&mutex);
    *stock = record.stock;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int stock = 0;

    pthread_create(&threads[0], NULL, replace, NULL);
    pthread_create(&threads[1], NULL, report, &stock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return stock == 100 || stock == 50 ? 0 : 1;
}
