/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: atomicity.non-linearisable
 * BURL-CFLAGS: -O1
 * BURL-NEVER: race.data
 * BURL-WHY: Two pushes, each of which gives its lock up in between, leave one element: the results
 *   of no order of the two. The test says so as those that burl gen writes do.
 */
#include <pthread.h>
#include <stddef.h>

void __burl_non_linearizable(const char *text);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length;

static int
get(void)
{
    pthread_mutex_lock(&lock);
    int n = length;
    pthread_mutex_unlock(&lock);
    return n;
}

static void
set(int n)
{
    pthread_mutex_lock(&lock);
    length = n;
    pthread_mutex_unlock(&lock);
}

static void *
push(void *arg)
{
    (void)arg;
    set(get() + 1);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, push, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (get() != 2)
        __burl_non_linearizable("the results of push and push are those of no order of the calls");
    return 0;
}
