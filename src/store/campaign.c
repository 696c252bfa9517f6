/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/campaign.c - campaigns and their sums, whole and per strategy.
 *
 * Runs in the host. Executions are never stored one by one (there are 100,000 a
 * second): a campaign row gets the sums when the campaign ends, and a
 * killed campaign is recognized by its missing end.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "store/store_int.h"

static const struct burl__column campaign_columns[] = {
    BURL__COL(struct burl_store_campaign, command, "command"),
    BURL__COL(struct burl_store_campaign, program, "program"),
    BURL__COL(struct burl_store_campaign, args, "args"),
    BURL__COL(struct burl_store_campaign, build_id, "build_id"),
    BURL__COL(struct burl_store_campaign, options, "options"),
    BURL__COL(struct burl_store_campaign, engine, "engine"),
    BURL__COL(struct burl_store_campaign, reset, "reset"),
    BURL__COL(struct burl_store_campaign, seed, "seed"),
    { ":started_ms", .type = BURL__COL_NOW },
};
static const struct burl__columns campaigns =
    BURL__COLUMNS(struct burl_store_campaign, campaign_columns);

enum burl_status
burl_store_campaign_begin(struct burl_store *s, const struct burl_store_campaign *c, int64_t *id,
                          struct burl_err *err)
{
    struct burl_store_campaign row = *c;
    enum burl_status st;
    char *who;

    if (!row.command)
        row.command = "test";
    who = burl_xasprintf("burl %s %s", row.command, c->program ? c->program : "");
    st = burl_store_lock(s, who, err);
    free(who);
    *id = 0;
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO campaigns", 0, &campaigns, &row, 1,
                                "record a campaign", err);
    if (st == BURL_OK)
        *id = sqlite3_last_insert_rowid(s->db);
    return st;
}

#define TOTALS(S)                                                                         \
    BURL__COL(S, totals.executions, "executions"), BURL__COL(S, totals.steps, "steps"),   \
        BURL__COL(S, totals.points, "points"), BURL__COL(S, totals.switches, "switches"), \
        BURL__COL(S, totals.preemptions, "preemptions"),                                  \
        BURL__COL(S, totals.failures, "failures"), BURL__COL(S, totals.cut, "cut"),       \
        BURL__COL(S, totals.wall_ms, "wall_ms")

static const struct burl__column strategy_columns[] = {
    { ":campaign", .type = BURL__COL_ID },
    BURL__COL(struct burl_store_strategy, name, "strategy"),
    TOTALS(struct burl_store_strategy),
};
static const struct burl__columns strategies =
    BURL__COLUMNS(struct burl_store_strategy, strategy_columns);

enum burl_status
burl_store_strategies_update(struct burl_store *s, int64_t id, const struct burl_store_strategy *v,
                             size_t n, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = burl__store_insert(s, "INSERT OR REPLACE INTO strategies", id, &strategies, v, n,
                            "update a campaign", err);
    return burl__store_end(s, st, err);
}

struct campaign_end {
    struct burl_store_totals totals;
    int64_t exit_code;
    const char *reason;
};

static const struct burl__column end_columns[] = {
    TOTALS(struct campaign_end),
    BURL__COL(struct campaign_end, exit_code, "exit_code"),
    BURL__COL(struct campaign_end, reason, "end_reason"),
};
static const struct burl__columns ends = BURL__COLUMNS(struct campaign_end, end_columns);

enum burl_status
burl_store_campaign_end(struct burl_store *s, int64_t id, const struct burl_store_totals *t,
                        int exit_code, const char *end_reason, struct burl_err *err)
{
    const struct campaign_end row = { .totals = *t, .exit_code = exit_code, .reason = end_reason };
    const enum burl_status st = burl__store_write(
        s,
        "UPDATE campaigns SET executions = :executions, steps = :steps, points = :points,"
        " switches = :switches, preemptions = :preemptions, failures = :failures, cut = :cut,"
        " wall_ms = :wall_ms, ended_ms = :now, exit_code = :exit_code, end_reason = :end_reason"
        " WHERE id = :id",
        id, &ends, &row, "end a campaign", err);

    burl__store_unlock(s);
    return st;
}
