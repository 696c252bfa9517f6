/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_spin_destroy
 * BURL-KIND: misuse.destroy-busy
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <pthread.h>

int
main(void)
{
    pthread_spinlock_t lock;

    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_spin_lock(&lock) == 0);
    pthread_spin_destroy(&lock);
    return 0;
}
