/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: gmtime_r and localtime_r fill a structure of the caller's own.
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *
year(void *arg)
{
    const time_t then = arg ? 0 : 1000000000;
    struct tm own;
    const struct tm *t = arg ? gmtime_r(&then, &own) : localtime_r(&then, &own);

    assert(t->tm_year == (arg ? 70 : 101));
    return NULL;
}

int
main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, year, NULL);
    pthread_create(&b, NULL, year, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
