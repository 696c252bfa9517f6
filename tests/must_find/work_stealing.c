/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: The owner takes the last task without competing with the thieves for it, so a thief
 *   that has already looked can take the same task.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* A work-stealing deque after Chase and Lev, without growth: the owner pushes and takes at the
 * bottom, thieves steal at the top. */
enum { CAPACITY = 8, N_TASKS = 2, EMPTY = -1 };

static atomic_int top;
static atomic_int bottom;
static atomic_int tasks[CAPACITY];
static atomic_int runs[N_TASKS];

static void
push(int task)
{
    int b = atomic_load(&bottom);

    atomic_store(&tasks[b % CAPACITY], task);
    atomic_store(&bottom, b + 1);
}

static int
take(void)
{
    int b = atomic_load(&bottom) - 1;
    int t;
    int task;

    atomic_store(&bottom, b);
    t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, t);
        return EMPTY;
    }
    task = atomic_load(&tasks[b % CAPACITY]);
    return task;
}

static int
steal(void)
{
    int t = atomic_load(&top);
    int b = atomic_load(&bottom);
    int task;

    if (t >= b)
        return EMPTY;
    task = atomic_load(&tasks[t % CAPACITY]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? task : EMPTY;
}

static void
run(int task)
{
    if (task != EMPTY)
        assert(atomic_fetch_add(&runs[task], 1) == 0);
}

static void *
owner(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_TASKS; i++)
        push(i);
    for (int i = 0; i < N_TASKS; i++)
        run(take());
    return NULL;
}

static void *
thief(void *arg)
{
    (void)arg;
    for (int i = 0; i < N_TASKS; i++)
        run(steal());
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, thief, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    run(steal());
    run(steal());
    for (int i = 0; i < N_TASKS; i++)
        assert(atomic_load(&runs[i]) == 1);
    return 0;
}
