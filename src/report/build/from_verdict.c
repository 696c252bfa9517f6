/* SPDX-License-Identifier: Apache-2.0 */
/*
 * from_verdict.c - a finding of a free run, which has no trace.
 *
 * Runs in the host. Its input is the verdict (both accesses with their stacks and locks, the
 * memory), the creations of threads and, for a deadlock, the records of the blocked ones.
 * burl_report_finding_new() builds the model from an artificial execution of these creations, the
 * threads' first functions and the locks of the blocked ones, so that names, titles and
 * fingerprints are those of a controlled run. Then everything that such an execution cannot know is
 * removed: there are no steps, and the positions of the other threads are unknown.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "report/build/build_int.h"

/* Two sides, the allocation, the verdict's own, its waits, and as many creators. Of a hang all. */
#define MAX_CAST ((4 + BURL_WIRE_MAX_CYCLE) * 2 + BURL_WIRE_MAX_BLOCKED)
/* Of a thread: its creation, its start, the functions it is in, the locks it holds. */
#define MAX_EVENTS (2 + BURL_BLOCKED_STACK + BURL_BLOCKED_LOCKS)

struct cast {
    uint16_t tids[MAX_CAST];
    size_t n;
};

static bool
in_cast(const struct cast *c, uint16_t tid)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->tids[i] == tid)
            return true;
    }
    return false;
}

static void
add_tid(struct cast *c, uint16_t tid)
{
    if (tid != BURL_TID_NONE && c->n < MAX_CAST && !in_cast(c, tid))
        c->tids[c->n++] = tid;
}

/* The threads the verdict is about. */
static struct cast
cast_of(const struct burl_wire_verdict *v, const struct burl_report_free *free_run)
{
    struct cast c = { .n = 0 };

    add_tid(&c, v->tid);
    for (size_t i = 0; i < v->n_sides && i < 2; i++)
        add_tid(&c, v->sides[i].tid);
    if (v->n_sides > 0 && v->origin.kind != BURL_ORIGIN_UNKNOWN)
        add_tid(&c, v->origin.tid);
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++)
        add_tid(&c, v->waits[i].tid);
    for (size_t i = 0; i < free_run->n_blocked && v->kind == BURL_VERDICT_HANG_TIMEOUT; i++)
        add_tid(&c, free_run->blocked[i].tid);
    return c;
}

static const struct burl_wire_event *
birth_of(const struct burl_report_free *free_run, uint16_t tid)
{
    for (size_t i = 0; i < free_run->n_births; i++) {
        const struct burl_wire_event *ev = &free_run->births[i];

        if (ev->kind == BURL_OP_CREATE && ev->aux == tid && tid != 0)
            return ev;
    }
    return NULL;
}

/* The outermost function of the user's own on a stack, 0 when it has none. A full stack may have
 * lost it. */
static uint32_t
first_function(const uint32_t stack[BURL_WIRE_MAX_STACK], const struct burl_sites *sites)
{
    uint32_t found = 0;
    size_t n = 0;

    for (; n < BURL_WIRE_MAX_STACK && stack[n] != 0; n++) {
        const struct burl_site_info *f = burl_sites_get(sites, stack[n]);

        if (f->id != 0 && !burl_site_is_system(f))
            found = burl_site_function(f);
    }
    return n < BURL_WIRE_MAX_STACK ? found : 0;
}

static const struct burl_wire_blocked *
blocked_of(const struct burl_report_free *free_run, uint16_t tid)
{
    for (size_t i = 0; i < free_run->n_blocked; i++) {
        if (free_run->blocked[i].tid == tid)
            return &free_run->blocked[i];
    }
    return NULL;
}

/* Artificial events: the thread enters its functions and takes its locks. */
static size_t
blocked_events(struct burl_wire_event *out, const struct burl_wire_blocked *r,
               const struct burl_sites *sites)
{
    size_t depth = 0;
    size_t n = 0;

    while (depth < BURL_BLOCKED_STACK && r->stack[depth] != 0)
        depth++;
    for (uint64_t call = 0; depth > 0; depth--) {
        out[n++] = (struct burl_wire_event){
            .kind = BURL_OP_ENTER,
            .tid = r->tid,
            .site = burl_site_function(burl_sites_get(sites, r->stack[depth - 1])),
            .addr = call,
        };
        call = r->stack[depth - 1];
    }
    for (uint32_t i = 0; i < r->n_locks && i < BURL_BLOCKED_LOCKS; i++) {
        const struct burl_wire_blocked_lock *l = &r->locks[i];

        if (l->mode != BURL_BLOCKED_ONCE)
            out[n++] = (struct burl_wire_event){
                .kind = l->mode == BURL_LOCK_SHARED ? BURL_OP_RDLOCK : BURL_OP_LOCK,
                .tid = r->tid,
                .addr = l->addr,
                .site = l->site,
            };
    }
    return n;
}

static uint32_t
start_of(const struct burl_wire_verdict *v, const struct burl_sites *sites, uint16_t tid)
{
    uint32_t f = tid == v->tid ? first_function(v->stack, sites) : 0;

    for (size_t i = 0; f == 0 && i < v->n_sides && i < 2; i++) {
        if (v->sides[i].tid == tid)
            f = first_function(v->sides[i].stack, sites);
    }
    if (f == 0 && v->n_sides > 0 && v->origin.kind == BURL_ORIGIN_HEAP && v->origin.tid == tid)
        f = first_function(v->origin.stack, sites);
    return f;
}

/* The beginning of an execution with these threads. */
static size_t
make_events(struct burl_wire_event *out, const struct cast *c, const struct burl_wire_verdict *v,
            const struct burl_report_free *free_run, const struct burl_sites *sites)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct burl_wire_event *birth = birth_of(free_run, c->tids[i]);

        if (birth != NULL)
            out[n++] = (struct burl_wire_event){
                .kind = BURL_OP_CREATE, .tid = birth->tid, .aux = c->tids[i], .site = birth->site
            };
    }
    for (size_t i = 0; i < c->n; i++) {
        const struct burl_wire_blocked *blocked = blocked_of(free_run, c->tids[i]);
        const uint32_t f = blocked ? 0 : start_of(v, sites, c->tids[i]);

        out[n++] = (struct burl_wire_event){ .kind = BURL_OP_START, .tid = c->tids[i] };
        if (blocked)
            n += blocked_events(out + n, blocked, sites);
        else if (f != 0)
            out[n++] =
                (struct burl_wire_event){ .kind = BURL_OP_ENTER, .tid = c->tids[i], .site = f };
    }
    return n;
}

/* A thread that ran when the program was ended: the stack is its own, and it does not wait. */
static void
take_running(struct burl_finding *f, struct burl_finding_thread *t,
             const struct burl_wire_blocked *r, const struct burl_sites *sites)
{
    t->stack = burl__report_wire_stack(f->pool, sites, r->stack, r->site);
    if (r->op == BURL_OP_IO)
        return; /* asleep in a system call */
    t->state = BURL_FINDING_THREAD_READY;
    t->wait.waits = false;
}

/* The steps, and the final positions of the threads, were not observed. */
static void
take_out_inventions(struct burl_finding *f, const struct cast *c,
                    const struct burl_report_free *free_run, const struct burl_sites *sites)
{
    const bool hang = f->verdict == BURL_VERDICT_HANG_TIMEOUT;
    size_t n = 0;

    f->pattern = (struct burl_finding_pattern){ .kind = "", .sentence = "" };
    f->steps = NULL;
    f->n_steps = 0;
    f->n_ops = 0;
    f->n_ops_shown = 0;
    for (size_t i = 0; i < f->n_threads; i++) {
        struct burl_finding_thread *t = &f->threads[i];
        const struct burl_wire_blocked *r = hang ? blocked_of(free_run, t->tid) : NULL;

        if (!in_cast(c, t->tid))
            continue;
        t->n_ops = 0;
        if (r != NULL && r->state == BURL_BLOCKED_RUNS)
            take_running(f, t, r, sites);
        else if (t->state != BURL_FINDING_THREAD_WAITING &&
                 t->state != BURL_FINDING_THREAD_FAILED) {
            t->state = BURL_FINDING_THREAD_UNKNOWN;
            t->stack.n = 0;
        }
        f->threads[n++] = *t;
    }
    f->n_threads = n;
}

struct burl_finding *
burl_report_finding_from_verdict(const struct burl_wire_verdict *v,
                                 const struct burl_report_free *free_run,
                                 const struct burl_sites *sites,
                                 const struct burl_report_facts *facts)
{
    const struct cast c = cast_of(v, free_run);
    struct burl_wire_event *events = burl_xcalloc(c.n * MAX_EVENTS + 1, sizeof *events);
    struct burl_run run = { .verdict = *v, .diverged_at = UINT32_MAX };
    struct burl_finding *f;

    run.events = events;
    run.n_events = make_events(events, &c, v, free_run, sites);
    run.output = (char *)free_run->output;
    run.output_b = free_run->output_b;
    f = burl_report_finding_new(&run, sites, facts);
    take_out_inventions(f, &c, free_run, sites);
    free(events);
    return f;
}
