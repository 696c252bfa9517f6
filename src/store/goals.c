/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/goals.c - goals of directed executions; contract in memory.h.
 *
 * Runs in the host. They are replaced as a whole, in the transaction that replaces the state of
 * their program: numbers of sites belong to one build.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/memory.h"
#include "store/store_int.h"

/* Runs a prepared statement once more. */
static enum burl_status
step_again(struct burl_store *s, sqlite3_stmt *stmt, struct burl_err *err)
{
    const int rc = sqlite3_step(stmt);

    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? BURL_OK : burl__store_fail(s, rc, "record goals", err);
}

static enum burl_status
drop_locked(struct burl_store *s, const char *sql, int64_t program, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt, sql, err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    return burl__store_finish(s, stmt, "record goals", err);
}

static enum burl_status
put_sites_locked(struct burl_store *s, sqlite3_stmt *stmt, int64_t n,
                 const struct burl_store_goal *g, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < g->n_sites && i < BURL_STORE_GOAL_SITES && st == BURL_OK; i++) {
        const struct burl_store_goal_site *x = &g->sites[i];

        burl__store_bind_i64(stmt, ":n", n);
        burl__store_bind_i64(stmt, ":pos", (int64_t)i);
        burl__store_bind_u64(stmt, ":module", x->module);
        burl__store_bind_i64(stmt, ":ix", x->index);
        burl__store_bind_i64(stmt, ":op", x->op);
        burl__store_bind_i64(stmt, ":tid", x->tid);
        st = step_again(s, stmt, err);
    }
    return st;
}

static enum burl_status
put_goal_locked(struct burl_store *s, sqlite3_stmt *stmt, int64_t n,
                const struct burl_store_goal *g, struct burl_err *err)
{
    burl__store_bind_i64(stmt, ":n", n);
    burl__store_bind_text(stmt, ":kind", g->kind);
    burl__store_bind_text(stmt, ":state", g->state);
    burl__store_bind_u64(stmt, ":attempts", g->attempts);
    burl__store_bind_u64(stmt, ":hits", g->hits);
    burl__store_bind_u64(stmt, ":first_seed", g->first_seed);
    burl__store_bind_i64(stmt, ":observer", g->observer);
    burl__store_bind_i64(stmt, ":rank", g->rank);
    burl__store_bind_u64(stmt, ":addr", g->addr);
    return step_again(s, stmt, err);
}

enum burl_status
burl__store_put_goals_locked(struct burl_store *s, int64_t program,
                             const struct burl_store_goals *goals, struct burl_err *err)
{
    sqlite3_stmt *goal = NULL;
    sqlite3_stmt *site = NULL;
    enum burl_status st = drop_locked(
        s, "DELETE FROM goal_sites WHERE source = 'campaign' AND program = :program", program, err);

    if (st == BURL_OK)
        st = drop_locked(s, "DELETE FROM goals WHERE source = 'campaign' AND program = :program",
                         program, err);
    if (st == BURL_OK)
        st = burl__store_prepare(s, &goal,
                                 "INSERT INTO goals (program, n, kind, state, attempts, hits,"
                                 " first_seed, observer, rank, addr) VALUES (:program, :n, :kind,"
                                 " :state, :attempts, :hits, :first_seed, :observer, :rank, :addr)",
                                 err);
    if (st == BURL_OK)
        st = burl__store_prepare(s, &site,
                                 "INSERT INTO goal_sites (program, n, pos, module, ix, op, tid)"
                                 " VALUES (:program, :n, :pos, :module, :ix, :op, :tid)",
                                 err);
    if (st == BURL_OK) {
        burl__store_bind_i64(goal, ":program", program);
        burl__store_bind_i64(site, ":program", program);
    }
    for (size_t i = 0; goals && i < goals->n && st == BURL_OK; i++) {
        st = put_goal_locked(s, goal, (int64_t)i + 1, &goals->v[i], err);
        if (st == BURL_OK)
            st = put_sites_locked(s, site, (int64_t)i + 1, &goals->v[i], err);
    }
    sqlite3_finalize(goal);
    sqlite3_finalize(site);
    return st;
}

/* The row of a goal and one of its sites; rows of one goal follow each other. */
static void
take_row(sqlite3_stmt *stmt, struct burl_store_goals *out, int64_t *last)
{
    const int64_t n = sqlite3_column_int64(stmt, 0);
    struct burl_store_goal *g;

    if (out->n == 0 || n != *last) {
        g = BURL_VEC_ADD(out);
        *g = (struct burl_store_goal){
            .kind = burl__store_column_text(stmt, 1),
            .state = burl__store_column_text(stmt, 2),
            .attempts = (uint64_t)sqlite3_column_int64(stmt, 3),
            .hits = (uint64_t)sqlite3_column_int64(stmt, 4),
            .first_seed = (uint64_t)sqlite3_column_int64(stmt, 5),
            .observer = (uint32_t)sqlite3_column_int64(stmt, 6),
            .rank = (uint32_t)sqlite3_column_int64(stmt, 7),
            .addr = (uint64_t)sqlite3_column_int64(stmt, 8),
        };
        *last = n;
    }
    g = &out->v[out->n - 1];
    if (sqlite3_column_type(stmt, 9) != SQLITE_NULL && g->n_sites < BURL_STORE_GOAL_SITES)
        g->sites[g->n_sites++] = (struct burl_store_goal_site){
            .module = (uint64_t)sqlite3_column_int64(stmt, 9),
            .index = (uint32_t)sqlite3_column_int64(stmt, 10),
            .op = (uint32_t)sqlite3_column_int64(stmt, 11),
            .tid = (uint32_t)sqlite3_column_int64(stmt, 12),
        };
}

enum burl_status
burl_store_goals_list(struct burl_store *s, int64_t program, struct burl_store_goals *out,
                      struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int64_t last = 0;
    int rc;

    *out = (struct burl_store_goals){ 0 };
    st = burl__store_prepare(s, &stmt,
                             "SELECT g.n, g.kind, g.state, g.attempts, g.hits, g.first_seed,"
                             " g.observer, g.rank, g.addr, x.module, x.ix, x.op, x.tid"
                             " FROM goals g LEFT JOIN goal_sites x"
                             " USING (source, program, n)"
                             " WHERE g.source = 'campaign' AND g.program = :program"
                             " ORDER BY g.n, x.pos",
                             err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        take_row(stmt, out, &last);
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    if (st != BURL_OK)
        burl_store_goals_deinit(out);
    return st;
}

void
burl_store_goals_deinit(struct burl_store_goals *g)
{
    for (size_t i = 0; i < g->n; i++) {
        free((char *)g->v[i].kind);
        free((char *)g->v[i].state);
    }
    free(g->v);
    *g = (struct burl_store_goals){ 0 };
}
