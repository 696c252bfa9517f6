/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/impact.c - the steps of the impact analysis one after the other, and the result.
 *
 * Runs in burl-analyze. What the steps find lives until the process ends and is not freed.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"

/* A call that differs in which local of a name and type it is given, and in nothing else. */
static bool
is_crossed(const struct burl__impact *im, bool is, LLVMValueRef inst)
{
    LLVMValueRef other = burl_diff_counterpart(im->d, inst);
    bool crossed = false;

    if (!other || (!burl_ir_is_call(inst) && !burl_ir_is_gep(inst)))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(inst) && i < LLVMGetNumOperands(other); i++) {
        LLVMValueRef a = LLVMGetOperand(inst, (unsigned)i);
        crossed |= LLVMIsAAllocaInst(a) &&
                   burl_diff_counterpart(im->d, a) != LLVMGetOperand(other, (unsigned)i);
    }
    return crossed && burl__same_operands(im, is ? inst : other, is ? other : inst);
}

static void
add_new(void *arg, LLVMValueRef inst)
{
    struct burl__impact *im = arg;

    if (!is_crossed(im, true, inst) && burl_valmap_add(&im->changed_is, inst))
        BURL_VEC_PUSH(&im->list_is, inst);
}

static void
add_base(void *arg, LLVMValueRef inst)
{
    struct burl__impact *im = arg;

    if (!is_crossed(im, false, inst) && burl_valmap_add(&im->changed_was, inst))
        BURL_VEC_PUSH(&im->list_was, inst);
}

static void
index_accesses(struct burl__impact *im)
{
    struct burl__sp *sp = im->sp;

    im->hits = burl_xcalloc(sp->accesses.n + 1, sizeof *im->hits);
    for (uint32_t i = 0; i < sp->accesses.n; i++) {
        uint32_t first = i;
        if (sp->accesses.v[i].copy_of == UINT32_MAX)
            (void)burl_valmap_find_or_add(&im->access_of, sp->accesses.v[i].inst, &first);
    }
}

static uint64_t
program_hash(const struct burl_program *p)
{
    BURL_VEC(uint64_t) hashes = { 0 };

    for (size_t i = 0; i < p->modules.n; i++)
        BURL_VEC_PUSH(&hashes, p->modules.v[i].hash);
    uint64_t h = burl_sp_program(hashes.v, hashes.n);
    BURL_VEC_FREE(&hashes);
    return h;
}

/* One site for each access of the target, in its order. */
static void
emit_sites(struct burl__impact *im)
{
    struct burl__sp *sp = im->sp;
    uint32_t *access = burl_xcalloc(sp->t->sites.n + 1, sizeof *access);

    for (uint32_t i = 0; i < sp->accesses.n; i++)
        if (sp->accesses.v[i].target != UINT32_MAX)
            access[sp->accesses.v[i].target] = i;
    for (size_t k = 0; k < sp->t->sites.n; k++) {
        const struct burl__access *a = &sp->accesses.v[access[k]];
        const struct burl__hit *h = &im->hits[a->copy_of == UINT32_MAX ? access[k] : a->copy_of];
        struct burl_changes_site *s = BURL_VEC_ADD(&im->c->sites);
        s->module_hash = sp->t->sites.v[k].module_hash;
        s->index = sp->t->sites.v[k].index;
        s->rules = h->rules;
        s->function = UINT32_MAX;
        if (h->rules) {
            s->why = burl_xstrdup(im->causes.v[h->cause].text);
            s->function = burl__function_number(im, im->causes.v[h->cause].fn);
        }
        burl__history_blocks(im, a->inst, s);
    }
    free(access);
}

void
burl_impact_find(struct burl_changes *c, const struct burl_diff *d, struct burl__sp *sp)
{
    struct burl__impact im = { .d = d, .sp = sp, .c = c, .is.p = d->is, .was.p = d->was };

    burl_changes_init(c);
    c->program = sp->t->program;
    c->base = program_hash(d->was);
    burl_diff_each_change(d, true, add_new, &im);
    burl_diff_each_change(d, false, add_base, &im);
    index_accesses(&im);
    burl__sides_make(&im);
    burl__history_begin(&im);
    burl__apply_rules(&im);
    burl__history_ready(&im);
    burl__list_functions(&im);
    emit_sites(&im);
    burl__find_dangerous(&im);
    burl__find_cycles(&im);
    for (size_t i = 0; i < d->was->problems.n; i++)
        BURL_VEC_PUSH(&c->notes, burl_xasprintf("base version: %s", d->was->problems.v[i]));
    for (size_t i = 0; i < d->is->problems.n; i++)
        BURL_VEC_PUSH(&c->notes, burl_xstrdup(d->is->problems.v[i]));
}
