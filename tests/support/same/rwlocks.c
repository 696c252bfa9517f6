/* SPDX-License-Identifier: Apache-2.0 */
/* Readers and writers of one lock. */
#include "turn.h"

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int value, seen, both;

static void *
writer(void *arg)
{
    int from = *(int *)arg;

    await_turn(from);
    pthread_rwlock_wrlock(&rw);
    value++;
    both = value;
    pthread_rwlock_unlock(&rw);
    give_turn(from + 1);
    return NULL;
}

static void *
reader(void *arg)
{
    int from = *(int *)arg;
    int v;

    await_turn(from);
    pthread_rwlock_rdlock(&rw);
    v = value;
    seen = v + both;
    pthread_rwlock_unlock(&rw);
    give_turn(from + 1);
    return NULL;
}

int
main(void)
{
    pthread_t t[5];
    int from[5] = { 0, 1, 2, 3, 4 };

    turns_init();
    pthread_create(&t[0], NULL, writer, &from[0]);
    pthread_create(&t[1], NULL, reader, &from[1]);
    pthread_create(&t[2], NULL, reader, &from[2]);
    pthread_create(&t[3], NULL, writer, &from[3]);
    pthread_create(&t[4], NULL, reader, &from[4]);
    give_turn(0);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    if (pthread_rwlock_tryrdlock(&rw) == 0)
        pthread_rwlock_unlock(&rw);
    return value + seen + both == 0;
}
