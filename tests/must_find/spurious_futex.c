/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: FUTEX_WAIT may return 0 without a wake (futex(2)): the word must be tested again.
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int flag;

static void *
consumer(void *arg)
{
    (void)arg;
    if (atomic_load(&flag) == 0)
        syscall(SYS_futex, &flag, FUTEX_WAIT, 0, NULL, NULL, 0);
    assert(atomic_load(&flag) == 1);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, consumer, NULL);
    atomic_store(&flag, 1);
    syscall(SYS_futex, &flag, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
