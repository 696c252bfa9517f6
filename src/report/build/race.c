/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.c - the two accesses of a race or an atomicity violation, and their memory.
 *
 * Runs in the host. The verdict alone has both accesses with their functions and locks, which is
 * all there is in free mode; a trace adds exact lines in the outer frames, values, and the
 * allocation of the block. Where both have a fact the trace is better, because it has the calls.
 * The verdict comes from another process: counts are bounded before they are used.
 */
#include <stdio.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/path.h"
#include "report/build/build_int.h"
#include "wire/site.h"

#define MAX_PAIRS 256u /* sites of one variable; more are not read */

/* The access in the user's own code: in the library it is the function that called it. */
static uint32_t
user_place(const struct burl_sites *sites, const struct burl_wire_side *side)
{
    if (side->site != 0 && !burl_site_is_system(burl_sites_get(sites, side->site)))
        return side->site;
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK && side->stack[i] != 0; i++) {
        const struct burl_site_info *func = burl_sites_get(sites, side->stack[i]);

        if (func->id != 0 && !burl_site_is_system(func))
            return func->id;
    }
    return side->site;
}

/* Where `t` took the lock in the user's own code; `site` if the trace does not say. */
static uint32_t
taken_at(const struct burl__report_thread *t, uint64_t addr, uint32_t site)
{
    for (size_t i = 0; t != NULL && i < t->held.n; i++) {
        if (t->held.v[i].addr == addr && t->held.v[i].site != 0)
            return t->held.v[i].site;
    }
    return site;
}

/* The locks a side holds; `t`: its thread at the access, NULL if the access is not in the trace. */
static void
fill_locks(struct burl_finding *f, struct burl_finding_side *s, const struct burl_wire_side *from,
           const struct burl__report_walk *w, const struct burl__report_thread *t)
{
    s->n_locks = from->n_locks < BURL_WIRE_MAX_LOCKS ? from->n_locks : BURL_WIRE_MAX_LOCKS;
    s->n_more_locks = from->n_locks - (uint32_t)s->n_locks;
    s->locks = burl__report_alloc(f->pool, s->n_locks, sizeof *s->locks);
    for (size_t i = 0; i < s->n_locks; i++) {
        const struct burl_wire_lock *l = &from->locks[i];

        s->locks[i] = burl__report_lock(f, w, l->addr, taken_at(t, l->addr, l->site));
        s->locks[i].mode = l->mode == BURL_LOCK_SHARED ? "reading" : "";
    }
}

void
burl__report_race_event(struct burl_finding *f, const struct burl__report_walk *w, size_t i)
{
    const struct burl_wire_event *ev = &w->run->events[i];
    const struct burl__report_thread *t;
    struct burl_buf text;

    for (unsigned k = 0; k < 2; k++) {
        struct burl_finding_side *side = &f->sides[k];

        if (i != w->side_event[k])
            continue;
        t = &w->threads[ev->tid];
        side->in_trace = true;
        side->step = ev->step;
        side->loc = burl__report_loc(f->pool, w->sites, w->user_site[i]);
        side->stack = burl__report_stack(f->pool, w->sites, t->stack.v, t->stack.n, ev->site);
        fill_locks(f, side, &w->run->verdict.sides[k], w, t);
        burl_buf_init(&text, BURL_BUF_NO_LIMIT);
        burl__report_phrase(w, ev, &text);
        side->text = burl__report_take(f->pool, &text);
    }
}

const char *
burl__report_verb(uint8_t op)
{
    static const char *const verbs[BURL_OP__N] = {
        [BURL_OP_WRITE] = "writes",
        [BURL_OP_ATOMIC_LOAD] = "atomically reads",
        [BURL_OP_ATOMIC_STORE] = "atomically writes",
        [BURL_OP_ATOMIC_RMW] = "atomically updates",
        [BURL_OP_ATOMIC_CAS] = "atomically updates",
    };

    return op < BURL_OP__N && verbs[op] != NULL ? verbs[op] : "reads";
}

/* The name of what a side accesses; false when there is no better one than the site's. */
static bool
put_side_name(const struct burl__report_walk *w, unsigned k, bool brief, struct burl_buf *out)
{
    const struct burl_wire_side *side = &w->run->verdict.sides[k];
    struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1];
    const size_t n = burl__report_wire_frames(w->sites, side->stack, frames);

    if (burl_sites_get(w->sites, side->site)->kind == BURL_SITE_CALL)
        return false;
    return burl__report_put_side_access(w, side, w->side_event[k], frames, n, brief, out);
}

/* The name of the memory at a site in the source; "" for calls, whose name is the callee, and if a
 * part of it is not known. */
static const char *
source_name(struct burl_finding *f, const struct burl_sites *sites,
            const struct burl_site_info *site)
{
    struct burl_buf name = BURL_BUF_INIT;

    if (burl_site_is_call(site) || strchr(site->variable, '?') != NULL)
        return "";
    burl__report_put_spelled(sites, site->id, site->variable, &name);
    return burl__report_take(f->pool, &name);
}

/* "table[1]" for "table[]": the element by its address in a global, or as both places spell it. And
 * a thread-local variable for the function that the compiler adds for it. */
static const char *
element_name(struct burl_finding *f, const struct burl__report_walk *w, uint64_t known)
{
    const struct burl_wire_verdict *v = &w->run->verdict;
    const char *name = f->memory.name;
    const char *spelled[2];
    struct burl_buf member = BURL_BUF_INIT;

    if (burl__report_put_thread_local(name, &member))
        return burl__report_take(f->pool, &member);
    if (strstr(name, "[]") == NULL)
        return name;
    if (f->memory.kind == BURL_ORIGIN_GLOBAL &&
        burl_sites_member(w->sites, known, f->memory.size_b, &member))
        return burl__report_take(f->pool, &member);
    burl_buf_deinit(&member);
    for (unsigned k = 0; k < 2; k++) {
        const struct burl_site_info *site = burl_sites_get(w->sites, v->sides[k].site);

        if (strcmp(site->variable, name) != 0)
            return name;
        spelled[k] = source_name(f, w->sites, site);
    }
    return strcmp(spelled[0], spelled[1]) == 0 && spelled[0][0] != '\0' ? spelled[0] : name;
}

static void
fill_side(struct burl_finding *f, unsigned k, const struct burl__report_walk *w)
{
    const struct burl_wire_side *from = &w->run->verdict.sides[k];
    const struct burl_site_info *site = burl_sites_get(w->sites, from->site);
    struct burl_finding_side *s = &f->sides[k];
    struct burl_finding_stack known;
    struct burl_buf name;

    s->tid = from->tid;
    s->op = from->op;
    s->frees = (from->flags & BURL_SIDE_F_FREE) != 0 || from->op == BURL_OP_FREE;
    s->atomic = (from->flags & BURL_SIDE_F_ATOMIC) != 0;
    s->near = (from->flags & BURL_SIDE_F_NEAR) != 0;
    s->write = s->frees || burl__report_is_write(from->op);
    s->size_b = from->size_b;
    s->addr = from->addr;
    s->verb = s->frees ? "frees" : burl__report_verb(from->op);
    s->what = source_name(f, w->sites, site);
    burl_buf_init(&name, BURL_BUF_NO_LIMIT);
    if (put_side_name(w, k, false, &name))
        s->what = burl__report_take(f->pool, &name);
    burl_buf_deinit(&name);
    if (!s->in_trace) {
        s->text = "";
        s->loc = burl__report_loc(f->pool, w->sites, user_place(w->sites, from));
    }
    /* The trace may have lost its beginning, and with it the outer frames. */
    known = burl__report_wire_stack(f->pool, w->sites, from->stack, from->site);
    if (s->stack.n < known.n)
        s->stack = known;
    if (!s->in_trace)
        fill_locks(f, s, from, w, NULL);
}

static void
fill_memory(struct burl_finding *f, const struct burl__report_walk *w)
{
    const struct burl_wire_verdict *v = &w->run->verdict;
    const struct burl_wire_origin *o = &v->origin;
    struct burl_finding_memory *m = &f->memory;
    struct burl_symbol sym;
    struct burl_buf name;
    uint64_t known;
    bool same;

    m->kind = o->kind <= BURL_ORIGIN_TLS ? o->kind : BURL_ORIGIN_UNKNOWN;
    m->tid =
        m->kind == BURL_ORIGIN_GLOBAL || m->kind == BURL_ORIGIN_UNKNOWN ? BURL_TID_NONE : o->tid;
    m->addr = burl_variable_overlap(&v->sides[0], &v->sides[1], &m->size_b);
    m->block_addr = m->kind == BURL_ORIGIN_GLOBAL ? 0 : o->addr;
    m->block_b = o->size_b;
    known = burl_variable_address(w->sites, o, m->addr);
    if ((m->kind == BURL_ORIGIN_GLOBAL || m->kind == BURL_ORIGIN_UNKNOWN) &&
        burl_sites_symbol(w->sites, known, &sym)) {
        m->kind = BURL_ORIGIN_GLOBAL;
        m->symbol = burl__report_str(f->pool, sym.name);
        m->block_addr = m->addr - (known - sym.addr);
        m->block_b = sym.size_b;
    }
    burl_buf_init(&name, BURL_BUF_NO_LIMIT);
    /* The variable of the violation may differ from the first one of the region. */
    same = m->addr >= v->sides[0].addr && m->addr - v->sides[0].addr < v->sides[0].size_b;
    if (m->kind == BURL_ORIGIN_GLOBAL ||
        (!put_side_name(w, same ? 0 : 1, true, &name) && !put_side_name(w, 1, true, &name)))
        burl_variable_name(w->sites, m->kind, known, m->size_b,
                           same ? v->sides[0].site : v->sides[1].site, v->sides[1].site, &name);
    m->name = burl__report_take(f->pool, &name);
    m->name = element_name(f, w, known);
    if (m->kind == BURL_ORIGIN_HEAP) {
        m->made = burl__report_loc(f->pool, w->sites, o->site);
        m->stack = f->block.alloc_stack;
        if (f->block.alloc_tid != BURL_TID_NONE)
            m->tid = f->block.alloc_tid;
        if (m->stack.n == 0)
            m->stack = burl__report_wire_stack(f->pool, w->sites, o->stack, o->site);
    }
}

/* How an order ended. The runtime knows a type by what the compiler calls it (title.c). */
static const char *
order_end(struct burl_finding *f, const char *text)
{
    const char *at = text != NULL ? strstr(text, BURL_EXCEPTION) : NULL;
    const char *colon = at != NULL ? strstr(text, ": ") : NULL;
    const char *end;
    char *name;
    char *type;

    if (at == NULL || colon == NULL || colon > at)
        return burl__report_str(f->pool, text);
    at += strlen(BURL_EXCEPTION);
    name = burl_xstrndup(at, strcspn(at, " "));
    type = burl_demangle_type(name);
    end = burl__report_fmt(f->pool, "%.*s: exception of type %s", (int)(colon - text), text, type);
    free(type);
    free(name);
    return end;
}

static void
fill_orders(struct burl_finding *f, const struct burl_wire_verdict *v,
            const struct burl_report_facts *facts)
{
    struct burl_finding_orders *o = &f->orders;
    bool same = v->sides[0].site == v->sides[1].site;

    o->outcome = facts->outcome <= BURL_FINDING_OUTCOME_ONE_ORDER ? facts->outcome : 0;
    o->failure = facts->order_failure;
    o->failing = facts->order_failure != 0;
    for (unsigned i = 0; i < 2; i++) {
        unsigned k = !same && facts->order_sites[i] == v->sides[1 - i].site ? 1 - i : i;
        const struct burl_finding_side *s = &f->sides[k];
        struct burl_buf text = BURL_BUF_INIT;

        /* Two threads at the same place: only the thread that goes first differs. */
        if (same)
            burl_buf_printf(&text, "T%u first", s->tid);
        else
            burl__report_put(&text, f, "T%u %s first at %L", s->tid, s->verb, &s->loc);
        o->first[i] = burl__report_take(f->pool, &text);
        o->ends[i] = order_end(f, facts->order_ends[i]);
    }
}

/* In a library only the variable itself has a name. */
static const char *
pair_name(struct burl_finding *f, const struct burl_sites *sites, const struct burl_site_info *site)
{
    struct burl_buf name = BURL_BUF_INIT;

    if (burl_site_is_system(site) && site->kind != BURL_SITE_CALL)
        return f->memory.name;
    if (source_name(f, sites, site)[0] != '\0')
        burl_variable_name(sites, BURL_ORIGIN_STACK, 0, 0, site->id, site->id, &name);
    return burl__report_take(f->pool, &name);
}

static void
fill_pairs(struct burl_finding *f, const struct burl__report_walk *w,
           const struct burl_report_facts *facts)
{
    size_t n = facts->n_pairs < MAX_PAIRS ? facts->n_pairs : MAX_PAIRS;

    f->pairs = burl__report_alloc(f->pool, n, sizeof *f->pairs);
    for (size_t i = 0; i < n; i++) {
        const struct burl_wire_suspect *from = &facts->pairs[i];
        struct burl_finding_pair *p;

        if (from->n_sites != 2)
            continue;
        p = &f->pairs[f->n_pairs++];
        p->count = from->count;
        for (unsigned k = 0; k < 2; k++) {
            const struct burl_site_info *site = burl_sites_get(w->sites, from->sites[k]);

            p->op[k] = from->ops[k];
            p->loc[k] = burl__report_loc(f->pool, w->sites, from->sites[k]);
            p->what[k] = pair_name(f, w->sites, site);
        }
    }
}

static const char *
region_name(struct burl_finding *f, const struct burl__report_walk *w)
{
    const struct burl_wire_verdict *v = &w->run->verdict;

    if (v->kind != BURL_VERDICT_ATOMICITY_REGION)
        return "";
    if (v->text[0] != '\0')
        return burl__report_fmt(f->pool, "%.*s", (int)sizeof v->text, v->text);
    return burl__report_str(f->pool, f->sides[0].loc.func);
}

void
burl__report_race(struct burl_finding *f, const struct burl__report_walk *w,
                  const struct burl_report_facts *facts)
{
    const struct burl_wire_verdict *v = &w->run->verdict;
    struct burl_buf text = BURL_BUF_INIT;
    static const struct burl_finding_loc nowhere = { .file = "", .func = "", .source = "" };

    f->memory = (struct burl_finding_memory){
        .name = "", .symbol = "", .made = nowhere, .tid = BURL_TID_NONE
    };
    f->orders = (struct burl_finding_orders){ .first = { "", "" }, .ends = { "", "" } };
    f->region = "";
    burl__report_put_predicted(facts->suspect, w->sites, &text);
    f->predicted = burl__report_take(f->pool, &text);
    f->n_sides = burl__report_n_sides(v);
    if (f->n_sides == 0)
        return;
    fill_side(f, 0, w);
    fill_side(f, 1, w);
    fill_memory(f, w);
    fill_orders(f, v, facts);
    fill_pairs(f, w, facts);
    f->region = region_name(f, w);
}
