/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A spin-wait that neither yields nor sleeps; the controlled scheduler must let the
 *   other thread go on, and there is no bug to find.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static atomic_int taken;
static int payload;

static void
relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++) {
        payload = i;
        atomic_store(&ready, i);
        while (atomic_load(&taken) != i)
            relax();
    }
    return NULL;
}

static void *
consume(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 2; i++) {
        while (atomic_load(&ready) != i)
            relax();
        assert(payload == i);
        atomic_store(&taken, i);
    }
    return NULL;
}

int
main(void)
{
    pthread_t p;
    pthread_t c;

    pthread_create(&c, NULL, consume, NULL);
    pthread_create(&p, NULL, produce, NULL);
    pthread_join(c, NULL);
    pthread_join(p, NULL);
    return 0;
}
