/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: arch_prctl syscall
 * BURL-CFLAGS: -D_GNU_SOURCE
 * BURL-WHY: the GS base belongs to the thread that set it, by either call, and is inherited by the
 *   threads it creates; every execution begins with the one of the process.
 */
#include <asm/prctl.h>
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

int arch_prctl(int code, unsigned long arg);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long areas[3][8];
static int n;

static unsigned long
base(void)
{
    unsigned long gs = 1;

    assert(syscall(SYS_arch_prctl, ARCH_GET_GS, &gs) == 0);
    return gs;
}

static long
load(void)
{
    long v;

    __asm__ volatile("movq %%gs:8, %0" : "=r"(v));
    return v;
}

static void *
worker(void *arg)
{
    long *mine = areas[(long)arg];

    assert(base() == (unsigned long)areas[0]);
    if (arg == (void *)1)
        assert(arch_prctl(ARCH_SET_GS, (unsigned long)mine) == 0);
    else
        assert(syscall(SYS_arch_prctl, ARCH_SET_GS, (unsigned long)mine) == 0);
    mine[1] = (long)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
        assert(load() == (long)arg);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    assert(base() == 0);
    assert(arch_prctl(ARCH_SET_GS, (unsigned long)areas[0]) == 0);
    areas[0][1] = 77;
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(load() == 77 && base() == (unsigned long)areas[0]);
    return 0;
}
