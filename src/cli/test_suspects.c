/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_suspects.c - passes the suspects of a campaign to the report.
 *
 * Runs in the host. The engine has the state of each suspect (engine/plan/campaign.h), the report
 * prints it (report/finding/suspects.h).
 */
#include <stdlib.h>

#include "base/mem.h"
#include "cli/detect.h"
#include "cli/test_int.h"

struct burl_suspect_list
burl__suspect_list(const struct burl_options *opts, const struct burl_kept_list *kept, size_t most)
{
    struct burl_suspect_list l = { .v = burl_xcalloc(most + 1, sizeof *l.v),
                                   .findings = burl_xcalloc(kept->n + 1, sizeof *l.findings) };

    for (size_t i = 0; i < kept->n; i++)
        l.findings[i] = kept->v[i].finding;
    l.all = (struct burl_report_suspects){ .v = l.v,
                                           .findings = l.findings,
                                           .n_findings = kept->n,
                                           .strict = opts->strict,
                                           .all = opts->verbose };
    return l;
}

void
burl__suspect_list_deinit(struct burl_suspect_list *l)
{
    free(l->v);
    free(l->findings);
}

static uint8_t
state_of(const struct burl_campaign_suspect *e)
{
    switch (e->goal.state) {
    case BURL_GOAL_STATE_CONFIRMED:
        return BURL_REPORT_SUSPECT_CONFIRMED;
    case BURL_GOAL_STATE_HARMLESS:
        return BURL_REPORT_SUSPECT_HARMLESS;
    case BURL_GOAL_STATE_UNCONFIRMED:
        return BURL_REPORT_SUSPECT_UNCONFIRMED;
    default: /* COVERED too: the report finds its variable among those of the findings */
        return BURL_REPORT_SUSPECT_NOT_TRIED;
    }
}

bool
burl__test_suspect_hidden(const struct burl_test *t, const struct burl_wire_suspect *x)
{
    struct burl_suppress_rule *rule = burl_suppress_suspect(t->rules, x, t->sites);

    if (rule != NULL)
        burl_suppress_hide_suspect(t->rules, rule, x->key);
    return rule != NULL;
}

/* Which suspects does a search of all interleavings disprove? Potential races only if it looked for
 * races, in each of them by happens-before. */
static bool
is_disprovable(const struct burl_test *t, enum burl_wire_suspect_kind kind)
{
    uint32_t observers = 0;

    switch (kind) {
    case BURL_SUSPECT_TRIPLE:
    case BURL_SUSPECT_CYCLE:
        return true;
    case BURL_SUSPECT_POTENTIAL:
        return burl_detect_parse(t->opts->detect, &observers, NULL) == BURL_OK &&
               (observers & BURL_OB(RACE)) != 0;
    default:
        return false;
    }
}

/* All orders were tried, so what was not reproduced is impossible. */
static bool
is_settled(const struct burl_test *t, const struct burl_campaign_suspect *e, bool proven)
{
    return proven && is_disprovable(t, e->suspect.kind) &&
           (e->goal.state == BURL_GOAL_STATE_UNTRIED ||
            e->goal.state == BURL_GOAL_STATE_UNCONFIRMED);
}

static struct burl_suspect_list
list_suspects(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    struct burl_suspect_list l = burl__suspect_list(t->opts, &t->kept, s->n_suspects);
    const bool proven = burl__test_is_proven(s);

    l.all.complete = s->search.complete;
    for (size_t i = 0; i < s->n_suspects; i++) {
        const struct burl_campaign_suspect *e = &s->suspects[i];
        const bool settled = is_settled(t, e, proven);

        /* The engine does not check those it never tries. */
        if (e->goal.state == BURL_GOAL_STATE_HIDDEN || burl__test_suspect_hidden(t, &e->suspect) ||
            (settled && t->opts->json))
            continue;
        l.v[l.all.n++] = (struct burl_report_suspect){
            .suspect = &e->suspect,
            .state = settled ? BURL_REPORT_SUSPECT_RULED_OUT : state_of(e),
            .tries = e->goal.attempts,
        };
    }
    return l;
}

void
burl__test_suspects_print(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_suspect_list l;

    if (s->n_suspects == 0)
        return;
    l = list_suspects(t, s);
    burl_report_suspects(&l.all, t->sites, &t->style, &b);
    burl_cli_put(&b, stdout);
    burl__suspect_list_deinit(&l);
}

struct burl_suspect_count
burl__test_suspects_count(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    struct burl_suspect_list l = list_suspects(t, s);
    const struct burl_suspect_count n = burl_report_suspects_count(&l.all, t->sites);

    burl__suspect_list_deinit(&l);
    return n;
}

void
burl__test_suspects_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                         struct burl_json_writer *w)
{
    struct burl_suspect_list l;

    l = list_suspects(t, s);
    burl_report_suspects_json(&l.all, t->sites, w);
    burl__suspect_list_deinit(&l);
}

bool
burl__test_suspects_open(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    struct burl_suspect_list l;
    bool any;

    if (s->n_suspects == 0)
        return false;
    l = list_suspects(t, s);
    any = burl_report_suspects_open(&l.all, t->sites) > 0;
    burl__suspect_list_deinit(&l);
    return any;
}
