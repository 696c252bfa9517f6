/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The word is looked at again after each FUTEX_WAIT.
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
    while (atomic_load(&flag) == 0)
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
