/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/free_keep.c - findings of free runs: merged, suppressed, and stored.
 *
 * Runs in the host. The runtime distinguishes races by their two places; here they become findings,
 * one per variable (the fingerprint), with the other places listed in it. The end of the program is
 * one more verdict.
 *
 * The store is opened after a run: a program that cannot be watched creates no store. A finding for
 * which an earlier `burl test` stored a schedule, or `burl tune` of this build its noise, keeps it
 * and is only counted; either is more useful than a newer report.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/detect.h"
#include "cli/free_int.h"
#include "cli/test_int.h"
#include "engine/engine.h"

enum burl_status
burl__free_begin(struct burl_free_session *s, struct burl_err *err)
{
    /* Findings of the other observers cannot be confirmed in a free run, and they are slow: only on
     * request. */
    const bool own = s->opts->given[BURL_OPT_detect];
    enum burl_status st = burl_detect_parse(own ? s->opts->detect : "race", &s->observers, err);

    if (st == BURL_OK && s->opts->suppressions)
        st = burl_suppress_read(&s->rules, s->opts->suppressions, err);
    if (st == BURL_OK)
        st = burl__free_noise_begin(s, err);
    s->args_json = burl__test_args_json(s->argv + 1, s->argc - 1);
    return st;
}

static enum burl_status
open_store(struct burl_free_session *s, struct burl_err *err)
{
    struct burl_store_campaign row = { .command = s->command, .program = s->argv[0] };
    enum burl_status st = burl_store_open(&s->store, s->opts->dir, err);

    if (st != BURL_OK)
        return st;
    row.args = s->args_json;
    row.build_id = s->build_id;
    row.options = s->options_json;
    row.engine = "free";
    row.seed = s->opts->seed;
    return burl_store_campaign_begin(s->store, &row, &s->campaign, err);
}

/* ---- one finding ------------------------------------------------------------------- */

/* Failures of one run that are the same bug: the first is shown, the others are places of it. */
struct bug {
    uint64_t fingerprint;
    const struct burl_wire_verdict *verdict;
    uint64_t count;
    uint64_t behind; /* of all its failures */
    BURL_VEC(struct burl_wire_suspect) pairs;
};

struct bugs {
    BURL_VEC_OF(struct bug);
};

static void
add_pair(struct bug *b, const struct burl_wire_verdict *v, uint64_t count)
{
    struct burl_wire_suspect x = { .kind = BURL_SUSPECT_RACE, .n_sites = 2, .count = count };

    if (v->n_sides != 2)
        return;
    x.addr = v->addr;
    for (size_t i = 0; i < 2; i++) {
        x.sites[i] = v->sides[i].site;
        x.ops[i] = v->sides[i].op;
        x.tids[i] = v->sides[i].tid;
    }
    x.key = burl_wire_suspect_key(x.kind, x.sites, 2);
    BURL_VEC_PUSH(&b->pairs, x);
}

static uint64_t
behind_of(const struct burl_wire_verdict *v)
{
    return v->kind == BURL_VERDICT_RACE_DATA ? v->behind : 0;
}

/* Of two failures of one bug: behind a flag only if each is behind one. */
static uint64_t
merge_behind(uint64_t one, uint64_t other)
{
    return one != 0 && other != 0 ? one : 0;
}

static void
add_failure(struct bugs *bugs, const struct burl_wire_verdict *v, uint64_t count,
            const struct burl_sites *sites)
{
    const uint64_t fingerprint = burl_fingerprint(v, sites, NULL);

    for (size_t i = 0; i < bugs->n; i++) {
        if (bugs->v[i].fingerprint == fingerprint) {
            bugs->v[i].count += count;
            bugs->v[i].behind = merge_behind(bugs->v[i].behind, behind_of(v));
            add_pair(&bugs->v[i], v, count);
            return;
        }
    }
    BURL_VEC_PUSH(bugs, (struct bug){ .fingerprint = fingerprint,
                                      .verdict = v,
                                      .count = count,
                                      .behind = behind_of(v) });
}

static void
sort_failure(struct burl_free_session *s, struct bugs *bugs, const struct burl_wire_verdict *v,
             uint64_t count, const struct burl_sites *sites)
{
    struct burl_suppress_rule *rule = burl_suppress_verdict(s->rules, v, sites);

    if (rule == NULL)
        add_failure(bugs, v, count, sites);
    else
        burl_suppress_hide_finding(s->rules, rule, burl_fingerprint(v, sites, NULL));
}

/* All that a run showed and no rule hides; caller frees with free_bugs(). */
static struct bugs
sort_failures(struct burl_free_session *s, const struct burl_free_result *r)
{
    struct bugs bugs = { 0 };

    for (size_t i = 0; i < r->n_failures; i++)
        sort_failure(s, &bugs, &r->failures[i].verdict, r->failures[i].count, r->sites);
    if (burl_verdict_is_finding(r->verdict.kind))
        sort_failure(s, &bugs, &r->verdict, 1, r->sites);
    return bugs;
}

static void
free_bugs(struct bugs *bugs)
{
    for (size_t i = 0; i < bugs->n; i++)
        BURL_VEC_FREE(&bugs->v[i].pairs);
    BURL_VEC_FREE(bugs);
}

static struct burl_finding *
make_finding(const struct burl_free_session *s, const struct burl_free_result *r,
             const struct bug *b, const struct burl_kept *k, const struct burl_free_origin *from)
{
    const bool hang = b->verdict->kind == BURL_VERDICT_HANG_TIMEOUT;
    const struct burl_report_free free_run = { .births = r->events,
                                               .n_births = r->n_events,
                                               .output = r->output,
                                               .output_b = r->output_b,
                                               .blocked = hang ? r->threads : r->blocked,
                                               .n_blocked = hang ? r->n_threads : r->n_blocked };
    char *replay = k->replayable ? burl_cli_replay_command(s->opts, k->id) : NULL;
    const struct burl_report_facts facts = {
        .number = (uint32_t)k->id,
        .argv = (const char *const *)s->argv,
        .n_argv = (size_t)s->argc,
        .build_id = s->build_id,
        .engine = "free",
        .facts.count = k->facts.count,
        .replay = replay,
        .noise = from->noise,
        .again = from->again,
        .check = from->check,
        .check_output = from->check_output,
        .pairs = b->pairs.v,
        .n_pairs = b->pairs.n,
    };
    struct burl_finding *f =
        burl_report_finding_from_verdict(b->verdict, &free_run, r->sites, &facts);

    free(replay);
    return f;
}

/* Its report says how to see it again; what this run knows of it is less. */
static bool
keeps_report(const struct burl_kept *k)
{
    return k->replayable || k->has_setting;
}

static enum burl_status
look_for_setting(const struct burl_free_session *s, struct burl_kept *k, struct burl_err *err)
{
    char *dir = NULL;
    char *file;
    const enum burl_status st = burl_store_finding_dir(s->store, k->id, false, &dir, err);

    if (st != BURL_OK)
        return st;
    file = burl_path_join(dir, BURL__FILE_SETTING);
    k->has_setting = burl_fs_exists(file);
    free(file);
    free(dir);
    return BURL_OK;
}

/* Is it in the store with a schedule, or with the noise of this build? */
static enum burl_status
look_up(struct burl_free_session *s, const char *fingerprint, struct burl_kept *k,
        struct burl_err *err)
{
    struct burl_store_finding row = { 0 };
    enum burl_status st = burl_store_finding_find(s->store, fingerprint, &k->id, err);

    if (st != BURL_OK || k->id == 0)
        return st;
    k->known_before = true;
    st = burl_store_finding_get(s->store, k->id, &row, err);
    k->replayable = st == BURL_OK && row.schedule && *row.schedule;
    if (st == BURL_OK && !s->origin && row.build_id && strcmp(row.build_id, s->build_id) == 0)
        st = look_for_setting(s, k, err);
    burl_store_finding_deinit(&row);
    return st;
}

/* The row first, for its number; then the files; then the row with all of it. */
static enum burl_status
keep_bug(struct burl_free_session *s, const struct burl_free_result *r, const struct bug *b,
         struct burl_kept *k, struct burl_err *err)
{
    char fingerprint[17];
    struct burl_store_finding row = {
        .fingerprint = fingerprint,
        .kind = k->kind,
        .program = s->argv[0],
        .args = s->args_json,
        .build_id = s->build_id,
        .engine = "free",
        .reset = "",
        .strategy = "free",
        .schedule = "",
        .campaign = s->campaign,
    };
    struct burl_free_origin from = { 0 };
    enum burl_status st;

    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)k->facts.fingerprint);
    st = look_up(s, fingerprint, k, err);
    if (st != BURL_OK)
        return st;
    if (keeps_report(k)) {
        st = burl__keep_build(s->store, k->id, s->build_id, err);
        if (st != BURL_OK)
            return st;
        k->finding = make_finding(s, r, b, k, &from);
        burl__keep_render(k, &s->style);
        k->stored = k->counted_later ? 0 : k->facts.count;
        return burl_store_finding_hit(s->store, k->id, k->stored, NULL, err);
    }
    st = burl_store_finding_upsert(s->store, &row, &k->id, NULL, err);
    if (st == BURL_OK)
        st = burl__keep_build(s->store, k->id, s->build_id, err);
    if (st == BURL_OK && s->origin)
        st = s->origin(s->origin_arg, b->verdict, k->id, &from, err);
    if (st != BURL_OK)
        return st;
    k->finding = make_finding(s, r, b, k, &from);
    free(from.noise);
    free(from.again);
    return burl__keep_finding(s->store, &row, k, &s->style, r->output, r->output_b, err);
}

static struct burl_kept *
find_kept(struct burl_free_session *s, uint64_t fingerprint)
{
    for (size_t i = 0; i < s->kept.n; i++) {
        if (s->kept.v[i].facts.fingerprint == fingerprint)
            return &s->kept.v[i];
    }
    return NULL;
}

static enum burl_status
take_bug(struct burl_free_session *s, const struct burl_free_result *r, const struct bug *b,
         struct burl_err *err)
{
    struct burl_kept *known = find_kept(s, b->fingerprint);
    struct burl_kept k = { .facts = { .fingerprint = b->fingerprint, .count = b->count },
                           .shown = 1,
                           .counted_later = s->counts_later,
                           .addr =
                               b->verdict->kind == BURL_VERDICT_RACE_DATA ? b->verdict->addr : 0,
                           .behind = b->behind,
                           .kind = burl_verdict_name(b->verdict->kind) };
    enum burl_status st;

    if (known) {
        burl_cause_add(&known->cause, b->pairs.v, b->pairs.n, r->sites);
        known->facts.count += b->count;
        known->shown++;
        known->behind = merge_behind(known->behind, b->behind);
        return BURL_OK;
    }
    k.cause = burl_cause_of(b->verdict, r->sites);
    burl_cause_add(&k.cause, b->pairs.v, b->pairs.n, r->sites);
    st = keep_bug(s, r, b, &k, err);
    if (st == BURL_OK)
        BURL_VEC_PUSH(&s->kept, k);
    else
        burl__kept_deinit(&k);
    return st;
}

/* ---- one run ----------------------------------------------------------------------- */

static void
take_suspects(struct burl_free_session *s, const struct burl_free_result *r)
{
    for (size_t i = 0; i < r->n_suspects; i++) {
        const struct burl_wire_suspect *x = &r->suspects[i];
        struct burl_suppress_rule *rule;
        size_t at = 0;

        /* A race that happened is a failure of the run and comes as one. */
        if (x->kind == BURL_SUSPECT_RACE || x->kind == BURL_SUSPECT_REGION)
            continue;
        while (at < s->suspects.n && s->suspects.v[at].key != x->key)
            at++;
        if (at < s->suspects.n) {
            s->suspects.v[at].count += x->count;
            continue;
        }
        rule = burl_suppress_suspect(s->rules, x, r->sites);
        if (rule == NULL)
            BURL_VEC_PUSH(&s->suspects, *x);
        else
            burl_suppress_hide_suspect(s->rules, rule, x->key);
    }
}

static void
add_up(struct burl_free_session *s, const struct burl_free_result *r)
{
    s->n_runs++;
    s->n_cut += r->end == BURL_FREE_END_TIME;
    s->n_cut_blocked += r->end == BURL_FREE_END_TIME && r->n_blocked > 0;
    s->end = r->end;
    s->status = r->status;
    if (r->max_threads > s->max_threads)
        s->max_threads = r->max_threads;
    for (size_t i = 0; i < BURL_COUNTER__N; i++)
        s->counters[i] += r->counters[i];
    s->n_unobserved += r->unobserved;
    burl__free_noise_add(s, r);
    if (s->text[0] == '\0' || (r->unobserved && s->n_unobserved == 1))
        memcpy(s->text, r->text, sizeof s->text);
}

/* Site numbers are those of s->sites: of a single run. */
static void
keep_blocked(struct burl_free_session *s, const struct burl_free_result *r)
{
    if (s->n_runs > 1 || r->end == BURL_FREE_END_EXIT || r->end == BURL_FREE_END_DEADLOCK)
        return;
    s->blocked = burl_xmemdup(r->blocked, (r->n_blocked + 1) * sizeof *r->blocked);
    s->n_blocked = r->n_blocked;
}

enum burl_status
burl__free_take(struct burl_free_session *s, struct burl_free_result *r, size_t *first_new,
                struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    struct bugs bugs;

    *first_new = s->kept.n;
    add_up(s, r);
    if (r->n_blocked > 0)
        keep_blocked(s, r);
    if (s->store == NULL) {
        memcpy(s->build_id, r->build_id, sizeof s->build_id);
        st = open_store(s, err);
        if (st != BURL_OK)
            return st;
    }
    bugs = sort_failures(s, r);
    for (size_t i = 0; i < bugs.n && st == BURL_OK; i++)
        st = take_bug(s, r, &bugs.v[i], err);
    s->n_failed += bugs.n > 0;
    free_bugs(&bugs);
    if (memcmp(s->build_id, r->build_id, sizeof s->build_id) == 0)
        take_suspects(s, r);
    else
        s->n_other_modules += r->n_suspects > 0;
    if (s->sites == NULL) {
        s->sites = r->sites;
        r->sites = NULL;
    }
    return st;
}

/* ---- the end ----------------------------------------------------------------------- */

enum burl_status
burl__free_end(struct burl_free_session *s, int exit_code, struct burl_err *err)
{
    const struct burl_store_totals totals = { .executions = s->n_runs,
                                              .failures = s->n_failed,
                                              .wall_ms = (uint64_t)s->wall_ms };
    enum burl_status st = BURL_OK;

    if (s->campaign == 0)
        return BURL_OK;
    for (size_t i = 0; i < s->kept.n && st == BURL_OK; i++)
        st = burl__keep_recount(s->store, &s->kept.v[i], !keeps_report(&s->kept.v[i]), err);
    if (st == BURL_OK)
        st = burl_store_campaign_end(s->store, s->campaign, &totals, exit_code,
                                     s->why_end ? s->why_end : burl_free_end_name(s->end), err);
    return st;
}

void
burl__free_deinit(struct burl_free_session *s)
{
    burl__kept_list_deinit(&s->kept);
    BURL_VEC_FREE(&s->suspects);
    burl_sites_free(s->sites);
    burl_suppress_free(s->rules);
    burl_store_close(s->store);
    free(s->args_json);
    free(s->options_json);
    free(s->blocked);
    free(s->marks);
    free(s->variables);
}
