/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2015_7550.c - ConVul: a key is revoked while it is being read.
 *
 * The reader checks the key and then takes its semaphore; the revocation comes between the two and
 * has dropped the payload. FIXED: it checks with the semaphore taken.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct payload {
    int length;
};

static struct {
    pthread_rwlock_t sem;
    pthread_mutex_t lock; /* of revoked */
    bool revoked;
    struct payload *payload;
} key = { .sem = PTHREAD_RWLOCK_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
valid(void)
{
    bool ok;

    pthread_mutex_lock(&key.lock);
    ok = !key.revoked;
    pthread_mutex_unlock(&key.lock);
    return ok;
}

static void *
read_key(void *arg)
{
    static int length;

    (void)arg;
#ifdef FIXED
    pthread_rwlock_rdlock(&key.sem);
    if (valid())
        length = key.payload->length;
    pthread_rwlock_unlock(&key.sem);
#else
    if (!valid())
        return NULL;
    pthread_rwlock_rdlock(&key.sem);
    length = key.payload->length;
    pthread_rwlock_unlock(&key.sem);
#endif
    return length > 0 ? &length : NULL;
}

static void *
revoke(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&key.sem);
    pthread_mutex_lock(&key.lock);
    key.revoked = true;
    pthread_mutex_unlock(&key.lock);
    free(key.payload);
    key.payload = NULL;
    pthread_rwlock_unlock(&key.sem);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    key.payload = calloc(1, sizeof *key.payload);
    key.payload->length = 16;
    pthread_create(&threads[0], NULL, read_key, NULL);
    pthread_create(&threads[1], NULL, revoke, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
