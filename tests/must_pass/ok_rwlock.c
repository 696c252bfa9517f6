/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Readers share the lock, the writer has it alone, and try-locks tell the truth.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

enum { N_WRITES = 2 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* guards low and high */
static int low;
static int high;

static void *
writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_WRITES; i++) {
        pthread_rwlock_wrlock(&lock);
        low++;
        high++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static void *
reader(void *arg)
{
    int err;

    (void)arg;
    pthread_rwlock_rdlock(&lock);
    assert(low == high);
    err = pthread_rwlock_tryrdlock(&lock);
    assert(err == 0 || err == EBUSY);
    if (err == 0)
        pthread_rwlock_unlock(&lock);
    err = pthread_rwlock_trywrlock(&lock);
    assert(err == EBUSY);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t w;
    pthread_t r[2];

    pthread_create(&w, NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&r[i], NULL, reader, NULL);
    pthread_join(w, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(r[i], NULL);
    assert(low == N_WRITES && high == N_WRITES);
    pthread_rwlock_destroy(&lock);
    return 0;
}
