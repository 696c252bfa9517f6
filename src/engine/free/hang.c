/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/hang.c - where the threads of a hanging program are; contract in hang.h.
 *
 * Runs in the host. A blocked thread has its stack in its record. A thread that runs has it in its
 * own memory, which is read from outside: a signal would not reach a thread that blocks it, and
 * would wake one that sleeps. Where the machine forbids reading there are no stacks of these.
 *
 * The threads go on meanwhile, so every number is checked before it is used.
 */
#include "engine/free/hang.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "engine/free/free_watch.h"

/* A word of a ring, see rt/free/stack.c: entries of functions have zeros here. */
#define WORD_KIND_SHIFT 62

static bool
read_memory(pid_t pid, uint64_t addr, void *to, size_t n)
{
    struct iovec here = { .iov_base = to, .iov_len = n };
    struct iovec there = { .iov_base = (void *)(uintptr_t)addr, .iov_len = n };

    return addr != 0 && process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* ---- the first look ---------------------------------------------------------------- */

void
burl_free_hang_begin(struct burl_free_hang *h, pid_t pid, const struct burl_wire_ctl *ctl)
{
    struct burl_waitfor g;

    if (h->begun)
        return;
    h->begun = true;
    burl_waitfor_copy(&g, &ctl->blocked);
    for (size_t i = 0; i < g.n; i++) {
        struct burl_wire_position p = { 0 };
        char state;

        read_memory(pid, g.v[i].position, &p, sizeof p);
        h->v[h->n] = (struct burl_free_hang_thread){ .tid = g.v[i].tid,
                                                     .seq = g.v[i].seq,
                                                     .ring_at = p.ring_at };
        burl_free_watch_task(pid, g.v[i].kernel_tid, &state, &h->v[h->n].switches);
        h->n++;
    }
}

/* ---- the second look --------------------------------------------------------------- */

static const struct burl_free_hang_thread *
find(const struct burl_free_hang *h, uint16_t tid)
{
    for (size_t i = 0; i < h->n; i++) {
        if (h->v[i].tid == tid)
            return &h->v[i];
    }
    return NULL;
}

/* The site of a code; 0 unknown. */
static uint32_t
site_of(const struct burl_wire_ctl *ctl, uint32_t code)
{
    const uint32_t n =
        ctl->n_modules < BURL_WIRE_MAX_MODULES ? ctl->n_modules : BURL_WIRE_MAX_MODULES;

    if (ctl->numbered != 0)
        return code < ctl->n_sites ? code : 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (code - ctl->codes[i]) & (BURL_WIRE_CODES - 1);

        if (at < ctl->modules[i].n_sites)
            return ctl->modules[i].base + at;
    }
    return 0;
}

uint32_t
burl__hang_common(const uint64_t *ring, uint32_t from, uint32_t to, uint32_t depth)
{
    /* An entry at depth d is a call by the function at d - 1: all inner ones had returned. */
    if (to - from > BURL_WIRE_RING)
        from = to - BURL_WIRE_RING;
    for (; from != to; from++) {
        const uint64_t word = ring[from % BURL_WIRE_RING];

        if (word >> WORD_KIND_SHIFT == 0 && (uint16_t)word < depth)
            depth = (uint16_t)word;
    }
    return depth;
}

/* Where a thread loops: the innermost function that it did not leave since the first look. */
static uint32_t
loop_site(pid_t pid, const struct burl_wire_ctl *ctl, const struct burl_free_hang_thread *before,
          const struct burl_wire_position *p, const uint32_t *codes)
{
    uint64_t *ring = burl_xcalloc(BURL_WIRE_RING, sizeof *ring);
    uint32_t depth = p->depth;

    if (before && read_memory(pid, p->ring, ring, BURL_WIRE_RING * sizeof *ring))
        depth = burl__hang_common(ring, before->ring_at, p->ring_at, depth);
    free(ring);
    if (depth > BURL_WIRE_FRAMES)
        depth = BURL_WIRE_FRAMES;
    if (depth == 0 && p->depth > 0)
        depth = 1;
    return depth > 0 ? site_of(ctl, codes[depth - 1]) : 0;
}

/* A thread whose record does not say where it is. */
static void
look_at_running(const struct burl_free_hang *h, pid_t pid, const struct burl_wire_ctl *ctl,
                struct burl_waitfor *g, size_t i)
{
    struct burl_wire_blocked *r = &g->v[i];
    const struct burl_free_hang_thread *before = find(h, r->tid);
    uint32_t codes[BURL_WIRE_FRAMES] = { 0 };
    struct burl_wire_position p = { 0 };
    uint64_t switches = 0;
    char state = 0;
    size_t n = 0;

    burl_free_watch_task(pid, r->kernel_tid, &state, &switches);
    g->loops[i] = true;
    r->state = BURL_BLOCKED_RUNS;
    r->op = BURL_OP_YIELD;
    r->flags = 0;
    r->n_locks = 0;
    r->addr = 0;
    r->site = 0;
    memset(r->stack, 0, sizeof r->stack);
    if (!read_memory(pid, r->position, &p, sizeof p) ||
        !read_memory(pid, r->frames, codes, sizeof codes))
        return;
    for (uint32_t d = p.depth < BURL_WIRE_FRAMES ? p.depth : BURL_WIRE_FRAMES;
         d > 0 && n < BURL_BLOCKED_STACK; d--)
        r->stack[n++] = site_of(ctl, codes[d - 1]);
    g->loop_sites[i] = loop_site(pid, ctl, before, &p, codes);
    /* Asleep: in the library call that it made last. */
    if (state == 'S' || state == 'D')
        r->site = site_of(ctl, p.call_site);
    if (r->site != 0 && before && before->switches == switches && before->ring_at == p.ring_at)
        r->op = BURL_OP_IO;
}

/* Blocked without a time-out, and in the same call as before. */
static bool
is_blocked(const struct burl_free_hang *h, const struct burl_wire_blocked *r)
{
    const struct burl_free_hang_thread *before = find(h, r->tid);

    return r->state == BURL_BLOCKED_WAITS && (r->flags & BURL_BLOCKED_F_TIMED) == 0 && before &&
           before->seq == r->seq;
}

void
burl_free_hang_end(const struct burl_free_hang *h, pid_t pid, const struct burl_wire_ctl *ctl,
                   struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    burl_waitfor_copy(g, &ctl->blocked);
    for (size_t i = 0; i < g->n; i++) {
        if (!is_blocked(h, &g->v[i]))
            look_at_running(h, pid, ctl, g, i);
    }
    burl_waitfor_hang_verdict(g, v);
}
