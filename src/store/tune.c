/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/tune.c - searches for noise in the store; contract in tune.h.
 *
 * Runs in the host.
 */
#include "store/tune.h"

#include "store/store_int.h"

static const char doing[] = "record a search for noise";

/* ---- searches ------------------------------------------------------------------------ */

#define COL(field) BURL__COL(struct burl_store_search, field, #field)
BURL__TABLE(searches, struct burl_store_search, COL(id), COL(path), COL(args), COL(build_id),
            COL(options), COL(genome), COL(plain_n), COL(plain_failed), COL(plain_ms),
            COL(floor_ms), COL(run_ms), COL(started_ms), COL(updated_ms));
#undef COL

enum burl_status
burl_store_search_get(struct burl_store *s, const struct burl_store_search *key, bool *found,
                      struct burl_store_search *out, struct burl_err *err)
{
    return burl__store_get(s,
                           "SELECT * FROM tune_searches WHERE path = :path AND args = :args"
                           " AND build_id = :build_id AND options = :options",
                           0, &searches, key, found, out, err);
}

enum burl_status
burl_store_search_last(struct burl_store *s, bool *found, struct burl_store_search *out,
                       struct burl_err *err)
{
    return burl__store_get(s,
                           "SELECT * FROM tune_searches ORDER BY updated_ms DESC, id DESC LIMIT 1",
                           0, &searches, NULL, found, out, err);
}

void
burl_store_search_deinit(struct burl_store_search *x)
{
    burl__store_free_row(&searches, x);
}

static enum burl_status
forget_locked(struct burl_store *s, int64_t id, struct burl_err *err)
{
    static const char *const sql[] = {
        "DELETE FROM tune_evaluations WHERE search = :id",
        "DELETE FROM tune_names WHERE search = :id",
        "DELETE FROM tune_marks WHERE search = :id",
        "DELETE FROM tune_findings WHERE search = :id",
        "DELETE FROM tune_searches WHERE id = :id",
    };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && st == BURL_OK; i++)
        st = burl__store_write(s, sql[i], id, NULL, NULL, doing, err);
    return st;
}

enum burl_status
burl_store_search_begin(struct burl_store *s, const struct burl_store_search *x, int64_t *id,
                        struct burl_err *err)
{
    int64_t old = 0;
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = burl__store_number(s,
                            "SELECT id FROM tune_searches WHERE path = :path AND args = :args"
                            " AND build_id = :build_id AND options = :options",
                            0, &searches, x, doing, &old, err);
    if (st == BURL_OK && old != 0)
        st = forget_locked(s, old, err);
    if (st == BURL_OK)
        st = burl__store_number(
            s,
            "INSERT INTO tune_searches (path, args, build_id, options, genome, plain_n,"
            " plain_failed, plain_ms, floor_ms, run_ms, started_ms, updated_ms)"
            " VALUES (:path, :args, :build_id, :options, :genome, :plain_n, :plain_failed,"
            " :plain_ms, :floor_ms, :run_ms, :now, :now) RETURNING id",
            0, &searches, x, doing, id, err);
    return burl__store_end(s, st, err);
}

/* ---- evaluations --------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_store_evaluation, field, #field)
BURL__TABLE(evaluations, struct burl_store_evaluation, BURL__COL_GIVEN(ID, "search"), COL(n),
            COL(generation), COL(slot), COL(elite), COL(genes), COL(fitness), COL(executions),
            COL(cut), COL(crashes), COL(exits), COL(deadlocks), COL(hangs), COL(checks),
            COL(warnings), COL(avio), COL(hbpair), COL(synchro), COL(goldi), COL(goldi_weight),
            COL(fresh), COL(wall_ms), COL(cost_ms), COL(places), COL(injected), COL(halted),
            COL(tampered));
#undef COL
#define COL(field) BURL__COL(struct burl_store_tune_name, field, #field)
BURL__TABLE(names, struct burl_store_tune_name, BURL__COL_GIVEN(ID, "search"), COL(name),
            COL(weight), COL(warning));
#undef COL
#define COL(field) BURL__COL(struct burl_store_tune_mark, field, #field)
BURL__TABLE(marks, struct burl_store_tune_mark, BURL__COL_GIVEN(ID, "search"), COL(module), COL(ix),
            COL(marks));
#undef COL
#define COL(field) BURL__COL(struct burl_store_tune_finding, field, #field)
BURL__TABLE(findings, struct burl_store_tune_finding, BURL__COL_GIVEN(ID, "search"), COL(finding),
            COL(shown));
#undef COL

static enum burl_status
step_locked(struct burl_store *s, int64_t id, const struct burl_store_tune_step *x,
            struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (x->evaluation)
        st = burl__store_insert(s, "INSERT INTO tune_evaluations", id, &evaluations, x->evaluation,
                                1, doing, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT OR IGNORE INTO tune_names", id, &names, x->names,
                                x->n_names, doing, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT OR REPLACE INTO tune_marks", id, &marks, x->marks,
                                x->n_marks, doing, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT OR REPLACE INTO tune_findings", id, &findings,
                                x->findings, x->n_findings, doing, err);
    for (size_t i = 0; i < x->n_findings && st == BURL_OK; i++) {
        if (x->findings[i].hits > 0)
            st = burl_store_finding_hit(s, x->findings[i].finding, x->findings[i].hits, NULL, err);
    }
    if (st == BURL_OK)
        st = burl__store_write(s, "UPDATE tune_searches SET updated_ms = :now WHERE id = :id", id,
                               NULL, NULL, doing, err);
    return st;
}

enum burl_status
burl_store_search_step(struct burl_store *s, int64_t id, const struct burl_store_tune_step *x,
                       struct burl_err *err)
{
    const enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    return burl__store_end(s, step_locked(s, id, x, err), err);
}

/* Each of them calls a function that has the type of its row. */
#define READER(function, S, columns, sql)                                              \
    struct columns##_reader {                                                          \
        void (*each)(void *arg, const S *x);                                           \
        void *arg;                                                                     \
    };                                                                                 \
    static void give_##columns(void *arg, const void *row)                             \
    {                                                                                  \
        const struct columns##_reader *r = arg;                                        \
                                                                                       \
        r->each(r->arg, row);                                                          \
    }                                                                                  \
    enum burl_status function(struct burl_store *s, int64_t id,                        \
                              void (*each)(void *arg, const S *x), void *arg,          \
                              struct burl_err *err)                                    \
    {                                                                                  \
        struct columns##_reader r = { each, arg };                                     \
                                                                                       \
        return burl__store_query(s, sql, id, &columns, NULL, give_##columns, &r, err); \
    }

READER(burl_store_evaluations, struct burl_store_evaluation, evaluations,
       "SELECT * FROM tune_evaluations WHERE search = :id ORDER BY n")
READER(burl_store_tune_names, struct burl_store_tune_name, names,
       "SELECT * FROM tune_names WHERE search = :id")
READER(burl_store_tune_marks, struct burl_store_tune_mark, marks,
       "SELECT * FROM tune_marks WHERE search = :id ORDER BY module, ix")
READER(burl_store_tune_findings, struct burl_store_tune_finding, findings,
       "SELECT * FROM tune_findings WHERE search = :id ORDER BY finding")
