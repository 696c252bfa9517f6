/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-ARGS: --runs=500
 * BURL-WHY: The lock is initialized once, by the first thread.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int lines;

static void
make_lock(void)
{
    pthread_mutex_init(&lock, NULL);
}

static void *
log_line(void *arg)
{
    (void)arg;
    pthread_once(&once, make_lock);
    pthread_mutex_lock(&lock);
    lines++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, log_line, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
