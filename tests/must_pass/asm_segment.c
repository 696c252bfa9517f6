/* SPDX-License-Identifier: Apache-2.0 */
/* BURL-ARGS: --runs=40
 * BURL-ENGINES: both
 * BURL-WHY: a memory operand behind %fs: or %gs: is an offset into the thread's own segment, and
 *   lea and prefetch only take an address: the program touches nothing at the operand's address.
 *   Most offsets here are addresses that cannot be read.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static __thread long slot[8];
static int plain; /* its address alone is shared */
static int owner;
static long ticket;

/* Offsets of the thread's variables from the segment's base: negative, so no valid address. */
static long *
offset_of(long *p)
{
    uintptr_t self;

    __asm__("movq %%fs:0, %0" : "=r"(self));
    return (long *)((uintptr_t)p - self);
}

static void
operands(long me)
{
    long *o = offset_of(slot);
    long got, index = 2;
    long *const nothing = 0;
    void *self;

    /* Input, output, in and out, as an exact 0, with displacement, with index. */
    __asm__("movq %%fs:%1, %0" : "=r"(self) : "m"(*nothing));
    assert(self);
    __asm__("movq %1, %%fs:%0" : "=m"(*o) : "r"(me));
    __asm__("incq %%fs:%0" : "+m"(*o));
    __asm__("lock; incq %%fs:%0" : "+m"(*o) : : "memory");
    __asm__("movq %%fs:%1, %0" : "=r"(got) : "m"(*o));
    assert(got == me + 2 && slot[0] == got);
    __asm__("movq %2, %%fs:%H0" : "=m"(*o) : "m"(*o), "r"(me));
    assert(slot[1] == me);
    __asm__("movq %2, %%fs:(%0,%1,8)" : : "r"(o), "r"(index), "r"(me), "m"(*o) : "memory");
    assert(slot[2] == me);
    __asm__("movq %1, %%FS : %0" : "=m"(o[index + 1]) : "r"(me));
    assert(slot[3] == me);
    /* The override as a prefix: a word, a statement and a byte of its own. */
    __asm__("fs movq %1, %0" : "=m"(o[4]) : "r"(me));
    __asm__("fs; movq %1, %0" : "=m"(o[5]) : "r"(me));
    __asm__(".byte 0x64\n\tmovq %1, %0" : "=m"(o[6]) : "r"(me));
    __asm__("lock; fs\n\txaddq %0, %1" : "=r"(got), "+m"(o[6]) : "0"(1L));
    assert(slot[4] == me && slot[5] == me && slot[6] == me + 1);
    /* Named, with a modifier. */
    __asm__("movq %%fs:%P[from], %[to]" : [to] "=r"(got) : [from] "m"(*o));
    assert(got == me + 2);
    __asm__ goto("cmpq $0, %%fs:%0\n\tje %l1" : : "m"(*o) : "cc" : missing);
    return;
missing:
    assert(0);
}

#define FS __seg_fs
struct pair {
    long a, b;
};

static void
address_spaces(long me)
{
    uintptr_t o = (uintptr_t)offset_of(slot);
    long FS *p = (long FS *)o;
    struct pair FS *q = (struct pair FS *)o;
    struct pair x = { me, 7 };
    long expected = me;

    p[0] = me;
    assert(slot[0] == me);
    __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(p, &expected, 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_store_n(p + 1, __atomic_load_n(p, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    assert(slot[1] == me + 1 && expected == me + 1);
    *q = x;
    x = q[0];
    __builtin_memcpy(&x, (void *)slot, sizeof x);
    assert(x.a == me && slot[1] == 7);
}

/* Threads write `plain` and take its address, each under its own lock or none. */
static void
addresses(void)
{
    int *p;

    __asm__("leaq %1, %0" : "=r"(p) : "m"(plain));
    assert(p == &plain);
    __asm__ volatile("prefetcht0 %0" : : "m"(plain));
    __asm__ volatile("nop\n\tprefetchw %0" : : "m"(plain));
}

/* A segment in one statement leaves the flat operand of another one what it is: a lock. */
static void
acquire(void)
{
    char busy;

    do
        __asm__ volatile("movq %%fs:0, %%rax\n\tlock; btsl $0, %0\n\tsetc %1"
                         : "+m"(owner), "=q"(busy)
                         :
                         : "rax", "memory", "cc");
    while (busy);
}

static void *
work(void *arg)
{
    long me = (long)(intptr_t)arg * 100;

    memset(slot, 0, sizeof slot);
    operands(me);
    address_spaces(me);
    addresses();
    acquire();
    ticket++;
    __asm__ volatile("movl $0, %0" : "=m"(owner) : : "memory");
    return 0;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], 0, work, (void *)1);
    pthread_create(&t[1], 0, work, (void *)2);
    plain = 1;
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(ticket == 2);
    return 0;
}
