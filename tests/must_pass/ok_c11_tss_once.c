/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: C11 thread-specific storage with a destructor, and call_once, used right.
 */
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t storage;
static atomic_int n_inits;
static atomic_int n_freed;

static void
drop(void *p)
{
    free(p);
    atomic_fetch_add(&n_freed, 1);
}

static void
init(void)
{
    tss_create(&storage, drop);
    atomic_fetch_add(&n_inits, 1);
}

static int
work(void *arg)
{
    int *mine = malloc(sizeof *mine);

    call_once(&once, init);
    *mine = *(int *)arg;
    tss_set(storage, mine);
    thrd_yield();
    assert(*(int *)tss_get(storage) == *(int *)arg);
    return *mine;
}

int
main(void)
{
    thrd_t threads[2];
    int ids[2] = { 3, 4 };
    int sum = 0;

    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], work, &ids[i]);
    for (int i = 0; i < 2; i++) {
        int result = 0;

        thrd_join(threads[i], &result);
        sum += result;
    }
    assert(sum == 7);
    assert(atomic_load(&n_inits) == 1 && atomic_load(&n_freed) == 2);
    tss_delete(storage);
    return 0;
}
