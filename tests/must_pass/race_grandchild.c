/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The child joins its helper, so that joining the child covers both.
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
    pthread_join(helper, NULL);
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
    return sum == 1 || sum == 3 ? 0 : 1;
}
