/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_signal
 *   pthread_cond_broadcast
 * A wait must give the mutex back and end by a signal: with libc's own function the carrier
 * would sleep for ever. One signal ends one wait, a broadcast all.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t waiting_changed;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int waiting;
static int tickets;
static int woken;

static void *
wait_for_ticket(void *arg)
{
    (void)arg;
    assert(pthread_mutex_lock(&m) == 0);
    waiting++;
    assert(pthread_cond_signal(&waiting_changed) == 0);
    while (tickets == 0)
        assert(pthread_cond_wait(&go, &m) == 0);
    tickets--;
    woken++;
    assert(pthread_cond_signal(&waiting_changed) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return NULL;
}

int
main(void)
{
    pthread_t t[3];

    assert(pthread_cond_init(&waiting_changed, NULL) == 0);
    assert(pthread_cond_signal(&go) == 0); /* no waiter: no effect, now or later */
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, wait_for_ticket, NULL) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    while (waiting < 3)
        assert(pthread_cond_wait(&waiting_changed, &m) == 0);

    tickets = 1;
    assert(pthread_cond_signal(&go) == 0);
    while (woken < 1)
        assert(pthread_cond_wait(&waiting_changed, &m) == 0);
    for (int i = 0; i < 3; i++) {
        assert(pthread_mutex_unlock(&m) == 0);
        sched_yield();
        assert(pthread_mutex_lock(&m) == 0);
    }
    assert(woken == 1);

    tickets = 2;
    assert(pthread_cond_broadcast(&go) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(woken == 3 && tickets == 0);

    /* Memory that is assigned anew is a new condition variable, as C++ makes them. */
    assert(pthread_cond_destroy(&go) == 0);
    go = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    assert(pthread_cond_broadcast(&go) == 0);
    assert(pthread_cond_destroy(&go) == 0);
    assert(pthread_cond_destroy(&waiting_changed) == 0);
    return 0;
}
