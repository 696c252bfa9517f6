/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.reinit
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each user of the log initializes its lock on the way in.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int lines;

static void *
log_line(void *arg)
{
    (void)arg;
    pthread_mutex_init(&lock, NULL);
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
