/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=20
 * BURL-ENGINES: both
 * BURL-WHY: The semaphore has been posted before the only thread waits for it.
 */
#include <errno.h>
#include <semaphore.h>

static sem_t done;

int
main(void)
{
    sem_init(&done, 0, 0);
    sem_post(&done);
    while (sem_wait(&done) == -1 && errno == EINTR)
        continue;
    return 0;
}
