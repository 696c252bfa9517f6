/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: tss_create tss_delete tss_get tss_set
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static tss_t key;
static mtx_t m;
static int destroyed;

static void
destroy(void *value)
{
    assert(*(int *)value == 7);
    mtx_lock(&m);
    destroyed++;
    mtx_unlock(&m);
}

static int
run(void *arg)
{
    assert(tss_get(key) == NULL);
    assert(tss_set(key, arg) == thrd_success);
    thrd_yield();
    assert(tss_get(key) == arg);
    return 3;
}

int
main(void)
{
    static int seven = 7;
    thrd_t t[2];
    int r;

    assert(mtx_init(&m, mtx_plain) == thrd_success);
    assert(tss_create(&key, destroy) == thrd_success);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&t[i], run, &seven) == thrd_success);
    for (int i = 0; i < 2; i++) {
        assert(thrd_join(t[i], &r) == thrd_success);
        assert(r == 3);
    }
    assert(destroyed == 2);
    tss_delete(key);
    assert(tss_set(key, &seven) == thrd_error);
    return 0;
}
