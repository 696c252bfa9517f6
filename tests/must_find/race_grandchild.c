/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Main joins the child, but the child has not joined the helper it started; what the
 *   helper wrote is not ordered before main's reading it.
 */
#include <pthread.h>
#include <stddef.h>

static int left;
static int right;
static pthread_t helper;

static void *
help(void *arg)
{
    (void)arg;
    right = 2;
    return NULL;
}

static void *
work(void *arg)
{
    (void)arg;
    pthread_create(&helper, NULL, help, NULL);
    left = 1;
    return NULL;
}

int
main(void)
{
    pthread_t child;
    int sum;

    pthread_create(&child, NULL, work, NULL);
    pthread_join(child, NULL);
    sum = left + right;
    pthread_join(helper, NULL);
    return sum == 1 || sum == 3 ? 0 : 1;
}
