/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=reads-from --runs=30 --detect=none --stop-at-first
 * BURL-WHY: Forty threads publish two values one after the other; a look in between shows one
 *   without the other. All forty must stand between their two writes, so a walk without preference
 *   practically never shows it; that one read sees the initial value is one proposal.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N 40

static int head, tail;

static void *
publish(void *arg)
{
    head = 1;
    tail = 1;
    return arg;
}

static void *
look(void *arg)
{
    if (head == 1)
        assert(tail == 1);
    return arg;
}

int
main(void)
{
    pthread_t t[N + 1];

    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, publish, NULL);
    pthread_create(&t[N], NULL, look, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
