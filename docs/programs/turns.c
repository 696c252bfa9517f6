/* SPDX-License-Identifier: Apache-2.0 */
/* docs/programs/turns.c - three threads take turns at a lock: a program for docs/howto/regression.md. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *
take_turns(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int
main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, take_turns, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
#ifdef BROKEN
    assert(turns != 9);
#else
    assert(turns == 9);
#endif
    return 0;
}
