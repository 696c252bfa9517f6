/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The lock is taken with acquire and given back with release.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 0 free, 1 taken, 2 taken with waiters. */
static atomic_int word;
static int shared;

static void
lock(void)
{
    int c = 0;

    if (atomic_compare_exchange_strong_explicit(&word, &c, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    if (c != 2)
        c = atomic_exchange_explicit(&word, 2, memory_order_acquire);
    while (c != 0) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        c = atomic_exchange_explicit(&word, 2, memory_order_acquire);
    }
}

static void
unlock(void)
{
    if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *
work(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        lock();
        shared++;
        unlock();
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return shared == 4 ? 0 : 1;
}
