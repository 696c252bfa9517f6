/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --strategy=preemption --detect=none --runs=1500 --stop-at-first
 * BURL-WHY: Four threads set two variables after some other work; the first to get there must be
 *   preempted between them, and the turn must go straight to the fifth, which looks. All places
 *   are tried with all threads to go to; with delays it takes one for each thread in between.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SETTERS = 4, ROUNDS = 6 };

static atomic_int a;
static atomic_int b;

static pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void
do_work(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&work_lock);
        work++;
        pthread_mutex_unlock(&work_lock);
    }
}

static void *
setter(void *arg)
{
    do_work();
    atomic_store(&a, 1);
    atomic_store(&b, -1);
    return arg;
}

static void *
checker(void *arg)
{
    const int x = atomic_load(&a);
    const int y = atomic_load(&b);

    assert((x == 0 && y == 0) || (x == 1 && y == -1));
    return arg;
}

int
main(void)
{
    pthread_t t[SETTERS + 1];

    for (int i = 0; i < SETTERS; i++)
        pthread_create(&t[i], NULL, setter, NULL);
    pthread_create(&t[SETTERS], NULL, checker, NULL);
    for (int i = 0; i <= SETTERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
