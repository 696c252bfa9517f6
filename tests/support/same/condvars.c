/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables: a signal that is waited for, one with no waiter, a broadcast. The signal
 * comes when the waiter has given back the mutex: it was the waiter that let the signaler go on. */
#include "turn.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int state, payload;

static void *
waiter(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    state = 1;
    give_turn(0);
    while (state != 2)
        pthread_cond_wait(&ready, &m);
    payload++;
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *
signaler(void *arg)
{
    (void)arg;
    await_turn(0);
    pthread_mutex_lock(&m);
    state = 2;
    payload = 1;
    pthread_cond_signal(&idle);
    pthread_cond_broadcast(&ready);
    pthread_mutex_unlock(&m);
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    turns_init();
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, signaler, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return payload + state == 0;
}
