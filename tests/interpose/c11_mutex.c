/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: mtx_init mtx_lock mtx_trylock mtx_timedlock mtx_unlock mtx_destroy
 * The mutex is held in the model only: libc's functions would take it at once.
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t plain;
static mtx_t recursive;
static int counter;

static struct timespec
soon(void)
{
    struct timespec ts;

    assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
    ts.tv_nsec += 20000000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_nsec -= 1000000000;
        ts.tv_sec++;
    }
    return ts;
}

static int
fail_all(void *arg)
{
    struct timespec ts = soon();

    (void)arg;
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_trylock(&recursive) == thrd_busy);
    assert(mtx_timedlock(&plain, &ts) == thrd_timedout);
    return 3;
}

static int
count(void *arg)
{
    (void)arg;
    assert(mtx_lock(&plain) == thrd_success);
    counter++;
    assert(mtx_unlock(&plain) == thrd_success);
    return 0;
}

int
main(void)
{
    struct timespec ts;
    thrd_t t;
    int result = 0;

    assert(mtx_init(&plain, mtx_timed) == thrd_success);
    assert(mtx_lock(&plain) == thrd_success);
    assert(mtx_unlock(&plain) == thrd_success);
    mtx_destroy(&plain);
    assert(mtx_init(&plain, mtx_timed) == thrd_success); /* a new one */
    assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    assert(mtx_lock(&plain) == thrd_success);
    assert(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success);
    assert(thrd_create(&t, fail_all, NULL) == thrd_success);
    assert(thrd_join(t, &result) == thrd_success && result == 3);
    assert(mtx_unlock(&recursive) == thrd_success);

    assert(thrd_create(&t, count, NULL) == thrd_success);
    counter = 10;
    assert(mtx_unlock(&plain) == thrd_success);
    assert(thrd_join(t, NULL) == thrd_success);
    assert(counter == 11);
    ts = soon();
    assert(mtx_timedlock(&plain, &ts) == thrd_success);
    assert(mtx_unlock(&plain) == thrd_success);
    assert(mtx_trylock(&plain) == thrd_success);
    assert(mtx_unlock(&plain) == thrd_success);
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    return 0;
}
