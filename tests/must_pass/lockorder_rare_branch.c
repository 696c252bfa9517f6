/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The audit always begins with the ledger.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t vault = PTHREAD_MUTEX_INITIALIZER;
static atomic_int in_transit;
static int gold = 10;

static void *
transfer(void *arg)
{
    (void)arg;
    atomic_store(&in_transit, 1);
    pthread_mutex_lock(&ledger);
    pthread_mutex_lock(&vault);
    gold--;
    pthread_mutex_unlock(&vault);
    pthread_mutex_unlock(&ledger);
    atomic_store(&in_transit, 0);
    return NULL;
}

static void *
audit(void *arg)
{
    int *counted = arg;

    if (!atomic_load(&in_transit)) {
        pthread_mutex_lock(&vault);
        *counted = gold;
        pthread_mutex_unlock(&vault);
        return NULL;
    }
    pthread_mutex_lock(&ledger);
    pthread_mutex_lock(&vault);
    *counted = gold;
    pthread_mutex_unlock(&vault);
    pthread_mutex_unlock(&ledger);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int counted = 0;

    pthread_create(&threads[0], NULL, transfer, NULL);
    pthread_create(&threads[1], NULL, audit, &counted);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counted == 9 || counted == 10 ? 0 : 1;
}
