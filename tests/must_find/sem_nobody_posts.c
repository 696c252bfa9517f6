/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=20 --stop-at-first
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: The only thread of the program waits for a semaphore that is never posted, again after
 *   every interruption: it is stuck, and not busy.
 */
#include <errno.h>
#include <semaphore.h>

static sem_t done;

int
main(void)
{
    sem_init(&done, 0, 0);
    while (sem_wait(&done) == -1 && errno == EINTR)
        continue;
    return 0;
}
