/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/corpus.c - the schedules worth keeping; contract in memory.h.
 *
 * Runs in the host. Which ones are worth it is decided elsewhere (cli/test_corpus.c); here they are
 * rows with the edges they show, so that the choice can be repeated with every new one.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/memory.h"
#include "store/store_int.h"

#define ENTRY_COLUMNS                                                                      \
    "n, file, why, finding, n_new, steps, preemptions, strategy, seed, build_id, kept_ms," \
    " result, result_build, result_ms"

static void
fill_entry(sqlite3_stmt *stmt, struct burl_store_entry *e)
{
    *e = (struct burl_store_entry){
        .n = sqlite3_column_int64(stmt, 0),
        .file = burl__store_column_text(stmt, 1),
        .why = burl__store_column_text(stmt, 2),
        .finding = sqlite3_column_int64(stmt, 3),
        .n_new = (uint64_t)sqlite3_column_int64(stmt, 4),
        .steps = (uint64_t)sqlite3_column_int64(stmt, 5),
        .preemptions = (uint64_t)sqlite3_column_int64(stmt, 6),
        .strategy = burl__store_column_text(stmt, 7),
        .seed = (uint64_t)sqlite3_column_int64(stmt, 8),
        .build_id = burl__store_column_text(stmt, 9),
        .kept_ms = sqlite3_column_int64(stmt, 10),
        .result = burl__store_column_text(stmt, 11),
        .result_build = burl__store_column_text(stmt, 12),
        .result_ms = sqlite3_column_int64(stmt, 13),
    };
}

static enum burl_status
read_edges(struct burl_store *s, int64_t program, struct burl_store_entry *e, struct burl_err *err)
{
    struct {
        BURL_VEC_OF(struct burl_store_edge);
    } edges = { 0 };
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt,
                                              "SELECT wm, w, rm, r FROM corpus_edges"
                                              " WHERE program = :program AND n = :n"
                                              " ORDER BY wm, w, rm, r",
                                              err);
    int rc;

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    burl__store_bind_i64(stmt, ":n", e->n);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        const struct burl_store_edge x = {
            .write_module = (uint64_t)sqlite3_column_int64(stmt, 0),
            .write = (uint32_t)sqlite3_column_int64(stmt, 1),
            .read_module = (uint64_t)sqlite3_column_int64(stmt, 2),
            .read = (uint32_t)sqlite3_column_int64(stmt, 3),
        };

        BURL_VEC_PUSH(&edges, x);
    }
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    e->edges = edges.v;
    e->n_edges = edges.n;
    return st;
}

enum burl_status
burl_store_corpus_list(struct burl_store *s, int64_t program, struct burl_store_corpus *out,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *out = (struct burl_store_corpus){ 0 };
    st = burl__store_prepare(
        s, &stmt, "SELECT " ENTRY_COLUMNS " FROM corpus WHERE program = :program ORDER BY n", err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        fill_entry(stmt, BURL_VEC_ADD(out));
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    for (size_t i = 0; i < out->n && st == BURL_OK; i++)
        st = read_edges(s, program, &out->v[i], err);
    if (st != BURL_OK)
        burl_store_corpus_deinit(out);
    return st;
}

void
burl_store_corpus_deinit(struct burl_store_corpus *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct burl_store_entry *e = &c->v[i];

        free((char *)e->file);
        free((char *)e->why);
        free((char *)e->strategy);
        free((char *)e->build_id);
        free((char *)e->result);
        free((char *)e->result_build);
        free(e->edges);
    }
    free(c->v);
    *c = (struct burl_store_corpus){ 0 };
}

enum burl_status
burl_store_corpus_next(struct burl_store *s, int64_t program, int64_t *n, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt, "SELECT next_entry FROM programs WHERE id = :program", err);
    int rc;

    *n = 0;
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *n = sqlite3_column_int64(stmt, 0);
    else if (rc == SQLITE_DONE)
        st = burl_err_set(err, BURL_E_INTERNAL, 0, "%s has no program %lld", s->db_path,
                          (long long)program);
    else
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    return st;
}

static enum burl_status
put_entry_locked(struct burl_store *s, int64_t program, const struct burl_store_entry *e,
                 struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(
        s, &stmt,
        "INSERT OR REPLACE INTO corpus (program, " ENTRY_COLUMNS ") VALUES (:program, :n, :file,"
        " :why, :finding, :n_new, :steps, :preemptions, :strategy, :seed, :build_id, :kept,"
        " :result, :result_build, :result_ms)",
        err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    burl__store_bind_i64(stmt, ":n", e->n);
    burl__store_bind_text(stmt, ":file", e->file);
    burl__store_bind_text(stmt, ":why", e->why);
    burl__store_bind_i64(stmt, ":finding", e->finding);
    burl__store_bind_u64(stmt, ":n_new", e->n_new);
    burl__store_bind_u64(stmt, ":steps", e->steps);
    burl__store_bind_u64(stmt, ":preemptions", e->preemptions);
    burl__store_bind_text(stmt, ":strategy", e->strategy);
    burl__store_bind_u64(stmt, ":seed", e->seed);
    burl__store_bind_text(stmt, ":build_id", e->build_id);
    burl__store_bind_i64(stmt, ":kept", e->kept_ms != 0 ? e->kept_ms : burl__store_now_ms());
    burl__store_bind_text(stmt, ":result", e->result);
    burl__store_bind_text(stmt, ":result_build", e->result_build);
    burl__store_bind_i64(stmt, ":result_ms", e->result_ms);
    return burl__store_finish(s, stmt, "keep a schedule", err);
}

static enum burl_status
put_edges_locked(struct burl_store *s, int64_t program, const struct burl_store_entry *e,
                 struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt,
                            "INSERT OR IGNORE INTO corpus_edges (program, n, wm, w, rm, r)"
                            " VALUES (:program, :n, :wm, :w, :rm, :r)",
                            err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < e->n_edges && st == BURL_OK; i++) {
        const struct burl_store_edge *x = &e->edges[i];
        int rc;

        burl__store_bind_i64(stmt, ":program", program);
        burl__store_bind_i64(stmt, ":n", e->n);
        burl__store_bind_u64(stmt, ":wm", x->write_module);
        burl__store_bind_i64(stmt, ":w", x->write);
        burl__store_bind_u64(stmt, ":rm", x->read_module);
        burl__store_bind_i64(stmt, ":r", x->read);
        rc = sqlite3_step(stmt);
        sqlite3_reset(stmt);
        if (rc != SQLITE_DONE)
            st = burl__store_fail(s, rc, "keep a schedule", err);
    }
    sqlite3_finalize(stmt);
    return st;
}

/* Runs a statement with the parameters :program and :n. */
static enum burl_status
run_on_entry(struct burl_store *s, const char *sql, int64_t program, int64_t n,
             struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st = burl__store_prepare(s, &stmt, sql, err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":program", program);
    burl__store_bind_i64(stmt, ":n", n);
    return burl__store_finish(s, stmt, "change the corpus", err);
}

#define DROP_EDGES "DELETE FROM corpus_edges WHERE program = :program AND n = :n"

enum burl_status
burl_store_corpus_put(struct burl_store *s, int64_t program, const struct burl_store_entry *e,
                      struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = run_on_entry(s, DROP_EDGES, program, e->n, err);
    if (st == BURL_OK)
        st = put_entry_locked(s, program, e, err);
    if (st == BURL_OK)
        st = put_edges_locked(s, program, e, err);
    if (st == BURL_OK)
        st = run_on_entry(s,
                          "UPDATE programs SET next_entry = max(next_entry, :n + 1)"
                          " WHERE id = :program",
                          program, e->n, err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_corpus_result(struct burl_store *s, int64_t program, int64_t n, const char *result,
                         const char *build_id, struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt,
                            "UPDATE corpus SET result = :result, result_build = :build,"
                            " result_ms = :now WHERE program = :program AND n = :n",
                            err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":result", result);
    burl__store_bind_text(stmt, ":build", build_id);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    burl__store_bind_i64(stmt, ":program", program);
    burl__store_bind_i64(stmt, ":n", n);
    return burl__store_finish(s, stmt, "record the result of a schedule", err);
}

enum burl_status
burl_store_corpus_drop(struct burl_store *s, int64_t program, int64_t n, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = run_on_entry(s, DROP_EDGES, program, n, err);
    if (st == BURL_OK)
        st = run_on_entry(s, "DELETE FROM corpus WHERE program = :program AND n = :n", program, n,
                          err);
    return burl__store_end(s, st, err);
}
