/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/campaign.c - campaigns and their sums, whole and per strategy.
 *
 * Runs in the host. Executions are never stored one by one (there are 100,000 a
 * second): a campaign row gets the sums when the campaign ends, and a
 * killed campaign is recognized by its missing end.
 */
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
