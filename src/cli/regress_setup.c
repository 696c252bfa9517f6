/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_setup.c - before and after the tests of `burl regress run` and `experiment`: suite,
 * plan, what is looked for, what the base version was.
 *
 * Runs in the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/regress_int.h"
#include "cli/regress_run_int.h"

static enum burl_status
add_kind(const char *word, void *arg, struct burl_err *err)
{
    static const char *const names[] = { "races", "atomicity", "deadlocks", NULL };
    uint32_t *wanted = arg;

    for (uint32_t i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *wanted |= 1u << i; /* as in enum burl_regress_for */
            return BURL_OK;
        }
    }
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "--for expects a list of races, atomicity, deadlocks, not \"%s\"%s", word,
                        burl_options_hint(word, names));
}

enum burl_status
burl__regress_parse_for(const char *list, uint32_t *wanted, struct burl_err *err)
{
    *wanted = 0;
    return burl_options_each_word(list, add_kind, wanted, err);
}

static uint32_t
observers_of(uint32_t wanted)
{
    return ((wanted & BURL_REGRESS_RACES) ? BURL_OB(RACE) | BURL_OB(LOCKSET) : 0u) |
           ((wanted & BURL_REGRESS_ATOMICITY) ? BURL_OB(TRIPLE) : 0u) |
           ((wanted & BURL_REGRESS_DEADLOCKS) ? BURL_OB(LOCKORDER) | BURL_OB(SIGNALS) : 0u);
}

/* The id that burl_target_build_id() gives a process with these modules. */
static char *
build_id_of(const struct burl_regress_program *p)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (size_t i = 0; i < p->modules.n; i++) {
        h = burl_hash_u64(h, p->modules.v[i].hash);
        h = burl_hash_u64(h, p->modules.v[i].n_sites);
    }
    return burl_xasprintf("%016llx", (unsigned long long)burl_hash_end(h));
}

static enum burl_status
look_at_base(struct burl_regress_runner *r, struct burl_store *store, struct burl_err *err)
{
    const struct burl_regress_version *base = &r->plan->base;
    struct burl_store_version row = { 0 };
    bool found = false;
    enum burl_status st = burl_store_version_get(store, base->name, &found, &row, err);

    if (st == BURL_OK && found)
        r->base_ms = row.recorded_ms;
    burl_store_version_deinit(&row);
    for (size_t i = 0; i < base->programs.n; i++)
        BURL_VEC_PUSH(&r->base_builds, build_id_of(&base->programs.v[i]));
    return st;
}

static void
on_analyzing(void *arg, const char *program, size_t i, size_t n)
{
    struct burl_regress_runner *r = arg;

    burl_progress_update(&r->progress, "analyzing program %zu of %zu: %s", i + 1, n, program);
}

static enum burl_status
make_plan(struct burl_regress_runner *r, struct burl_suite *suite, struct burl_regress_plan *plan,
          struct burl_err *err)
{
    const struct burl_options *o = r->opts;
    struct burl_regress_plan_opts po = { .suite = suite,
                                         .base = o->base,
                                         .only = o->only,
                                         .rules = r->rules_select,
                                         .analyzing = on_analyzing,
                                         .arg = r };
    /* Closed before the first test: a campaign opens the store itself. */
    enum burl_status st = burl__regress_open_store(o, &po.store, err);

    if (st == BURL_OK)
        st = burl_regress_plan(plan, &po, err);
    if (st == BURL_OK)
        st = look_at_base(r, po.store, err);
    burl_progress_clear(&r->progress);
    burl_store_close(po.store);
    return st;
}

enum burl_status
burl__regress_runner_open(struct burl_regress_runner *r, const struct burl_options *opts,
                          struct burl_suite *suite, struct burl_regress_plan *plan, bool with_tail,
                          struct burl_err *err)
{
    uint32_t wanted = 0;
    enum burl_status st;

    r->opts = opts;
    r->quiet = *opts;
    r->quiet.quiet = true;
    r->seed = opts->seed;
    r->suite = suite;
    r->plan = plan;
    r->started_ms = burl_target_now_ms();
    r->deadline = burl_deadline_in(r->started_ms, opts->time);
    burl_progress_init(&r->progress, !opts->quiet && !opts->json);
    st = burl__regress_parse_for(opts->for_, &wanted, err);
    r->observers = observers_of(wanted);
    r->rules_select = (struct burl_regress_rules){ .wanted = wanted,
                                                   .same_thread = opts->same_thread,
                                                   .any_lifetime = opts->any_lifetime,
                                                   .with_tail = with_tail,
                                                   .seed = opts->seed };
    if (st == BURL_OK && opts->suppressions)
        st = burl_suppress_read(&r->rules, opts->suppressions, err);
    if (st == BURL_OK)
        st = burl__regress_suite(opts, suite, err);
    if (st == BURL_OK)
        st = make_plan(r, suite, plan, err);
    if (st == BURL_OK)
        burl_cli_catch_signals();
    return st;
}

static void
tested_deinit(struct burl_tested *t)
{
    free(t->why);
    BURL_VEC_FREE(&t->reports);
    BURL_VEC_FREE(&t->found);
}

void
burl__regress_runner_close(struct burl_regress_runner *r)
{
    burl_progress_clear(&r->progress);
    for (size_t i = 0; i < r->tested.n; i++)
        tested_deinit(&r->tested.v[i]);
    BURL_VEC_FREE(&r->tested);
    for (size_t i = 0; i < r->found.n; i++) {
        free(r->found.v[i].title);
        free(r->found.v[i].text);
        free(r->found.v[i].json);
        free(r->found.v[i].line);
    }
    BURL_VEC_FREE(&r->found);
    for (size_t i = 0; i < r->base_builds.n; i++)
        free(r->base_builds.v[i]);
    BURL_VEC_FREE(&r->base_builds);
    burl_regress_ledger_deinit(&r->ledger);
    burl_suppress_free(r->rules);
}
