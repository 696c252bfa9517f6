/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.signal
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The result of the timed wait is not looked at; after a time-out the reply is used
 *   although it has not come.
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

    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 100 * 1000 * 1000;
    if (deadline.tv_nsec >= 1000 * 1000 * 1000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000 * 1000 * 1000;
    }
    pthread_mutex_lock(&mutex);
    if (reply == NULL)
        pthread_cond_timedwait(&arrived, &mutex, &deadline);
    status = reply->status;
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
