/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A thread begins with the floating-point modes of its creator: rounding here. main
 *   begins with those that constructors left, as -ffast-math does (denormals as zero).
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <xmmintrin.h>

#define DENORMALS_ARE_ZERO 0x40u
#define MODES(csr) ((csr) & ~0x3fu) /* without the exceptions that were raised */

static unsigned first, second;

__attribute__((constructor)) static void
set_denormals(void)
{
    _mm_setcsr(_mm_getcsr() | DENORMALS_ARE_ZERO);
}

static void *
work(void *arg)
{
    *(unsigned *)arg = MODES(_mm_getcsr());
    _mm_setcsr(_mm_getcsr() | _MM_ROUND_DOWN); /* of this thread alone */
    return NULL;
}

int
main(void)
{
    const unsigned at_start = MODES(_mm_getcsr());
    pthread_t a, b;

    assert((at_start & DENORMALS_ARE_ZERO) != 0);
    pthread_create(&a, NULL, work, &first);
    _mm_setcsr(_mm_getcsr() | _MM_ROUND_UP);
    pthread_create(&b, NULL, work, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first == at_start);
    assert(second == (at_start | _MM_ROUND_UP));
    assert(MODES(_mm_getcsr()) == second);
    return 0;
}
