/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: cnd_destroy
 * BURL-KIND: misuse.destroy-busy
 * BURL-NATIVE: no
 * Destroyed while a thread waits on it.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static cnd_t come_changed;
static int come;

static int
wait_for_ever(void *arg)
{
    (void)arg;
    mtx_lock(&m);
    come = 1;
    cnd_signal(&come_changed);
    while (come != 0)
        cnd_wait(&c, &m);
    return 0;
}

int
main(void)
{
    thrd_t t;

    assert(mtx_init(&m, mtx_plain) == thrd_success);
    assert(cnd_init(&c) == thrd_success && cnd_init(&come_changed) == thrd_success);
    assert(thrd_create(&t, wait_for_ever, NULL) == thrd_success);
    mtx_lock(&m);
    while (come == 0)
        cnd_wait(&come_changed, &m);
    cnd_destroy(&c);
    return 0;
}
