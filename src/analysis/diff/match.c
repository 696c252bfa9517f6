/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/diff/match.c - which function and which global variable of one version is which of the
 * other. Runs in burl-analyze.
 *
 * By name. Names with internal linkage may occur in several files: among those of one name the
 * pairs whose files have the most path components in common, counted from the end, come first, so
 * that neither another build directory nor a moved file separates them. Functions that are left are
 * matched if their bodies are equal: renamed ones.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_int.h"
#include "ir/ditype.h"

/* Longer chains of base classes are not followed. */
enum { MAX_FORWARDS = 16 };

struct symbol {
    LLVMValueRef v;
    const char *name;
    const char *file;   /* of the definition */
    const char *module; /* source file */
    uint32_t other;
};

struct symbols {
    BURL_VEC_OF(struct symbol);
    struct burl_map first; /* hash of the name -> index; `next` has the others, ascending */
    uint32_t *next;
};

static uint64_t
name_hash(const char *name)
{
    return burl_hash_end(burl_hash_str(BURL_HASH_BEGIN, name));
}

static void
index_symbols(struct symbols *s)
{
    s->next = burl_xcalloc(s->n + 1, sizeof *s->next);
    for (size_t i = s->n; i-- > 0;) {
        uint64_t h = name_hash(s->v[i].name), first;
        s->next[i] = burl_map_get(&s->first, h, &first) ? (uint32_t)first : BURL__NONE;
        burl_map_set(&s->first, h, i);
    }
}

static void
free_symbols(struct symbols *s)
{
    BURL_VEC_FREE(s);
    burl_map_deinit(&s->first);
    free(s->next);
}

/* Equal components at the end of two paths. */
static unsigned
common_components(const char *a, const char *b)
{
    size_t i = strlen(a), k = strlen(b);
    unsigned n = 0;

    while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
        i--;
        k--;
        n += a[i] == '/';
    }
    /* A component that began before the difference is not equal. */
    return n + ((i == 0 || a[i - 1] == '/') && (k == 0 || b[k - 1] == '/') && (i == 0 || k == 0));
}

static bool
is_internal(LLVMValueRef v)
{
    return LLVMGetLinkage(v) == LLVMInternalLinkage;
}

/* 0: they have nothing to do with each other. */
static unsigned
likeness(const struct symbol *a, const struct symbol *b)
{
    if (is_internal(a->v) && is_internal(b->v) && !common_components(a->module, b->module) &&
        !(*a->file && common_components(a->file, b->file)))
        return 0;
    return 1 + common_components(a->module, b->module) * 2 +
           common_components(a->file, b->file) * 2 + (LLVMGetLinkage(a->v) == LLVMGetLinkage(b->v));
}

struct candidate {
    uint32_t is, was;
    unsigned likeness;
};

static int
by_likeness(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;

    if (a->likeness != b->likeness)
        return a->likeness < b->likeness ? 1 : -1;
    if (a->is != b->is)
        return a->is < b->is ? -1 : 1;
    return a->was < b->was ? -1 : a->was > b->was;
}

/* Matches all symbols of one name, the best pairs first. */
static void
match_name(struct symbols *is, struct symbols *was, uint32_t first_is, uint32_t first_was)
{
    const char *name = is->v[first_is].name;
    BURL_VEC(struct candidate) all = { 0 };

    for (uint32_t a = first_is; a != BURL__NONE; a = is->next[a]) {
        for (uint32_t b = first_was; b != BURL__NONE; b = was->next[b]) {
            if (strcmp(is->v[a].name, name) != 0 || strcmp(was->v[b].name, name) != 0)
                continue;
            unsigned l = likeness(&is->v[a], &was->v[b]);
            if (l > 0)
                BURL_VEC_PUSH(&all, (struct candidate){ a, b, l });
        }
    }
    if (all.n > 1)
        qsort(all.v, all.n, sizeof *all.v, by_likeness);
    for (size_t i = 0; i < all.n; i++) {
        struct symbol *a = &is->v[all.v[i].is], *b = &was->v[all.v[i].was];
        if (a->other != BURL__NONE || b->other != BURL__NONE)
            continue;
        a->other = all.v[i].was;
        b->other = all.v[i].is;
    }
    BURL_VEC_FREE(&all);
}

static void
match_names(struct symbols *is, struct symbols *was)
{
    index_symbols(is);
    index_symbols(was);
    for (uint32_t i = 0; i < is->n; i++) {
        uint64_t a, b, h = name_hash(is->v[i].name);
        if (burl_map_get(&is->first, h, &a) && a == i && burl_map_get(&was->first, h, &b))
            match_name(is, was, i, (uint32_t)b);
    }
}

/* ---- functions ---- */

static void
add_symbol(struct symbols *s, const struct burl_program *p, LLVMValueRef v, LLVMMetadataRef scope)
{
    struct symbol *x = BURL_VEC_ADD(s);

    x->v = v;
    x->name = burl_ir_name(v);
    x->module = p->modules.v[burl_program_module_of(p, v)].name;
    x->file = scope ? burl_di_file(scope) : "";
    x->other = BURL__NONE;
}

static void
list_functions(struct symbols *s, const struct burl_program *p)
{
    for (size_t i = 0; i < p->functions.n; i++)
        add_symbol(s, p, p->functions.v[i], LLVMGetSubprogram(p->functions.v[i]));
}

/* Unmatched functions by their bodies. */
struct body {
    uint64_t hash;
    uint32_t ix;
    bool taken;
};

struct bodies {
    BURL_VEC_OF(struct body);
};

static void
list_bodies(struct burl_diff *d, int side, const struct symbols *s, struct bodies *out)
{
    for (uint32_t i = 0; i < s->n; i++) {
        /* Functions that do nothing would match any other. */
        if (s->v[i].other != BURL__NONE || burl__match_is_forwarder(s->v[i].v))
            continue;
        struct burl__form *f = burl__form_make(&d->own->side[side], s->v[i].v);
        BURL_VEC_PUSH(out, (struct body){ burl__key_body(f), i, false });
        burl__form_free(f);
    }
}

static void
set_entries(struct burl__side *side, const struct symbols *s, bool is)
{
    for (uint32_t i = 0; i < s->n; i++)
        burl_valmap_set(&side->entry_of, s->v[i].v,
                        is && s->v[i].other != BURL__NONE ? i : s->v[i].other);
}

static bool
bodies_equal(struct burl_diff *d, LLVMValueRef is, LLVMValueRef was)
{
    struct burl__pair *p = burl_xcalloc(1, sizeof *p);

    p->f[BURL__IS] = burl__form_make(&d->own->side[BURL__IS], is);
    p->f[BURL__WAS] = burl__form_make(&d->own->side[BURL__WAS], was);
    bool equal = burl__pair_lockstep(d, p);
    burl__pair_free(p);
    return equal;
}

/* Of equal hashes the first ones in order, then all are tested: a function may call another that
 * was renamed as well. */
static void
match_bodies(struct burl_diff *d, struct symbols *is, struct symbols *was)
{
    struct bodies a = { 0 }, b = { 0 };
    BURL_VEC(uint32_t) tried = { 0 };

    list_bodies(d, BURL__IS, is, &a);
    list_bodies(d, BURL__WAS, was, &b);
    for (size_t i = 0; i < a.n; i++) {
        for (size_t k = 0; k < b.n; k++) {
            if (b.v[k].taken || a.v[i].hash != b.v[k].hash)
                continue;
            b.v[k].taken = true;
            is->v[a.v[i].ix].other = b.v[k].ix;
            was->v[b.v[k].ix].other = a.v[i].ix;
            BURL_VEC_PUSH(&tried, a.v[i].ix);
            break;
        }
    }
    for (bool again = tried.n > 0; again;) {
        again = false;
        for (size_t i = 0; i < tried.n; i++) {
            struct symbol *x = &is->v[tried.v[i]];
            if (x->other == BURL__NONE)
                continue;
            d->functions.v[tried.v[i]].was = was->v[x->other].v;
            burl_valmap_set(&d->own->side[BURL__IS].entry_of, x->v, tried.v[i]);
            burl_valmap_set(&d->own->side[BURL__WAS].entry_of, was->v[x->other].v, tried.v[i]);
        }
        for (size_t i = 0; i < tried.n; i++) {
            struct symbol *x = &is->v[tried.v[i]];
            if (x->other == BURL__NONE || bodies_equal(d, x->v, was->v[x->other].v))
                continue;
            burl_valmap_set(&d->own->side[BURL__IS].entry_of, x->v, BURL__NONE);
            burl_valmap_set(&d->own->side[BURL__WAS].entry_of, was->v[x->other].v, BURL__NONE);
            d->functions.v[tried.v[i]].was = NULL;
            was->v[x->other].other = BURL__NONE;
            x->other = BURL__NONE;
            again = true;
        }
    }
    BURL_VEC_FREE(&tried);
    BURL_VEC_FREE(&a);
    BURL_VEC_FREE(&b);
}

void
burl__match_functions(struct burl_diff *d)
{
    struct symbols is = { 0 }, was = { 0 };

    list_functions(&is, d->is);
    list_functions(&was, d->was);
    match_names(&is, &was);
    set_entries(&d->own->side[BURL__IS], &is, true);
    set_entries(&d->own->side[BURL__WAS], &was, false);
    for (uint32_t i = 0; i < is.n; i++)
        BURL_VEC_PUSH(&d->functions,
                      (struct burl_diff_function){
                          .is = is.v[i].v,
                          .was = is.v[i].other == BURL__NONE ? NULL : was.v[is.v[i].other].v,
                      });
    match_bodies(d, &is, &was);
    for (uint32_t i = 0; i < is.n; i++) {
        struct burl_diff_function *f = &d->functions.v[i];
        burl_valmap_set(&d->own->side[BURL__IS].entry_of, f->is, i);
        const struct symbol *x = &is.v[i], *y = f->was ? &was.v[x->other] : NULL;
        f->moved = y && (strcmp(x->name, y->name) != 0 ||
                         (*x->file && *y->file && common_components(x->file, y->file) == 0));
    }
    for (uint32_t i = 0; i < was.n; i++) {
        if (was.v[i].other != BURL__NONE)
            continue;
        burl_valmap_set(&d->own->side[BURL__WAS].entry_of, was.v[i].v, (uint32_t)d->functions.n);
        BURL_VEC_PUSH(&d->functions, (struct burl_diff_function){ .was = was.v[i].v });
    }
    free_symbols(&is);
    free_symbols(&was);
}

/* ---- globals ---- */

static void
list_globals(struct symbols *s, const struct burl_program *p)
{
    for (size_t m = 0; m < p->modules.n; m++) {
        LLVMModuleRef mod = p->modules.v[m].mod;
        for (LLVMValueRef g = LLVMGetFirstGlobal(mod); g; g = LLVMGetNextGlobal(g)) {
            LLVMLinkage l = LLVMGetLinkage(g);
            if (LLVMIsDeclaration(g) || l == LLVMPrivateLinkage || l == LLVMAppendingLinkage ||
                l == LLVMAvailableExternallyLinkage || burl_ir_begins(burl_ir_name(g), "llvm.") ||
                burl_program_definition(p, g) != g)
                continue;
            add_symbol(s, p, g, NULL);
        }
    }
}

/* The only one of this name that is left; NULL: there are none or several. */
static struct symbol *
find_left(struct symbols *s, const char *name)
{
    struct symbol *found = NULL;
    uint64_t first;

    if (!burl_map_get(&s->first, name_hash(name), &first))
        return NULL;
    for (uint32_t i = (uint32_t)first; i != BURL__NONE; i = s->next[i]) {
        if (s->v[i].other != BURL__NONE || strcmp(s->v[i].name, name) != 0)
            continue;
        if (found)
            return NULL;
        found = &s->v[i];
    }
    return found;
}

/* Variables of files that were renamed. */
static void
match_left(struct burl_diff *d, struct symbols *is, struct symbols *was)
{
    for (uint32_t i = 0; i < is->n; i++) {
        struct symbol *a = is->v[i].other == BURL__NONE ? find_left(is, is->v[i].name) : NULL;
        struct symbol *b = a ? find_left(was, a->name) : NULL;
        if (!b ||
            !burl__types_same(d->own, LLVMGlobalGetValueType(a->v), LLVMGlobalGetValueType(b->v)))
            continue;
        a->other = (uint32_t)(b - was->v);
        b->other = (uint32_t)(a - is->v);
    }
}

void
burl__match_globals(struct burl_diff *d)
{
    struct symbols is = { 0 }, was = { 0 };

    list_globals(&is, d->is);
    list_globals(&was, d->was);
    match_names(&is, &was);
    match_left(d, &is, &was);
    for (uint32_t i = 0; i < is.n; i++) {
        LLVMValueRef other = is.v[i].other == BURL__NONE ? NULL : was.v[is.v[i].other].v;
        uint32_t ix = (uint32_t)d->own->globals.n;
        burl_valmap_set(&d->own->side[BURL__IS].global_of, is.v[i].v, ix);
        if (other)
            burl_valmap_set(&d->own->side[BURL__WAS].global_of, other, ix);
        BURL_VEC_PUSH(&d->own->globals, (struct burl__global){ is.v[i].v, other, false });
    }
    for (uint32_t i = 0; i < was.n; i++) {
        if (was.v[i].other != BURL__NONE)
            continue;
        burl_valmap_set(&d->own->side[BURL__WAS].global_of, was.v[i].v,
                        (uint32_t)d->own->globals.n);
        BURL_VEC_PUSH(&d->own->globals, (struct burl__global){ NULL, was.v[i].v, false });
    }
    free_symbols(&is);
    free_symbols(&was);
}

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool
is_allocator_end(const char *name)
{
    static const char *const begins[] = { "_ZNSaI", "_ZNSt15__new_allocatorI",
                                          "_ZN9__gnu_cxx13new_allocatorI" };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (burl_ir_begins(name, begins[i]))
            return ends_with(name, "ED1Ev") || ends_with(name, "ED2Ev");
    return false;
}

/* The destructor that a destructor calls, when it does nothing else; NULL otherwise. */
static LLVMValueRef
forwarded(LLVMValueRef fn)
{
    const char *name = burl_ir_name(fn);
    LLVMValueRef to = NULL;

    if (!ends_with(name, "D2Ev") && !ends_with(name, "D1Ev"))
        return NULL;
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? burl_ir_callee(i) : NULL;
        if (burl__form_is_marker(i) || LLVMIsAReturnInst(i))
            continue;
        if (to || !callee || !ends_with(burl_ir_name(callee), "D2Ev") ||
            LLVMGetNumArgOperands(i) != 1 || LLVMGetOperand(i, 0) != LLVMGetFirstParam(fn))
            return NULL;
        to = callee;
    }
    return to;
}

LLVMValueRef
burl__match_definition(const struct burl_program *p, LLVMValueRef v)
{
    LLVMValueRef def = burl_program_definition(p, v);

    for (int i = 0; i < MAX_FORWARDS && LLVMIsAFunction(def) && !LLVMIsDeclaration(def); i++) {
        LLVMValueRef to = forwarded(def);
        if (!to)
            break;
        def = burl_program_definition(p, to);
    }
    return def;
}

bool
burl__match_is_forwarder(LLVMValueRef fn)
{
    return forwarded(fn) != NULL || is_allocator_end(burl_ir_name(fn));
}

uint64_t
burl__name_hash(const char *name)
{
    uint64_t h = BURL_HASH_BEGIN;

    if (is_allocator_end(name))
        return burl_hash_str(h, "allocator");
    if (!burl_ir_begins(name, "_ZN"))
        return burl_hash_str(h, name);
    for (const char *p = name; *p; p++) {
        bool variant =
            *p == '2' && p > name && (p[-1] == 'C' || p[-1] == 'D') && (p[1] == 'E' || p[1] == 'I');
        h = burl_hash_bytes(h, variant ? "1" : p, 1);
    }
    return h;
}

LLVMValueRef
burl__match_of(const struct burl_diff *d, int side, LLVMValueRef v)
{
    const struct burl__side *s = &d->own->side[side];
    uint32_t ix;

    if (burl_valmap_get(&s->entry_of, v, &ix)) {
        if (ix == BURL__NONE)
            return NULL;
        const struct burl_diff_function *f = &d->functions.v[ix];
        return side == BURL__IS ? f->was : f->is;
    }
    if (burl_valmap_get(&s->global_of, v, &ix)) {
        const struct burl__global *g = &d->own->globals.v[ix];
        return side == BURL__IS ? g->was : g->is;
    }
    return NULL;
}
