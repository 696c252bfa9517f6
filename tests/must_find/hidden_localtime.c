/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: gmtime and localtime give back the same structure; the other thread has filled it again
 *   before this one looks.
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *
year(void *arg)
{
    const time_t then = arg ? 0 : 1000000000;
    const struct tm *t = arg ? gmtime(&then) : localtime(&then);

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
