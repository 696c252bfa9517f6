/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_rwlock_destroy
 * BURL-KIND: misuse.use-destroyed
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

int
main(void)
{
    assert(pthread_rwlock_destroy(&rw) == 0);
    assert(pthread_rwlock_init(&rw, NULL) == 0);
    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_destroy(&rw) == 0);
    pthread_rwlock_rdlock(&rw);
    return 0;
}
