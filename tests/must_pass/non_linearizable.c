/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-WHY: Pushes that are atomic leave the results of some order, so the test that burl gen would
 *   write has nothing to say.
 */
#include <pthread.h>
#include <stddef.h>

void __burl_non_linearizable(const char *text);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length;

static void *
push(void *arg)
{
    int *got = arg;

    pthread_mutex_lock(&lock);
    *got = ++length;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int got[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, push, &got[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (length != 2 || got[0] + got[1] != 3)
        __burl_non_linearizable("the results of push and push are those of no order of the calls");
    return 0;
}
