/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/hunt.c - directed executions for location pairs; contract in hunt.h.
 *
 * Runs in the host. A round is one work for each open pair, in the order of the list; works grow
 * from round to round, so that what is easy costs little and the hard pairs share the rest. Between
 * rounds a pair learns where the locks at its sites are taken: the gates of src/rt/goal/pair.c.
 * What a round covers on the way (any pair of the list, by whatever work) closes it too.
 *
 * The schedule of a pair is made when its execution is committed, while the points of the round are
 * in force: the seed once more, recorded; its switches with as few preemptions as still cover the
 * pair; and a fresh process that follows them. What that does not show is not handed over, and the
 * pair stays covered: the observer saw it.
 *
 * Trade-off: a pair with a site that no execution reached is given up early, after few schedules.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/engine_int.h"

#define FIRST_TRIES 8u
#define GROWTH 3u
/* Executions after which a pair with a site that was never reached is left. */
#define UNREACHED_TRIES 32u

static const struct burl_minimize_budget minimize_budget = { .max_execs = 200, .max_ms = 20000 };
/* Steps of all candidates: what minimizing may cost, the same on every machine. */
#define MINIMIZE_STEPS 2000000ull

static struct burl_wire_goal
goal_of(const struct burl_campaign_pair *p)
{
    struct burl_wire_goal g = { .kind = BURL_GOAL_PAIR, .pair = { .first = p->a, .second = p->b } };

    memcpy(g.pair.first_gates, p->gates[0], sizeof g.pair.first_gates);
    memcpy(g.pair.second_gates, p->gates[1], sizeof g.pair.second_gates);
    return g;
}

static_assert(sizeof((struct burl_campaign_pair *)0)->gates[0] ==
                  BURL_GOAL_MAX_GATES * sizeof(uint32_t),
              "gates are copied into goals");

static bool
is_reached(const struct burl_campaign_pair *p)
{
    return p->visits[0] > 0 && p->visits[1] > 0;
}

static uint64_t
tries_left(const struct burl_campaign_hunt *h, const struct burl_campaign_pair *p)
{
    uint64_t most = p->prove_only ? 0 : h->tries;

    if (!is_reached(p) && most > UNREACHED_TRIES)
        most = UNREACHED_TRIES;
    return p->goal.attempts < most ? most - p->goal.attempts : 0;
}

static enum burl_status
settle_pair(struct burl_campaign *c, size_t i, enum burl_goal_state state, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;

    h->pairs[i].goal.state = state;
    return h->settled ? h->settled(h->arg, i, err) : BURL_OK;
}

/* ---- the schedule of a pair -------------------------------------------------------- */

struct attempt {
    struct burl_campaign *c;
    struct burl_wire_order order; /* REPLAY, watched for the pair */
    struct burl_target *t;
    struct burl_run run; /* of the last candidate */
    uint64_t steps;
};

/* Pairs of the list that one execution covered, none of them before. */
struct catch
{
    const struct burl_campaign_hunt *hunt;
    struct burl_campaign_covered where;
    BURL_VEC(size_t) pairs;
    bool others; /* its schedule is also that of pairs that are not of the list */
};

/* Did the execution cover every pair of the catch, in whatever context? */
static bool
shows_catch(const void *arg, struct burl_target *t)
{
    const struct catch *k = arg;
    const struct burl_wire_cover_item *items;
    uint32_t n;
    size_t shown = 0;

    items = burl_door_items(&t->block, &n);
    for (size_t i = 0; i < k->pairs.n; i++) {
        const struct burl_campaign_pair *p = &k->hunt->pairs[k->pairs.v[i]];
        uint32_t at = 0;

        while (at < n && (items[at].metric != BURL_METRIC_LOCPAIRS || items[at].a != p->a ||
                          items[at].b != p->b))
            at++;
        shown += at < n;
    }
    return shown == k->pairs.n;
}

static bool
try_candidate(void *arg, const struct burl_wire_switch *candidate, size_t n,
              struct burl_minimize_shown *shown, bool *give_up)
{
    struct attempt *a = arg;
    struct burl_err ignored;

    burl_run_deinit(&a->run);
    a->order.args = burl__replay_args(n);
    if (a->steps > MINIMIZE_STEPS || !a->t || a->t->state != BURL_TARGET_IDLE ||
        burl__run_in(a->t, &a->order, candidate, &a->run, &ignored) != BURL_OK) {
        *give_up = true;
        return false;
    }
    a->c->stats->extra_executions++;
    a->steps += a->run.steps;
    if (a->t->state != BURL_TARGET_IDLE || a->t->ctl->result.last_goal_hit == 0)
        return false;
    *shown = (struct burl_minimize_shown){ a->run.switches, a->run.n_switches, a->run.steps };
    return true;
}

/* Fewer preemptions when that is possible, else the switches as they are. */
static void
minimize_run(struct attempt *a, const struct burl_run *found, struct burl_minimize_result *out)
{
    struct burl_err ignored;

    memset(out, 0, sizeof *out);
    if (!a->c->cfg->no_minimize &&
        burl__campaign_start(a->c, a->c->pool.reset, false, &a->t, &ignored) == BURL_OK) {
        burl_minimize(out, found->switches, found->n_switches, try_candidate, NULL, a,
                      &minimize_budget);
    } else {
        out->switches = burl_xmemdup(found->switches, found->n_switches * sizeof *found->switches);
        out->n = found->n_switches;
    }
    burl_run_deinit(&a->run);
    burl_target_stop(a->t);
}

/* Hands the schedule over for each pair, when a fresh process that follows it covers them all. */
static enum burl_status
keep_schedule(struct burl_campaign *c, const struct burl_work *w, const struct catch *k,
              struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    struct attempt a = { .c = c, .order = burl__campaign_order(c, w, k->where.seed, 1) };
    struct burl_wire_order first = a.order;
    struct burl_minimize_result m = { 0 };
    struct burl_run found, again = { 0 };
    bool all = false;
    enum burl_status st;

    first.flags = k->where.order_flags | BURL_ORDER_F_RECORD;
    a.order.flags = first.flags;
    a.order.strategy = BURL_STRATEGY_REPLAY;
    a.order.watch = (struct burl_wire_watch){
        .kind = BURL_SUSPECT_PAIR,
        .n_sites = 2,
        .sites = { h->pairs[k->pairs.v[0]].a, h->pairs[k->pairs.v[0]].b },
    };
    a.order.stop_key = 0;
    if (w->strategy == BURL_STRATEGY_EXHAUSTIVE)
        st = burl__search_record(c, w, k->where.seed - w->first_seed, &found, err);
    else
        st = burl__run_showing(c, &first, NULL, shows_catch, k, &found, &all, err);
    /* With several the candidates would have to be judged in fresh processes: too dear. */
    if (st == BURL_OK && k->pairs.n == 1 && !k->others) {
        minimize_run(&a, &found, &m);
        a.order.args = burl__replay_args(m.n);
        st = burl__run_showing(c, &a.order, m.switches, shows_catch, k, &again, &all, err);
    }
    if (st == BURL_OK && (k->pairs.n > 1 || k->others || !all)) {
        burl_run_deinit(&again);
        a.order.args = burl__replay_args(found.n_switches);
        st = burl__run_showing(c, &a.order, found.switches, shows_catch, k, &again, &all, err);
    }
    for (size_t i = 0; i < k->pairs.n && st == BURL_OK && all && h->schedule; i++) {
        h->pairs[k->pairs.v[i]].kept = true;
        st = h->schedule(h->arg, k->pairs.v[i], &again, &k->where, err);
    }
    burl_run_deinit(&found);
    burl_run_deinit(&again);
    free(m.switches);
    return st;
}

/* ---- what executions gave ---------------------------------------------------------- */

struct catches {
    BURL_VEC_OF(struct catch);
};

/* The pair of the list with these sites, SIZE_MAX none. They are known when anything is. */
static size_t
find_pair(struct burl_campaign_hunt *h, uint32_t a, uint32_t b)
{
    uint64_t at;

    for (; h->n_indexed < h->n; h->n_indexed++) {
        const struct burl_campaign_pair *p = &h->pairs[h->n_indexed];

        burl_map_set(&h->index, (uint64_t)p->a << 32 | p->b, h->n_indexed);
    }
    return burl_map_get(&h->index, (uint64_t)a << 32 | b, &at) ? (size_t)at : SIZE_MAX;
}

bool
burl__hunt_has(struct burl_campaign_hunt *h, const struct burl_wire_cover_item *x)
{
    return x->metric == BURL_METRIC_LOCPAIRS && find_pair(h, x->a, x->b) != SIZE_MAX;
}

void
burl__hunt_deinit(struct burl_campaign_hunt *h)
{
    if (h)
        burl_map_deinit(&h->index);
}

static void
note_covered(struct burl_campaign *c, const struct burl_work *w, struct catches *list, size_t pair,
             uint64_t seed, uint64_t execution)
{
    struct burl_campaign_pair *p = &c->cfg->hunt->pairs[pair];

    if (p->goal.state == BURL_GOAL_STATE_CONFIRMED)
        return;
    p->goal.state = BURL_GOAL_STATE_CONFIRMED;
    if (list->n == 0 || list->v[list->n - 1].where.execution != execution) {
        struct catch *k = BURL_VEC_ADD(list);

        k->hunt = c->cfg->hunt;
        k->where = burl__campaign_where(c, w, seed, execution);
        k->others = burl__covered_is_recorded(c, execution);
    }
    BURL_VEC_PUSH(&list->v[list->n - 1].pairs, pair);
}

static enum burl_status
commit_catches(struct burl_campaign *c, const struct burl_work *w, struct catches *list,
               struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < list->n; i++) {
        struct catch *k = &list->v[i];

        if (st == BURL_OK && !burl__campaign_interrupted(c) && !burl__campaign_time_over(c))
            st = keep_schedule(c, w, k, err);
        for (size_t n = 0; n < k->pairs.n && st == BURL_OK; n++)
            st = settle_pair(c, k->pairs.v[n], BURL_GOAL_STATE_CONFIRMED, err);
        BURL_VEC_FREE(&k->pairs);
    }
    BURL_VEC_FREE(list);
    return st;
}

static void
learn_from(struct burl_campaign_pair *p, const struct burl_batch *b)
{
    burl__goal_count(&p->goal, b->totals.executions, b->goal_hits, b->goal_seed);
    for (uint32_t r = 0; r < 2; r++) {
        p->visits[r] += b->pair_visits[r];
        burl__batch_merge_gates(p->gates[r], b->pair_gates[r]);
    }
}

enum burl_status
burl__hunt_commit(struct burl_campaign *c, const struct burl_work *w, const struct burl_batch *b,
                  uint64_t first, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    struct catches list = { 0 };

    for (size_t i = 0; i < b->failures.n && h->failed; i++) {
        const struct burl_campaign_covered where =
            burl__campaign_where(c, w, b->failures.v[i].seed, first);

        h->failed(h->arg, &b->failures.v[i].verdict, &where);
    }
    for (size_t k = 0; k < b->items.n; k++) {
        const struct burl_wire_cover_item *x = &b->items.v[k].item;
        const size_t i = x->metric == BURL_METRIC_LOCPAIRS ? find_pair(h, x->a, x->b) : SIZE_MAX;

        if (i != SIZE_MAX)
            note_covered(c, w, &list, i, x->seed, first + b->items.v[k].execution);
    }
    if (w->pair > 0) {
        learn_from(&h->pairs[w->pair - 1], b);
        /* Mostly reported as an item already; not if the process had covered it before, in an order
         * that is committed later. */
        if (b->goal_hits > 0)
            note_covered(c, w, &list, w->pair - 1, b->goal_seed,
                         first + (b->goal_seed - w->first_seed));
    }
    return commit_catches(c, w, &list, err);
}

/* ---- rounds ------------------------------------------------------------------------ */

static bool
is_open_pair(const struct burl_campaign_pair *p)
{
    return p->goal.state == BURL_GOAL_STATE_UNTRIED && p->a != 0 && p->b != 0;
}

/* Accesses that an execution is to stop at must be scheduling points. */
static void
mark_points(struct burl_campaign *c)
{
    const struct burl_campaign_hunt *h = c->cfg->hunt;

    for (size_t i = 0; i < h->n; i++) {
        const uint32_t sites[] = { h->pairs[i].a, h->pairs[i].b };

        burl__learned_mark_points(&c->learned, sites, 2);
    }
}

static struct burl_work
pair_work(struct burl_campaign *c, size_t i, uint64_t n)
{
    return (struct burl_work){
        .strategy = BURL_STRATEGY_DIRECTED,
        .flags = BURL_ORDER_F_LEARN | BURL_ORDER_F_STOP_AT_GOAL,
        .first_seed = burl__suspects_seed(c),
        .n = n,
        .observers = (c->cfg->observers & BURL_ENGINE_COVER_OBS) | BURL_OB(LOCPAIRS),
        .args.goal = goal_of(&c->cfg->hunt->pairs[i]),
        .pair = i + 1,
        .whole = true,
    };
}

static bool
any_open(const struct burl_campaign_hunt *h)
{
    for (size_t i = 0; i < h->n; i++) {
        if (is_open_pair(&h->pairs[i]))
            return true;
    }
    return false;
}

static enum burl_status
run_rounds(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    struct {
        BURL_VEC_OF(struct burl_work);
    } works = { 0 };
    uint64_t size = FIRST_TRIES;
    enum burl_status st = BURL_OK;

    mark_points(c);
    while (st == BURL_OK && !c->plan.stop) {
        burl__campaign_adopt_points(c);
        works.n = 0;
        for (size_t i = 0; i < h->n; i++) {
            const uint64_t left = tries_left(h, &h->pairs[i]);

            if (is_open_pair(&h->pairs[i]) && left > 0)
                BURL_VEC_PUSH(&works, pair_work(c, i, left < size ? left : size));
        }
        if (works.n == 0)
            break;
        st = burl__pool_run(c, works.v, works.n, err);
        c->stats->n_rounds++;
        size *= GROWTH;
    }
    BURL_VEC_FREE(&works);
    return st;
}

enum burl_status
burl__hunt(struct burl_campaign *c, struct burl_err *err)
{
    struct burl_campaign_hunt *h = c->cfg->hunt;
    enum burl_status st = run_rounds(c, err);

    if (st == BURL_OK && !c->plan.stop && h->exhaustive_runs > 0 && any_open(h))
        st = burl__search(c, err);
    for (size_t i = 0; i < h->n && st == BURL_OK && !c->plan.stop; i++) {
        if (is_open_pair(&h->pairs[i]) && (h->exhaustive_complete || !h->pairs[i].prove_only))
            st = settle_pair(c, i,
                             h->exhaustive_complete ? BURL_GOAL_STATE_IMPOSSIBLE
                                                    : BURL_GOAL_STATE_UNCONFIRMED,
                             err);
    }
    if (st == BURL_OK)
        burl__campaign_end(c, BURL_CAMPAIGN_END_RUNS);
    return st;
}
