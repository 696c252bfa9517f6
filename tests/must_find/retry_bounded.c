/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300 --stop-at-first
 * BURL-ENGINES: both
 * BURL-SEQUENTIAL: yes
 * BURL-WHY: Looks for the message a number of times and then takes it for lost, which it is when
 *   the sender comes late. A loop that reads the same again and again is not always one that waits.
 */
#include <assert.h>
#include <pthread.h>
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
    while (tries < TRIES && atomic_load(&message) == 0)
        tries++;
    lost = tries == TRIES;
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
