/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads alive at once, in a fixed order: a lock in common, other locks, none at all; and
 * what is handed on through a third. */
#include "turn.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int by_a, by_both, by_turn, through;
static int unsafe;

static void *
one(void *arg)
{
    (void)arg;
    await_turn(0);
    pthread_mutex_lock(&a);
    by_a = 1;
    by_both = 1;
    pthread_mutex_unlock(&a);
    through = 1;
    by_turn = by_turn + 1;
    unsafe = 1;
    give_turn(1);
    await_turn(3);
    pthread_mutex_lock(&a);
    by_a++;
    pthread_mutex_lock(&b);
    by_both = by_both + by_a;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    by_turn++;
    give_turn(4);
    return NULL;
}

static void *
two(void *arg)
{
    (void)arg;
    await_turn(1);
    by_turn = by_turn + 2;
    pthread_mutex_lock(&a);
    by_a = by_a + 2;
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    by_both = 3;
    pthread_mutex_unlock(&b);
    give_turn(2);
    return NULL;
}

static void *
three(void *arg)
{
    (void)arg;
    await_turn(2);
    through = through + 1;
    pthread_mutex_lock(&b);
    by_both++;
    pthread_mutex_unlock(&b);
    give_turn(3);
    await_turn(4);
    by_turn = by_turn * 2;
    if (pthread_mutex_trylock(&a) == 0) {
        by_a = 0;
        pthread_mutex_unlock(&a);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[3];

    turns_init();
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_create(&t[2], NULL, three, NULL);
    give_turn(0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return by_a + by_both + by_turn + through + unsafe == 0;
}
