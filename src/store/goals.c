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

#define COL(field) BURL__COL(struct burl_store_goal, field, #field)
BURL__TABLE(goal_table, struct burl_store_goal, BURL__COL_GIVEN(ID, "program"),
            BURL__COL_GIVEN(POS, "n"), COL(kind), COL(state), COL(attempts), COL(hits),
            COL(first_seed), COL(observer), COL(rank), COL(addr));
#undef COL

struct site_row {
    int64_t n; /* position of the goal in its list */
    int64_t pos;
    struct burl_store_goal_site site;
};

#define COL(field) BURL__COL(struct site_row, field, #field)
BURL__TABLE(site_table, struct site_row, BURL__COL_GIVEN(ID, "program"), COL(n), COL(pos),
            BURL__COL(struct site_row, site.module, "module"),
            BURL__COL(struct site_row, site.index, "ix"), BURL__COL(struct site_row, site.op, "op"),
            BURL__COL(struct site_row, site.tid, "tid"));
#undef COL

static enum burl_status
put_sites_locked(struct burl_store *s, int64_t program, const struct burl_store_goals *goals,
                 struct burl_err *err)
{
    BURL_VEC(struct site_row) rows = { 0 };
    enum burl_status st;

    for (size_t i = 0; i < goals->n; i++)
        for (size_t k = 0; k < goals->v[i].n_sites && k < BURL_STORE_GOAL_SITES; k++)
            BURL_VEC_PUSH(&rows, (struct site_row){ (int64_t)i, (int64_t)k, goals->v[i].sites[k] });
    st = burl__store_insert(s, "INSERT INTO goal_sites", program, &site_table, rows.v, rows.n,
                            "record goals", err);
    BURL_VEC_FREE(&rows);
    return st;
}

enum burl_status
burl__store_put_goals_locked(struct burl_store *s, int64_t program,
                             const struct burl_store_goals *goals, struct burl_err *err)
{
    static const char doing[] = "record goals";
    enum burl_status st =
        burl__store_write(s, "DELETE FROM goal_sites WHERE source = 'campaign' AND program = :id",
                          program, NULL, NULL, doing, err);

    if (st == BURL_OK)
        st = burl__store_write(s, "DELETE FROM goals WHERE source = 'campaign' AND program = :id",
                               program, NULL, NULL, doing, err);
    if (st != BURL_OK || !goals)
        return st;
    st = burl__store_insert(s, "INSERT INTO goals", program, &goal_table, goals->v, goals->n, doing,
                            err);
    return st == BURL_OK ? put_sites_locked(s, program, goals, err) : st;
}

static void
take_site(void *arg, const void *row)
{
    struct burl_store_goals *out = arg;
    const struct site_row *x = row;
    struct burl_store_goal *g = x->n >= 0 && (size_t)x->n < out->n ? &out->v[x->n] : NULL;

    if (g && g->n_sites < BURL_STORE_GOAL_SITES)
        g->sites[g->n_sites++] = x->site;
}

enum burl_status
burl_store_goals_list(struct burl_store *s, int64_t program, struct burl_store_goals *out,
                      struct burl_err *err)
{
    enum burl_status st = burl__store_list(
        s, "SELECT * FROM goals WHERE source = 'campaign' AND program = :id ORDER BY n", program,
        &goal_table, NULL, out, err);

    /* Older stores count goals from 1. */
    if (st == BURL_OK)
        st = burl__store_query(s,
                               "SELECT n - (SELECT min(n) FROM goals WHERE source = 'campaign'"
                               " AND program = :id) AS n, module, ix, op, tid FROM goal_sites x"
                               " WHERE source = 'campaign' AND program = :id ORDER BY x.n, pos",
                               program, &site_table, NULL, take_site, out, err);
    if (st != BURL_OK)
        burl_store_goals_deinit(out);
    return st;
}

void
burl_store_goals_deinit(struct burl_store_goals *g)
{
    burl__store_free_list(&goal_table, g);
}
