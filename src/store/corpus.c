/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/corpus.c - the schedules worth keeping; contract in memory.h.
 *
 * Runs in the host. Which ones are worth it is decided elsewhere (cli/test_corpus.c); here they are
 * rows with the edges they show, so that the choice can be repeated with every new one.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "store/memory.h"
#include "store/store_int.h"

#define COL(field) BURL__COL(struct burl_store_entry, field, #field)
BURL__TABLE(entries, struct burl_store_entry, BURL__COL_GIVEN(ID, "program"), COL(n), COL(file),
            COL(why), COL(finding), COL(n_new), COL(steps), COL(preemptions), COL(strategy),
            COL(seed), COL(build_id), COL(kept_ms), COL(result), COL(result_build), COL(result_ms));
#undef COL

struct edge_row {
    int64_t n; /* of the entry that shows it */
    struct burl_store_edge edge;
};

#define COL(field) BURL__COL(struct edge_row, field, #field)
BURL__TABLE(edges, struct edge_row, BURL__COL_GIVEN(ID, "program"), COL(n),
            BURL__COL(struct edge_row, edge.write_module, "wm"),
            BURL__COL(struct edge_row, edge.write, "w"),
            BURL__COL(struct edge_row, edge.read_module, "rm"),
            BURL__COL(struct edge_row, edge.read, "r"));
#undef COL

static void
take_edge(void *arg, const void *row)
{
    struct burl_store_entry *e = arg;

    e->edges = burl_xreallocarray(e->edges, e->n_edges + 1, sizeof *e->edges);
    e->edges[e->n_edges++] = ((const struct edge_row *)row)->edge;
}

enum burl_status
burl_store_corpus_list(struct burl_store *s, int64_t program, struct burl_store_corpus *out,
                       struct burl_err *err)
{
    enum burl_status st = burl__store_list(s, "SELECT * FROM corpus WHERE program = :id ORDER BY n",
                                           program, &entries, NULL, out, err);

    for (size_t i = 0; i < out->n && st == BURL_OK; i++)
        st = burl__store_query(s,
                               "SELECT * FROM corpus_edges WHERE program = :id AND n = :n"
                               " ORDER BY wm, w, rm, r",
                               program, &edges, &(struct edge_row){ .n = out->v[i].n }, take_edge,
                               &out->v[i], err);
    if (st != BURL_OK)
        burl_store_corpus_deinit(out);
    return st;
}

void
burl_store_corpus_deinit(struct burl_store_corpus *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->v[i].edges);
    burl__store_free_list(&entries, c);
}

enum burl_status
burl_store_corpus_next(struct burl_store *s, int64_t program, int64_t *n, struct burl_err *err)
{
    enum burl_status st = burl__store_number(s, "SELECT next_entry FROM programs WHERE id = :id",
                                             program, NULL, NULL, "read", n, err);

    if (st == BURL_OK && *n == 0)
        st = burl_err_set(err, BURL_E_INTERNAL, 0, "%s has no program %lld", s->db_path,
                          (long long)program);
    return st;
}

static enum burl_status
put_edges_locked(struct burl_store *s, int64_t program, const struct burl_store_entry *e,
                 struct burl_err *err)
{
    struct edge_row *rows = burl_xcalloc(e->n_edges + 1, sizeof *rows);
    enum burl_status st;

    for (size_t i = 0; i < e->n_edges; i++)
        rows[i] = (struct edge_row){ .n = e->n, .edge = e->edges[i] };
    st = burl__store_insert(s, "INSERT OR IGNORE INTO corpus_edges", program, &edges, rows,
                            e->n_edges, "keep a schedule", err);
    free(rows);
    return st;
}

/* Runs a statement with the parameters :id (of the program) and :n. */
static enum burl_status
run_on_entry(struct burl_store *s, const char *sql, int64_t program, int64_t n,
             struct burl_err *err)
{
    return burl__store_write(s, sql, program, &entries, &(struct burl_store_entry){ .n = n },
                             "change the corpus", err);
}

#define DROP_EDGES "DELETE FROM corpus_edges WHERE program = :id AND n = :n"

enum burl_status
burl_store_corpus_put(struct burl_store *s, int64_t program, const struct burl_store_entry *e,
                      struct burl_err *err)
{
    struct burl_store_entry row = *e;
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    if (row.kept_ms == 0)
        row.kept_ms = burl__store_now_ms();
    st = run_on_entry(s, DROP_EDGES, program, e->n, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT OR REPLACE INTO corpus", program, &entries, &row, 1,
                                "keep a schedule", err);
    if (st == BURL_OK)
        st = put_edges_locked(s, program, e, err);
    if (st == BURL_OK)
        st = run_on_entry(s,
                          "UPDATE programs SET next_entry = max(next_entry, :n + 1) WHERE id = :id",
                          program, e->n, err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_corpus_result(struct burl_store *s, int64_t program, int64_t n, const char *result,
                         const char *build_id, struct burl_err *err)
{
    const struct burl_store_entry row = { .n = n, .result = result, .result_build = build_id };

    return burl__store_write(s,
                             "UPDATE corpus SET result = :result, result_build = :result_build,"
                             " result_ms = :now WHERE program = :id AND n = :n",
                             program, &entries, &row, "record the result of a schedule", err);
}

enum burl_status
burl_store_corpus_drop(struct burl_store *s, int64_t program, int64_t n, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = run_on_entry(s, DROP_EDGES, program, n, err);
    if (st == BURL_OK)
        st = run_on_entry(s, "DELETE FROM corpus WHERE program = :id AND n = :n", program, n, err);
    return burl__store_end(s, st, err);
}
