/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-WHY: When the connection is already closed, which takes a faster peer, the sender writes
 *   the reason into the shared error text without the lock.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct connection {
    pthread_mutex_t mutex; /* guards all */
    bool is_open;
    int sent;
    char error[16];
};

static struct connection c = { PTHREAD_MUTEX_INITIALIZER, true, 0, "" };

static bool
send_one(int x)
{
    bool ok;

    pthread_mutex_lock(&c.mutex);
    ok = c.is_open;
    if (ok)
        c.sent += x;
    pthread_mutex_unlock(&c.mutex);
    if (!ok)
        memcpy(c.error, "closed", 7);
    return ok;
}

static void *
send_all(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++) {
        if (!send_one(i))
            break;
    }
    return NULL;
}

static void *
hang_up(void *arg)
{
    char *reason = arg;

    pthread_mutex_lock(&c.mutex);
    c.is_open = false;
    pthread_mutex_unlock(&c.mutex);
    pthread_mutex_lock(&c.mutex);
    memcpy(reason, c.error, sizeof c.error);
    pthread_mutex_unlock(&c.mutex);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    char reason[16];

    pthread_create(&threads[0], NULL, send_all, NULL);
    pthread_create(&threads[1], NULL, hang_up, reason);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return c.sent <= 6 ? 0 : 1;
}
