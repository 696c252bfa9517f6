/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/cover_items.c - items and kept schedules of interleaving coverage; contract in cover.h.
 *
 * Runs in the host. Thousands of items come at once and then few: they are written with one
 * statement in one transaction, because each commit waits for the disk.
 */
#include "store/cover.h"
#include "store/store_int.h"

/* ---- items ------------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_store_cover_item, field, #field)
BURL__TABLE(cover_items, struct burl_store_cover_item, BURL__COL_GIVEN(ID, "program"), COL(metric),
            COL(flags), BURL__COL(struct burl_store_cover_item, a.module, "am"),
            BURL__COL(struct burl_store_cover_item, a.value, "a"),
            BURL__COL(struct burl_store_cover_item, b.module, "bm"),
            BURL__COL(struct burl_store_cover_item, b.value, "b"),
            BURL__COL(struct burl_store_cover_item, c.module, "cm"),
            BURL__COL(struct burl_store_cover_item, c.value, "c"), COL(d), COL(build),
            COL(execution), COL(seed), COL(strategy));
#undef COL

struct program_sums {
    uint64_t executions;
    uint64_t wall_ms;
    uint64_t lost;
};

#define COL(field) BURL__COL(struct program_sums, field, #field)
BURL__TABLE(sums, struct program_sums, COL(executions), COL(wall_ms), COL(lost));
#undef COL

enum burl_status
burl_store_cover_put(struct burl_store *s, int64_t id, const struct burl_store_cover_item *items,
                     size_t n, uint64_t executions, uint64_t wall_ms, uint64_t lost,
                     struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = burl__store_insert(s, "INSERT OR IGNORE INTO cover_items", id, &cover_items, items, n,
                            "record coverage", err);
    if (st == BURL_OK)
        st = burl__store_write(s,
                               "UPDATE cover_programs SET executions = :executions,"
                               " wall_ms = :wall_ms, lost = :lost, updated_ms = :now"
                               " WHERE id = :id",
                               id, &sums, &(struct program_sums){ executions, wall_ms, lost },
                               "record coverage", err);
    return burl__store_end(s, st, err);
}

struct each_item {
    void (*each)(void *arg, const struct burl_store_cover_item *item);
    void *arg;
};

static void
give_item(void *arg, const void *row)
{
    const struct each_item *e = arg;
    struct burl_store_cover_item x = *(const struct burl_store_cover_item *)row;

    if (!x.strategy)
        x.strategy = "";
    if (x.metric < BURL_METRIC__N)
        e->each(e->arg, &x);
}

enum burl_status
burl_store_cover_items(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_cover_item *item), void *arg,
                       struct burl_err *err)
{
    return burl__store_query(s,
                             "SELECT * FROM cover_items WHERE program = :id"
                             " ORDER BY execution, metric, am, a, bm, b, cm, c, d, build",
                             id, &cover_items, NULL, give_item, &(struct each_item){ each, arg },
                             err);
}

/* ---- schedules --------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_store_cover_schedule, field, #field)
BURL__TABLE(schedules, struct burl_store_cover_schedule, BURL__COL_GIVEN(ID, "program"),
            COL(execution), COL(file));
#undef COL

enum burl_status
burl_store_cover_schedule_put(struct burl_store *s, int64_t id,
                              const struct burl_store_cover_schedule *x, struct burl_err *err)
{
    return burl__store_insert(s, "INSERT OR REPLACE INTO cover_schedules", id, &schedules, x, 1,
                              "record a schedule", err);
}

struct each_schedule {
    void (*each)(void *arg, const struct burl_store_cover_schedule *x);
    void *arg;
};

static void
give_schedule(void *arg, const void *row)
{
    const struct each_schedule *e = arg;

    e->each(e->arg, row);
}

enum burl_status
burl_store_cover_schedules(struct burl_store *s, int64_t id,
                           void (*each)(void *arg, const struct burl_store_cover_schedule *x),
                           void *arg, struct burl_err *err)
{
    return burl__store_query(
        s, "SELECT * FROM cover_schedules WHERE program = :id ORDER BY execution", id, &schedules,
        NULL, give_schedule, &(struct each_schedule){ each, arg }, err);
}
