/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-ENGINES: both
 * BURL-WHY: Looks for the message a number of times and then gives way between two looks, for as
 *   long as it takes.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#define TRIES 20

static atomic_int message;
static int lost;

static void *
receive(void *arg)
{
    int tries = 0;

    (void)arg;
    while (atomic_load(&message) == 0) {
        if (tries < TRIES)
            tries++;
        else
            sched_yield();
    }
    lost = atomic_load(&message) == 0;
    return NULL;
}

static void *
send(void *arg)
{
    (void)arg;
    atomic_store(&message, 1);
    return NULL;
}

int
main(void)
{
    pthread_t receiver;
    pthread_t sender;

    pthread_create(&receiver, NULL, receive, NULL);
    pthread_create(&sender, NULL, send, NULL);
    pthread_join(receiver, NULL);
    pthread_join(sender, NULL);
    assert(!lost);
    return 0;
}
