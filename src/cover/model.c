/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/model.c - the model of a program's coverage.
 *
 * Runs in the host. In order: the static target; files; sites, variables and pairs; pruned pairs;
 * proposals by lock reasoning; outcomes of hunts; the rank of the gaps; metrics. The order matters:
 * a covered pair is never pruned, a pruned one never proposed, and only the remaining ones are
 * gaps.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/path.h"
#include "cover/cover_int.h"
#include "cover/gaps.h"
#include "cover/hunt.h"
#include "cover/prune.h"

/* Weights of the four outcomes, as the noise-search paper has them (SCT, SCL, LS, E). */
static const uint64_t goldilocks_weight[4] = { 1, 5, 5, 10 };

/* ---- schedules and hunts ----------------------------------------------------------- */

struct finder {
    const struct burl_cover *c;
    struct burl_cover_model *m;
    const struct burl_cover_names *names;
    struct burl_map by_name; /* index into names */
    const char *build;
};

static void
index_names(struct finder *f)
{
    for (uint64_t i = 0; i < f->names->n; i++) {
        const struct burl_store_cover_name *name = &f->names->sites[i];
        uint64_t at = i;

        burl_map_find_or_add(&f->by_name, burl__cover_hash_name(*name), burl__cover_is_name,
                             f->names->sites, name, &at);
    }
}

static uint32_t
find_site(const struct finder *f, struct burl_store_cover_name name)
{
    uint64_t i = UINT32_MAX;

    burl_map_find(&f->by_name, burl__cover_hash_name(name), burl__cover_is_name, f->names->sites,
                  &name, &i);
    return (uint32_t)i;
}

/* The pairs are in the order of their sites (model_pairs.c). */
static struct burl_cover_pair *
find_pair(const struct finder *f, struct burl_store_cover_name a, struct burl_store_cover_name b)
{
    const struct burl_cover_pair key = { .a = find_site(f, a), .b = find_site(f, b) };

    if (f->m->pairs.n == 0)
        return NULL;
    return bsearch(&key, f->m->pairs.v, f->m->pairs.n, sizeof key, burl__cover_by_sites);
}

static void
take_schedule(void *arg, const struct burl_store_cover_schedule *x)
{
    struct finder *f = arg;

    for (size_t i = 0; i < f->m->pairs.n; i++) {
        struct burl_cover_pair *p = &f->m->pairs.v[i];

        if ((p->state != BURL_COVER_COVERED && p->state != BURL_COVER_OUTSIDE) || p->schedule ||
            p->first_exec != x->execution)
            continue;
        p->schedule = burl_path_join(burl_store_dir(f->c->store), x->file);
    }
}

static void
take_hunt(void *arg, const struct burl_store_cover_hunt *x)
{
    struct finder *f = arg;
    struct burl_cover_pair *p = find_pair(f, x->a, x->b);

    if (!p || (p->state != BURL_COVER_UNCOVERED && p->state != BURL_COVER_PROPOSED))
        return;
    p->tries = x->tries;
    /* A proof is about one build and one command line. */
    if (x->outcome == BURL_HUNT_IMPOSSIBLE && strcmp(x->build, f->build) == 0) {
        p->state = BURL_COVER_IMPOSSIBLE;
        free(p->reason);
        p->reason = burl_xstrdup(x->why);
    }
}

/* ---- metrics ----------------------------------------------------------------------- */

struct executions {
    BURL_VEC_OF(uint64_t);
};

#define VALUE(e) *(const uint64_t *)(e)

static int
by_value(const void *x, const void *y)
{
    return BURL_COMPARE(x, y, VALUE);
}

static void
fill_pairs_metric(const struct burl_cover_model *m, uint64_t n_target,
                  struct burl_cover_metric *out, struct executions *e)
{
    uint64_t taken = 0;

    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (!burl__cover_is_counted(m, p))
            continue;
        taken += p->state == BURL_COVER_PRUNED || p->state == BURL_COVER_IMPOSSIBLE;
        if (p->state == BURL_COVER_COVERED)
            BURL_VEC_PUSH(e, p->first_exec);
    }
    out->target = m->has_target ? n_target - taken : 0;
}

struct line_hit {
    const char *file;
    uint32_t line;
    uint64_t execution;
};

#define LINE_HIT(e) (e)->line, (e)->execution

static int
by_line(const void *x, const void *y)
{
    const struct line_hit *a = x;
    const struct line_hit *b = y;
    const int files = strcmp(a->file, b->file);

    return files != 0 ? files : BURL_COMPARE(a, b, LINE_HIT);
}

/* A line may have several sites; it counts once. */
static void
fill_lines_metric(const struct burl_cover *c, const struct burl_cover_model *m,
                  struct burl_cover_metric *out, struct executions *e)
{
    struct {
        BURL_VEC_OF(struct line_hit);
    } hits = { 0 };

    for (size_t i = 0; i < c->items.n; i++) {
        const struct burl_cover_entry *x = &c->items.v[i];
        const struct burl_site_info *site;

        if (x->x.metric != BURL_METRIC_LINES || !x->present)
            continue;
        site = burl__cover_site_info(c, x->x.a);
        if (site->line > 0 && !burl_site_is_system(site))
            BURL_VEC_PUSH(&hits, (struct line_hit){ burl__cover_file_name(site->file), site->line,
                                                    x->x.execution });
    }
    if (hits.n > 0)
        qsort(hits.v, hits.n, sizeof *hits.v, by_line);
    for (size_t i = 0; i < hits.n; i++) {
        if (i == 0 || strcmp(hits.v[i].file, hits.v[i - 1].file) != 0 ||
            hits.v[i].line != hits.v[i - 1].line)
            BURL_VEC_PUSH(e, hits.v[i].execution);
    }
    for (size_t i = 0; i < m->files.n; i++)
        out->target += m->files.v[i].lines_found;
    BURL_VEC_FREE(&hits);
}

#define SITE_AND_STATE(e) (e)->a.module, (e)->a.value, (e)->b.value

static int
by_site_and_state(const void *x, const void *y)
{
    const struct burl_store_cover_item *a = x;
    const struct burl_store_cover_item *b = y;

    return BURL_COMPARE(a, b, SITE_AND_STATE);
}

/* Over distinct (site, state), without variable and thread. */
static uint64_t
goldilocks_sum(const struct burl_cover *c)
{
    struct {
        BURL_VEC_OF(struct burl_store_cover_item);
    } v = { 0 };
    uint64_t sum = 0;

    for (size_t i = 0; i < c->items.n; i++) {
        if (c->items.v[i].x.metric == BURL_METRIC_GOLDISC && c->items.v[i].current)
            BURL_VEC_PUSH(&v, c->items.v[i].x);
    }
    if (v.n > 0)
        qsort(v.v, v.n, sizeof *v.v, by_site_and_state);
    for (size_t i = 0; i < v.n; i++) {
        if (i == 0 || by_site_and_state(&v.v[i - 1], &v.v[i]) != 0)
            sum += goldilocks_weight[v.v[i].b.value & 3];
    }
    BURL_VEC_FREE(&v);
    return sum;
}

static void
fill_other_metric(const struct burl_cover *c, uint8_t metric, struct burl_cover_metric *out,
                  struct executions *e)
{
    for (size_t i = 0; i < c->items.n; i++) {
        const struct burl_cover_entry *x = &c->items.v[i];

        if (x->x.metric != metric || !x->current)
            continue;
        BURL_VEC_PUSH(e, x->x.execution);
        out->unserial += (x->x.flags & BURL_COVER_F_UNSERIAL) != 0;
    }
    if (metric == BURL_METRIC_GOLDISC)
        out->weighted = goldilocks_sum(c);
}

/* Pairs distinguished by their calls; 0 without --context. */
static uint64_t
count_contexts(const struct burl_cover *c)
{
    uint64_t n = 0;

    for (size_t i = 0; i < c->items.n && c->program.context > 0; i++) {
        const struct burl_cover_entry *e = &c->items.v[i];

        n += e->x.metric == BURL_METRIC_LOCPAIRS && e->current && e->x.build != 0;
    }
    return n;
}

static void
fill_metric(const struct burl_cover *c, uint8_t metric, uint64_t n_target,
            struct burl_cover_model *m)
{
    struct burl_cover_metric out = { .metric = metric };
    struct executions e = { 0 };

    if (metric == BURL_METRIC_LOCPAIRS) {
        fill_pairs_metric(m, n_target, &out, &e);
        out.in_context = count_contexts(c);
    } else if (metric == BURL_METRIC_LINES) {
        fill_lines_metric(c, m, &out, &e);
    } else {
        fill_other_metric(c, metric, &out, &e);
    }
    if (e.n > 0)
        qsort(e.v, e.n, sizeof *e.v, by_value);
    out.covered = e.n;
    burl__cover_curve(e.v, e.n, m->executions, &out);
    BURL_VEC_PUSH(&m->metrics, out);
    BURL_VEC_FREE(&e);
}

/* ---- the whole --------------------------------------------------------------------- */

static void
fill_head(const struct burl_cover *c, const struct burl_cover_fill_opts *o,
          struct burl_cover_model *m)
{
    const struct burl_store_cover_program *p = &c->program;

    m->program = burl_xstrdup(p->program ? p->program : p->path);
    m->command = burl_xstrdup(o->command ? o->command : "");
    m->executions = p->executions;
    m->campaigns = p->campaigns;
    m->wall_ms = (int64_t)p->wall_ms;
    m->mode = burl_xstrdup(p->mode ? p->mode : "");
    m->context = p->context;
    m->lost = p->lost;
}

static void
count_variables(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];
        struct burl_cover_variable *v;

        if (p->variable >= m->variables.n)
            continue;
        v = &m->variables.v[p->variable];
        v->covered += p->state == BURL_COVER_COVERED || p->state == BURL_COVER_OUTSIDE;
        v->uncovered += p->state == BURL_COVER_UNCOVERED || p->state == BURL_COVER_PROPOSED;
        v->pruned += p->state == BURL_COVER_PRUNED;
        v->impossible += p->state == BURL_COVER_IMPOSSIBLE;
    }
}

/* The pairs of the model that are counted and in the target, and the covered ones that are not
 * counted. */
static void
count_listed(struct burl_cover_model *m, uint64_t *listed)
{
    *listed = 0;
    for (size_t i = 0; i < m->pairs.n; i++) {
        const bool counted = burl__cover_is_counted(m, &m->pairs.v[i]);

        *listed += m->pairs.v[i].state != BURL_COVER_OUTSIDE && counted;
        m->untyped_covered += m->pairs.v[i].state == BURL_COVER_COVERED && !counted;
    }
}

/* With pairs made: states, one after the other. */
static enum burl_status
judge_pairs(struct burl_cover *c, const struct burl_cover_fill_opts *o, const struct burl_sp *t,
            struct burl_cover_model *m, const struct burl_cover_names *names, struct burl_err *err)
{
    char *build = burl__cover_build(c);
    struct finder f = { .c = c, .m = m, .names = names, .build = build };
    struct burl_prune *prune = NULL;
    enum burl_status st = BURL_OK;

    if (o->prune_path && t)
        st = burl_prune_read(&prune, o->prune_path, err);
    if (st == BURL_OK && prune)
        burl_prune_apply(prune, m);
    burl_prune_free(prune);
    if (st == BURL_OK && t) {
        uint32_t *sites = burl_xcalloc(m->sites.n + 1, sizeof *sites);

        for (size_t i = 0; i < m->sites.n; i++)
            sites[i] = burl_sp_find(t, names->sites[i].module, names->sites[i].value);
        burl_prune_propose(t, sites, m);
        free(sites);
    }
    index_names(&f);
    if (st == BURL_OK && c->program.id != 0)
        st = burl_store_cover_hunts(c->store, c->program.id, take_hunt, &f, err);
    if (st == BURL_OK && c->program.id != 0)
        st = burl_store_cover_schedules(c->store, c->program.id, take_schedule, &f, err);
    burl_map_deinit(&f.by_name);
    free(build);
    return st;
}

static enum burl_status
fill_rest(struct burl_cover *c, const struct burl_cover_fill_opts *o, const struct burl_sp *t,
          struct burl_cover_model *m, struct burl_cover_names *names, struct burl_err *err)
{
    const uint64_t n_target = t ? burl_sp_count(t, false) : 0;
    enum burl_status st;

    burl__cover_fill_files(c, m);
    burl__cover_fill_pairs(c, t, m, names);
    st = judge_pairs(c, o, t, m, names, err);
    if (st != BURL_OK)
        return st;
    if (t) {
        uint64_t listed;

        m->untyped_pairs = burl_sp_count(t, true) - n_target;
        count_listed(m, &listed);
        if (listed < n_target)
            m->target_problem = burl_xasprintf(
                "%" PRIu64 " of %" PRIu64 " pairs are listed; all are counted", listed, n_target);
    }
    count_variables(m);
    burl_cover_gaps_rank(m);
    burl__cover_count_files(m);
    for (uint8_t i = 0; i < BURL_METRIC__N; i++) {
        if (c->program.metrics & o->metrics & 1u << i)
            fill_metric(c, i, n_target, m);
    }
    return BURL_OK;
}

enum burl_status
burl_cover_fill(struct burl_cover *c, const struct burl_cover_fill_opts *o,
                struct burl_cover_model *m, struct burl_cover_names *names, struct burl_err *err)
{
    struct burl_cover_names local = { 0 };
    struct burl_sp t;
    char *problem = NULL;
    bool have = false;
    enum burl_status st;

    burl_sp_init(&t);
    fill_head(c, o, m);
    if (!c->sites)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "%s has not been covered yet; run `burl cover` on it first",
                            c->program.path);
    if (o->no_target)
        problem = burl_xstrdup("disabled (--no-target)");
    else if (c->program.metrics & BURL_METRIC_BIT(LOCPAIRS))
        burl__cover_target(c, &t, &have, &problem);
    m->has_target = have;
    st = fill_rest(c, o, have ? &t : NULL, m, &local, err);
    if (problem && !m->target_problem)
        m->target_problem = problem;
    else
        free(problem);
    burl_sp_deinit(&t);
    if (names && st == BURL_OK)
        *names = local;
    else
        free(local.sites);
    return st;
}
