/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: memory.use-after-return
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=2000
 * BURL-ENGINES: both
 * BURL-WHY: The server signals after it has unlocked: the client may have seen the answer and
 *   returned, and with it the condition variable is gone.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct request {
    pthread_mutex_t lock;
    pthread_cond_t done;
    bool is_done;
};

static pthread_t server;

static void *
serve(void *arg)
{
    struct request *r = arg;

    pthread_mutex_lock(&r->lock);
    r->is_done = true;
    pthread_mutex_unlock(&r->lock);
    pthread_cond_signal(&r->done);
    return NULL;
}

__attribute__((noinline)) static void
ask(void)
{
    struct request r = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false };

    pthread_create(&server, NULL, serve, &r);
    pthread_mutex_lock(&r.lock);
    while (!r.is_done)
        pthread_cond_wait(&r.done, &r.lock);
    pthread_mutex_unlock(&r.lock);
}

int
main(void)
{
    ask();
    pthread_join(server, NULL);
    return 0;
}
