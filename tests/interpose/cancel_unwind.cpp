/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_exit pthread_cancel
 * BURL-WHY: C++ frames are left with their destructors and catch (...) blocks run, inner ones
 *   first, and pthread_cleanup_push works in between.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

static int order;
static sem_t never;

struct digit {
    int d;

    explicit digit(int x) : d(x) {}
    ~digit() { order = order * 10 + d; }
};

static void
handler(void *arg)
{
    order = order * 10 + (int)(intptr_t)arg;
}

static void
inner(bool by_exit)
{
    digit one(1);

    pthread_cleanup_push(handler, (void *)2);
    digit three(3);
    if (by_exit)
        pthread_exit((void *)42);
    sem_wait(&never);
    pthread_cleanup_pop(0);
}

static void
middle(bool by_exit)
{
    digit four(4);

    try {
        digit five(5);
        inner(by_exit);
    } catch (...) {
        order = order * 10 + 6;
        throw;
    }
}

static void *
run(void *arg)
{
    digit seven(7);

    middle(arg != nullptr);
    return nullptr;
}

int
main()
{
    pthread_t t;
    void *result;

    assert(sem_init(&never, 0, 0) == 0);
    assert(pthread_create(&t, nullptr, run, &never) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == (void *)42);
    assert(order == 3215647);
    order = 0;
    assert(pthread_create(&t, nullptr, run, nullptr) == 0);
    assert(pthread_cancel(t) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == PTHREAD_CANCELED);
    assert(order == 3215647);
    return 0;
}
