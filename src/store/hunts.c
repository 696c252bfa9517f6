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

/* The states of goals (memory.h) by enum burl_hunt_outcome: 1 covered, 2 not covered,
 * 3 impossible. */
static const char *const states[] = { "untried", "confirmed", "unconfirmed", "impossible" };
#define N_STATES (sizeof states / sizeof states[0])

struct hunt_row {
    struct burl_store_cover_hunt hunt;
    const char *state;
};

#define COL(field) BURL__COL(struct hunt_row, field, #field)
BURL__TABLE(hunts, struct hunt_row, BURL__COL(struct hunt_row, hunt.a.module, "am"),
            BURL__COL(struct hunt_row, hunt.a.value, "a"),
            BURL__COL(struct hunt_row, hunt.b.module, "bm"),
            BURL__COL(struct hunt_row, hunt.b.value, "b"), COL(state),
            BURL__COL(struct hunt_row, hunt.tries, "tries"),
            BURL__COL(struct hunt_row, hunt.why, "why"),
            BURL__COL(struct hunt_row, hunt.build, "build"));
#undef COL

/* The number of the goal with these sites, NULL none. */
#define HUNTED                                                                      \
    "(SELECT x.n FROM goal_sites x JOIN goal_sites y USING (source, program, n)"    \
    " WHERE x.source = 'hunt' AND x.program = :id AND x.module = :am AND x.ix = :a" \
    " AND x.pos = 0 AND y.pos = 1 AND y.module = :bm AND y.ix = :b)"
#define LAST "(SELECT coalesce(max(n), 0) FROM goals WHERE source = 'hunt' AND program = :id)"

static enum burl_status
put_locked(struct burl_store *s, int64_t id, const struct burl_store_cover_hunt *x,
           struct burl_err *err)
{
    const struct hunt_row row = { .hunt = *x,
                                  .state = states[x->outcome < N_STATES ? x->outcome : 0] };
    enum burl_status st = burl__store_write(
        s,
        "INSERT INTO goals (source, program, n, kind, state, attempts, hits, first_seed, observer,"
        " rank, addr, why, build) SELECT 'hunt', :id, coalesce(" HUNTED ", " LAST " + 1),"
        " 'pair', :state, :tries, 0, 0, 0, 0, 0, :why, :build WHERE true"
        " ON CONFLICT (source, program, n) DO UPDATE SET state = excluded.state,"
        " attempts = attempts + excluded.attempts, why = excluded.why, build = excluded.build",
        id, &hunts, &row, "record a hunt", err);

    if (st != BURL_OK)
        return st;
    return burl__store_write(
        s,
        "INSERT OR IGNORE INTO goal_sites (source, program, n, pos, module, ix, op, tid)"
        " SELECT 'hunt', :id, coalesce(" HUNTED ", " LAST "), 0, :am, :a, 0, 0"
        " UNION ALL SELECT 'hunt', :id, coalesce(" HUNTED ", " LAST "), 1, :bm, :b, 0, 0",
        id, &hunts, &row, "record a hunt", err);
}

enum burl_status
burl_store_cover_hunt_put(struct burl_store *s, int64_t id, const struct burl_store_cover_hunt *x,
                          struct burl_err *err)
{
    const enum burl_status st = burl__store_begin(s, err);

    return st == BURL_OK ? burl__store_end(s, put_locked(s, id, x, err), err) : st;
}

struct each_hunt {
    void (*each)(void *arg, const struct burl_store_cover_hunt *x);
    void *arg;
};

static void
give_hunt(void *arg, const void *row)
{
    const struct each_hunt *e = arg;
    const char *state = ((const struct hunt_row *)row)->state;
    struct burl_store_cover_hunt x = ((const struct hunt_row *)row)->hunt;

    for (uint32_t i = 0; state && i < N_STATES; i++) {
        if (strcmp(state, states[i]) == 0)
            x.outcome = i;
    }
    x.why = x.why ? x.why : "";
    x.build = x.build ? x.build : "";
    e->each(e->arg, &x);
}

enum burl_status
burl_store_cover_hunts(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_hunt *x), void *arg,
                       struct burl_err *err)
{
    return burl__store_query(
        s,
        "SELECT x.module AS am, x.ix AS a, y.module AS bm, y.ix AS b, g.state AS state,"
        " g.attempts AS tries, g.why AS why, g.build AS build FROM goals g"
        " JOIN goal_sites x USING (source, program, n) JOIN goal_sites y USING (source, program, n)"
        " WHERE g.source = 'hunt' AND g.program = :id AND x.pos = 0 AND y.pos = 1"
        " ORDER BY x.module, x.ix, y.module, y.ix",
        id, &hunts, NULL, give_hunt, &(struct each_hunt){ each, arg }, err);
}
