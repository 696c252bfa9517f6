/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Two diners share a spoon and each hands it to the other as long as that one is
 *   hungry. When both are hungry they hand it back and forth for ever; both run, neither gets
 *   anywhere.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { N_DINERS = 2 };

static atomic_int spoon; /* the diner who holds it */
static atomic_int hungry[N_DINERS];
static int ids[N_DINERS] = { 0, 1 };
static int meals; /* guarded by the spoon */

static void *
dine(void *arg)
{
    int self = *(int *)arg;
    int other = 1 - self;

    atomic_store(&hungry[self], 1);
    for (;;) {
        if (atomic_load(&spoon) != self) {
            sched_yield();
            continue;
        }
        if (!atomic_load(&hungry[other]))
            break;
        atomic_store(&spoon, other);
    }
    meals++;
    atomic_store(&hungry[self], 0);
    atomic_store(&spoon, other);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_DINERS];

    for (int i = 0; i < N_DINERS; i++)
        pthread_create(&threads[i], NULL, dine, &ids[i]);
    for (int i = 0; i < N_DINERS; i++)
        pthread_join(threads[i], NULL);
    assert(meals == N_DINERS);
    return 0;
}
