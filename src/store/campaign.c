/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/campaign.c - campaigns and their sums, whole and per strategy.
 *
 * Runs in the host. Executions are never stored one by one (there are 100,000 a
 * second): a campaign row holds the sums so far, replaced now and then, and a
 * killed campaign is recognized by its missing end.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/store_int.h"

enum burl_status
burl_store_campaign_begin(struct burl_store *s, const struct burl_store_campaign *c, int64_t *id,
                          struct burl_err *err)
{
    char *who = burl_xasprintf("burl %s %s", c->command ? c->command : "test",
                               c->program ? c->program : "");
    enum burl_status st = burl_store_lock(s, who, err);
    sqlite3_stmt *stmt;

    *id = 0;
    free(who);
    if (st == BURL_OK)
        st = burl__store_prepare(s, &stmt,
                                 "INSERT INTO campaigns (command, program, args, build_id, options,"
                                 " engine, reset, seed, started_ms) VALUES (:command, :program,"
                                 " :args, :build_id, :options, :engine, :reset, :seed, :started)",
                                 err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":command", c->command ? c->command : "test");
    burl__store_bind_text(stmt, ":program", c->program);
    burl__store_bind_text(stmt, ":args", c->args);
    burl__store_bind_text(stmt, ":build_id", c->build_id);
    burl__store_bind_text(stmt, ":options", c->options);
    burl__store_bind_text(stmt, ":engine", c->engine);
    burl__store_bind_text(stmt, ":reset", c->reset);
    burl__store_bind_u64(stmt, ":seed", c->seed);
    burl__store_bind_i64(stmt, ":started", burl__store_now_ms());
    st = burl__store_finish(s, stmt, "record a campaign", err);
    if (st == BURL_OK)
        *id = sqlite3_last_insert_rowid(s->db);
    return st;
}

static void
bind_totals(sqlite3_stmt *stmt, const struct burl_store_totals *t)
{
    burl__store_bind_u64(stmt, ":executions", t->executions);
    burl__store_bind_u64(stmt, ":steps", t->steps);
    burl__store_bind_u64(stmt, ":points", t->points);
    burl__store_bind_u64(stmt, ":switches", t->switches);
    burl__store_bind_u64(stmt, ":preemptions", t->preemptions);
    burl__store_bind_u64(stmt, ":failures", t->failures);
    burl__store_bind_u64(stmt, ":cut", t->cut);
    burl__store_bind_u64(stmt, ":wall_ms", t->wall_ms);
}

#define SET_TOTALS                                                                      \
    "executions = :executions, steps = :steps, points = :points, switches = :switches," \
    " preemptions = :preemptions, failures = :failures, cut = :cut, wall_ms = :wall_ms"

enum burl_status
burl_store_campaign_update(struct burl_store *s, int64_t id, const struct burl_store_totals *t,
                           struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt, "UPDATE campaigns SET " SET_TOTALS " WHERE id = :id", err);

    if (st != BURL_OK)
        return st;
    bind_totals(stmt, t);
    burl__store_bind_i64(stmt, ":id", id);
    return burl__store_finish(s, stmt, "update a campaign", err);
}

static enum burl_status
update_strategy_locked(struct burl_store *s, int64_t id, const struct burl_store_strategy *x,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "INSERT INTO strategies (campaign, strategy, executions, steps, points, switches,"
        " preemptions, failures, cut, wall_ms) VALUES (:id, :strategy, :executions, :steps,"
        " :points, :switches, :preemptions, :failures, :cut, :wall_ms)"
        " ON CONFLICT (campaign, strategy) DO UPDATE SET " SET_TOTALS,
        err);

    if (st != BURL_OK)
        return st;
    bind_totals(stmt, &x->totals);
    burl__store_bind_i64(stmt, ":id", id);
    burl__store_bind_text(stmt, ":strategy", x->name);
    return burl__store_finish(s, stmt, "update a campaign", err);
}

enum burl_status
burl_store_strategies_update(struct burl_store *s, int64_t id, const struct burl_store_strategy *v,
                             size_t n, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < n && st == BURL_OK; i++)
        st = update_strategy_locked(s, id, &v[i], err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_campaign_end(struct burl_store *s, int64_t id, const struct burl_store_totals *t,
                        int exit_code, const char *end_reason, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "UPDATE campaigns SET " SET_TOTALS
        ", ended_ms = :ended, exit_code = :exit_code, end_reason = :reason WHERE id = :id",
        err);

    if (st != BURL_OK)
        return st;
    bind_totals(stmt, t);
    burl__store_bind_i64(stmt, ":ended", burl__store_now_ms());
    burl__store_bind_i64(stmt, ":exit_code", exit_code);
    burl__store_bind_text(stmt, ":reason", end_reason);
    burl__store_bind_i64(stmt, ":id", id);
    st = burl__store_finish(s, stmt, "end a campaign", err);
    burl__store_unlock(s);
    return st;
}

static void
read_campaign(sqlite3_stmt *stmt, struct burl_store_campaign *c, struct burl_store_totals *t)
{
    c->id = sqlite3_column_int64(stmt, 0);
    c->command = burl__store_column_text(stmt, 1);
    c->program = burl__store_column_text(stmt, 2);
    c->args = burl__store_column_text(stmt, 3);
    c->build_id = burl__store_column_text(stmt, 4);
    c->options = burl__store_column_text(stmt, 5);
    c->engine = burl__store_column_text(stmt, 6);
    c->reset = burl__store_column_text(stmt, 7);
    c->seed = (uint64_t)sqlite3_column_int64(stmt, 8);
    c->started_ms = sqlite3_column_int64(stmt, 9);
    c->ended_ms = sqlite3_column_int64(stmt, 10);
    c->exit_code = sqlite3_column_int(stmt, 11);
    c->end_reason = burl__store_column_text(stmt, 12);
    if (!t)
        return;
    t->executions = (uint64_t)sqlite3_column_int64(stmt, 13);
    t->steps = (uint64_t)sqlite3_column_int64(stmt, 14);
    t->points = (uint64_t)sqlite3_column_int64(stmt, 15);
    t->switches = (uint64_t)sqlite3_column_int64(stmt, 16);
    t->preemptions = (uint64_t)sqlite3_column_int64(stmt, 17);
    t->failures = (uint64_t)sqlite3_column_int64(stmt, 18);
    t->cut = (uint64_t)sqlite3_column_int64(stmt, 19);
    t->wall_ms = (uint64_t)sqlite3_column_int64(stmt, 20);
}

enum burl_status
burl_store_campaign_get(struct burl_store *s, int64_t id, struct burl_store_campaign *out,
                        struct burl_store_totals *totals, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *out = (struct burl_store_campaign){ 0 };
    if (totals)
        *totals = (struct burl_store_totals){ 0 };
    st = burl__store_prepare(s, &stmt,
                             "SELECT id, command, program, args, build_id, options, engine, reset,"
                             " seed, started_ms, ended_ms, exit_code, end_reason, executions,"
                             " steps, points, switches, preemptions, failures, cut, wall_ms"
                             " FROM campaigns WHERE :id = 0 OR id = :id ORDER BY id DESC LIMIT 1",
                             err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":id", id);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        read_campaign(stmt, out, totals);
    else if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    else if (id == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0, "%s has no campaigns yet", s->dir);
    else
        st = burl_err_set(err, BURL_E_USAGE, 0, "there is no campaign %" PRId64 " in %s", id,
                          s->dir);
    sqlite3_finalize(stmt);
    return st;
}

void
burl_store_campaign_deinit(struct burl_store_campaign *c)
{
    free((char *)c->command);
    free((char *)c->program);
    free((char *)c->args);
    free((char *)c->build_id);
    free((char *)c->options);
    free((char *)c->engine);
    free((char *)c->reset);
    free((char *)c->end_reason);
    *c = (struct burl_store_campaign){ 0 };
}
