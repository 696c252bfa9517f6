/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: cnd_init
 * BURL-KIND: misuse.other
 * BURL-NATIVE: no
 * Initializing a condition variable that a thread waits on.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static bool ready;

static int
wait_ready(void *arg)
{
    (void)arg;
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    return 0;
}

int
main(void)
{
    thrd_t t;

    assert(mtx_init(&m, mtx_plain) == thrd_success && cnd_init(&c) == thrd_success);
    assert(thrd_create(&t, wait_ready, NULL) == thrd_success);
    mtx_lock(&m);
    assert(cnd_init(&c) == thrd_success);
    ready = true;
    cnd_signal(&c);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    return 0;
}
