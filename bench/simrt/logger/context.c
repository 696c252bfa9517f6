/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - what belongs to one thread: its number and its nested diagnostic context.
 */
#include "logger.h"

#define DEPTH_MAX 4

static _Atomic unsigned next_thread;
static _Thread_local unsigned thread_number; /* plus 1; 0 none yet */
static _Thread_local const char *words[DEPTH_MAX];
static _Thread_local unsigned depth;

unsigned
context_thread(void)
{
    if (thread_number == 0)
        thread_number = 1 + atomic_fetch_add_explicit(&next_thread, 1, memory_order_relaxed);
    return thread_number - 1;
}

bool
context_push(const char *word)
{
    if (depth == DEPTH_MAX)
        return false;
    words[depth++] = word;
    return true;
}

bool
context_pop(void)
{
    if (depth == 0)
        return false;
    depth--;
    return true;
}

const char *
context_top(void)
{
    return depth == 0 ? "" : words[depth - 1];
}

unsigned
context_depth(void)
{
    return depth;
}
