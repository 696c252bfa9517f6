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

#define COL(field) BURL__COL(struct burl_store_campaign, field, #field)
BURL__TABLE(campaigns, struct burl_store_campaign, COL(command), COL(program), COL(args),
            COL(build_id), COL(options), COL(engine), COL(reset), COL(seed),
            BURL__COL_GIVEN(NOW, "started_ms"));
#undef COL

enum burl_status
burl_store_campaign_begin(struct burl_store *s, const struct burl_store_campaign *c, int64_t *id,
                          struct burl_err *err)
{
    struct burl_store_campaign row = *c;
    enum burl_status st;
    char *holder;

    if (!row.command)
        row.command = "test";
    holder = burl_xasprintf("burl %s %s", row.command, c->program ? c->program : "");
    st = burl_store_lock(s, holder, err);
    free(holder);
    *id = 0;
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO campaigns", 0, &campaigns, &row, 1,
                                "record a campaign", err);
    if (st == BURL_OK)
        *id = sqlite3_last_insert_rowid(s->db);
    return st;
}

enum burl_status
burl_store_campaign_last(struct burl_store *s, int64_t *id, struct burl_err *err)
{
    return burl__store_number(s, "SELECT coalesce(max(id), 0) FROM campaigns", 0, &campaigns, NULL,
                              "read", id, err);
}

BURL__TABLE(commands, struct burl_store_command,
            BURL__COL(struct burl_store_command, program, "program"),
            BURL__COL(struct burl_store_command, args, "args"),
            BURL__COL(struct burl_store_command, exit_code, "exit_code"));

enum burl_status
burl_store_command_list(struct burl_store *s, int64_t campaign, struct burl_store_commands *out,
                        struct burl_err *err)
{
    return burl__store_list(s,
                            "SELECT c.program, c.args, c.exit_code FROM campaigns c JOIN "
                            "(SELECT min(id) AS first, max(id) AS last FROM campaigns "
                            "WHERE program IS NOT NULL AND (:id = 0 OR id = :id) "
                            "GROUP BY program, args) ON c.id = last ORDER BY first",
                            campaign, &commands, NULL, out, err);
}

void
burl_store_commands_deinit(struct burl_store_commands *l)
{
    burl__store_free_list(&commands, l);
}

#define TOTALS(S)                                                                         \
    BURL__COL(S, totals.executions, "executions"), BURL__COL(S, totals.steps, "steps"),   \
        BURL__COL(S, totals.points, "points"), BURL__COL(S, totals.switches, "switches"), \
        BURL__COL(S, totals.preemptions, "preemptions"),                                  \
        BURL__COL(S, totals.failures, "failures"), BURL__COL(S, totals.cut, "cut"),       \
        BURL__COL(S, totals.wall_ms, "wall_ms")

BURL__TABLE(strategies, struct burl_store_strategy, BURL__COL_GIVEN(ID, "campaign"),
            BURL__COL(struct burl_store_strategy, name, "strategy"),
            TOTALS(struct burl_store_strategy));

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

#define COL(field) BURL__COL(struct campaign_end, field, #field)
BURL__TABLE(ends, struct campaign_end, TOTALS(struct campaign_end), COL(exit_code),
            BURL__COL(struct campaign_end, reason, "end_reason"));
#undef COL

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
