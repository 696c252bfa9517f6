/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_barrier_init pthread_barrier_wait pthread_barrier_destroy
 * No thread passes before all have come, round after round, and exactly one is the serial thread. A
 * thread that has left may destroy and free the barrier although others have yet to leave.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PARTIES 3
#define ROUNDS 3

static pthread_barrier_t *b;
static atomic_int arrived;
static atomic_int serial;

static void *
go_round(void *arg)
{
    int r = 0;

    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_fetch_add(&arrived, 1);
        r = pthread_barrier_wait(b);
        assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        if (r == PTHREAD_BARRIER_SERIAL_THREAD)
            atomic_fetch_add(&serial, 1);
        assert(atomic_load(&arrived) >= i * PARTIES);
    }
    if (r == PTHREAD_BARRIER_SERIAL_THREAD) {
        assert(pthread_barrier_destroy(b) == 0);
        free(b);
    }
    return NULL;
}

int
main(void)
{
    pthread_barrier_t again;
    pthread_t t[PARTIES];

    assert(pthread_barrier_init(&again, NULL, 0) == EINVAL);
    assert(pthread_barrier_init(&again, NULL, 2) == 0);
    assert(pthread_barrier_destroy(&again) == 0);
    assert(pthread_barrier_init(&again, NULL, 1) == 0);
    assert(pthread_barrier_wait(&again) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_destroy(&again) == 0);

    b = malloc(sizeof *b);
    assert(b != NULL && pthread_barrier_init(b, NULL, PARTIES) == 0);
    for (int i = 0; i < PARTIES; i++)
        assert(pthread_create(&t[i], NULL, go_round, NULL) == 0);
    for (int i = 0; i < PARTIES; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(atomic_load(&arrived) == PARTIES * ROUNDS);
    assert(atomic_load(&serial) == ROUNDS);
    return 0;
}
