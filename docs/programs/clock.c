/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/clock.c - a test that depends on more than its input. */
#include <pthread.h>
#include <unistd.h>

static int n;

static void *
work(void *arg)
{
    for (int i = getpid() % 7; i < 9; i++)
        n++;
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
