/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/pool/single.c - processes started for a campaign, and single executions in them.
 *
 * Runs in the host. Every process of a campaign starts here, so `ready` comes once, from the first
 * one, and what is in force is in every block. Executions that are reported run in fresh processes;
 * the scout, which is kept for many, runs only what is confirmed later.
 */
#include <string.h>

#include "engine/engine_int.h"

/* What an execution may take on a busy machine, however short the campaign is to be. */
#define WATCHDOG_LEAST_MS 3000

/* Fingerprints are made of the names of these modules from now on. */
static enum burl_status
name_sites(struct burl_findings *f, const struct burl_wire_object *objects, size_t n_objects,
           const struct burl_wire_module_entry *modules, size_t n_modules, struct burl_err *err)
{
    struct burl_sites *sites;
    const enum burl_status st = burl_sites_new(&sites, objects, n_objects, modules, n_modules, err);

    if (st != BURL_OK)
        return st;
    burl_sites_free(f->sites);
    f->sites = sites;
    return BURL_OK;
}

enum burl_status
burl__campaign_loaded(struct burl_campaign *c, const struct burl_campaign_image *image,
                      struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (image->n_modules == 0 || !c->hooks->loaded ||
        burl_image_covers(&c->pool.notified_image, image))
        return BURL_OK;
    if (!c->covered) /* a coverage campaign may see another map in the next batch */
        st = name_sites(&c->findings, image->objects, image->n_objects, image->modules,
                        image->n_modules, err);
    if (st == BURL_OK)
        st = c->hooks->loaded(c->hooks->arg, image, err);
    if (st == BURL_OK)
        burl_image_copy(&c->pool.notified_image, image);
    return st;
}

enum burl_status
burl__campaign_see(struct burl_campaign *c, const struct burl_target *t, struct burl_err *err)
{
    struct burl_campaign_image image = { 0 };
    enum burl_status st;

    if (!c->hooks->loaded || !burl_image_has_late(t->ctl))
        return BURL_OK;
    burl_image_take(&image, t->ctl);
    st = burl__campaign_loaded(c, &image, err);
    burl_image_deinit(&image);
    return st;
}

static enum burl_status
look_ahead(struct burl_campaign *c, const struct burl_target_opts *opts, struct burl_err *err)
{
    enum burl_status st;

    if (c->pool.ready_notified || !c->cfg->look_ahead)
        return BURL_OK;
    st = burl_image_look(&c->pool.image, opts, c->plan.max_steps, c->cfg->exec_timeout_ms, err);
    c->stats->extra_executions += c->pool.image.n_modules > 0;
    burl_image_copy(&c->pool.notified_image, &c->pool.image);
    return st;
}

/* The first process is up. */
static enum burl_status
notify_ready(struct burl_campaign *c, struct burl_target *t, struct burl_err *err)
{
    const struct burl_wire_ctl *ctl = t->ctl;
    enum burl_status st =
        name_sites(&c->findings, ctl->objects, ctl->n_objects, ctl->modules, ctl->n_modules, err);

    c->pool.ready_notified = true;
    if (st == BURL_OK)
        st = c->hooks->ready(c->hooks->arg, ctl, err);
    if (st != BURL_OK || !c->cfg->recall)
        return st;
    burl__memory_recall(c); /* `ready` has filled it: it knows the build */
    if (c->proof.searched.any)
        burl__frontier_identify(&c->proof, t->ctl);
    burl__campaign_load_points(c, t);
    return BURL_OK;
}

/* A process that never answers is not waited for longer than the whole campaign may take. */
static int64_t
longest_wait_ms(const struct burl_campaign *c)
{
    const int64_t least = WATCHDOG_LEAST_MS;
    const int64_t time_ms = (int64_t)c->cfg->time_ms;

    if (time_ms == 0 || time_ms > INT32_MAX)
        return 0;
    return time_ms > least ? time_ms : least;
}

enum burl_status
burl__campaign_start(struct burl_campaign *c, enum burl_wire_reset reset, bool interruptible,
                     struct burl_target **out, struct burl_err *err)
{
    struct burl_target_opts opts = {
        .argv = c->cfg->argv,
        .cwd = c->cfg->cwd,
        .env = c->cfg->env,
        .engine = c->pool.engine,
        .reset = reset,
        .interrupt = interruptible ? c->cfg->interrupt : NULL,
        .deadline = c->plan.deadline,
        .cover = c->covered != NULL,
        .max_stall_ms = longest_wait_ms(c),
    };
    enum burl_status st = look_ahead(c, &opts, err);

    *out = NULL;
    opts.image = &c->pool.image;
    if (st == BURL_OK)
        st = burl_target_start(out, &opts, err);
    if (st != BURL_OK)
        return st;
    st = burl_target_same_build(&c->pool.build, burl_target_start_build((*out)->ctl),
                                c->cfg->argv[0], err);
    if (st != BURL_OK) {
        burl_target_stop(*out);
        *out = NULL;
        return st;
    }
    burl__learned_grow(&c->learned, (*out)->ctl->n_sites);
    burl__campaign_load_points(c, *out);
    if (!c->pool.ready_notified)
        st = notify_ready(c, *out, err);
    if (st != BURL_OK) {
        burl_target_stop(*out);
        *out = NULL;
    }
    return st;
}

void
burl__worker_stop(struct burl_worker *w)
{
    burl_target_stop(w->t);
    w->t = NULL;
}

enum burl_status
burl__worker_ready(struct burl_campaign *c, struct burl_worker *w, enum burl_wire_reset reset,
                   bool interruptible, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (w->t &&
        (w->t->state != BURL_TARGET_IDLE || w->engine != c->pool.engine || w->reset != reset))
        burl__worker_stop(w);
    if (!w->t) {
        *w = (struct burl_worker){ .engine = c->pool.engine, .reset = reset };
        st = burl__campaign_start(c, w->reset, interruptible, &w->t, err);
    } else if (w->version != c->learned.version) {
        burl__campaign_load_points(c, w->t);
    }
    w->version = c->learned.version;
    return st;
}

enum burl_status
burl__run_in(struct burl_target *t, const struct burl_wire_order *order,
             const struct burl_wire_switch *sched_in, struct burl_run *run, struct burl_err *err)
{
    enum burl_status st;

    memset(run, 0, sizeof *run);
    st = burl_target_order(t, order, sched_in, err);
    if (st != BURL_OK)
        return st;
    if (burl_target_wait(t) == BURL_TARGET_IDLE) {
        st = burl_target_take_run(t, run, err);
        if (st == BURL_OK || !burl_target_damage(t))
            return st;
    }
    if (t->state == BURL_TARGET_LATE)
        return burl_err_set(err, BURL_E_TIME, 0, "--time was over before the execution ended");
    run->verdict = burl_target_lost_verdict(t);
    run->diverged_at = UINT32_MAX;
    run->epoch_ns = order->epoch_ns;
    run->output = burl_target_output(t, &run->output_b);
    return BURL_OK;
}

enum burl_status
burl__run_fresh(struct burl_campaign *c, const struct burl_wire_order *order,
                const struct burl_wire_switch *sched_in, struct burl_run *run,
                struct burl_target **t, struct burl_err *err)
{
    const int64_t before = burl_target_now_ms();
    enum burl_status st = burl__campaign_start(c, c->pool.reset, false, t, err);

    memset(run, 0, sizeof *run);
    if (st != BURL_OK)
        return st;
    c->stats->extra_executions++;
    st = burl__run_in(*t, order, sched_in, run, err);
    burl__pace_note(c, burl_target_now_ms() - before);
    return st;
}

enum burl_status
burl__run_showing(struct burl_campaign *c, const struct burl_wire_order *order,
                  const struct burl_wire_switch *sched_in,
                  bool (*shows)(const void *arg, struct burl_target *t), const void *arg,
                  struct burl_run *run, bool *shown, struct burl_err *err)
{
    struct burl_target *t;
    const enum burl_status st = burl__run_fresh(c, order, sched_in, run, &t, err);

    *shown = st == BURL_OK && t->state == BURL_TARGET_IDLE && shows(arg, t);
    burl_target_stop(t);
    return st;
}

enum burl_status
burl__run_scout(struct burl_campaign *c, const struct burl_work *w, uint64_t seed,
                struct burl_run *run, bool *hit, struct burl_err *err)
{
    struct burl_wire_order o = burl__campaign_order(c, w, seed, 1);
    enum burl_status st;

    *hit = false;
    if (w->strategy == BURL_STRATEGY_EXHAUSTIVE)
        return burl__search_record(c, w, seed - w->first_seed, run, err);
    memset(run, 0, sizeof *run);
    st = burl__worker_ready(c, &c->pool.scout, c->pool.reset, false, err);
    if (st != BURL_OK)
        return st;
    o.flags &= BURL_ORDER_F_KEPT;
    c->stats->extra_executions++;
    st = burl__run_in(c->pool.scout.t, &o, NULL, run, err);
    c->plan.confirmed_ns += burl__nominal_cost(c->pool.engine, burl__speed_nominal(c), run);
    if (st == BURL_OK && c->pool.scout.t->state == BURL_TARGET_IDLE)
        *hit = c->pool.scout.t->ctl->result.last_goal_hit != 0;
    if (st == BURL_OK) {
        st = burl__campaign_see(c, c->pool.scout.t, err); /* site names depend on what it loaded */
        if (st != BURL_OK)
            burl_run_deinit(run);
    }
    return st;
}
