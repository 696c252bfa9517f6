/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passes.c - runs of a program under random scheduling, and what each covered; see driver.h.
 *
 * Speaks to the target process itself instead of making a campaign: the protocol needs every pass
 * of an iteration, the first ones included, under one strategy and one map of scheduling points,
 * and it needs a thousand short runs. A run is one process, since a process tells each item once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sites.h"
#include "driver.h"
#include "engine/engine.h"

/* Enough for every access of these programs to be met by two threads in one of them. */
#define LEARN_PASSES 400u
#define LEARN_SEED 0x1ea47ull
#define MAX_STEPS 200000u
#define MAX_PASS_MS 5000u
/* Places in a pass at which it is cut off to see what it has covered: finer than can be drawn. */
#define GRID 256u

#define OBSERVERS (BURL_OB(METHODPAIRS) | BURL_OB(DEFUSE) | BURL_OB(LOCPAIRS) | BURL_OB(LINES))

static struct burl_target *
start(const struct lp_program *p)
{
    const struct burl_target_opts opts = {
        .argv = p->argv, .engine = BURL_ENGINE_FIBERS, .reset = BURL_RESET_SNAPSHOT, .cover = true
    };
    struct burl_target *t;
    struct burl_err err = { 0 };

    if (burl_target_start(&t, &opts, &err) != BURL_OK)
        lp_die("%s: %s", p->argv[0], err.msg);
    if (t->ctl->snapshot_b == 0)
        lp_die("%s: no snapshot can be taken", p->argv[0]);
    if (p->points)
        burl_target_put(t, BURL_TARGET_POINTS, p->points, p->n_sites);
    return t;
}

static struct burl_wire_order
random_passes(uint64_t seed, uint64_t n, uint32_t flags, uint32_t observers)
{
    return (struct burl_wire_order){ .kind = BURL_ORDER_KIND_BATCH,
                                     .flags = flags,
                                     .strategy = BURL_STRATEGY_RANDOM,
                                     .first_seed = seed,
                                     .n_execs = n,
                                     .max_steps = MAX_STEPS,
                                     .epoch_ns = BURL_ENGINE_EPOCH_NS,
                                     .max_wall_ms = MAX_PASS_MS,
                                     .observers = observers,
                                     .context = 1 };
}

static void
execute(struct burl_target *t, const struct lp_program *p, const struct burl_wire_order *order)
{
    const struct burl_wire_result *r = &t->ctl->result;
    struct burl_err err = { 0 };

    if (burl_target_order(t, order, NULL, &err) != BURL_OK)
        lp_die("%s: %s", p->argv[0], err.msg);
    if (burl_target_wait(t) != BURL_TARGET_IDLE)
        lp_die("%s: the process was lost", p->argv[0]);
    if (r->irreversible || r->n_by_verdict[BURL_VERDICT_UNSUPPORTED] ||
        r->n_by_verdict[BURL_VERDICT_INTERNAL])
        lp_die("%s: cannot be controlled: %s", p->argv[0], r->text);
    /* A pass that was cut off is no pass of the protocol. */
    if (order->max_steps == MAX_STEPS &&
        (r->n_by_verdict[BURL_VERDICT_CUT_STEPS] || r->n_by_verdict[BURL_VERDICT_CUT_TIME]))
        lp_die("%s: a pass did not end", p->argv[0]);
}

static void
name_sites(struct lp_program *p, const struct burl_wire_ctl *ctl)
{
    struct burl_sites *sites;
    struct burl_err err = { 0 };

    if (burl_sites_new(&sites, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules, &err) !=
        BURL_OK)
        lp_die("%s: %s", p->argv[0], err.msg);
    p->n_sites = ctl->n_sites;
    p->points = burl_xcalloc(p->n_sites + 1, sizeof *p->points);
    p->site_hash = burl_xcalloc(p->n_sites + 1, sizeof *p->site_hash);
    p->site_index = burl_xcalloc(p->n_sites + 1, sizeof *p->site_index);
    p->site_line = burl_xcalloc(p->n_sites + 1, sizeof *p->site_line);
    for (uint32_t i = 1; i < p->n_sites; i++)
        p->site_line[i] = burl_sites_get(sites, i)->line;
    burl_sites_free(sites);
    for (uint32_t m = 0; m < ctl->n_modules && m < BURL_WIRE_MAX_MODULES; m++) {
        const struct burl_wire_module_entry *e = &ctl->modules[m];

        for (uint32_t i = 0; i < e->n_sites && e->base + i < p->n_sites; i++) {
            p->site_hash[e->base + i] = e->hash;
            p->site_index[e->base + i] = i;
        }
    }
}

void
lp_program_init(struct lp_program *p, const char *const *argv)
{
    const struct burl_wire_order order =
        random_passes(LEARN_SEED, LEARN_PASSES, BURL_ORDER_F_ALL_POINTS | BURL_ORDER_F_LEARN, 0);
    struct burl_target *t;

    *p = (struct lp_program){ .argv = argv };
    t = start(p);
    execute(t, p, &order);
    name_sites(p, t->ctl);
    memcpy(p->points, burl_door_points_new(&t->block), p->n_sites);
    burl_target_stop(t);
}

void
lp_program_deinit(struct lp_program *p)
{
    free(p->points);
    free(p->site_hash);
    free(p->site_index);
    free(p->site_line);
    memset(p, 0, sizeof *p);
}

static bool
metric_of(const struct burl_wire_cover_item *x, uint32_t *metric)
{
    switch (x->metric) {
    case BURL_METRIC_METHODPAIRS:
        *metric = LP_MP;
        return true;
    case BURL_METRIC_DEFUSE:
        *metric = LP_DU;
        return true;
    case BURL_METRIC_LOCPAIRS:
        *metric = LP_LP;
        return true;
    case BURL_METRIC_LINES:
        *metric = LP_LINE;
        return true;
    default:
        return false;
    }
}

static void
add_item(struct lp_run *run, const struct lp_item *x)
{
    for (size_t i = 0; i < run->n_items; i++) {
        const struct lp_item *y = &run->items[i];

        if (y->metric == x->metric && y->a == x->a && y->b == x->b && y->c == x->c && y->d == x->d)
            return;
    }
    run->items[run->n_items++] = *x;
}

/* The runtime tells the sites of a line apart (each program here is one file), and pairs by their
 * call sites: the pair itself is covered when the first of these is. */
static void
add_folded(const struct lp_program *p, struct lp_run *run, struct lp_item x)
{
    if (x.metric == LP_LINE)
        x.a = p->site_line[x.a];
    if (x.metric == LP_LP) {
        struct lp_item refined = x;

        refined.metric = LP_SITES;
        x.c = x.d = 0;
        add_item(run, &refined);
    }
    add_item(run, &x);
}

/* Appends what came since the last time. */
static void
take_items(struct burl_target *t, const struct lp_program *p, uint64_t first_pass,
           struct lp_run *out)
{
    const struct burl_wire_cover_item *from;
    uint32_t n;

    from = burl_target_new_items(t, &n);
    if (burl_door_items_lost(&t->block) > 0)
        lp_die("%s: more items than there is room for", p->argv[0]);
    if (n == 0)
        return;
    out->items = burl_xrealloc(out->items, (out->n_items + 2 * (size_t)n) * sizeof *out->items);
    for (uint32_t i = 0; i < n; i++) {
        struct lp_item to = { .a = from[i].a, .b = from[i].b };

        if (!metric_of(&from[i], &to.metric))
            continue;
        to.pass = first_pass + from[i].exec;
        if (from[i].exec >= t->ctl->result.n_done || to.a >= p->n_sites || to.b >= p->n_sites)
            lp_die("%s: an item makes no sense", p->argv[0]);
        if (to.metric == LP_LP) {
            to.c = from[i].c;
            to.d = from[i].d;
        }
        add_folded(p, out, to);
    }
}

static void
add_result(struct lp_run *run, const struct burl_wire_result *r)
{
    run->n_passes += r->n_done;
    run->n_steps += r->n_steps;
    for (uint32_t k = 0; k < BURL_VERDICT__N; k++)
        run->n_failed += burl_verdict_is_finding(k) ? r->n_by_verdict[k] : 0;
    if (r->n_failures > 0 && run->failure[0] == '\0')
        snprintf(run->failure, sizeof run->failure, "%.150s", r->failures[0].verdict.text);
}

void
lp_run_passes(const struct lp_program *p, uint64_t seed, uint64_t n, bool stop_at_failure,
              struct lp_run *out)
{
    const struct burl_wire_order order =
        random_passes(seed, n, stop_at_failure ? BURL_ORDER_F_STOP_AT_FINDING : 0u, OBSERVERS);
    struct burl_target *t = start(p);

    *out = (struct lp_run){ 0 };
    execute(t, p, &order);
    take_items(t, p, 0, out);
    add_result(out, &t->ctl->result);
    burl_target_stop(t);
}

/*
 * Where in its pass did each of these items come? The same seed cut off after k steps is the
 * beginning of the pass, so an item came at the least k that shows it. `items` are of one pass of
 * `steps` steps that began at step `before`.
 */
static void
find_steps(const struct lp_program *p, uint64_t seed, uint64_t before, uint64_t steps,
           struct lp_item *items, size_t n)
{
    const uint64_t by = steps / GRID > 1 ? steps / GRID : 1;
    struct burl_target *t = start(p);
    struct burl_wire_order order = random_passes(seed, 1, 0, OBSERVERS);
    struct lp_run seen = { 0 };
    size_t looked = 0;

    for (size_t i = 0; i < n; i++)
        items[i].step = before + steps;
    for (uint64_t k = 1; k < steps; k += by) {
        order.max_steps = k;
        execute(t, p, &order);
        take_items(t, p, 0, &seen);
        for (; looked < seen.n_items; looked++) {
            const struct lp_item *x = &seen.items[looked];

            for (size_t i = 0; i < n; i++) {
                if (items[i].metric == x->metric && items[i].a == x->a && items[i].b == x->b &&
                    items[i].c == x->c && items[i].d == x->d)
                    items[i].step = before + k;
            }
        }
    }
    burl_target_stop(t);
    lp_run_deinit(&seen);
}

void
lp_run_steps(const struct lp_program *p, uint64_t seed, uint64_t n, struct lp_run *out)
{
    struct burl_target *t = start(p);

    *out = (struct lp_run){ 0 };
    for (uint64_t i = 0; i < n; i++) {
        const struct burl_wire_order order = random_passes(seed + i, 1, 0, OBSERVERS);
        const uint64_t before = out->n_steps;
        const size_t had = out->n_items;

        execute(t, p, &order);
        take_items(t, p, i, out);
        add_result(out, &t->ctl->result);
        if (out->n_items > had)
            find_steps(p, seed + i, before, out->n_steps - before, out->items + had,
                       out->n_items - had);
    }
    burl_target_stop(t);
}

void
lp_run_deinit(struct lp_run *run)
{
    free(run->items);
    memset(run, 0, sizeof *run);
}
