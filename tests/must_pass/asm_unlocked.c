/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A counter that one thread increments in inline assembly without a lock prefix, and that
 *   another loads in one instruction: the store is one step and publishes what precedes it.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static unsigned version;
static int value;

static void *
publish(void *arg)
{
    value = 7;
    __asm__ volatile("incl %0" : "+m"(version) : : "memory");
    return arg;
}

static unsigned
load(const unsigned *p)
{
    unsigned v;

    __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*p) : "memory");
    return v;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, publish, NULL);
    if (load(&version) != 0)
        assert(value == 7);
    pthread_join(t, NULL);
    return 0;
}
