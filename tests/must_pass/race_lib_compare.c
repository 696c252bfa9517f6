/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: Comparing and changing are done under the lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards password */
static char password[12] = "swordfish";

static void *
change(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    strncpy(password, "marlin", sizeof password - 1);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
log_in(void *arg)
{
    int *ok = arg;

    pthread_mutex_lock(&mutex);
    *ok = strcmp(password, "marlin") == 0;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ok = 0;

    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, log_in, &ok);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return ok <= 1 ? 0 : 1;
}
