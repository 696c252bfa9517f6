/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O2
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: A spin lock in inline assembly that looks first and takes afterwards: two threads
 *   see it free and both take it. The only places to stop between the two are inside the assembly.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static unsigned lock;
static int count;

static inline unsigned
exchange(unsigned *p, unsigned v)
{
    __asm__ volatile("xchgl %1, %0" : "+m"(*p), "+q"(v) : : "memory");
    return v;
}

static inline unsigned
load(const unsigned *p)
{
    unsigned v;

    __asm__ volatile("movl %1, %0" : "=q"(v) : "m"(*p) : "memory");
    return v;
}

static inline void
store(unsigned *p, unsigned v)
{
    __asm__ volatile("movl %1, %0" : "=m"(*p) : "q"(v) : "memory");
}

static inline void
pause_a_little(void)
{
    __asm__ volatile("pause" : : : "memory");
}

static void
take(void)
{
    while (load(&lock) != 0)
        pause_a_little();
    exchange(&lock, 1);
}

static void *
work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        take();
        count++;
        store(&lock, 0);
    }
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 6);
    return 0;
}
