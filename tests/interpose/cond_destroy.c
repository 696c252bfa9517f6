/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_destroy
 * BURL-KIND: misuse.use-destroyed
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <pthread.h>

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

int
main(void)
{
    assert(pthread_cond_destroy(&c) == 0);
    assert(pthread_cond_init(&c, NULL) == 0);
    assert(pthread_cond_signal(&c) == 0);
    assert(pthread_cond_destroy(&c) == 0);
    pthread_cond_signal(&c);
    return 0;
}
