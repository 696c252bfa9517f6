/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: After a time-out the caller gives up and uses no reply.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

struct reply {
    int status;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards reply */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static struct reply *reply;

static void *
server(void *arg)
{
    pthread_mutex_lock(&mutex);
    reply = arg;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* The status, or -1 when the server did not answer in time. */
static int
call(void)
{
    struct timespec deadline;
    int status;
    int err = 0;

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 100 * 1000 * 1000;
    if (deadline.tv_nsec >= 1000 * 1000 * 1000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000 * 1000 * 1000;
    }
    pthread_mutex_lock(&mutex);
    while (reply == NULL && err != ETIMEDOUT)
        err = pthread_cond_timedwait(&arrived, &mutex, &deadline);
    status = reply == NULL ? -1 : reply->status;
    pthread_mutex_unlock(&mutex);
    return status;
}

int
main(void)
{
    struct reply ok = { 200 };
    pthread_t thread;
    int status;

    pthread_create(&thread, NULL, server, &ok);
    status = call();
    pthread_join(thread, NULL);
    assert(status == 200 || status == -1);
    return 0;
}
