/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/finding.c - findings: one row per fingerprint, however often it is met.
 *
 * Runs in the host. The id is the small number users type; AUTOINCREMENT keeps
 * it from being given twice, so an old report never points at a new finding.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "store/store_int.h"

#define COLUMNS                                                                                 \
    "id, fingerprint, kind, title, program, args, build_id, engine, reset, strategy, schedule," \
    " json, seed, trace_hash, count, confirmed_k, confirmed_n, sequential, campaign"

/* Two statements instead of ON CONFLICT, which would use up a number for every update: users type
 * these numbers. */
static const char insert_sql[] =
    "INSERT INTO findings (fingerprint, kind, title, program, args, build_id, engine, reset,"
    " strategy, schedule, json, seed, trace_hash, count, confirmed_k, confirmed_n, sequential,"
    " campaign, first_seen_ms, last_seen_ms) VALUES (:fingerprint, :kind, :title, :program, :args,"
    " :build_id, :engine, :reset, :strategy, :schedule, :json, :seed, :trace_hash, :count,"
    " :confirmed_k, :confirmed_n, :sequential, :campaign, :now, :now)";
static const char update_sql[] =
    "UPDATE findings SET kind = :kind, title = coalesce(:title, title),"
    " program = coalesce(:program, program), args = coalesce(:args, args),"
    " build_id = coalesce(:build_id, build_id), engine = coalesce(:engine, engine),"
    " reset = coalesce(:reset, reset), strategy = coalesce(:strategy, strategy),"
    " schedule = coalesce(:schedule, schedule), json = coalesce(:json, json), seed = :seed,"
    " trace_hash = :trace_hash, count = count + :count, confirmed_k = :confirmed_k,"
    " confirmed_n = :confirmed_n, sequential = :sequential, campaign = :campaign,"
    " last_seen_ms = :now WHERE fingerprint = :fingerprint";

static void
bind_finding(sqlite3_stmt *stmt, const struct burl_store_finding *f)
{
    burl__store_bind_text(stmt, ":fingerprint", f->fingerprint);
    burl__store_bind_text(stmt, ":kind", f->kind);
    burl__store_bind_text(stmt, ":title", f->title);
    burl__store_bind_text(stmt, ":program", f->program);
    burl__store_bind_text(stmt, ":args", f->args);
    burl__store_bind_text(stmt, ":build_id", f->build_id);
    burl__store_bind_text(stmt, ":engine", f->engine);
    burl__store_bind_text(stmt, ":reset", f->reset);
    burl__store_bind_text(stmt, ":strategy", f->strategy);
    burl__store_bind_text(stmt, ":schedule", f->schedule);
    burl__store_bind_text(stmt, ":json", f->json);
    burl__store_bind_u64(stmt, ":seed", f->facts.seed);
    burl__store_bind_u64(stmt, ":trace_hash", f->trace_hash);
    burl__store_bind_u64(stmt, ":count", f->facts.count);
    burl__store_bind_i64(stmt, ":confirmed_k", f->facts.confirmed);
    burl__store_bind_i64(stmt, ":confirmed_n", f->facts.confirm_tries);
    burl__store_bind_i64(stmt, ":sequential", f->facts.sequential);
    burl__store_bind_i64(stmt, ":campaign", f->campaign);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
}

/* Inside a transaction: inserts or updates, and reports which. */
static enum burl_status
upsert_locked(struct burl_store *s, const struct burl_store_finding *f, int64_t *id, bool *is_new,
              struct burl_err *err)
{
    sqlite3_stmt *stmt;
    int64_t known;
    enum burl_status st = burl_store_finding_find(s, f->fingerprint, &known, err);

    if (st == BURL_OK)
        st = burl__store_prepare(s, &stmt, known ? update_sql : insert_sql, err);
    if (st != BURL_OK)
        return st;
    bind_finding(stmt, f);
    st = burl__store_finish(s, stmt, "record a finding", err);
    *is_new = known == 0;
    *id = known ? known : sqlite3_last_insert_rowid(s->db);
    return st;
}

enum burl_status
burl_store_finding_upsert(struct burl_store *s, const struct burl_store_finding *f, int64_t *id,
                          bool *is_new, struct burl_err *err)
{
    bool new_row = false;
    int64_t row = 0;
    enum burl_status st;

    BURL_ASSERT(f->fingerprint && f->kind);
    st = burl__store_begin(s, err);
    if (st == BURL_OK) {
        st = upsert_locked(s, f, &row, &new_row, err);
        st = burl__store_end(s, st, err);
    }
    if (id)
        *id = st == BURL_OK ? row : 0;
    if (is_new)
        *is_new = st == BURL_OK && new_row;
    return st;
}

enum burl_status
burl_store_finding_hit(struct burl_store *s, int64_t id, uint64_t n, const char *json,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st =
        burl__store_prepare(s, &stmt,
                            "UPDATE findings SET count = count + :n, json = coalesce(:json, json),"
                            " last_seen_ms = :now WHERE id = :id",
                            err);

    if (st != BURL_OK)
        return st;
    burl__store_bind_u64(stmt, ":n", n);
    burl__store_bind_text(stmt, ":json", json);
    burl__store_bind_i64(stmt, ":now", burl__store_now_ms());
    burl__store_bind_i64(stmt, ":id", id);
    return burl__store_finish(s, stmt, "update a finding", err);
}

enum burl_status
burl_store_finding_find(struct burl_store *s, const char *fingerprint, int64_t *id,
                        struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;

    *id = 0;
    st = burl__store_prepare(s, &stmt, "SELECT id FROM findings WHERE fingerprint = :f", err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_text(stmt, ":f", fingerprint);
    return burl__store_read_id(s, stmt, id, err);
}

static void
read_finding(sqlite3_stmt *stmt, struct burl_store_finding *f)
{
    *f = (struct burl_store_finding){
        .id = sqlite3_column_int64(stmt, 0),
        .fingerprint = burl__store_column_text(stmt, 1),
        .kind = burl__store_column_text(stmt, 2),
        .title = burl__store_column_text(stmt, 3),
        .program = burl__store_column_text(stmt, 4),
        .args = burl__store_column_text(stmt, 5),
        .build_id = burl__store_column_text(stmt, 6),
        .engine = burl__store_column_text(stmt, 7),
        .reset = burl__store_column_text(stmt, 8),
        .strategy = burl__store_column_text(stmt, 9),
        .schedule = burl__store_column_text(stmt, 10),
        .json = burl__store_column_text(stmt, 11),
        .facts.seed = (uint64_t)sqlite3_column_int64(stmt, 12),
        .trace_hash = (uint64_t)sqlite3_column_int64(stmt, 13),
        .facts.count = (uint64_t)sqlite3_column_int64(stmt, 14),
        .facts.confirmed = (uint32_t)sqlite3_column_int64(stmt, 15),
        .facts.confirm_tries = (uint32_t)sqlite3_column_int64(stmt, 16),
        .facts.sequential = sqlite3_column_int(stmt, 17) != 0,
        .campaign = sqlite3_column_int64(stmt, 18),
    };
}

/* Lists the existing numbers: the user has mistyped one. */
static enum burl_status
fail_unknown(struct burl_store *s, int64_t id, struct burl_err *err)
{
    struct burl_store_findings l;
    enum burl_status st = burl_store_finding_list(s, 0, &l, err);

    if (st != BURL_OK)
        return st;
    if (l.n == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0, "there is no finding %" PRId64 ": %s has none", id,
                          s->dir);
    else
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "there is no finding %" PRId64 " in %s: it has %zu, numbered %" PRId64
                          " to %" PRId64 " (see `burl findings`)",
                          id, s->dir, l.n, l.v[0].id, l.v[l.n - 1].id);
    burl_store_findings_deinit(&l);
    return st;
}

enum burl_status
burl_store_finding_get(struct burl_store *s, int64_t id, struct burl_store_finding *out,
                       struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *out = (struct burl_store_finding){ 0 };
    st = burl__store_prepare(s, &stmt, "SELECT " COLUMNS " FROM findings WHERE id = :id", err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":id", id);
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        read_finding(stmt, out);
    else if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    if (rc == SQLITE_DONE)
        st = fail_unknown(s, id, err);
    return st;
}

enum burl_status
burl_store_finding_list(struct burl_store *s, int64_t campaign, struct burl_store_findings *out,
                        struct burl_err *err)
{
    sqlite3_stmt *stmt;
    enum burl_status st;
    int rc;

    *out = (struct burl_store_findings){ 0 };
    st = burl__store_prepare(s, &stmt,
                             "SELECT " COLUMNS " FROM findings WHERE :campaign = 0 OR"
                             " campaign = :campaign ORDER BY id",
                             err);
    if (st != BURL_OK)
        return st;
    burl__store_bind_i64(stmt, ":campaign", campaign);
    for (rc = sqlite3_step(stmt); rc == SQLITE_ROW; rc = sqlite3_step(stmt))
        read_finding(stmt, BURL_VEC_ADD(out));
    if (rc != SQLITE_DONE)
        st = burl__store_fail(s, rc, "read", err);
    sqlite3_finalize(stmt);
    if (st != BURL_OK)
        burl_store_findings_deinit(out);
    return st;
}

void
burl_store_finding_deinit(struct burl_store_finding *f)
{
    free((char *)f->fingerprint);
    free((char *)f->kind);
    free((char *)f->title);
    free((char *)f->program);
    free((char *)f->args);
    free((char *)f->build_id);
    free((char *)f->engine);
    free((char *)f->reset);
    free((char *)f->strategy);
    free((char *)f->schedule);
    free((char *)f->json);
    *f = (struct burl_store_finding){ 0 };
}

void
burl_store_findings_deinit(struct burl_store_findings *l)
{
    for (size_t i = 0; i < l->n; i++)
        burl_store_finding_deinit(&l->v[i]);
    BURL_VEC_FREE(l);
}

enum burl_status
burl_store_finding_dir(struct burl_store *s, int64_t id, bool create, char **out,
                       struct burl_err *err)
{
    char *name = burl_xasprintf("findings/%" PRId64, id);
    char *path = burl_path_join(s->dir, name);
    enum burl_status st = create ? burl_fs_mkdir_p(path, err) : BURL_OK;

    free(name);
    *out = NULL;
    if (st != BURL_OK) {
        free(path);
        return st;
    }
    *out = path;
    return BURL_OK;
}
