/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spin_handoff.c - a mailbox of one word between a client and a server, both spinning. The
 * server answers, then clears the request: a client that is quick has put its next request
 * there, and that one is cleared. Both spin for ever. FIXED: the server clears the request
 * before it answers.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { REQUESTS = 3 };

static _Atomic int request; /* 0: none */
static _Atomic int answer;
static atomic_bool over;

static void *
server(void *arg)
{
    while (!over) {
        int r = request;

        if (r == 0) {
            sched_yield();
            continue;
        }
#ifdef FIXED
        request = 0;
        answer = r * 2;
#else
        answer = r * 2;
        request = 0;
#endif
    }
    return arg;
}

static void *
client(void *arg)
{
    for (int i = 1; i <= REQUESTS; i++) {
        request = i;
        while (answer == 0)
            sched_yield();
        assert(answer == i * 2);
        answer = 0;
    }
    over = true;
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, server, NULL);
    pthread_create(&threads[1], NULL, client, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
