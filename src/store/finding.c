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
#include "store/store_int.h"

#define COL(field) BURL__COL(struct burl_store_finding, field, #field)
BURL__TABLE(findings, struct burl_store_finding, COL(id), COL(fingerprint), COL(kind), COL(title),
            COL(program), COL(args), COL(build_id), COL(engine), COL(reset), COL(strategy),
            COL(schedule), COL(json), BURL__COL(struct burl_store_finding, facts.seed, "seed"),
            COL(trace_hash), BURL__COL(struct burl_store_finding, facts.count, "count"),
            BURL__COL(struct burl_store_finding, facts.confirmed, "confirmed_k"),
            BURL__COL(struct burl_store_finding, facts.confirm_tries, "confirmed_n"),
            BURL__COL(struct burl_store_finding, facts.sequential, "sequential"), COL(campaign),
            BURL__COL_GIVEN(NOW, "first_seen_ms"), BURL__COL_GIVEN(NOW, "last_seen_ms"));
#undef COL

/* Inside a transaction: inserts or updates, and reports which. Two statements instead of
 * ON CONFLICT, which would use up a number for every update: users type these numbers. */
static enum burl_status
upsert_locked(struct burl_store *s, const struct burl_store_finding *f, int64_t *id, bool *is_new,
              struct burl_err *err)
{
    static const char doing[] = "record a finding";
    enum burl_status st = burl_store_finding_find(s, f->fingerprint, id, err);

    if (st != BURL_OK)
        return st;
    *is_new = *id == 0;
    if (!*is_new)
        return burl__store_write(
            s,
            "UPDATE findings SET kind = :kind, title = coalesce(:title, title),"
            " program = coalesce(:program, program), args = coalesce(:args, args),"
            " build_id = coalesce(:build_id, build_id), engine = coalesce(:engine, engine),"
            " reset = coalesce(:reset, reset), strategy = coalesce(:strategy, strategy),"
            " schedule = coalesce(:schedule, schedule), json = coalesce(:json, json), seed = :seed,"
            " trace_hash = :trace_hash, count = count + :count, confirmed_k = :confirmed_k,"
            " confirmed_n = :confirmed_n, sequential = :sequential, campaign = :campaign,"
            " last_seen_ms = :now WHERE id = :id",
            *id, &findings, f, doing, err);
    st = burl__store_insert(s, "INSERT INTO findings", 0, &findings, f, 1, doing, err);
    *id = sqlite3_last_insert_rowid(s->db);
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
    return burl__store_write(s,
                             "UPDATE findings SET count = count + :count,"
                             " json = coalesce(:json, json), last_seen_ms = :now WHERE id = :id",
                             id, &findings,
                             &(struct burl_store_finding){ .facts.count = n, .json = json },
                             "update a finding", err);
}

enum burl_status
burl_store_finding_find(struct burl_store *s, const char *fingerprint, int64_t *id,
                        struct burl_err *err)
{
    return burl__store_number(s, "SELECT id FROM findings WHERE fingerprint = :fingerprint", 0,
                              &findings, &(struct burl_store_finding){ .fingerprint = fingerprint },
                              "read", id, err);
}

enum burl_status
burl_store_finding_first_seen(struct burl_store *s, int64_t id, int64_t *ms, struct burl_err *err)
{
    return burl__store_number(s, "SELECT first_seen_ms FROM findings WHERE id = :id", id, &findings,
                              NULL, "read", ms, err);
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
    bool found;
    const enum burl_status st = burl__store_get(s, "SELECT * FROM findings WHERE id = :id", id,
                                                &findings, NULL, &found, out, err);

    return st == BURL_OK && !found ? fail_unknown(s, id, err) : st;
}

enum burl_status
burl_store_finding_list(struct burl_store *s, int64_t campaign, struct burl_store_findings *out,
                        struct burl_err *err)
{
    return burl__store_list(s, "SELECT * FROM findings WHERE :id = 0 OR campaign = :id ORDER BY id",
                            campaign, &findings, NULL, out, err);
}

void
burl_store_finding_deinit(struct burl_store_finding *f)
{
    burl__store_free_row(&findings, f);
}

void
burl_store_findings_deinit(struct burl_store_findings *l)
{
    burl__store_free_list(&findings, l);
}

enum burl_status
burl_store_finding_dir(struct burl_store *s, int64_t id, bool create, char **out,
                       struct burl_err *err)
{
    char *name = burl_xasprintf("findings/%" PRId64, id);
    char *path = burl_path_join(s->dir, name);
    enum burl_status st =
        create ? burl_fs_mkdir_inside(s->dir, name, err) : burl_fs_check_inside(s->dir, name, err);

    free(name);
    *out = NULL;
    if (st != BURL_OK) {
        free(path);
        return st;
    }
    *out = path;
    return BURL_OK;
}
