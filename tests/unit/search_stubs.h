/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search_stubs.h - what the search of all interleavings calls of the rest of the runtime, for tests
 * that include its files. The end of an execution jumps to `ended`.
 */
#ifndef BURL_TESTS_SEARCH_STUBS_H
#define BURL_TESTS_SEARCH_STUBS_H

static jmp_buf ended;

BURL_NORETURN void
burl_rt_end(enum burl_wire_verdict_kind kind, int code, uintptr_t addr, uintptr_t pc,
            const char *text)
{
    (void)kind;
    (void)code;
    (void)addr;
    (void)pc;
    (void)text;
    longjmp(ended, 1);
}

uint64_t
burl__spin_state(struct burl_thread *t)
{
    (void)t;
    return 0;
}

uint16_t
burl_pick_default(const struct burl_choice *c)
{
    return c->current_runnable ? c->current : c->runnable[0];
}

void
burl__stack_bounds(const struct burl_thread *t, uintptr_t *lo, uintptr_t *hi)
{
    (void)t;
    *lo = 0;
    *hi = 0;
}

struct burl_thread *
burl_thread_by_tid(uint16_t tid)
{
    return burl_rt.threads[tid];
}

uint32_t
burl__object_b(uintptr_t addr)
{
    (void)addr;
    return 1;
}

bool
burl__object_is_guard(uintptr_t addr)
{
    (void)addr;
    return false;
}

bool
burl__objects_meet(uintptr_t addr, uint64_t n)
{
    (void)addr;
    (void)n;
    return false;
}

void
burl__learn_object(const struct burl_thread *t, uintptr_t addr, uint32_t size_b)
{
    (void)t;
    (void)addr;
    (void)size_b;
}

void
burl__learn_access(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                   uint32_t how)
{
    (void)t;
    (void)site;
    (void)addr;
    (void)size_b;
    (void)how;
}

#endif
