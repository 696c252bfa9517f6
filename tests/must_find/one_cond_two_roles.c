/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Readers and the writer of a one-slot channel wait on the same condition variable,
 *   and signal may wake one of the same kind, which goes back to sleep: the wakeup is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_PAIRS = 2 };

struct channel {
    pthread_mutex_t mutex; /* guards full and message */
    pthread_cond_t changed;
    int full;
    int message;
};

static struct channel chan = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
};
static int received[N_PAIRS];

static void
wake(struct channel *c)
{
    pthread_cond_signal(&c->changed);
}

static void
send(struct channel *c, int message)
{
    pthread_mutex_lock(&c->mutex);
    while (c->full)
        pthread_cond_wait(&c->changed, &c->mutex);
    c->message = message;
    c->full = 1;
    wake(c);
    pthread_mutex_unlock(&c->mutex);
}

static int
receive(struct channel *c)
{
    int message;

    pthread_mutex_lock(&c->mutex);
    while (!c->full)
        pthread_cond_wait(&c->changed, &c->mutex);
    message = c->message;
    c->full = 0;
    wake(c);
    pthread_mutex_unlock(&c->mutex);
    return message;
}

static void *
sender(void *arg)
{
    (void)arg;
    send(&chan, 7);
    return NULL;
}

static void *
receiver(void *arg)
{
    *(int *)arg = receive(&chan);
    return NULL;
}

int
main(void)
{
    pthread_t senders[N_PAIRS];
    pthread_t receivers[N_PAIRS];

    for (int i = 0; i < N_PAIRS; i++) {
        pthread_create(&senders[i], NULL, sender, NULL);
        pthread_create(&receivers[i], NULL, receiver, &received[i]);
    }
    for (int i = 0; i < N_PAIRS; i++) {
        pthread_join(senders[i], NULL);
        pthread_join(receivers[i], NULL);
    }
    assert(received[0] == 7 && received[1] == 7);
    return 0;
}
