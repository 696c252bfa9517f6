/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: sem_open
 * BURL-NATIVE: no
 * A named semaphore that an execution leaves behind does not exist in the next, and one that a
 * constructor opened exists in all, with the value it had when main began.
 */
#include <assert.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stddef.h>

#define EARLY "/burl-test-sem-early"

static sem_t *early;

static __attribute__((constructor)) void
open_early(void)
{
    early = sem_open(EARLY, O_CREAT, 0600, 2);
    if (early != SEM_FAILED)
        sem_post(early);
}

int
main(void)
{
    sem_t *s = sem_open("/burl-test-sem-again", O_CREAT | O_EXCL, 0600, 1);
    int value = 0;

    assert(s != SEM_FAILED);
    assert(early != SEM_FAILED);
    assert(sem_open(EARLY, 0) == early);
    assert(sem_getvalue(early, &value) == 0 && value == 3);
    assert(sem_wait(early) == 0);
    assert(sem_close(early) == 0);
    assert(sem_unlink(EARLY) == 0);
    return 0;
}
