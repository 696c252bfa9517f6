/* SPDX-License-Identifier: Apache-2.0 */
/* Threads at full speed add to one variable, always under the same lock. Between the read and the
 * write of one addition no other thread can come, so there is no triple that begins with the read;
 * all that begin with the write are there, since the first rounds are taken in turns. No access is
 * a race. */
#include "turn.h"

#define ROUNDS 100000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void
add(void)
{
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
}

static void *
even(void *arg)
{
    (void)arg;
    add();
    give_turn(0);
    await_turn(1);
    add();
    give_turn(2);
    await_turn(3);
    for (int i = 0; i < ROUNDS; i++)
        add();
    return NULL;
}

static void *
odd(void *arg)
{
    (void)arg;
    await_turn(0);
    add();
    give_turn(1);
    await_turn(2);
    add();
    give_turn(3);
    for (int i = 0; i < ROUNDS; i++)
        add();
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    turns_init();
    pthread_create(&t[0], NULL, even, NULL);
    pthread_create(&t[1], NULL, odd, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
