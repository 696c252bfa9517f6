/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ARGS: --runs=1000 --no-spurious
 * BURL-ROWS: syscall
 * BURL-WHY: futex through syscall(): waits that another thread ends, comparison, bit sets,
 *   requeueing, wake-op. A wait that reached the kernel would stop every fiber.
 */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t word;
static _Atomic uint32_t other;
static atomic_int waiting;
static atomic_int awake;

static long
futex(_Atomic uint32_t *addr, int op, uint32_t val, const void *arg, _Atomic uint32_t *addr2,
      uint32_t val3)
{
    return syscall(SYS_futex, addr, op, val, arg, addr2, val3);
}

static void *
wait_word(void *arg)
{
    uint32_t bits = (uint32_t)(uintptr_t)arg;

    atomic_fetch_add(&waiting, 1);
    while (atomic_load(&word) == 0) {
        long r = bits == 0 ? futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0)
                           : futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, bits);

        assert(r == 0 || errno == EAGAIN || errno == EINTR);
    }
    atomic_fetch_add(&awake, 1);
    return NULL;
}

static void
wait_and_wake(void)
{
    pthread_t t[2];

    atomic_store(&word, 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&t[i], NULL, wait_word, NULL) == 0);
    sched_yield();
    atomic_store(&word, 1);
    assert(futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0) <= 2);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(atomic_load(&awake) == 2);
}

/* Only the waiter whose bits meet is woken. */
static void
bit_sets(void)
{
    pthread_t t;

    atomic_store(&word, 0);
    assert(pthread_create(&t, NULL, wait_word, (void *)(uintptr_t)4) == 0);
    assert(futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 3) == 0);
    while (futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 4) != 1)
        usleep(1000);
    atomic_store(&word, 1);
    futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 12);
    assert(pthread_join(t, NULL) == 0);
    assert(futex(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 0) == -1 && errno == EINVAL);
}

static void *
wait_once(void *arg)
{
    (void)arg;
    assert(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0);
    return NULL;
}

static void
requeue(void)
{
    pthread_t t;

    atomic_store(&word, 0);
    assert(futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)1, &other, 5) == -1 && errno == EAGAIN);
    assert(pthread_create(&t, NULL, wait_once, NULL) == 0);
    while (futex(&word, FUTEX_CMP_REQUEUE, 0, (void *)1, &other, 0) != 1)
        usleep(1000);
    assert(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0) == 0); /* it is not there any more */
    assert(futex(&other, FUTEX_WAKE, 1, NULL, NULL, 0) == 1);
    assert(pthread_join(t, NULL) == 0);
}

static void
wake_op(void)
{
    pthread_t t;

    atomic_store(&word, 0);
    atomic_store(&other, 3);
    assert(pthread_create(&t, NULL, wait_once, NULL) == 0);
    /* other += 1; wake word; wake other if it was 3. */
    while (futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &other,
                 FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 3)) != 1)
        usleep(1000);
    assert(atomic_load(&other) > 3);
    assert(pthread_join(t, NULL) == 0);
}

int
main(void)
{
    struct timespec ts = { 0, 2000000 };

    atomic_store(&word, 5);
    assert(futex(&word, FUTEX_WAIT, 4, NULL, NULL, 0) == -1 && errno == EAGAIN);
    assert(futex(&word, FUTEX_WAIT, 5, &ts, NULL, 0) == -1 && errno == ETIMEDOUT);
    ts.tv_nsec = 1000000000;
    assert(futex(&word, FUTEX_WAIT, 5, &ts, NULL, 0) == -1 && errno == EINVAL);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    assert(futex(&word, FUTEX_WAIT_BITSET, 5, &ts, NULL, 1) == -1 && errno == ETIMEDOUT);
    wait_and_wake();
    bit_sets();
    requeue();
    wake_op();
    assert(syscall(SYS_getpid) == getpid());
    assert(syscall(SYS_close, 999999) == -1 && errno == EBADF);
    assert(syscall(SYS_sched_yield) == 0);
    return 0;
}
