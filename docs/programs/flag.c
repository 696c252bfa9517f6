/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/flag.c - data handed over by a volatile flag. */
#include <pthread.h>

static volatile int flag;
static int first, other_one;

static void *
produce(void *arg)
{
    first = 1;
    other_one = 2;
    flag = 1;
    return arg;
}

int
main(void)
{
    pthread_t t;
    int sum = 0;

    pthread_create(&t, NULL, produce, NULL);
    if (flag)
        sum = first + other_one;
    pthread_join(t, NULL);
    return sum != 0 && sum != 3;
}
