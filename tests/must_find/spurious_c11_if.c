/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: cnd_wait is not in a loop: C11 allows it to return unblocked without a signal.
 */
#include <assert.h>
#include <threads.h>

static mtx_t mutex; /* guards ready */
static cnd_t changed;
static int ready;

static int
consumer(void *arg)
{
    (void)arg;
    mtx_lock(&mutex);
    if (!ready)
        cnd_wait(&changed, &mutex);
    assert(ready);
    mtx_unlock(&mutex);
    return 0;
}

int
main(void)
{
    thrd_t t;

    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&t, consumer, 0);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    thrd_join(t, 0);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
