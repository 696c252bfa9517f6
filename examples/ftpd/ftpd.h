/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ftpd.h - what the four versions of the server share: everything but a connection's run and close.
 *
 * After the case study of the Location Pairs paper (section 5.4), an early Apache FTPServer. As
 * there, the network is left out: a list of command lines stands in for the client, and replies are
 * only counted. What is kept is which threads run at the same time: a thread for each client, and
 * a timer that closes connections when they have been idle.
 *
 * Closing a connection takes its request, reader and writer away, as the original sets its fields
 * to null; the memory stays. So an access that comes too late is a null pointer and not a use of
 * freed memory.
 *
 *     program [SECONDS]   how long clients may be idle; default 0: the timer closes at any moment
 */
#ifndef FTPD_H
#define FTPD_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct request {
    char verb; /* its first letter does */
};

struct reader {
    const char *lines[3]; /* what the client sends; NULL: it has hung up */
};

/* Locks for itself: the client's thread and the timer may both reply. */
struct writer {
    pthread_mutex_t lock;
    int n_sent; /* bytes */
};

struct connection {
    pthread_mutex_t lock;
    bool closed;
    struct request *request;
    struct reader *reader; /* made by connection_run() */
    struct writer *writer;
};

#define N_CLIENTS 2

static struct request requests[N_CLIENTS];
static struct reader client = { { "USER ann", "QUIT", NULL } }; /* both say the same */
static struct writer writers[N_CLIENTS] = {
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
};
static struct connection connections[N_CLIENTS] = {
    { PTHREAD_MUTEX_INITIALIZER, false, &requests[0], NULL, &writers[0] },
    { PTHREAD_MUTEX_INITIALIZER, false, &requests[1], NULL, &writers[1] },
};

static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_changed = PTHREAD_COND_INITIALIZER;
static bool stopping;

/* The two functions that differ from version to version. */
static void connection_run(struct connection *c);
static void connection_close(struct connection *c);

/* ---- the protocol, as stubs ----------------------------------------------------------------- */

static const char *
reader_line(const struct reader *r, int n)
{
    return r->lines[n];
}

static void
writer_send(struct writer *w, int code)
{
    char reply[16];
    int n = snprintf(reply, sizeof reply, "%d\r\n", code);

    pthread_mutex_lock(&w->lock);
    w->n_sent += n;
    pthread_mutex_unlock(&w->lock);
}

static void
request_parse(struct request *r, const char *line)
{
    r->verb = line[0];
}

/* False: the client wants to go. */
static bool
service(const struct request *r, struct writer *w)
{
    bool stays = r->verb != 'Q';

    writer_send(w, stays ? 230 : 221);
    return stays;
}

/* ---- threads -------------------------------------------------------------------------------- */

static void *
client_thread(void *connection)
{
    connection_run(connection);
    return NULL;
}

/* Waits until clients have been idle too long (true), or the server stops. */
static bool
wait_idle(intptr_t seconds)
{
    struct timespec until;
    bool idle = false;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&stop_lock);
    while (!stopping && !idle)
        idle = pthread_cond_timedwait(&stop_changed, &stop_lock, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&stop_lock);
    return idle;
}

static void *
timer_thread(void *seconds)
{
    /* 0 is for tests: any moment is late enough. */
    if (seconds == NULL || wait_idle((intptr_t)seconds)) {
        for (int i = 0; i < N_CLIENTS; i++)
            connection_close(&connections[i]);
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    intptr_t seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    pthread_t clients[N_CLIENTS], timer;

    for (int i = 0; i < N_CLIENTS; i++)
        pthread_create(&clients[i], NULL, client_thread, &connections[i]);
    pthread_create(&timer, NULL, timer_thread, (void *)seconds);
    for (int i = 0; i < N_CLIENTS; i++)
        pthread_join(clients[i], NULL);
    pthread_mutex_lock(&stop_lock);
    stopping = true;
    pthread_cond_signal(&stop_changed);
    pthread_mutex_unlock(&stop_lock);
    pthread_join(timer, NULL);
    return 0;
}

#endif
