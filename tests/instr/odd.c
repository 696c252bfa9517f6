/* SPDX-License-Identifier: Apache-2.0 */
/* Things that must survive instrumentation: each would crash, hang or not compile if hooks went to
 * the wrong place. Prints one line; ignored_* must have no sites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef int v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32)));
struct big {
    char bytes[24];
};

v4 vec4;
v8 vec8;
long double wide;
__int128 huge;
_Complex double cplx;
_Atomic struct big atomic_big;
_Atomic __int128 atomic_huge;
int g;

__attribute__((annotate("burl.ignore"))) int
ignored_by_annotation(void)
{
    return g++;
}

__attribute__((disable_sanitizer_instrumentation)) int
ignored_by_attribute(void)
{
    return g++;
}

__attribute__((naked)) void
naked_function(void)
{
    __asm__("ret");
}

static int
real_impl(int x)
{
    return x + 1;
}

static int (*resolve(void))(int)
{
    return real_impl;
}

int dispatched(int x) __attribute__((ifunc("resolve")));

__attribute__((pure, noinline)) int
pure_function(const int *p)
{
    return *p + 1;
}

__attribute__((noinline)) static int
tail(int n, int *p)
{
    if (n == 0)
        return *p;
    *p += n;
    __attribute__((musttail)) return tail(n - 1, p);
}

static int
sum(int n, ...)
{
    va_list ap;
    int s = 0;

    va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}

static jmp_buf env;

int
main(void)
{
    struct big b = { "0123456789" };
    volatile int jumped = 0;
    int *heap = calloc(16, sizeof *heap);

    g = 5;
    vec4 += (v4){ 1, 2, 3, 4 };
    vec8 += (v8){ 1, 2, 3, 4, 5, 6, 7, 8 };
    wide = wide * 2 + 1;
    huge += 3;
    cplx = cplx + 2.0;
    atomic_store(&atomic_big, b);
    struct big got = atomic_load(&atomic_big);
    atomic_store(&atomic_huge, 5);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    naked_function();
    if (setjmp(env) == 0)
        longjmp(env, 1);
    else
        jumped++;
    heap[3] = pure_function(&g) + pure_function(&g);
    printf("%d %d %d %d %d %d %c %d %d\n", ignored_by_annotation(), ignored_by_attribute(),
           dispatched(1), tail(100, heap), sum(3, 1, 2, 3), jumped, got.bytes[4],
           (int)atomic_load(&atomic_huge), vec4[2] + vec8[7] + (int)wide + (int)huge);
    free(heap);
    return 0;
}
