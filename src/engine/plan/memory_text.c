/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/memory_text.c - what a campaign leaves for the next, as text, and its goals as rows.
 *
 * Runs in the host. JSON, because it is kept for months in a store and read by newer
 * programs and by people; half a megabyte at the worst. A site is (index into the list of module
 * hashes, index in the module): numbers of a process change with the order of shared objects.
 * Doubles are written as their bits, so that a campaign goes on from exactly what was there
 * (the promise of campaign.h).
 *
 * Reading trusts nothing: what is not understood is a refusal, and a site that this program does
 * not have leaves its entry out. The position of a search has a sum of its own, since a wrong one
 * would make a wrong proof; a damaged one is left out alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/vec.h"
#include "engine/plan/memory_text.h"
#include "engine/schedule/schedfile.h"
#include "wire/search.h"

#define VERSION 1u

/* Over everything that is kept of a search. */
static uint64_t
sum_search(const struct burl_campaign_memory_search *k)
{
    const uint64_t numbers[] = {
        k->proven,     k->failed, k->id.program, k->id.surroundings,   k->id.settings, k->id.points,
        k->executions, k->pruned, k->campaigns,  (uint64_t)k->when_ms, k->n_failures,  k->n_words,
    };
    uint64_t h = burl_hash_bytes(BURL_HASH_BEGIN, numbers, sizeof numbers);

    h = burl_hash_str(h, k->why);
    for (size_t i = 0; i < k->n_failures; i++)
        h = burl_hash_u64(h, k->failures[i]);
    for (size_t i = 0; i < k->n_words; i++)
        h = burl_hash_u64(h, k->words[i]);
    return burl_hash_end(h);
}

/* ---- writing ----------------------------------------------------------------------- */

struct writer {
    struct burl_json_writer w;
    const struct burl_sites *sites;
    BURL_VEC(uint64_t) modules;
};

static size_t
module_number(struct writer *x, uint64_t hash)
{
    for (size_t i = 0; i < x->modules.n; i++) {
        if (x->modules.v[i] == hash)
            return i;
    }
    BURL_VEC_PUSH(&x->modules, hash);
    return x->modules.n - 1;
}

/* Two numbers; a site that is not known is (0, 0), which every reader leaves out. */
static void
put_site(struct writer *x, uint32_t id)
{
    const struct burl_site_info *s = burl_sites_get(x->sites, id);
    const bool known = id != 0 && s->id == id && s->module_hash != 0;

    burl_json_u64(&x->w, known ? module_number(x, s->module_hash) + 1 : 0);
    burl_json_u64(&x->w, known ? s->index : 0);
}

static uint64_t
bits_of(double d)
{
    uint64_t u;

    memcpy(&u, &d, sizeof u);
    return u;
}

static void
put_arms(struct writer *x, const struct burl_campaign_memory *m)
{
    burl_json_key(&x->w, "arms");
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < m->n_arms && i < BURL_CAMPAIGN_ARMS_MAX; i++) {
        const struct burl_campaign_arm *a = &m->arms[i];

        burl_json_object_begin(&x->w);
        burl_json_kv_str(&x->w, "strategy", burl_schedfile_strategy_name(a->strategy));
        burl_json_kv_u64(&x->w, "param", a->param);
        burl_json_kv_u64(&x->w, "executions", a->executions);
        burl_json_kv_u64(&x->w, "edges", a->edges);
        burl_json_kv_u64(&x->w, "suspects", a->suspects);
        burl_json_kv_u64(&x->w, "findings", a->findings);
        burl_json_kv_u64(&x->w, "pulls_bits", bits_of(a->pulls));
        burl_json_kv_u64(&x->w, "reward_bits", bits_of(a->reward));
        burl_json_kv_bool(&x->w, "exhausted", a->exhausted);
        burl_json_object_end(&x->w);
    }
    burl_json_array_end(&x->w);
}

static void
put_enums(struct writer *x, const struct burl_campaign_memory *m)
{
    burl_json_key(&x->w, "enumerations");
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < m->n_enums && i < BURL_CAMPAIGN_ENUMS; i++) {
        const struct burl_campaign_memory_enum *e = &m->enums[i];

        burl_json_object_begin(&x->w);
        burl_json_kv_str(&x->w, "strategy", burl_schedfile_strategy_name(e->strategy));
        burl_json_kv_u64(&x->w, "points", e->points);
        burl_json_kv_u64(&x->w, "max_steps", e->max_steps);
        burl_json_kv_u64(&x->w, "bound", e->places.bound);
        burl_json_kv_u64(&x->w, "span", e->places.span);
        burl_json_kv_u64(&x->w, "done", e->places.done);
        burl_json_kv_u64(&x->w, "key", e->places.key);
        burl_json_kv_u64(&x->w, "others", e->places.others);
        burl_json_kv_u64(&x->w, "next", e->next);
        burl_json_kv_u64(&x->w, "longest", e->longest);
        burl_json_kv_u64(&x->w, "complete", e->complete);
        burl_json_kv_u64(&x->w, "extensions", e->extensions);
        burl_json_kv_bool(&x->w, "gap", e->gap);
        burl_json_object_end(&x->w);
    }
    burl_json_array_end(&x->w);
}

static void
put_numbers(struct writer *x, const char *key, const uint64_t *v, size_t n)
{
    burl_json_key(&x->w, key);
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < n; i++)
        burl_json_u64(&x->w, v[i]);
    burl_json_array_end(&x->w);
}

static void
put_search(struct writer *x, const struct burl_campaign_memory *m)
{
    const struct burl_campaign_memory_search *k = &m->search;

    if (!k->any)
        return;
    burl_json_key(&x->w, "search");
    burl_json_object_begin(&x->w);
    burl_json_kv_u64(&x->w, "version", BURL_SEARCH_VERSION);
    burl_json_kv_bool(&x->w, "proven", k->proven);
    burl_json_kv_bool(&x->w, "failed", k->failed);
    burl_json_kv_u64(&x->w, "program", k->id.program);
    burl_json_kv_u64(&x->w, "surroundings", k->id.surroundings);
    burl_json_kv_u64(&x->w, "settings", k->id.settings);
    burl_json_kv_u64(&x->w, "points", k->id.points);
    burl_json_kv_u64(&x->w, "executions", k->executions);
    burl_json_kv_u64(&x->w, "pruned", k->pruned);
    burl_json_kv_u64(&x->w, "campaigns", k->campaigns);
    burl_json_kv_u64(&x->w, "when_ms", (uint64_t)k->when_ms);
    burl_json_kv_str(&x->w, "why", k->why);
    put_numbers(x, "failures", k->failures, k->n_failures);
    put_numbers(x, "stack", k->words, k->n_words);
    burl_json_kv_u64(&x->w, "sum", sum_search(k));
    burl_json_object_end(&x->w);
}

static void
put_places(struct writer *x, const struct burl_campaign_memory *m)
{
    burl_json_key(&x->w, "points");
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < m->n_points; i++)
        put_site(x, m->points[i]);
    burl_json_array_end(&x->w);
    burl_json_key(&x->w, "gates");
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < m->n_gates; i++) {
        put_site(x, m->gates[i].site);
        put_site(x, m->gates[i].gate);
    }
    burl_json_array_end(&x->w);
}

static void
put_edges(struct writer *x, const struct burl_campaign_memory *m)
{
    burl_json_key(&x->w, "edges");
    burl_json_array_begin(&x->w);
    for (size_t i = 0; i < m->n_edges; i++) {
        put_site(x, m->edges[i].write);
        put_site(x, m->edges[i].read);
        burl_json_u64(&x->w, m->edges[i].flags);
        burl_json_u64(&x->w, m->edges[i].writer);
        burl_json_u64(&x->w, m->edges[i].reader);
    }
    burl_json_array_end(&x->w);
}

void
burl_campaign_memory_write(const struct burl_campaign_memory *m, const struct burl_sites *sites,
                           struct burl_buf *out)
{
    struct writer x = { .sites = sites };

    burl_json_writer_init(&x.w, out, 0);
    burl_json_object_begin(&x.w);
    burl_json_kv_u64(&x.w, "version", VERSION);
    burl_json_kv_u64(&x.w, "executions", m->executions);
    burl_json_kv_u64(&x.w, "schedules", m->schedules);
    burl_json_kv_u64(&x.w, "works", m->n_works);
    burl_json_kv_u64(&x.w, "directed", m->n_directed);
    put_arms(&x, m);
    put_enums(&x, m);
    put_search(&x, m);
    put_places(&x, m);
    put_edges(&x, m);
    burl_json_key(&x.w, "modules");
    burl_json_array_begin(&x.w);
    for (size_t i = 0; i < x.modules.n; i++)
        burl_json_u64(&x.w, x.modules.v[i]);
    burl_json_array_end(&x.w);
    burl_json_object_end(&x.w);
    burl_json_writer_finish(&x.w);
    BURL_VEC_FREE(&x.modules);
}

/* ---- reading ----------------------------------------------------------------------- */

struct reader {
    const struct burl_json_value *root;
    const struct burl_json_value *modules;
    const struct burl_sites *sites;
    bool bad; /* something was not a number that should be one */
};

static uint64_t
take_number(struct reader *x, const struct burl_json_value *v)
{
    uint64_t n = 0;

    if (!v || !burl_json_as_u64(v, &n)) {
        x->bad = true;
        return 0;
    }
    return n;
}

static uint32_t
take_number32(struct reader *x, const struct burl_json_value *v)
{
    const uint64_t n = take_number(x, v);

    return n <= UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static uint64_t
take_field(struct reader *x, const struct burl_json_value *obj, const char *key)
{
    return take_number(x, burl_json_get(obj, key));
}

static double
field_bits(struct reader *x, const struct burl_json_value *obj, const char *key)
{
    const uint64_t u = take_field(x, obj, key);
    double d;

    memcpy(&d, &u, sizeof d);
    /* Weights of a choice: nothing that is no number, and nothing below zero. */
    return d >= 0 && d < 1e18 ? d : 0;
}

/* The site in a[at] and a[at + 1]; 0: none, or not in this program. */
static uint32_t
take_site(struct reader *x, const struct burl_json_value *a, size_t at)
{
    const uint64_t module = take_number(x, burl_json_at(a, at));
    const uint32_t index = take_number32(x, burl_json_at(a, at + 1));

    if (module == 0 || module > burl_json_count(x->modules))
        return 0;
    return burl_sites_find_index(
        x->sites, take_number(x, burl_json_at(x->modules, (size_t)module - 1)), index);
}

/* Was a site meant there? */
static bool
has_site(struct reader *x, const struct burl_json_value *a, size_t at)
{
    return take_number(x, burl_json_at(a, at)) != 0;
}

static uint32_t
strategy_number(const char *name)
{
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        const char *n = burl_schedfile_strategy_name(i);

        if (n && name && strcmp(n, name) == 0)
            return i;
    }
    return BURL_STRATEGY__N;
}

static void
take_arms(struct reader *x, struct burl_campaign_memory *m)
{
    const struct burl_json_value *arms = burl_json_get(x->root, "arms");

    for (size_t i = 0; i < burl_json_count(arms) && m->n_arms < BURL_CAMPAIGN_ARMS_MAX; i++) {
        const struct burl_json_value *v = burl_json_at(arms, i);
        const struct burl_campaign_arm a = {
            .strategy = strategy_number(burl_json_as_str(burl_json_get(v, "strategy"), NULL)),
            .param = take_number32(x, burl_json_get(v, "param")),
            .executions = take_field(x, v, "executions"),
            .edges = take_field(x, v, "edges"),
            .suspects = take_field(x, v, "suspects"),
            .findings = take_field(x, v, "findings"),
            .pulls = field_bits(x, v, "pulls_bits"),
            .reward = field_bits(x, v, "reward_bits"),
            .exhausted = burl_json_as_bool(burl_json_get(v, "exhausted"), false),
        };

        if (a.strategy != BURL_STRATEGY__N)
            m->arms[m->n_arms++] = a;
    }
}

static void
take_enums(struct reader *x, struct burl_campaign_memory *m)
{
    const struct burl_json_value *a = burl_json_get(x->root, "enumerations");

    for (size_t i = 0; i < burl_json_count(a) && m->n_enums < BURL_CAMPAIGN_ENUMS; i++) {
        const struct burl_json_value *v = burl_json_at(a, i);
        const uint32_t strategy =
            strategy_number(burl_json_as_str(burl_json_get(v, "strategy"), NULL));

        m->enums[m->n_enums++] = (struct burl_campaign_memory_enum){
            .strategy = strategy,
            .points = take_field(x, v, "points"),
            .max_steps = take_field(x, v, "max_steps"),
            .places = { .bound = take_number32(x, burl_json_get(v, "bound")),
                        .span = take_field(x, v, "span"),
                        .done = take_field(x, v, "done"),
                        .key = take_field(x, v, "key"),
                        .others = take_number32(x, burl_json_get(v, "others")),
                        .repeats = strategy == BURL_STRATEGY_DELAY },
            .next = take_field(x, v, "next"),
            .longest = take_field(x, v, "longest"),
            .complete = take_number32(x, burl_json_get(v, "complete")),
            .extensions = take_number32(x, burl_json_get(v, "extensions")),
            .gap = burl_json_as_bool(burl_json_get(v, "gap"), true),
        };
    }
}

static uint64_t *
take_numbers(struct reader *x, const struct burl_json_value *a, size_t *n)
{
    uint64_t *v = burl_xcalloc(burl_json_count(a) + 1, sizeof *v);

    for (*n = 0; *n < burl_json_count(a); ++*n)
        v[*n] = take_number(x, burl_json_at(a, *n));
    return v;
}

/* By itself: what is wrong with it is not wrong with the rest. */
static void
take_search(const struct reader *all, struct burl_campaign_memory *m)
{
    const struct burl_json_value *v = burl_json_get(all->root, "search");
    struct burl_campaign_memory_search *k = &m->search;
    struct reader x = *all;
    const char *why;

    if (!v)
        return;
    x.bad = false;
    k->proven = burl_json_as_bool(burl_json_get(v, "proven"), false);
    k->failed = burl_json_as_bool(burl_json_get(v, "failed"), true);
    k->id.program = take_field(&x, v, "program");
    k->id.surroundings = take_field(&x, v, "surroundings");
    k->id.settings = take_field(&x, v, "settings");
    k->id.points = take_field(&x, v, "points");
    k->executions = take_field(&x, v, "executions");
    k->pruned = take_field(&x, v, "pruned");
    k->campaigns = take_number32(&x, burl_json_get(v, "campaigns"));
    k->when_ms = (int64_t)take_field(&x, v, "when_ms");
    why = burl_json_as_str(burl_json_get(v, "why"), "");
    snprintf(k->why, sizeof k->why, "%s", why);
    k->failures = take_numbers(&x, burl_json_get(v, "failures"), &k->n_failures);
    k->words = take_numbers(&x, burl_json_get(v, "stack"), &k->n_words);
    k->any = take_field(&x, v, "version") == BURL_SEARCH_VERSION &&
             take_field(&x, v, "sum") == sum_search(k) && !x.bad;
    if (!k->any) {
        free(k->failures);
        free(k->words);
        *k = (struct burl_campaign_memory_search){ 0 };
        m->search_damaged = true;
    }
}

static void
take_places(struct reader *x, struct burl_campaign_memory *m)
{
    const struct burl_json_value *points = burl_json_get(x->root, "points");
    const struct burl_json_value *gates = burl_json_get(x->root, "gates");
    const size_t n_points = burl_json_count(points) / 2;
    const size_t n_gates = burl_json_count(gates) / 4;

    m->points = burl_xcalloc(n_points + 1, sizeof *m->points);
    for (size_t i = 0; i < n_points; i++) {
        const uint32_t site = take_site(x, points, 2 * i);

        if (site != 0)
            m->points[m->n_points++] = site;
    }
    m->gates = burl_xcalloc(n_gates + 1, sizeof *m->gates);
    for (size_t i = 0; i < n_gates; i++) {
        const struct burl_campaign_memory_gate g = { .site = take_site(x, gates, 4 * i),
                                                     .gate = take_site(x, gates, 4 * i + 2) };

        if (g.site != 0 && g.gate != 0)
            m->gates[m->n_gates++] = g;
    }
}

static void
take_edges(struct reader *x, struct burl_campaign_memory *m)
{
    const struct burl_json_value *a = burl_json_get(x->root, "edges");
    const size_t n = burl_json_count(a) / 7;

    m->edges = burl_xcalloc(n + 1, sizeof *m->edges);
    for (size_t i = 0; i < n; i++) {
        const struct burl_profile_edge e = {
            .write = take_site(x, a, 7 * i),
            .read = take_site(x, a, 7 * i + 2),
            .flags = take_number32(x, burl_json_at(a, 7 * i + 4)),
            .writer = (uint16_t)take_number32(x, burl_json_at(a, 7 * i + 5)),
            .reader = (uint16_t)take_number32(x, burl_json_at(a, 7 * i + 6)),
        };

        if (e.read != 0 && (e.write != 0 || !has_site(x, a, 7 * i)))
            m->edges[m->n_edges++] = e;
    }
}

enum burl_status
burl_campaign_memory_read(struct burl_campaign_memory *m, const char *text, size_t n,
                          const struct burl_sites *sites, struct burl_err *err)
{
    struct burl_json_value *root = NULL;
    struct reader x = { .sites = sites };
    enum burl_status st = burl_json_parse(&root, text, n, err);

    memset(m, 0, sizeof *m);
    if (st != BURL_OK)
        return st;
    x.root = root;
    x.modules = burl_json_get(root, "modules");
    if (take_field(&x, root, "version") != VERSION) {
        st = burl_err_set(err, BURL_E_FORMAT, 0, "its version is unknown to this burl");
    } else {
        m->executions = take_field(&x, root, "executions");
        m->schedules = take_field(&x, root, "schedules");
        m->n_works = take_field(&x, root, "works");
        m->n_directed = take_field(&x, root, "directed");
        take_arms(&x, m);
        take_enums(&x, m);
        take_search(&x, m);
        take_places(&x, m);
        take_edges(&x, m);
        if (x.bad)
            st = burl_err_set(err, BURL_E_FORMAT, 0, "it is malformed");
    }
    if (st != BURL_OK)
        burl_campaign_memory_deinit(m);
    burl_json_free(root);
    return st;
}

/* ---- goals ------------------------------------------------------------------------- */

static const char *const kind_names[BURL_GOAL_KIND__N] = {
#define BURL_X(name, text) text,
    BURL_GOAL_KINDS(BURL_X)
#undef BURL_X
};

static const char *const state_names[BURL_GOAL_STATE__N] = {
#define BURL_X(name, text) text,
    BURL_GOAL_STATES(BURL_X)
#undef BURL_X
};

static_assert(BURL_WIRE_MAX_SITES <= BURL_STORE_GOAL_SITES, "a row has room for the sites");

/* The recorder proposes no goals. In stores of earlier versions its number is that of a detector
 * that is gone: it reported the same races as RACE. */
static uint32_t
observer_of(uint32_t stored)
{
    return stored == BURL_OBSERVER_RECORD ? BURL_OBSERVER_RACE : stored;
}

static_assert(BURL_OBSERVER_RECORD == 2, "numbers of observers are in stores");

void
burl_campaign_memory_write_goals(const struct burl_campaign_memory *m,
                                 const struct burl_sites *sites, struct burl_store_goals *g)
{
    *g = (struct burl_store_goals){ .v = burl_xcalloc(m->goals.n + 1, sizeof *g->v) };
    for (size_t i = 0; i < m->goals.n; i++) {
        const struct burl_goal_memory *x = &m->goals.v[i];
        struct burl_store_goal *row = &g->v[g->n++];

        *row = (struct burl_store_goal){ .kind = kind_names[x->goal.kind],
                                         .state = state_names[x->goal.state],
                                         .attempts = x->goal.attempts,
                                         .hits = x->goal.hits,
                                         .first_seed = x->goal.first_seed,
                                         .observer = x->observer,
                                         .rank = x->rank,
                                         .addr = x->addr,
                                         .n_sites = x->n_sites };
        for (uint32_t k = 0; k < x->n_sites; k++) {
            const struct burl_site_info *s = burl_sites_get(sites, x->sites[k]);
            const bool known = x->sites[k] != 0 && s->id == x->sites[k];

            row->sites[k] = (struct burl_store_goal_site){ .module = known ? s->module_hash : 0,
                                                           .index = known ? s->index : 0,
                                                           .op = x->ops[k],
                                                           .tid = x->tids[k] };
        }
    }
}

/* The index of a name, n when it is not there. */
static uint32_t
index_of(const char *const *names, uint32_t n, const char *name)
{
    uint32_t i = 0;

    while (i < n && (!name || strcmp(names[i], name) != 0))
        i++;
    return i;
}

/* False when it is not understood, or a site is not in this program. */
static bool
take_goal(const struct burl_store_goal *row, const struct burl_sites *sites,
          struct burl_goal_memory *out)
{
    const uint32_t kind = index_of(kind_names, BURL_GOAL_KIND__N, row->kind);
    const uint32_t state = index_of(state_names, BURL_GOAL_STATE__N, row->state);

    if (kind == BURL_GOAL_KIND__N || state == BURL_GOAL_STATE__N || row->n_sites == 0 ||
        row->n_sites > BURL_WIRE_MAX_SITES || observer_of(row->observer) >= BURL_OBSERVER__N)
        return false;
    *out = (struct burl_goal_memory){ .goal = { .kind = (enum burl_goal_kind)kind,
                                                .state = (enum burl_goal_state)state,
                                                .attempts = row->attempts,
                                                .hits = row->hits,
                                                .first_seed = row->first_seed },
                                      .n_sites = (uint32_t)row->n_sites,
                                      .observer = (uint8_t)observer_of(row->observer),
                                      .rank = row->rank,
                                      .addr = row->addr };
    for (size_t i = 0; i < row->n_sites; i++) {
        const struct burl_store_goal_site *x = &row->sites[i];
        /* The initial value of a variable has no site. */
        const bool none = kind == BURL_GOAL_KIND_READS_FROM && i == 0 && x->module == 0;

        out->sites[i] = x->module != 0 ? burl_sites_find_index(sites, x->module, x->index) : 0;
        out->ops[i] = (uint8_t)x->op;
        out->tids[i] = (uint16_t)x->tid;
        if ((out->sites[i] == 0 && !none) || x->op >= BURL_OP__N)
            return false;
    }
    return true;
}

void
burl_campaign_memory_read_goals(struct burl_campaign_memory *m, const struct burl_store_goals *g,
                                const struct burl_sites *sites)
{
    for (size_t i = 0; i < g->n; i++) {
        struct burl_goal_memory x;

        if (take_goal(&g->v[i], sites, &x))
            BURL_VEC_PUSH(&m->goals, x);
    }
}
