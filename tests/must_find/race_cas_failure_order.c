/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The loser of the compare-exchange uses the winner's object, but the failing exchange
 *   is relaxed: it has read the pointer without acquiring what it points to.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

struct session {
    int id;
    int uses;
};

static struct session *_Atomic session;
static _Atomic int sum;

static struct session *
get_session(int id)
{
    struct session *mine = malloc(sizeof *mine);
    struct session *other = NULL;

    mine->id = id;
    mine->uses = 1;
    if (atomic_compare_exchange_strong_explicit(&session, &other, mine, memory_order_release,
                                                memory_order_relaxed))
        return mine;
    free(mine);
    return other;
}

static void *
use(void *arg)
{
    atomic_fetch_add(&sum, get_session(*(int *)arg)->id);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];
    int ids[2] = { 5, 7 };

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &ids[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(atomic_load(&session));
    return sum == 10 || sum == 14 ? 0 : 1;
}
