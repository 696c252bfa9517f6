/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-ARGS: --runs=20
 * BURL-WHY: A coroutine polls on a stack of its own. What lies between that stack and the
 * thread's is not its state: reading it takes minutes, or reads memory that is not there.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <ucontext.h>

enum { STACK_B = 1 << 16 };

static atomic_int ready;
static ucontext_t back, there;

static void
poll_on_it(void)
{
    while (!atomic_load(&ready))
        sched_yield();
}

static void *
poller(void *arg)
{
    char *stack = malloc(STACK_B);

    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_B;
    there.uc_link = &back;
    makecontext(&there, poll_on_it, 0);
    swapcontext(&back, &there);
    free(stack);
    return arg;
}

int
main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, poller, NULL);
    sched_yield();
    atomic_store(&ready, 1);
    pthread_join(t, NULL);
    return 0;
}
