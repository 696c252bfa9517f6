/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/hunts.c - hunted pairs, which are goals; contract in cover.h.
 *
 * Runs in the host. They stand in the tables of all goals, with source 'hunt': their programs are
 * those of cover_programs, and each row stays until it is replaced, whatever the build.
 */
#include <string.h>

#include "store/cover.h"
#include "store/store_int.h"

/* The states of goals (engine/plan/record.h) by enum burl_hunt_outcome: 1 covered, 2 not covered,
 * 3 impossible. */
static const char *const states[] = { "untried", "confirmed", "unconfirmed", "impossible" };
#define N_STATES (sizeof states / sizeof states[0])

/* The number of the goal with these sites, NULL none. */
#define HUNTED                                                                           \
    "(SELECT x.n FROM goal_sites x JOIN goal_sites y USING (source, program, n)"         \
    " WHERE x.source = 'hunt' AND x.program = :program AND x.module = :am AND x.ix = :a" \
    " AND x.pos = 0 AND y.pos = 1 AND y.module = :bm AND y.ix = :b)"
#define LAST "(SELECT coalesce(max(n), 0) FROM goals WHERE source = 'hunt' AND program = :program)"

static enum burl_status
prepare_pair(struct burl_store *s, sqlite3_stmt **stmt, const char *sql, int64_t program,
             const struct burl_store_cover_hunt *x, struct burl_err *err)
{
    enum burl_status st = burl__store_prepare(s, stmt, sql, err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(*stmt, ":program", program);
    burl__store_bind_u64(*stmt, ":am", x->a.module);
    burl__store_bind_i64(*stmt, ":a", x->a.value);
    burl__store_bind_u64(*stmt, ":bm", x->b.module);
    burl__store_bind_i64(*stmt, ":b", x->b.value);
    return BURL_OK;
}

static enum burl_status
put_locked(struct burl_store *s, int64_t id, const struct burl_store_cover_hunt *x,
           struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = prepare_pair(
        s, &stmt,
        "INSERT INTO goals (source, program, n, kind, state, attempts, hits, first_seed, observer,"
        " rank, addr, why, build) SELECT 'hunt', :program, coalesce(" HUNTED ", " LAST " + 1),"
        " 'pair', :state, :tries, 0, 0, 0, 0, 0, :why, :build WHERE true"
        " ON CONFLICT (source, program, n) DO UPDATE SET state = excluded.state,"
        " attempts = attempts + excluded.attempts, why = excluded.why, build = excluded.build",
        id, x, err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":state", states[x->outcome < N_STATES ? x->outcome : 0]);
    burl__store_bind_u64(stmt, ":tries", x->tries);
    burl__store_bind_text(stmt, ":why", x->why);
    burl__store_bind_text(stmt, ":build", x->build);
    st = burl__store_finish(s, stmt, "record a hunt", err);
    if (st == BURL_OK)
        st = prepare_pair(
            s, &stmt,
            "INSERT OR IGNORE INTO goal_sites (source, program, n, pos, module, ix, op, tid)"
            " SELECT 'hunt', :program, coalesce(" HUNTED ", " LAST "), 0, :am, :a, 0, 0"
            " UNION ALL SELECT 'hunt', :program, coalesce(" HUNTED ", " LAST "), 1, :bm, :b, 0, 0",
            id, x, err);
    return st == BURL_OK ? burl__store_finish(s, stmt, "record a hunt", err) : st;
}

enum burl_status
burl_store_cover_hunt_put(struct burl_store *s, int64_t id, const struct burl_store_cover_hunt *x,
                          struct burl_err *err)
{
    const enum burl_status st = burl__store_begin(s, err);

    return st == BURL_OK ? burl__store_end(s, put_locked(s, id, x, err), err) : st;
}

static uint32_t
outcome_of(const char *state)
{
    for (uint32_t i = 0; state && i < N_STATES; i++) {
        if (strcmp(state, states[i]) == 0)
            return i;
    }
    return 0;
}

enum burl_status
burl_store_cover_hunts(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_hunt *x), void *arg,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "SELECT x.module, x.ix, y.module, y.ix, g.state, g.attempts, g.why, g.build FROM goals g"
        " JOIN goal_sites x USING (source, program, n) JOIN goal_sites y USING (source, program, n)"
        " WHERE g.source = 'hunt' AND g.program = :program AND x.pos = 0 AND y.pos = 1"
        " ORDER BY x.module, x.ix, y.module, y.ix",
        err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
        const char *why = (const char *)sqlite3_column_text(stmt, 6);
        const char *build = (const char *)sqlite3_column_text(stmt, 7);
        const struct burl_store_cover_hunt x = {
            .a = { .module = (uint64_t)sqlite3_column_int64(stmt, 0),
                   .value = (uint32_t)sqlite3_column_int64(stmt, 1) },
            .b = { .module = (uint64_t)sqlite3_column_int64(stmt, 2),
                   .value = (uint32_t)sqlite3_column_int64(stmt, 3) },
            .outcome = outcome_of((const char *)sqlite3_column_text(stmt, 4)),
            .tries = (uint64_t)sqlite3_column_int64(stmt, 5),
            .why = why ? why : "",
            .build = build ? build : "",
        };

        each(arg, &x);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    return st;
}
