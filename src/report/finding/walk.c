/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - replays a trace and tracks what each thread does.
 *
 * Runs in the host, over events that another process wrote: thread numbers and depths are checked,
 * sizes bounded. The trace is a ring and may have lost its beginning; then stacks have an unknown
 * part below and earlier locks are not known. Both only make the report poorer.
 *
 * Locks follow the rules of the primitives: a condition wait releases its mutex and the wakeup
 * reacquires it; failed and timed-out attempts acquire nothing.
 */
#include "report/finding/walk.h"

/* Bytes compared of a range access. A trace may have a million of them, and every compared byte
 * costs time. */
#define RANGE_MAX_B 256u

bool
burl__report_is_op(uint8_t kind)
{
    return kind != BURL_OP_NONE && kind < BURL_OP_ENTER;
}

bool
burl__report_is_sync(uint8_t kind)
{
    static const uint8_t sync_ops[BURL_OP__N] = {
#define BURL_X(name, text, sync) sync,
        BURL_WIRE_OPS(BURL_X)
#undef BURL_X
    };

    return kind < BURL_OP__N && sync_ops[kind];
}

bool
burl__report_is_access(uint8_t kind)
{
    return kind >= BURL_OP_READ && kind <= BURL_OP_ATOMIC_CAS;
}

bool
burl__report_is_write(uint8_t kind)
{
    return kind == BURL_OP_WRITE || kind == BURL_OP_ATOMIC_STORE || kind == BURL_OP_ATOMIC_RMW ||
           kind == BURL_OP_ATOMIC_CAS || kind == BURL_OP_FREE;
}

uint64_t
burl__report_extent(const struct burl_wire_event *ev)
{
    uint64_t n = ev->size_b;

    if (ev->size_b == 255 || ev->kind == BURL_OP_FREE)
        n = ev->aux;
    if (n == 0)
        n = 1;
    return n < RANGE_MAX_B ? n : RANGE_MAX_B;
}

size_t
burl__report_depth(const uint32_t stack[BURL_WIRE_MAX_STACK])
{
    size_t n = 0;

    while (n < BURL_WIRE_MAX_STACK && stack[n] != 0)
        n++;
    return n;
}

size_t
burl__report_wire_frames(const struct burl_sites *sites, const uint32_t stack[BURL_WIRE_MAX_STACK],
                         struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1])
{
    const size_t n = burl__report_depth(stack);

    memset(frames, 0, (BURL_WIRE_MAX_STACK + 1) * sizeof *frames);
    for (size_t i = 0; i < n; i++) {
        const struct burl_site_info *place = burl_sites_get(sites, stack[n - 1 - i]);

        frames[i].func = burl_site_function(place);
        if (place->kind != BURL_SITE_FUNC)
            frames[i + 1].call = place->id;
    }
    return n;
}

const struct burl_wire_wait *
burl__report_wait_of(const struct burl_wire_verdict *v, uint16_t tid)
{
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++) {
        if (v->waits[i].tid == tid)
            return &v->waits[i];
    }
    return NULL;
}

size_t
burl__report_n_sides(const struct burl_wire_verdict *v)
{
    return (v->kind == BURL_VERDICT_RACE_DATA || v->kind == BURL_VERDICT_ATOMICITY_REGION) &&
                   v->n_sides == 2
               ? 2
               : 0;
}

struct burl__report_thread *
burl__report_walk_thread(const struct burl__report_walk *w, uint16_t tid)
{
    return tid < w->n_threads && w->threads[tid].seen ? &w->threads[tid] : NULL;
}

const char *
burl__report_thread_name(const struct burl__report_walk *w, uint16_t tid)
{
    const struct burl__report_thread *t = burl__report_walk_thread(w, tid);

    if (tid == 0)
        return "main";
    return t == NULL || t->name == NULL ? "" : t->name;
}

/* The function a thread starts in; of a lambda without the function it is in. */
static void
name_thread(struct burl__report_thread *t, const struct burl_sites *sites,
            const struct burl_site_info *func)
{
    char *name = burl__report_func_name(sites, func);
    const char *last = strrchr(name, ':'); /* "f::lambda:37" */

    while (last != NULL && last > name && last[-1] != ':')
        last--;
    t->name = burl_xstrdup(last != NULL && strncmp(last, "lambda:", 7) == 0 ? last : name);
    free(name);
}

/* The block that holds the verdict's address, or lies nearest before it: the last such block when
 * memory was used again. */
static void
find_block(struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;
    bool race =
        burl__report_n_sides(&run->verdict) > 0 && run->verdict.origin.kind == BURL_ORIGIN_HEAP;
    uint64_t addr = race ? run->verdict.origin.addr : run->verdict.addr;
    /* An overflow further off than a red zone is not this block's; a race's block is known. */
    uint64_t best = race ? 0 : 256;

    w->block_alloc = SIZE_MAX;
    w->block_free = SIZE_MAX;
    if (!race && (run->verdict.kind < BURL_VERDICT_USE_AFTER_FREE ||
                  run->verdict.kind > BURL_VERDICT_BAD_FREE))
        return;
    if (addr == 0)
        return;
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];
        uint64_t off;

        if ((ev->kind != BURL_OP_ALLOC && ev->kind != BURL_OP_FREE) || ev->addr == 0)
            continue;
        off = addr < ev->addr             ? ev->addr - addr
              : addr < ev->addr + ev->aux ? 0
                                          : addr - (ev->addr + ev->aux) + 1;
        if (addr == ev->addr)
            off = 0;
        if (off > best)
            continue;
        if (off < best || ev->addr != w->block_addr) {
            w->block_alloc = SIZE_MAX;
            w->block_free = SIZE_MAX;
        }
        best = off;
        w->block_known = true;
        w->block_addr = ev->addr;
        if (ev->kind == BURL_OP_ALLOC) {
            w->block_alloc = i;
            w->block_free = SIZE_MAX;
            w->block_size_b = ev->aux;
        } else if (w->block_free == SIZE_MAX) {
            /* The first free after the allocation: the second is the double one. */
            w->block_free = i;
            if (w->block_alloc == SIZE_MAX)
                w->block_size_b = ev->aux;
        }
    }
}

static bool
is_side(const struct burl_wire_event *ev, const struct burl_wire_side *side)
{
    uint64_t n = burl__report_extent(ev);

    return ev->tid == side->tid && ev->site == side->site && ev->kind == side->op &&
           side->addr < ev->addr + n &&
           ev->addr < side->addr + (side->size_b > 0 ? side->size_b : 1);
}

/* The later access is the last of its kind; the earlier one the last before it. */
static void
find_sides(struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;
    size_t end = run->n_events;

    w->side_event[0] = SIZE_MAX;
    w->side_event[1] = SIZE_MAX;
    if (burl__report_n_sides(&run->verdict) == 0)
        return;
    for (unsigned k = 2; k > 0; k--) {
        for (size_t i = end; i > 0 && w->side_event[k - 1] == SIZE_MAX; i--) {
            if (is_side(&run->events[i - 1], &run->verdict.sides[k - 1]))
                w->side_event[k - 1] = i - 1;
        }
        if (w->side_event[k - 1] != SIZE_MAX)
            end = w->side_event[k - 1];
    }
}

static void
count_thread(struct burl__report_walk *w, uint16_t tid)
{
    if (tid != BURL_TID_NONE && tid >= w->n_threads)
        w->n_threads = tid + 1u;
}

void
burl__report_walk_init(struct burl__report_walk *w, const struct burl_run *run,
                       const struct burl_sites *sites)
{
    const struct burl_wire_verdict *v = &run->verdict;

    *w = (struct burl__report_walk){ .run = run, .sites = sites, .n_threads = 1 };
    for (size_t i = 0; i < run->n_events; i++)
        count_thread(w, run->events[i].tid);
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++)
        count_thread(w, v->waits[i].tid);
    count_thread(w, v->tid);
    for (size_t i = 0; i < burl__report_n_sides(v); i++)
        count_thread(w, v->sides[i].tid);
    w->threads = burl_xcalloc(w->n_threads, sizeof *w->threads);
    for (size_t i = 0; i < w->n_threads; i++)
        w->threads[i].creator = BURL_TID_NONE;
    find_block(w);
    find_sides(w);
}

/* Without a trace a thread is known by the outermost function of its stack, if it has all of it. */
static void
learn_side_threads(struct burl__report_walk *w)
{
    const struct burl_wire_verdict *v = &w->run->verdict;

    for (size_t i = 0; i < burl__report_n_sides(v); i++) {
        const struct burl_wire_side *side = &v->sides[i];
        size_t n = burl__report_depth(side->stack);
        struct burl__report_thread *t;

        if (side->tid >= w->n_threads)
            continue;
        t = &w->threads[side->tid];
        t->seen = true;
        for (; n < BURL_WIRE_MAX_STACK && n > 0 && t->name == NULL; n--) {
            const uint32_t place = side->stack[n - 1];
            const struct burl_site_info *func =
                burl_sites_get(w->sites, burl_site_function(burl_sites_get(w->sites, place)));

            if (func->id != 0 && !burl_site_is_system(func))
                name_thread(t, w->sites, func);
        }
    }
}

static void
learn_threads(struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];
        struct burl__report_thread *t;

        if (ev->tid >= w->n_threads)
            continue;
        t = &w->threads[ev->tid];
        t->seen = true;
        /* The first function of the user's own: std::thread starts in the library's. With the
         * beginning lost the first one seen may be any, so only the threads whose START is
         * in the trace get a name this way. */
        if (ev->kind == BURL_OP_START)
            t->started = true;
        if (ev->kind == BURL_OP_ENTER && t->name == NULL &&
            (run->events_dropped == 0 || t->started)) {
            const struct burl_site_info *func = burl_sites_get(w->sites, ev->site);

            if (func->id != 0 && !burl_site_is_system(func))
                name_thread(t, w->sites, func);
        }
    }
}

static void
take_lock(struct burl__report_thread *t, uint64_t addr, const struct burl_wire_event *ev,
          uint32_t site)
{
    for (size_t i = 0; i < t->held.n; i++) {
        if (t->held.v[i].addr == addr) {
            t->held.v[i].depth++;
            return;
        }
    }
    BURL_VEC_PUSH(&t->held,
                  (struct burl__report_held){
                      .addr = addr, .site = site, .step = ev->step, .depth = 1, .op = ev->kind });
}

static void
drop_lock(struct burl__report_thread *t, uint64_t addr, bool whole)
{
    for (size_t i = 0; i < t->held.n; i++) {
        if (t->held.v[i].addr != addr)
            continue;
        if (!whole && --t->held.v[i].depth > 0)
            return;
        memmove(&t->held.v[i], &t->held.v[i + 1], (t->held.n - i - 1) * sizeof *t->held.v);
        t->held.n--;
        return;
    }
}

static void
follow_locks(struct burl__report_thread *t, const struct burl_wire_event *ev, uint32_t site)
{
    bool failed = (ev->flags & (BURL_EV_F_FAILED | BURL_EV_F_TIMEOUT)) != 0;

    switch (ev->kind) {
    case BURL_OP_LOCK:
    case BURL_OP_TRYLOCK:
    case BURL_OP_TIMEDLOCK:
    case BURL_OP_RDLOCK:
    case BURL_OP_WRLOCK:
        if (!failed)
            take_lock(t, ev->addr, ev, site);
        break;
    case BURL_OP_UNLOCK:
    case BURL_OP_RWUNLOCK:
        if (!failed)
            drop_lock(t, ev->addr, false);
        break;
    case BURL_OP_COND_WAIT:
        t->cond_mutex = ev->aux;
        t->cond_site = site;
        drop_lock(t, ev->aux, true);
        break;
    case BURL_OP_COND_WAKE:
        /* The mutex is reacquired after a timeout too. */
        if (t->cond_mutex != 0)
            take_lock(t, t->cond_mutex, ev, site != 0 ? site : t->cond_site);
        t->cond_mutex = 0;
        break;
    default:
        break;
    }
}

/* The call by which a function was entered, 0 unknown. A function that another library has called
 * may have been entered from any frame: the call must be one of the caller that we know. */
static uint32_t
call_of(const struct burl__report_walk *w, const struct burl__report_thread *t,
        const struct burl_wire_event *ev)
{
    const struct burl_site_info *call;

    if (t->stack.n == 0 || ev->addr == 0 || ev->addr > UINT32_MAX)
        return 0;
    call = burl_sites_get(w->sites, (uint32_t)ev->addr);
    return call->func_id != 0 && call->func_id == t->stack.v[t->stack.n - 1].func ? call->id : 0;
}

static void
follow_stack(const struct burl__report_walk *w, struct burl__report_thread *t,
             const struct burl_wire_event *ev)
{
    if (ev->kind == BURL_OP_ENTER) {
        uint32_t call = call_of(w, t, ev);

        BURL_VEC_PUSH(&t->stack,
                      (struct burl__report_frame){ .func = ev->site,
                                                   .call = call,
                                                   .entered = (size_t)(ev - w->run->events) });
    } else if (ev->kind == BURL_OP_LEAVE) {
        uint64_t depth = ev->aux;

        if (t->stack.n > 0)
            t->stack.n--;
        /* A depth that does not fit what we have: frames below were lost with the beginning, or
         * an exception left several at once. */
        if (depth > t->stack.n + t->unknown_depth && depth < UINT32_MAX)
            t->unknown_depth = (uint32_t)(depth - t->stack.n);
        else if (depth < t->unknown_depth)
            t->unknown_depth = (uint32_t)depth;
        while (t->stack.n > 0 && t->stack.n + t->unknown_depth > depth)
            t->stack.n--;
    }
}

/* Names: known only when all events were seen, needed before the first is shown. The stacks are
 * replayed for them, and once more with the rest. */
static void
learn_names(struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;

    for (size_t i = 0; i < run->n_events; i++)
        burl__report_objects_add(w, &run->events[i]);
    w->values.old = burl_xcalloc(run->n_events + 1, sizeof *w->values.old);
    w->accesses.of_event = burl_xcalloc(run->n_events + 1, sizeof *w->accesses.of_event);
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->tid >= w->n_threads)
            continue;
        follow_stack(w, &w->threads[ev->tid], ev);
        burl__report_objects_note(w, ev);
        burl__report_access_learn(w, i);
        burl__report_values_learn(w, i);
    }
    for (size_t i = 0; i < burl_verdict_n_waits(&run->verdict); i++)
        burl__report_objects_note_wait(w, &run->verdict.waits[i]);
    for (size_t i = 0; i < w->n_threads; i++) {
        w->threads[i].stack.n = 0;
        w->threads[i].unknown_depth = 0;
    }
}

static void
learn_verdict(struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;

    for (size_t i = 0; i < burl_verdict_n_waits(&run->verdict); i++) {
        const struct burl_wire_wait *wait = &run->verdict.waits[i];

        if (wait->tid < w->n_threads)
            w->threads[wait->tid].seen = true;
    }
    if (run->verdict.tid < w->n_threads)
        w->threads[run->verdict.tid].seen = true;
    for (size_t i = 0; i < burl__report_n_sides(&run->verdict); i++) {
        const struct burl_wire_side *side = &run->verdict.sides[i];

        for (uint32_t k = 0; k < side->n_locks && k < BURL_WIRE_MAX_LOCKS; k++)
            burl__report_objects_note_lock(w, side, &side->locks[k]);
    }
}

/* The innermost function of the user's own, for an operation inside the library; the operation's
 * site when there is none. */
static uint32_t
find_user_site(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    const struct burl__report_thread *t = &w->threads[ev->tid];
    uint32_t frame;

    if (ev->site != 0 && !burl_site_is_system(burl_sites_get(w->sites, ev->site)))
        return ev->site;
    frame = burl__report_user_frame(w->sites, t->stack.v, t->stack.n);
    return frame != 0 ? frame : ev->site;
}

uint32_t
burl__report_user_frame(const struct burl_sites *sites, const struct burl__report_frame *frames,
                        size_t n)
{
    for (size_t i = n; i > 0; i--) {
        const struct burl_site_info *f = burl_sites_get(sites, frames[i - 1].func);

        if (f->id != 0 && !burl_site_is_system(f))
            return i < n && frames[i].call != 0 ? frames[i].call : f->id;
    }
    return 0;
}

static void
follow_op(struct burl__report_walk *w, struct burl__report_thread *t,
          const struct burl_wire_event *ev, uint32_t site)
{
    const struct burl_site_info *info = burl_sites_get(w->sites, ev->site);

    t->n_ops++;
    w->n_ops++;
    if (ev->site != 0)
        t->last_site = site;
    if (t->stack.n > 0 && info->func_id != 0 && info->func_id == t->stack.v[t->stack.n - 1].func)
        t->stack.v[t->stack.n - 1].last = ev->site;
    if (ev->kind == BURL_OP_EXIT_THREAD)
        t->finished = true;
    if (ev->kind == BURL_OP_CREATE && ev->aux < w->n_threads) {
        w->threads[ev->aux].creator = ev->tid;
        w->threads[ev->aux].create_site = site;
    }
}

void
burl__report_walk_run(struct burl__report_walk *w, burl__report_walk_fn fn, void *arg)
{
    const struct burl_run *run = w->run;

    learn_threads(w);
    learn_side_threads(w);
    learn_names(w);
    learn_verdict(w);
    burl__report_objects_name(w);
    w->user_site = burl_xcalloc(run->n_events + 1, sizeof *w->user_site);
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->tid < w->n_threads) {
            struct burl__report_thread *t = &w->threads[ev->tid];

            follow_stack(w, t, ev);
            if (burl__report_is_op(ev->kind)) {
                w->user_site[i] = find_user_site(w, ev);
                follow_locks(t, ev, w->user_site[i]);
                follow_op(w, t, ev, w->user_site[i]);
            }
        }
        if (fn != NULL)
            fn(w, i, arg);
    }
}

void
burl__report_walk_deinit(struct burl__report_walk *w)
{
    for (size_t i = 0; i < w->n_threads; i++) {
        free(w->threads[i].name);
        BURL_VEC_FREE(&w->threads[i].stack);
        BURL_VEC_FREE(&w->threads[i].held);
    }
    free(w->threads);
    free(w->user_site);
    burl__report_objects_deinit(&w->objects);
    burl__report_accesses_deinit(&w->accesses);
    burl__report_values_deinit(&w->values);
    *w = (struct burl__report_walk){ 0 };
}
