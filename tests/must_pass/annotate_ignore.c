/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The peek is marked as one that burl is to ignore.
 */
#include <burl/burl.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards depth */
static int depth;

static void *
push(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    depth++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    int about;

    pthread_create(&thread, NULL, push, NULL);
    BURL_IGNORE_READS_BEGIN();
    about = depth;
    BURL_IGNORE_READS_END();
    pthread_join(thread, NULL);
    return about <= 1 ? 0 : 1;
}
