/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=200
 * BURL-ENGINES: both
 * BURL-WHY: A coroutine whose stack is an array in a frame of its thread: the thread's own
 *   variables lie below the stack pointer and are alive.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

static ucontext_t back;
static ucontext_t coroutine;
static int *shared;

static void
body(void)
{
    int mine = 5;

    *shared += mine;
    swapcontext(&coroutine, &back);
    *shared += mine;
    swapcontext(&coroutine, &back);
}

static void *
worker(void *arg)
{
    _Alignas(16) char stack[65536];
    int local = 1;

    memset(stack, 0, sizeof stack);
    shared = &local;
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &back;
    makecontext(&coroutine, body, 0);
    swapcontext(&back, &coroutine);
    local++;
    swapcontext(&back, &coroutine);
    assert(local == 12);
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
