/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_destroy
 * BURL-KIND: misuse.use-destroyed
 * BURL-NATIVE: no
 */
#include <assert.h>
#include <semaphore.h>

int
main(void)
{
    sem_t s;

    assert(sem_init(&s, 0, 1) == 0);
    assert(sem_destroy(&s) == 0);
    sem_post(&s);
    return 0;
}
