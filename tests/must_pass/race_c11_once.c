/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: All of it is made inside the initializer.
 */
#include <stddef.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int primes[3];

static void
make_primes(void)
{
    primes[0] = 2;
    primes[1] = 3;
    primes[2] = 5;
}

static int
use(void *arg)
{
    call_once(&once, make_primes);
    (void)arg;
    return primes[0] + primes[2];
}

int
main(void)
{
    thrd_t threads[2];
    int sum = 0;

    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], use, NULL);
    for (int i = 0; i < 2; i++) {
        int one = 0;

        thrd_join(threads[i], &one);
        sum += one;
    }
    return sum == 14 ? 0 : 1;
}
