/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/memory.c - programs as campaigns left them; contract in memory.h.
 *
 * Runs in the host. The state is replaced as a whole at the end of a campaign: a kill -9 before
 * that leaves the state of the campaign before, which is a true one.
 */
#include "store/memory.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/store_int.h"

static void
fill_program(sqlite3_stmt *stmt, struct burl_store_program *p)
{
    const void *state = sqlite3_column_blob(stmt, 8);
    const size_t state_b = (size_t)sqlite3_column_bytes(stmt, 8);

    *p = (struct burl_store_program){
        .id = sqlite3_column_int64(stmt, 0),
        .path = burl__store_column_text(stmt, 1),
        .args = burl__store_column_text(stmt, 2),
        .program = burl__store_column_text(stmt, 3),
        .build_id = burl__store_column_text(stmt, 4),
        .campaigns = (uint64_t)sqlite3_column_int64(stmt, 5),
        .executions = (uint64_t)sqlite3_column_int64(stmt, 6),
        .edges = (uint64_t)sqlite3_column_int64(stmt, 7),
        .state = state && state_b > 0 ? burl_xmemdup(state, state_b) : NULL,
        .state_b = state ? state_b : 0,
    };
}

enum burl_status
burl_store_program_get(struct burl_store *s, const char *path, const char *args, bool *found,
                       struct burl_store_program *out, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *found = false;
    *out = (struct burl_store_program){ 0 };
    st = burl__store_prepare(s, &stmt,
                             "SELECT id, path, args, program, build_id, campaigns, executions,"
                             " edges, state FROM programs WHERE path = :path AND args = :args",
                             err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":path", path);
    burl__store_bind_text(stmt, ":args", args);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        *found = true;
        fill_program(stmt, out);
    } else if (rc != SQLITE_DONE) {
        st = burl__store_fail(s, rc, "read", err);
    }
    sqlite3_finalize(stmt);
    return st;
}

static enum burl_status
find_id(struct burl_store *s, const char *path, const char *args, int64_t *id, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt, "SELECT id FROM programs WHERE path = :path AND args = :args", err);

    *id = 0;
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":path", path);
    burl__store_bind_text(stmt, ":args", args);
    return burl__store_read_id(s, stmt, id, err);
}

enum burl_status
burl_store_program_id(struct burl_store *s, const char *path, const char *args, int64_t *id,
                      struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = find_id(s, path, args, id, err);

    if (st != BURL_OK || *id != 0)
        return st;
    st = burl__store_prepare(
        s, &stmt, "INSERT INTO programs (path, args, updated_ms) VALUES (:path, :args, :now)", err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":path", path);
    burl__store_bind_text(stmt, ":args", args);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    st = burl__store_finish(s, stmt, "record a program", err);
    if (st == BURL_OK)
        *id = sqlite3_last_insert_rowid(s->db);
    return st;
}

static enum burl_status
put_program_locked(struct burl_store *s, const struct burl_store_program *p, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "UPDATE programs SET program = :program, build_id = :build_id, campaigns = :campaigns,"
        " executions = :executions, edges = :edges, state = :state, updated_ms = :now"
        " WHERE id = :id",
        err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":program", p->program);
    burl__store_bind_text(stmt, ":build_id", p->build_id);
    burl__store_bind_u64(stmt, ":campaigns", p->campaigns);
    burl__store_bind_u64(stmt, ":executions", p->executions);
    burl__store_bind_u64(stmt, ":edges", p->edges);
    burl__store_bind_blob(stmt, ":state", p->state, p->state_b);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    burl__store_bind_i64(stmt, ":id", p->id);
    return burl__store_finish(s, stmt, "record what a campaign learned", err);
}

enum burl_status
burl_store_program_put(struct burl_store *s, const struct burl_store_program *p,
                       const struct burl_store_goals *goals, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = put_program_locked(s, p, err);
    if (st == BURL_OK)
        st = burl__store_put_goals_locked(s, p->id, goals, err);
    return burl__store_end(s, st, err);
}

void
burl_store_program_deinit(struct burl_store_program *p)
{
    free((char *)p->path);
    free((char *)p->args);
    free((char *)p->program);
    free((char *)p->build_id);
    free((void *)p->state);
    *p = (struct burl_store_program){ 0 };
}
