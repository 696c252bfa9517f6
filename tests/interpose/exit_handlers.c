/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: exit __cxa_atexit on_exit __cxa_finalize
 * BURL-WHY: handlers run newest first, those that handlers register next, the destructors of the
 *   program last, with another thread still alive; a wrong order ends with another exit code.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static int order;
static sem_t never;

static void
step(int expected)
{
    if (++order != expected)
        _exit(10 + expected);
}

__attribute__((destructor)) static void
destructor(void)
{
    step(6);
}

static void
last(void)
{
    step(5);
}

static void
fourth(int code, void *arg)
{
    if (code != 0 || arg != &order)
        _exit(2);
    step(4);
}

static void
third(void)
{
    step(3);
}

static void
second(void)
{
    step(2);
    assert(atexit(third) == 0);
}

static void
first(void)
{
    step(1);
}

__attribute__((constructor)) static void
constructor(void)
{
    assert(atexit(last) == 0);
}

static void *
stay(void *arg)
{
    sem_wait(&never);
    return arg;
}

int
main(void)
{
    pthread_t t;

    assert(sem_init(&never, 0, 0) == 0);
    assert(on_exit(fourth, &order) == 0);
    assert(atexit(second) == 0);
    assert(atexit(first) == 0);
    assert(pthread_create(&t, NULL, stay, NULL) == 0);
    exit(0);
}
