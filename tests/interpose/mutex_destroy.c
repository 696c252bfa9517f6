/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_mutex_destroy
 * BURL-KIND: misuse.use-destroyed
 * BURL-NATIVE: no
 * Destroying twice; memory initialized again in between is a new mutex.
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int
main(void)
{
    assert(pthread_mutex_destroy(&m) == 0);
    assert(pthread_mutex_init(&m, NULL) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_destroy(&m) == 0);
    pthread_mutex_destroy(&m);
    return 0;
}
