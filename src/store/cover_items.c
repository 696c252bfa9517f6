/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/cover_items.c - items and kept schedules of interleaving coverage; contract in cover.h.
 *
 * Runs in the host. Thousands of items come at once and then few: they are written with one
 * statement in one transaction, because each commit waits for the disk.
 */
#include <stdlib.h>

#include "store/cover.h"
#include "store/store_int.h"

/* ---- items ------------------------------------------------------------------------- */

static void
bind_item(sqlite3_stmt *stmt, int64_t id, const struct burl_store_cover_item *x)
{
    burl__store_bind_i64(stmt, ":program", id);
    burl__store_bind_i64(stmt, ":metric", x->metric);
    burl__store_bind_i64(stmt, ":flags", x->flags);
    burl__store_bind_u64(stmt, ":am", x->a.module);
    burl__store_bind_i64(stmt, ":a", x->a.value);
    burl__store_bind_u64(stmt, ":bm", x->b.module);
    burl__store_bind_i64(stmt, ":b", x->b.value);
    burl__store_bind_u64(stmt, ":cm", x->c.module);
    burl__store_bind_i64(stmt, ":c", x->c.value);
    burl__store_bind_i64(stmt, ":d", x->d);
    burl__store_bind_u64(stmt, ":build", x->build);
    burl__store_bind_u64(stmt, ":execution", x->execution);
    burl__store_bind_u64(stmt, ":seed", x->seed);
    burl__store_bind_text(stmt, ":strategy", x->strategy);
}

static enum burl_status
insert_items_locked(struct burl_store *s, int64_t id, const struct burl_store_cover_item *items,
                    size_t n, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "INSERT OR IGNORE INTO cover_items (program, metric, flags, am, a, bm, b, cm, c, d,"
        " build, execution, seed, strategy) VALUES (:program, :metric, :flags, :am, :a, :bm, :b,"
        " :cm, :c, :d, :build, :execution, :seed, :strategy)",
        err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < n && st == BURL_OK; i++) {
        int rc;

        bind_item(stmt, id, &items[i]);
        rc = sqlite3_step(stmt);
        sqlite3_reset(stmt);
        if (rc != SQLITE_DONE)
            st = burl__store_fail(s, rc, "record coverage", err);
    }
    sqlite3_finalize(stmt);
    return st;
}

static enum burl_status
set_sums_locked(struct burl_store *s, int64_t id, uint64_t executions, uint64_t wall_ms,
                uint64_t lost, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "UPDATE cover_programs SET executions = :executions, wall_ms = :wall_ms, lost = :lost,"
        " updated_ms = :now WHERE id = :id",
        err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":id", id);
    burl__store_bind_u64(stmt, ":executions", executions);
    burl__store_bind_u64(stmt, ":wall_ms", wall_ms);
    burl__store_bind_u64(stmt, ":lost", lost);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    return burl__store_finish(s, stmt, "record coverage", err);
}

enum burl_status
burl_store_cover_put(struct burl_store *s, int64_t id, const struct burl_store_cover_item *items,
                     size_t n, uint64_t executions, uint64_t wall_ms, uint64_t lost,
                     struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = insert_items_locked(s, id, items, n, err);
    if (st == BURL_OK)
        st = set_sums_locked(s, id, executions, wall_ms, lost, err);
    return burl__store_end(s, st, err);
}

static struct burl_store_cover_name
column_name(sqlite3_stmt *stmt, int i)
{
    return (struct burl_store_cover_name){
        .module = (uint64_t)sqlite3_column_int64(stmt, i),
        .value = (uint32_t)sqlite3_column_int64(stmt, i + 1),
    };
}

enum burl_status
burl_store_cover_items(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_item *item), void *arg,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "SELECT metric, flags, am, a, bm, b, cm, c, d, execution, seed, strategy, build FROM"
        " cover_items WHERE program = :program"
        " ORDER BY execution, metric, am, a, bm, b, cm, c, d, build",
        err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
        const char *strategy = (const char *)sqlite3_column_text(stmt, 11);
        const struct burl_store_cover_item x = {
            .metric = (uint8_t)sqlite3_column_int64(stmt, 0),
            .flags = (uint8_t)sqlite3_column_int64(stmt, 1),
            .a = column_name(stmt, 2),
            .b = column_name(stmt, 4),
            .c = column_name(stmt, 6),
            .d = (uint32_t)sqlite3_column_int64(stmt, 8),
            .execution = (uint64_t)sqlite3_column_int64(stmt, 9),
            .seed = (uint64_t)sqlite3_column_int64(stmt, 10),
            .strategy = strategy ? strategy : "",
            .build = (uint64_t)sqlite3_column_int64(stmt, 12),
        };

        if (x.metric < BURL_METRIC__N)
            each(arg, &x);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    return st;
}

/* ---- schedules --------------------------------------------------------------------- */

enum burl_status
burl_store_cover_schedule_put(struct burl_store *s, int64_t id,
                              const struct burl_store_cover_schedule *x, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt,
                                              "INSERT OR REPLACE INTO cover_schedules (program,"
                                              " execution, file) VALUES (:program, :execution,"
                                              " :file)",
                                              err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    burl__store_bind_u64(stmt, ":execution", x->execution);
    burl__store_bind_text(stmt, ":file", x->file);
    return burl__store_finish(s, stmt, "record a schedule", err);
}

enum burl_status
burl_store_cover_schedules(struct burl_store *s, int64_t id,
                           void (*each)(void *arg, const struct burl_store_cover_schedule *x),
                           void *arg, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "SELECT execution, file FROM cover_schedules WHERE program = :program ORDER BY execution",
        err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
        const struct burl_store_cover_schedule x = {
            .execution = (uint64_t)sqlite3_column_int64(stmt, 0),
            .file = (const char *)sqlite3_column_text(stmt, 1),
        };

        if (x.file)
            each(arg, &x);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    return st;
}
