/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The second mutex is only tried for; one that does not get it releases the first and
 *   starts over.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t left;  /* guards n_left */
static mtx_t right; /* guards n_right */
static int n_left;
static int n_right;

static void
take_both(mtx_t *first, mtx_t *second)
{
    for (;;) {
        mtx_lock(first);
        if (mtx_trylock(second) == thrd_success)
            return;
        mtx_unlock(first);
        thrd_yield();
    }
}

static int
from_left(void *arg)
{
    (void)arg;
    take_both(&left, &right);
    n_left++;
    n_right++;
    mtx_unlock(&right);
    mtx_unlock(&left);
    return 0;
}

static int
from_right(void *arg)
{
    (void)arg;
    take_both(&right, &left);
    n_left++;
    n_right++;
    mtx_unlock(&left);
    mtx_unlock(&right);
    return 0;
}

int
main(void)
{
    thrd_t a;
    thrd_t b;

    mtx_init(&left, mtx_plain);
    mtx_init(&right, mtx_plain);
    thrd_create(&a, from_left, NULL);
    thrd_create(&b, from_right, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(n_left == 2 && n_right == 2);
    mtx_destroy(&left);
    mtx_destroy(&right);
    return 0;
}
