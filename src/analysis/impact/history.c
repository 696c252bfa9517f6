/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/history.c - which blocks of the base version lead to an access: what the history
 * of its tests is asked for.
 *
 * Runs in burl-analyze. The block of the base version that corresponds to that of the access, or to
 * its nearest ancestor; for a function that the base version does not have, those of the calls that
 * lead to it. Over a thread creation on the way the block is that of the create call, and the
 * thread is one that the base version did not have.
 *
 * A changed condition may let a test execute what it did not execute before. So a block that such a
 * condition decides about is also led to by the block of the condition, and a function that is
 * called there by that call: a way.
 *
 * Not every block has a hook. One without is represented by the nearest dominating block that has
 * one, at last by the entry.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"
#include "wire/site.h"

/* More blocks than this are replaced by the entries of their functions. */
enum { MAX_BLOCKS = 48, MAX_FOUND = 400 };

struct way {
    LLVMBasicBlockRef from;
    bool of_base;
    bool asked; /* else it only leads on to the ways of its own function */
    uint32_t next;
};

/* The same function in another module. */
struct copy {
    uint64_t hash;
    uint32_t first, kept, next;
};

struct blocks {
    BURL_VEC_OF(struct burl_changes_block);
};

struct stop {
    LLVMBasicBlockRef b;
    bool spawned, asked;
};

struct end {
    LLVMBasicBlockRef was;
    bool spawned;
};

struct ends {
    BURL_VEC_OF(struct end);
};

struct base_block {
    LLVMBasicBlockRef was;
    bool own;
};

struct burl__history {
    struct burl_valmap of_base_ix; /* block of the new version -> index into of_base */
    BURL_VEC(struct base_block) of_base;
    unsigned md_block;
    struct burl_valmap to_block, to_fn; /* first way */
    BURL_VEC(struct way) ways;
    struct burl_valmap copies_of; /* definition -> first copy */
    BURL_VEC(struct copy) copies;
    struct burl_valmap spawned_fn; /* function -> list of creates that start it anew */
    BURL_VEC(struct burl_u32s) creates_of;
    struct burl_valmap memo; /* block of the new version -> its list */
    BURL_VEC(struct blocks) lists;
    struct burl_valmap fn_memo; /* the same for functions */
    BURL_VEC(struct ends) fn_lists;
    LLVMBasicBlockRef main_entry;
};

/* ---- ways ---- */

static void
add_way(struct burl__history *h, struct burl_valmap *to, void *key, struct way w)
{
    uint32_t first = UINT32_MAX;

    (void)burl_valmap_get(to, key, &first);
    for (uint32_t i = first; i != UINT32_MAX; i = h->ways.v[i].next) {
        if (h->ways.v[i].from == w.from) {
            h->ways.v[i].asked |= w.asked;
            return;
        }
    }
    w.next = first;
    BURL_VEC_PUSH(&h->ways, w);
    burl_valmap_set(to, key, (uint32_t)h->ways.n - 1);
}

void
burl__way_to_block(struct burl__impact *im, LLVMBasicBlockRef to, LLVMBasicBlockRef from,
                   bool of_base)
{
    add_way(im->history, &im->history->to_block, to,
            (struct way){ .from = from, .of_base = of_base, .asked = true });
}

void
burl__way_to_function(struct burl__impact *im, LLVMValueRef fn, LLVMBasicBlockRef from, bool asked)
{
    add_way(im->history, &im->history->to_fn, fn, (struct way){ .from = from, .asked = asked });
}

/* ---- blocks of the base version ---- */

static uint32_t
block_site(const struct burl__history *h, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    return end ? burl_ir_site(end, h->md_block) : UINT32_MAX;
}

static bool
is_observable(const struct burl__impact *im, LLVMBasicBlockRef b)
{
    struct burl_site_info site;
    uint32_t ix = block_site(im->history, b);
    LLVMValueRef fn = LLVMGetBasicBlockParent(b);

    if (b == LLVMGetEntryBasicBlock(fn))
        return true;
    if (ix != UINT32_MAX &&
        burl_program_site(im->was.p, burl_program_module_of(im->was.p, fn), ix, &site) &&
        (site.flags & BURL_SITE_F_TOLD))
        return true;
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        if (burl_program_site_of(im->was.p, i) != UINT32_MAX)
            return true;
    return false;
}

static LLVMBasicBlockRef
observable(struct burl__impact *im, LLVMBasicBlockRef b)
{
    uint32_t fn = burl__body_ix(&im->was, LLVMGetBasicBlockParent(b)), ix;

    if (fn == UINT32_MAX)
        return b;
    struct burl__cfg *g = burl__cfg_of(&im->was, fn);
    if (!burl_valmap_get(&g->ix, b, &ix))
        return b;
    while (ix != 0 && !is_observable(im, g->blocks[ix]))
        ix = g->dom[ix] == UINT32_MAX ? 0 : g->dom[ix];
    return g->blocks[ix];
}

static void
put_block(struct blocks *out, uint64_t hash, uint32_t index, bool spawned)
{
    for (size_t i = 0; i < out->n; i++)
        if (out->v[i].module_hash == hash && out->v[i].index == index &&
            out->v[i].spawned == spawned)
            return;
    BURL_VEC_PUSH(out, (struct burl_changes_block){ hash, index, spawned });
}

/* A function without calls and hooks has none at its entry either (instr/hooks.c): that it was
 * executed is not recorded. */
static bool
is_silent(const struct burl__impact *im, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if ((burl_ir_calls_function(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i))) ||
            burl_program_site_of(im->was.p, i) != UINT32_MAX)
            return false;
    return true;
}

static void put_base_block(struct burl__impact *im, LLVMBasicBlockRef was, bool spawned,
                           struct blocks *out);

/* The calls of a silent function stand for it. They are not silent. */
static void
put_callers(struct burl__impact *im, LLVMValueRef fn, bool spawned, struct blocks *out)
{
    uint32_t ix = burl__body_ix(&im->was, fn);

    for (size_t i = 0; ix != UINT32_MAX && i < im->was.fns.v[ix].in.n; i++) {
        const struct burl__call *c = &im->was.calls.v[im->was.fns.v[ix].in.v[i]];
        put_base_block(im, LLVMGetInstructionParent(c->inst), spawned || c->spawn || c->later, out);
    }
    if (strcmp(burl_ir_name(fn), "main") != 0 && im->history->main_entry && ix != UINT32_MAX &&
        im->was.fns.v[ix].in.n == 0)
        put_base_block(im, im->history->main_entry, spawned, out);
}

/* With the same block of all copies of its function. */
static void
put_base_block(struct burl__impact *im, LLVMBasicBlockRef was, bool spawned, struct blocks *out)
{
    struct burl__history *h = im->history;
    LLVMBasicBlockRef b = observable(im, was);
    LLVMValueRef fn = LLVMGetBasicBlockParent(b);
    uint32_t ix = block_site(h, b), c = UINT32_MAX;

    if (ix == UINT32_MAX)
        return;
    put_block(out, im->was.p->modules.v[burl_program_module_of(im->was.p, fn)].hash, ix, spawned);
    for ((void)burl_valmap_get(&h->copies_of, fn, &c); c != UINT32_MAX; c = h->copies.v[c].next)
        put_block(out, h->copies.v[c].hash, ix - h->copies.v[c].kept + h->copies.v[c].first,
                  spawned);
    if (is_silent(im, fn))
        put_callers(im, fn, spawned, out);
}

/* ---- the walk to blocks of the base version ---- */

struct search {
    struct burl__impact *im;
    /* Seen; [1] in a thread that is new. A block that was only passed may be asked for later. */
    struct burl_valmap passed[2], asked[2], fns[2], known[2];
    BURL_VEC(struct stop) todo;
    struct ends found;
    bool cut; /* so much was found that the search was given up */
};

static void
reach_block(struct search *s, LLVMBasicBlockRef b, bool spawned, bool asked)
{
    if (burl_valmap_add(asked ? &s->asked[spawned] : &s->passed[spawned], b))
        BURL_VEC_PUSH(&s->todo, (struct stop){ b, spawned, asked });
}

static void
found_base(struct search *s, LLVMBasicBlockRef was, bool spawned)
{
    if (burl_valmap_add(&s->known[spawned], was))
        BURL_VEC_PUSH(&s->found, (struct end){ was, spawned });
}

static void
end_search(struct search *s)
{
    for (int i = 0; i < 2; i++) {
        burl_valmap_deinit(&s->passed[i]);
        burl_valmap_deinit(&s->asked[i]);
        burl_valmap_deinit(&s->fns[i]);
        burl_valmap_deinit(&s->known[i]);
    }
    BURL_VEC_FREE(&s->todo);
    BURL_VEC_FREE(&s->found);
}

static bool
runs_on_any_thread(const struct burl__impact *im, LLVMValueRef call)
{
    return burl_ir_is_call(call) && (burl__callee_facts(im->sp, call).is & BURL_FN_HANDLER);
}

/* The calls that lead to a function which the base version does not have. */
static void
climb(struct search *s, uint32_t fn, bool spawned)
{
    struct burl__impact *im = s->im;
    const struct burl__body *f = &im->is.fns.v[fn];

    for (size_t i = 0; i < f->in.n; i++) {
        const struct burl__call *c = &im->is.calls.v[f->in.v[i]];
        reach_block(s, LLVMGetInstructionParent(c->inst),
                    spawned || c->spawn || (c->later && runs_on_any_thread(im, c->inst)), true);
    }
    /* Run before main, or main itself. */
    if (burl_u32s_has(&im->sp->entries.v[0], fn) && im->history->main_entry)
        found_base(s, im->history->main_entry, spawned);
}

static void
follow_ways(struct search *s, struct burl_valmap *to, void *key, bool spawned)
{
    struct burl__history *h = s->im->history;
    uint32_t w = UINT32_MAX;

    for ((void)burl_valmap_get(to, key, &w); w != UINT32_MAX; w = h->ways.v[w].next) {
        if (h->ways.v[w].of_base)
            found_base(s, h->ways.v[w].from, spawned);
        else
            reach_block(s, h->ways.v[w].from, spawned, h->ways.v[w].asked);
    }
}

/* A thread that the base version does not start executes it. */
static void
follow_creates(struct search *s, LLVMValueRef fn)
{
    struct burl__history *h = s->im->history;
    uint32_t list;

    if (!burl_valmap_get(&h->spawned_fn, fn, &list))
        return;
    for (size_t i = 0; i < h->creates_of.v[list].n; i++)
        reach_block(s, LLVMGetInstructionParent(s->im->creates.v[h->creates_of.v[list].v[i]]), true,
                    true);
}

/* burl_diff_history_block(), which is asked many times for the same blocks. */
static LLVMBasicBlockRef
block_of_base(struct burl__impact *im, LLVMBasicBlockRef b, bool *own)
{
    struct burl__history *h = im->history;
    uint32_t ix = (uint32_t)h->of_base.n;

    if (!burl_valmap_find_or_add(&h->of_base_ix, b, &ix)) {
        struct base_block x = { 0 };
        x.was = burl_diff_history_block(im->d, b, &x.own);
        BURL_VEC_PUSH(&h->of_base, x);
    }
    *own = h->of_base.v[ix].own;
    return h->of_base.v[ix].was;
}

/* What leads to a function, in this or in another thread. */
static void
enter_function(struct search *s, LLVMValueRef fn, bool spawned, bool exists)
{
    uint32_t ix = burl__body_ix(&s->im->is, fn);

    if (!burl_valmap_add(&s->fns[spawned], fn))
        return;
    if (!exists && ix != UINT32_MAX)
        climb(s, ix, spawned);
    follow_ways(s, &s->im->history->to_fn, fn, spawned);
    follow_creates(s, fn);
}

/* `inside`: do not leave the function. */
static void
run_search(struct search *s, bool inside)
{
    while (s->todo.n > 0) {
        const struct stop at = s->todo.v[--s->todo.n];
        bool own;
        LLVMBasicBlockRef was = block_of_base(s->im, at.b, &own);
        s->cut |= s->found.n > MAX_FOUND;
        if (s->cut)
            return;
        if (was && at.asked)
            found_base(s, was, at.spawned);
        follow_ways(s, &s->im->history->to_block, at.b, at.spawned);
        if (!inside)
            enter_function(s, LLVMGetBasicBlockParent(at.b), at.spawned, was != NULL);
    }
}

/* The threads that may execute it: where they start in the base version. */
static void
add_thread_starts(struct search *s, LLVMValueRef fn, bool spawned)
{
    struct burl__sp *sp = s->im->sp;
    const struct burl__fn *f = &sp->fns.v[burl__body_ix(&s->im->is, fn)];

    for (size_t i = 0; i < f->roots.n; i++) {
        const struct burl_u32s *e = &sp->entries.v[f->roots.v[i]];
        for (size_t k = 0; k < e->n; k++) {
            LLVMValueRef was = burl_diff_counterpart(s->im->d, sp->fns.v[e->v[k]].fn);
            if (was)
                found_base(s, LLVMGetEntryBasicBlock(was), spawned);
        }
    }
}

/* Too many to list: the entries of their functions are executed whenever they are, and those of
 * the start routines whenever these are. */
static void
coarsen(struct search *s, LLVMValueRef fn)
{
    for (int step = s->cut; step < 2 && s->found.n > MAX_BLOCKS; step++) {
        struct ends all = s->found;
        bool spawned = s->cut && s->im->creates.n > 0;
        s->found = (struct ends){ 0 };
        burl_valmap_deinit(&s->known[0]);
        burl_valmap_deinit(&s->known[1]);
        for (size_t i = 0; i < all.n; i++) {
            spawned |= all.v[i].spawned;
            if (step == 0)
                found_base(s, LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(all.v[i].was)),
                           all.v[i].spawned);
        }
        if (step == 1)
            add_thread_starts(s, fn, false);
        if (step == 1 && spawned)
            add_thread_starts(s, fn, true);
        /* Only threads that the base version does not have: as long as it is, the list stays. */
        bool none = s->found.n == 0;
        for (size_t i = 0; step == 1 && s->found.n <= i && i < all.n && none; i++)
            BURL_VEC_PUSH(&s->found, all.v[i]);
        BURL_VEC_FREE(&all);
    }
}

/* Ways to the function as a whole. */
static const struct ends *
ways_to(struct burl__impact *im, LLVMValueRef fn, bool exists)
{
    struct burl__history *h = im->history;
    uint32_t ix = (uint32_t)h->fn_lists.n;

    if (burl_valmap_find_or_add(&h->fn_memo, fn, &ix))
        return &h->fn_lists.v[ix];
    struct search s = { .im = im };
    enter_function(&s, fn, false, exists);
    run_search(&s, false);
    coarsen(&s, fn);
    struct ends *out = BURL_VEC_ADD(&h->fn_lists);
    for (size_t i = 0; i < s.found.n; i++)
        BURL_VEC_PUSH(out, s.found.v[i]);
    end_search(&s);
    return out;
}

static int
compare_block(const void *a, const void *b)
{
    const struct burl_changes_block *x = a, *y = b;

    if (x->module_hash != y->module_hash)
        return x->module_hash < y->module_hash ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return x->spawned - y->spawned;
}

/* The list of a block of the new version. */
static const struct blocks *
list_of(struct burl__impact *im, LLVMBasicBlockRef b, bool *exact)
{
    struct burl__history *h = im->history;
    struct search s = { .im = im };
    uint32_t ix = (uint32_t)h->lists.n;

    *exact = false;
    if (burl_valmap_find_or_add(&h->memo, b, &ix)) {
        LLVMBasicBlockRef was = burl_diff_history_block(im->d, b, exact);
        *exact = *exact && was;
        return &h->lists.v[ix];
    }
    struct blocks *out = BURL_VEC_ADD(&h->lists);
    LLVMBasicBlockRef was = burl_diff_history_block(im->d, b, exact);
    *exact = *exact && was;
    reach_block(&s, b, false, true);
    run_search(&s, true);
    const struct ends *more = ways_to(im, LLVMGetBasicBlockParent(b), was != NULL);
    for (size_t i = 0; i < more->n; i++)
        found_base(&s, more->v[i].was, more->v[i].spawned);
    coarsen(&s, LLVMGetBasicBlockParent(b));
    for (size_t i = 0; i < s.found.n; i++)
        put_base_block(im, s.found.v[i].was, s.found.v[i].spawned, out);
    if (out->n > 1)
        qsort(out->v, out->n, sizeof *out->v, compare_block);
    end_search(&s);
    return out;
}

void
burl__history_blocks(struct burl__impact *im, LLVMValueRef inst, struct burl_changes_site *site)
{
    const struct blocks *l = list_of(im, LLVMGetInstructionParent(inst), &site->exact);

    for (size_t i = 0; i < l->n; i++)
        BURL_VEC_PUSH(&site->blocks, l->v[i]);
}

/* ---- preparation ---- */

void
burl__history_begin(struct burl__impact *im)
{
    struct burl__history *h = im->history = burl_xcalloc(1, sizeof *h);
    const struct burl_program *p = im->was.p;

    h->md_block = LLVMGetMDKindIDInContext(p->ctx, BURL_IR_MD_BLOCK, strlen(BURL_IR_MD_BLOCK));
    for (size_t m = 0; m < p->modules.n; m++) {
        for (LLVMValueRef f = LLVMGetFirstFunction(p->modules.v[m].mod); f;
             f = LLVMGetNextFunction(f)) {
            struct copy c = { .hash = p->modules.v[m].hash, .next = UINT32_MAX };
            if (!burl_program_copy(p, f, &c.first, &c.kept))
                continue;
            LLVMValueRef def = burl_program_definition(p, f);
            (void)burl_valmap_get(&h->copies_of, def, &c.next);
            BURL_VEC_PUSH(&h->copies, c);
            burl_valmap_set(&h->copies_of, def, (uint32_t)h->copies.n - 1);
        }
    }
    for (size_t i = 0; i < p->functions.n; i++)
        if (strcmp(burl_ir_name(p->functions.v[i]), "main") == 0)
            h->main_entry = LLVMGetEntryBasicBlock(p->functions.v[i]);
}

/* The rules have found the threads that are new: which functions do they execute? */
void
burl__history_ready(struct burl__impact *im)
{
    struct burl__history *h = im->history;

    for (uint32_t k = 0; k < im->creates.n; k++) {
        struct burl_u32s fns = { 0 };
        burl__spawned_at(&im->is, im->creates.v[k], &fns);
        burl__reach(&im->is, &fns, true);
        for (size_t i = 0; i < fns.n; i++) {
            uint32_t list = (uint32_t)h->creates_of.n;
            if (!burl_valmap_find_or_add(&h->spawned_fn, im->is.fns.v[fns.v[i]].fn, &list))
                (void)BURL_VEC_ADD(&h->creates_of);
            BURL_VEC_PUSH(&h->creates_of.v[list], k);
        }
        BURL_VEC_FREE(&fns);
    }
}

/* ---- Dejavu ---- */

static void add_dangerous_uses(struct burl__impact *im, LLVMValueRef global,
                               struct burl_valmap *seen, struct blocks *out);

/* Blocks that use the constant, also through other constants and initializers of other globals. */
static void
add_dangerous_use(struct burl__impact *im, LLVMValueRef v, struct burl_valmap *seen,
                  struct blocks *out)
{
    if (!burl_valmap_add(seen, v))
        return;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user))
            put_base_block(im, LLVMGetInstructionParent(user), false, out);
        else if (LLVMIsAGlobalVariable(user))
            add_dangerous_uses(im, user, seen, out);
        else if (LLVMIsAConstant(user))
            add_dangerous_use(im, user, seen, out);
    }
}

/* Those of a global variable, in all modules that declare it. */
static void
add_dangerous_uses(struct burl__impact *im, LLVMValueRef global, struct burl_valmap *seen,
                   struct blocks *out)
{
    const struct burl_program *p = im->was.p;

    add_dangerous_use(im, global, seen, out);
    for (size_t m = 0; m < p->modules.n; m++) {
        LLVMValueRef g = LLVMGetNamedGlobal(p->modules.v[m].mod, burl_ir_name(global));
        if (g && burl_program_definition(p, g) == global)
            add_dangerous_use(im, g, seen, out);
    }
}

struct dangerous {
    struct burl__impact *im;
    struct blocks list;
    struct burl_valmap constants; /* whose uses are in the list */
};

static void
add_dangerous_global(void *arg, LLVMValueRef is, LLVMValueRef was)
{
    struct dangerous *d = arg;

    (void)is;
    if (was)
        add_dangerous_uses(d->im, was, &d->constants, &d->list);
}

/* Code of a new function: whatever leads to it. A constructor or a function that only data names
 * has no changed caller. */
static void
add_ways_to(struct burl__impact *im, LLVMBasicBlockRef b, struct blocks *out)
{
    bool exact = true;
    const struct blocks *l = list_of(im, b, &exact);

    for (size_t i = 0; i < l->n; i++) {
        struct burl_changes_block x = l->v[i];

        x.spawned = false;
        BURL_VEC_PUSH(out, x);
    }
}

void
burl__find_dangerous(struct burl__impact *im)
{
    struct dangerous d = { .im = im };
    struct burl_valmap seen = { 0 };

    for (size_t i = 0; i < im->list_was.n; i++) {
        LLVMBasicBlockRef b = LLVMGetInstructionParent(im->list_was.v[i]);
        if (burl_valmap_add(&seen, b))
            put_base_block(im, b, false, &d.list);
    }
    for (size_t i = 0; i < im->list_is.n; i++) {
        bool exact;
        LLVMBasicBlockRef b = LLVMGetInstructionParent(im->list_is.v[i]);
        if (!burl_valmap_add(&seen, b))
            continue;
        LLVMBasicBlockRef was = burl_diff_history_block(im->d, b, &exact);
        if (was && burl_valmap_add(&seen, was))
            put_base_block(im, was, false, &d.list);
        else if (!was)
            add_ways_to(im, b, &d.list);
    }
    burl_diff_each_global(im->d, add_dangerous_global, &d);
    if (d.list.n > 1)
        qsort(d.list.v, d.list.n, sizeof *d.list.v, compare_block);
    for (size_t i = 0; i < d.list.n; i++)
        if (i == 0 || compare_block(&d.list.v[i - 1], &d.list.v[i]) != 0)
            BURL_VEC_PUSH(&im->c->dangerous, d.list.v[i]);
    BURL_VEC_FREE(&d.list);
    burl_valmap_deinit(&d.constants);
    burl_valmap_deinit(&seen);
}
