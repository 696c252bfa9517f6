/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/model_pairs.c - sites, variables and pairs of the model.
 *
 * Runs in the host. Covered pairs come first, each with its place in the static target: in it, in
 * its untyped tier (shown, not counted), or outside (a gap of the analysis, reported). Then the
 * rest of the target, uncovered. A target may have hundreds of millions of pairs: the model holds
 * PAIRS_MAX of them, first those whose reverse is covered; counts are exact all the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "cover/cover_int.h"

/* Half a million rows are unreadable and 50 MB. */
#define PAIRS_MAX 500000u

struct classes_of {
    BURL_VEC_OF(uint32_t); /* ascending */
};

struct builder {
    const struct burl_cover *c;
    const struct burl_sp *t; /* NULL: none */
    struct burl_cover_model *m;
    BURL_VEC(struct burl_store_cover_name) names; /* of m->sites */
    struct burl_map by_name;
    struct burl_map by_pair;    /* (a, b) */
    uint32_t *variable_of;      /* per class of the target; UINT32_MAX none yet */
    struct classes_of *classes; /* per site of the target */
};

/* ---- sites ------------------------------------------------------------------------- */

uint64_t
burl__cover_hash_name(struct burl_store_cover_name name)
{
    return burl_wire_mix(name.module, name.value);
}

bool
burl__cover_is_name(const void *names, uint64_t i, const void *name)
{
    const struct burl_store_cover_name *x = (const struct burl_store_cover_name *)names + i;
    const struct burl_store_cover_name *y = name;

    return x->module == y->module && x->value == y->value;
}

static struct burl_cover_site
describe_site(const struct burl_cover *c, struct burl_store_cover_name name)
{
    const struct burl_site_info *s = burl__cover_site_info(c, name);
    const bool both = s->kind == BURL_SITE_ATOMIC_RMW || s->kind == BURL_SITE_ATOMIC_CAS;

    return (struct burl_cover_site){
        .file = burl_xstrdup(burl__cover_file_name(s->file)),
        .path = burl__cover_source_path(s),
        .line = s->line,
        .column = s->column,
        .func = burl_xstrdup(s->func),
        .variable = burl_xstrdup(s->variable),
        .reads = both || s->kind == BURL_SITE_READ || s->kind == BURL_SITE_ATOMIC_LOAD ||
                 s->kind == BURL_SITE_RANGE_READ,
        .writes = both || s->kind == BURL_SITE_WRITE || s->kind == BURL_SITE_ATOMIC_STORE ||
                  s->kind == BURL_SITE_RANGE_WRITE,
        .atomic = both || s->kind == BURL_SITE_ATOMIC_LOAD || s->kind == BURL_SITE_ATOMIC_STORE,
    };
}

static uint32_t
site_of(struct builder *b, struct burl_store_cover_name name)
{
    uint64_t i = b->names.n;

    if (!burl_map_find_or_add(&b->by_name, burl__cover_hash_name(name), burl__cover_is_name,
                              b->names.v, &name, &i)) {
        BURL_VEC_PUSH(&b->names, name);
        BURL_VEC_PUSH(&b->m->sites, describe_site(b->c, name));
    }
    return (uint32_t)i;
}

/* ---- variables --------------------------------------------------------------------- */

static uint32_t
add_variable(struct builder *b, const char *name, const char *object, bool untyped)
{
    const struct burl_cover_variable v = { .name = burl_xstrdup(name ? name : ""),
                                           .object = burl_xstrdup(object ? object : ""),
                                           .untyped = untyped };

    BURL_VEC_PUSH(&b->m->variables, v);
    return (uint32_t)b->m->variables.n - 1;
}

static uint32_t
variable_of_class(struct builder *b, uint32_t cls)
{
    const struct burl_sp_class *k = &b->t->classes.v[cls];

    if (b->variable_of[cls] == UINT32_MAX)
        b->variable_of[cls] = add_variable(b, k->name, k->object, k->untyped);
    return b->variable_of[cls];
}

/* Without a class: the name in the source. */
static uint32_t
variable_of_site(struct builder *b, uint32_t site)
{
    const char *name = b->m->sites.v[site].variable;

    if (name[0] == '\0')
        return UINT32_MAX;
    for (uint32_t i = 0; i < b->m->variables.n; i++) {
        const struct burl_cover_variable *x = &b->m->variables.v[i];

        if (x->object[0] == '\0' && strcmp(x->name, name) == 0)
            return i;
    }
    return add_variable(b, name, "", false);
}

static void
index_classes(struct builder *b)
{
    const struct burl_sp *t = b->t;

    b->classes = burl_xcalloc(t->sites.n + 1, sizeof *b->classes);
    b->variable_of = burl_xcalloc(t->classes.n + 1, sizeof *b->variable_of);
    for (uint32_t k = 0; k < t->classes.n; k++) {
        b->variable_of[k] = UINT32_MAX;
        for (size_t i = 0; i < t->classes.v[k].sites.n; i++) {
            const uint32_t site = t->classes.v[k].sites.v[i];

            if (site < t->sites.n)
                BURL_VEC_PUSH(&b->classes[site], k);
        }
    }
}

/* The first class of the tier that both are in, UINT32_MAX none. */
static uint32_t
shared_class(const struct builder *b, uint32_t x, uint32_t y, bool untyped)
{
    const struct classes_of *p = &b->classes[x];
    const struct classes_of *q = &b->classes[y];

    for (size_t i = 0, j = 0; i < p->n && j < q->n;) {
        if (p->v[i] == q->v[j] && b->t->classes.v[p->v[i]].untyped == untyped)
            return p->v[i];
        if (p->v[i] <= q->v[j])
            i++;
        else
            j++;
    }
    return UINT32_MAX;
}

/* ---- pairs ------------------------------------------------------------------------- */

/* NULL when it is there already. Valid until the next. */
static struct burl_cover_pair *
add_pair(struct builder *b, uint32_t x, uint32_t y)
{
    uint64_t *known = burl_map_at(&b->by_pair, (uint64_t)x << 32 | y);
    struct burl_cover_pair *p;

    if (*known)
        return NULL;
    *known = 1;
    p = BURL_VEC_ADD(&b->m->pairs);
    p->a = x;
    p->b = y;
    p->variable = UINT32_MAX;
    return p;
}

static uint32_t
target_site(const struct builder *b, struct burl_store_cover_name name)
{
    return b->t ? burl_sp_find(b->t, name.module, name.value) : UINT32_MAX;
}

static void
place_covered(struct builder *b, struct burl_cover_pair *p, const struct burl_store_cover_item *x)
{
    const uint32_t ta = target_site(b, x->a);
    const uint32_t tb = target_site(b, x->b);
    uint32_t cls = UINT32_MAX;

    for (int untyped = 0; untyped < 2 && ta != UINT32_MAX && tb != UINT32_MAX; untyped++) {
        if (burl_sp_has(b->t, ta, tb, untyped)) {
            cls = shared_class(b, ta, tb, untyped);
            break;
        }
    }
    p->state = cls != UINT32_MAX || !b->t ? BURL_COVER_COVERED : BURL_COVER_OUTSIDE;
    p->variable = cls != UINT32_MAX ? variable_of_class(b, cls) : variable_of_site(b, p->a);
}

static void
add_covered(struct builder *b)
{
    for (size_t i = 0; i < b->c->items.n; i++) {
        const struct burl_cover_entry *e = &b->c->items.v[i];
        struct burl_cover_pair *p;
        uint32_t a, y;

        if (e->x.metric != BURL_METRIC_LOCPAIRS || !e->present)
            continue;
        a = site_of(b, e->x.a);
        y = site_of(b, e->x.b);
        p = add_pair(b, a, y);
        if (!p) /* in another context */
            continue;
        p->racy = (e->x.flags & BURL_COVER_F_RACY) != 0;
        p->first_exec = e->x.execution;
        p->seed = e->x.seed;
        p->strategy = burl_xstrdup(e->x.strategy ? e->x.strategy : "");
        place_covered(b, p, &e->x);
    }
}

static struct burl_store_cover_name
name_of_target(const struct burl_sp *t, uint32_t site)
{
    return (struct burl_store_cover_name){ .module = t->sites.v[site].module_hash,
                                           .value = t->sites.v[site].index };
}

static bool
add_uncovered(void *arg, uint32_t a, uint32_t b, uint32_t cls)
{
    struct builder *x = arg;
    const uint32_t sa = site_of(x, name_of_target(x->t, a));
    const uint32_t sb = site_of(x, name_of_target(x->t, b));
    struct burl_cover_pair *p;

    if (x->m->pairs.n >= PAIRS_MAX)
        return false;
    p = add_pair(x, sa, sb);
    if (!p)
        return true;
    p->state = BURL_COVER_UNCOVERED;
    p->variable = variable_of_class(x, cls);
    return true;
}

/* Most valuable: their sites are reachable. */
static void
add_reverses(struct builder *b)
{
    const size_t n = b->m->pairs.n;

    for (size_t i = 0; i < n; i++) {
        const struct burl_cover_pair p = b->m->pairs.v[i];
        const uint32_t ta = target_site(b, b->names.v[p.a]);
        const uint32_t tb = target_site(b, b->names.v[p.b]);
        uint32_t cls;

        if (p.state != BURL_COVER_COVERED || ta == UINT32_MAX || tb == UINT32_MAX ||
            !burl_sp_has(b->t, tb, ta, false))
            continue;
        cls = shared_class(b, tb, ta, false);
        if (cls != UINT32_MAX)
            add_uncovered(b, tb, ta, cls);
    }
}

bool
burl__cover_is_counted(const struct burl_cover_model *m, const struct burl_cover_pair *p)
{
    return p->variable >= m->variables.n || !m->variables.v[p->variable].untyped;
}

/* ---- order ------------------------------------------------------------------------- */

/* A site on its way to its place in the order. */
struct moved {
    struct burl_cover_site site;
    struct burl_store_cover_name name;
    uint32_t from;
};

#define PLACE(e) (e)->site.line, (e)->site.column, (e)->name.module, (e)->name.value
#define SITES(e) (e)->a, (e)->b
#define NUMBER(e) *(const uint32_t *)(e)

static int
by_place(const void *x, const void *y)
{
    const struct moved *a = x;
    const struct moved *b = y;
    const int files = strcmp(a->site.file, b->site.file);

    return files != 0 ? files : BURL_COMPARE(a, b, PLACE);
}

int
burl__cover_by_sites(const void *x, const void *y)
{
    const struct burl_cover_pair *p = x;
    const struct burl_cover_pair *q = y;

    return BURL_COMPARE(p, q, SITES);
}

static void
sort_sites(struct builder *b)
{
    struct burl_cover_model *m = b->m;
    const size_t n = m->sites.n;
    struct moved *moved = burl_xcalloc(n + 1, sizeof *moved);
    uint32_t *place = burl_xcalloc(n + 1, sizeof *place);

    for (uint32_t i = 0; i < n; i++)
        moved[i] = (struct moved){ m->sites.v[i], b->names.v[i], i };
    qsort(moved, n, sizeof *moved, by_place);
    for (uint32_t i = 0; i < n; i++) {
        m->sites.v[i] = moved[i].site;
        b->names.v[i] = moved[i].name;
        place[moved[i].from] = i;
    }
    for (size_t i = 0; i < m->pairs.n; i++) {
        m->pairs.v[i].a = place[m->pairs.v[i].a];
        m->pairs.v[i].b = place[m->pairs.v[i].b];
    }
    if (m->pairs.n > 0)
        qsort(m->pairs.v, m->pairs.n, sizeof *m->pairs.v, burl__cover_by_sites);
    free(moved);
    free(place);
}

static int
by_number(const void *x, const void *y)
{
    return BURL_COMPARE(x, y, NUMBER);
}

static void
list_variable_sites(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];
        struct burl_cover_variable *v;

        if (p->variable >= m->variables.n)
            continue;
        v = &m->variables.v[p->variable];
        BURL_VEC_PUSH(&v->sites, p->a);
        BURL_VEC_PUSH(&v->sites, p->b);
    }
    for (size_t i = 0; i < m->variables.n; i++) {
        struct burl_cover_variable *v = &m->variables.v[i];
        size_t n = 0;

        if (v->sites.n > 0)
            qsort(v->sites.v, v->sites.n, sizeof *v->sites.v, by_number);
        for (size_t k = 0; k < v->sites.n; k++) {
            if (n == 0 || v->sites.v[n - 1] != v->sites.v[k])
                v->sites.v[n++] = v->sites.v[k];
        }
        v->sites.n = n;
    }
}

void
burl__cover_fill_pairs(const struct burl_cover *c, const struct burl_sp *t,
                       struct burl_cover_model *m, struct burl_cover_names *names)
{
    struct builder b = { .c = c, .t = t, .m = m };

    if (t)
        index_classes(&b);
    add_covered(&b);
    if (t) {
        add_reverses(&b);
        burl_sp_pairs(t, false, add_uncovered, &b);
        for (size_t i = 0; i < t->sites.n; i++)
            BURL_VEC_FREE(&b.classes[i]);
    }
    sort_sites(&b);
    list_variable_sites(m);
    free(b.classes);
    free(b.variable_of);
    burl_map_deinit(&b.by_name);
    burl_map_deinit(&b.by_pair);
    names->sites = b.names.v;
    names->n = b.names.n;
}
