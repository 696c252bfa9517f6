/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/cover.c - programs and items of interleaving coverage; contract in cover.h.
 *
 * Runs in the host. Items are keyed by what they are, so adding is INSERT OR IGNORE and merging two
 * campaigns needs nothing else: the row with the first execution was there first.
 */
#include "store/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/store_int.h"

/* ---- programs ---------------------------------------------------------------------- */

#define PROGRAM_COLUMNS                                                                          \
    "id, path, program, args, build_id, mode, context, metrics, campaigns, executions, wall_ms," \
    " lost"

static void
fill_program(sqlite3_stmt *stmt, struct burl_store_cover_program *p)
{
    *p = (struct burl_store_cover_program){
        .id = sqlite3_column_int64(stmt, 0),
        .path = burl__store_column_text(stmt, 1),
        .program = burl__store_column_text(stmt, 2),
        .args = burl__store_column_text(stmt, 3),
        .build_id = burl__store_column_text(stmt, 4),
        .mode = burl__store_column_text(stmt, 5),
        .context = (uint32_t)sqlite3_column_int64(stmt, 6),
        .metrics = (uint32_t)sqlite3_column_int64(stmt, 7),
        .campaigns = (uint32_t)sqlite3_column_int64(stmt, 8),
        .executions = (uint64_t)sqlite3_column_int64(stmt, 9),
        .wall_ms = (uint64_t)sqlite3_column_int64(stmt, 10),
        .lost = (uint64_t)sqlite3_column_int64(stmt, 11),
    };
}

enum burl_status
burl_store_cover_get(struct burl_store *s, const char *path, bool *found,
                     struct burl_store_cover_program *out, struct burl_err *err)
{
    static const char by_path[] =
        "SELECT " PROGRAM_COLUMNS " FROM cover_programs WHERE path = :path";
    static const char newest[] =
        "SELECT " PROGRAM_COLUMNS " FROM cover_programs ORDER BY updated_ms DESC, id DESC LIMIT 1";
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *found = false;
    *out = (struct burl_store_cover_program){ 0 };
    st = burl__store_prepare(s, &stmt, path ? by_path : newest, err);
    if (st != BURL_OK)
        return st;
    if (path)
        burl__store_bind_text(stmt, ":path", path);
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

void
burl_store_cover_program_deinit(struct burl_store_cover_program *p)
{
    free((char *)p->path);
    free((char *)p->program);
    free((char *)p->args);
    free((char *)p->build_id);
    free((char *)p->mode);
    *p = (struct burl_store_cover_program){ 0 };
}

/* ---- the image --------------------------------------------------------------------- */

/* Steps, and leaves the statement ready for the next row. */
static enum burl_status
put_row(struct burl_store *s, sqlite3_stmt *stmt, struct burl_err *err)
{
    const int rc = sqlite3_step(stmt);

    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? BURL_OK : burl__store_fail(s, rc, "record coverage", err);
}

static enum burl_status
put_objects(struct burl_store *s, int64_t id, const struct burl_store_cover_image *image,
            struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt, "INSERT INTO cover_objects (program, ix, path) VALUES (:program, :ix, :path)",
        err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < image->n_objects && st == BURL_OK; i++) {
        burl__store_bind_i64(stmt, ":program", id);
        burl__store_bind_i64(stmt, ":ix", (int64_t)i);
        burl__store_bind_text(stmt, ":path", image->objects[i].path);
        st = put_row(s, stmt, err);
    }
    sqlite3_finalize(stmt);
    return st;
}

static enum burl_status
put_modules(struct burl_store *s, int64_t id, const struct burl_store_cover_image *image,
            struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt,
                            "INSERT INTO cover_modules (program, ix, hash, base, n_sites, object)"
                            " VALUES (:program, :ix, :hash, :base, :n_sites, :object)",
                            err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < image->n_modules && st == BURL_OK; i++) {
        const struct burl_wire_module_entry *m = &image->modules[i];

        burl__store_bind_i64(stmt, ":program", id);
        burl__store_bind_i64(stmt, ":ix", (int64_t)i);
        burl__store_bind_u64(stmt, ":hash", m->hash);
        burl__store_bind_i64(stmt, ":base", m->base);
        burl__store_bind_i64(stmt, ":n_sites", m->n_sites);
        burl__store_bind_i64(stmt, ":object", (int64_t)((uint64_t)m->late << 32 | m->object));
        st = put_row(s, stmt, err);
    }
    sqlite3_finalize(stmt);
    return st;
}

/* Deletes a program's rows of one table. Inside a transaction. */
static enum burl_status
clear_table(struct burl_store *s, const char *sql, int64_t id, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt, sql, err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    return burl__store_finish(s, stmt, "record coverage", err);
}

static enum burl_status
replace_image_locked(struct burl_store *s, int64_t id, const struct burl_store_cover_image *image,
                     struct burl_err *err)
{
    enum burl_status st =
        clear_table(s, "DELETE FROM cover_objects WHERE program = :program", id, err);

    if (st == BURL_OK)
        st = clear_table(s, "DELETE FROM cover_modules WHERE program = :program", id, err);
    if (st == BURL_OK)
        st = put_objects(s, id, image, err);
    if (st == BURL_OK)
        st = put_modules(s, id, image, err);
    return st;
}

static enum burl_status
upsert_program_locked(struct burl_store *s, const struct burl_store_cover_program *p, int64_t *id,
                      struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    st = burl__store_prepare(
        s, &stmt,
        "INSERT INTO cover_programs (path, program, args, build_id, mode, context, metrics,"
        " campaigns, updated_ms) VALUES (:path, :program, :args, :build_id, :mode, :context,"
        " :metrics, 1, :now)"
        " ON CONFLICT (path) DO UPDATE SET program = excluded.program, args = excluded.args,"
        " build_id = excluded.build_id, mode = excluded.mode, context = excluded.context,"
        " metrics = metrics | excluded.metrics, campaigns = campaigns + 1,"
        " updated_ms = excluded.updated_ms RETURNING id",
        err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":path", p->path);
    burl__store_bind_text(stmt, ":program", p->program);
    burl__store_bind_text(stmt, ":args", p->args);
    burl__store_bind_text(stmt, ":build_id", p->build_id);
    burl__store_bind_text(stmt, ":mode", p->mode);
    burl__store_bind_i64(stmt, ":context", p->context);
    burl__store_bind_i64(stmt, ":metrics", p->metrics);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *id = sqlite3_column_int64(stmt, 0);
    else
        st = burl__store_fail(s, rc, "record coverage", err);
    sqlite3_finalize(stmt);
    return st;
}

enum burl_status
burl_store_cover_begin(struct burl_store *s, const struct burl_store_cover_program *p,
                       const struct burl_store_cover_image *image, int64_t *id,
                       struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    *id = 0;
    if (st != BURL_OK)
        return st;
    st = upsert_program_locked(s, p, id, err);
    if (st == BURL_OK)
        st = replace_image_locked(s, *id, image, err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_cover_image_put(struct burl_store *s, int64_t id,
                           const struct burl_store_cover_image *image, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    return burl__store_end(s, replace_image_locked(s, id, image, err), err);
}

static enum burl_status
read_objects(struct burl_store *s, int64_t id, struct burl_store_cover_image *out,
             struct burl_err *err)
{
    struct {
        BURL_VEC_OF(struct burl_wire_object);
    } v = { 0 };
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt, "SELECT path FROM cover_objects WHERE program = :program ORDER BY ix", err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
        struct burl_wire_object *o = BURL_VEC_ADD(&v);
        const char *path = (const char *)sqlite3_column_text(stmt, 0);
        const size_t n = path ? strlen(path) : 0;

        if (n < sizeof o->path)
            memcpy(o->path, path ? path : "", n + 1);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    out->objects = v.v;
    out->n_objects = v.n;
    return st;
}

static enum burl_status
read_modules(struct burl_store *s, int64_t id, struct burl_store_cover_image *out,
             struct burl_err *err)
{
    struct {
        BURL_VEC_OF(struct burl_wire_module_entry);
    } v = { 0 };
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt,
                                              "SELECT hash, base, n_sites, object FROM"
                                              " cover_modules WHERE program = :program ORDER BY ix",
                                              err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", id);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
        const struct burl_wire_module_entry m = {
            .hash = (uint64_t)sqlite3_column_int64(stmt, 0),
            .base = (uint32_t)sqlite3_column_int64(stmt, 1),
            .n_sites = (uint32_t)sqlite3_column_int64(stmt, 2),
            .object = (uint32_t)sqlite3_column_int64(stmt, 3),
            .late = (uint32_t)(sqlite3_column_int64(stmt, 3) >> 32),
        };

        BURL_VEC_PUSH(&v, m);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    out->modules = v.v;
    out->n_modules = v.n;
    return st;
}

enum burl_status
burl_store_cover_image_get(struct burl_store *s, int64_t id, struct burl_store_cover_image *out,
                           struct burl_err *err)
{
    enum burl_status st;

    *out = (struct burl_store_cover_image){ 0 };
    st = read_objects(s, id, out, err);
    if (st == BURL_OK)
        st = read_modules(s, id, out, err);
    if (st != BURL_OK)
        burl_store_cover_image_deinit(out);
    return st;
}

void
burl_store_cover_image_deinit(struct burl_store_cover_image *i)
{
    free(i->objects);
    free(i->modules);
    *i = (struct burl_store_cover_image){ 0 };
}

enum burl_status
burl_store_cover_set_mode(struct burl_store *s, int64_t id, const char *mode, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt, "UPDATE cover_programs SET mode = :mode WHERE id = :id", err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":id", id);
    burl__store_bind_text(stmt, ":mode", mode);
    return burl__store_finish(s, stmt, "record coverage", err);
}

enum burl_status
burl_store_cover_forget(struct burl_store *s, int64_t id, struct burl_err *err)
{
    static const char *const sql[] = {
        "DELETE FROM cover_items WHERE program = :program",
        "DELETE FROM cover_schedules WHERE program = :program",
        "DELETE FROM goal_sites WHERE source = 'hunt' AND program = :program",
        "DELETE FROM goals WHERE source = 'hunt' AND program = :program",
        "DELETE FROM cover_objects WHERE program = :program",
        "DELETE FROM cover_modules WHERE program = :program",
        "DELETE FROM cover_programs WHERE id = :program",
    };
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && st == BURL_OK; i++)
        st = clear_table(s, sql[i], id, err);
    return burl__store_end(s, st, err);
}
