/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/outcome.c - how a race ends in either order.
 *
 * Runs in the host. A race is undefined behavior whatever follows; what follows shows how bad it
 * is. Directed executions bring the two accesses together, let the one or the other go first,
 * and run on to their end. Both orders get the same seeds, and after the meeting no preemption
 * (goal.race.calm), so that two executions of a seed differ in nothing but
 * the order of the two accesses.
 *
 * Direction of the error: a difference that needs yet another preemption is not seen, and "the
 * same" means in the executions tried.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "engine/engine_int.h"

/* Seeds per race, each run in both orders: they differ in how the meeting was reached. */
#define SEEDS 6u

struct ending {
    bool valid; /* the accesses met in this order, and the program ended by itself */
    uint8_t kind;
    int32_t code;
    uint64_t fingerprint; /* of a failure */
    uint64_t output;
    char text[160];
};

/* The last line the program printed, for a text; "" none. */
static void
last_line(const struct burl_run *run, char *out, size_t size)
{
    size_t end = run->output_b;
    size_t start;

    out[0] = '\0';
    while (end > 0 && (run->output[end - 1] == '\n' || run->output[end - 1] == '\r'))
        end--;
    start = end;
    while (start > 0 && run->output[start - 1] != '\n')
        start--;
    if (end > start)
        snprintf(out, size, "%.*s", (int)(end - start < 60 ? end - start : 60),
                 run->output + start);
    for (char *p = out; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    }
}

static void
describe_ending(struct ending *e, const struct burl_run *run)
{
    const struct burl_wire_verdict *v = &run->verdict;

    if (v->kind == BURL_VERDICT_PASS)
        snprintf(e->text, sizeof e->text, "exit 0");
    else if (v->kind == BURL_VERDICT_EXIT_NONZERO)
        snprintf(e->text, sizeof e->text, "exit %d", v->code);
    else
        snprintf(e->text, sizeof e->text, "%s%s%.110s", burl_verdict_name(v->kind),
                 v->text[0] ? ": " : "", v->text);
}

static bool
ended_by_itself(const struct burl_wire_verdict *v)
{
    return v->kind == BURL_VERDICT_PASS || burl_verdict_is_finding(v->kind);
}

static struct burl_work
outcome_work(const struct burl_campaign *c, const struct burl_wire_verdict *race)
{
    struct burl_work w = { .strategy = BURL_STRATEGY_DIRECTED,
                           .n = 1,
                           .args.goal = { .kind = BURL_GOAL_RACE,
                                          .race = { .first = race->sides[0].site,
                                                    .second = race->sides[1].site,
                                                    .calm = 1 } } };

    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t site = race->sides[i].site;

        /* Not adopted yet: the race was seen before anything was learned. */
        if (!burl__learned_is_point(&c->learned, site))
            w.flags = BURL_ORDER_F_ALL_POINTS;
    }
    return w;
}

static void
keep_failure(const struct burl_campaign *c, struct burl_outcome_failure *f,
             const struct burl_work *w, uint64_t seed, const struct burl_wire_verdict *v,
             uint64_t fingerprint)
{
    uint64_t key = burl_hash_u64(BURL_HASH_BEGIN, v->kind);

    if (f->any)
        return;
    f->any = true;
    f->work = *w;
    f->found = (struct burl_found){ .after = c->stats->schedules,
                                    .execution = c->stats->all.executions,
                                    .ms = burl_target_now_ms() - c->plan.started_ms };
    key = burl_hash_u64(key, fingerprint);
    f->failure = (struct burl_wire_failure){
        .seed = seed, .count = 1, .key = burl_hash_end(key), .verdict = *v
    };
}

static enum burl_status
try_order(struct burl_campaign *c, const struct burl_work *w, uint64_t seed, struct ending *e,
          char line[64], struct burl_outcome_failure *f, struct burl_err *err)
{
    struct burl_run run;
    bool hit;
    enum burl_status st = burl__run_scout(c, w, seed, &run, &hit, err);

    memset(e, 0, sizeof *e);
    line[0] = '\0';
    if (st != BURL_OK)
        return st;
    c->stats->schedules++;
    if (hit && ended_by_itself(&run.verdict)) {
        e->valid = true;
        e->kind = run.verdict.kind;
        e->code = run.verdict.code;
        e->output = burl_hash(run.output ? run.output : "", run.output_b);
        describe_ending(e, &run);
        last_line(&run, line, 64);
        if (burl_verdict_is_finding(e->kind)) {
            e->fingerprint = burl__findings_fingerprint(&c->findings, &run.verdict);
            keep_failure(c, f, w, seed, &run.verdict, e->fingerprint);
        }
    }
    burl_run_deinit(&run);
    return BURL_OK;
}

static bool
same_verdict(const struct ending *a, const struct ending *b)
{
    return a->kind == b->kind && a->code == b->code && a->fingerprint == b->fingerprint;
}

/* Both orders of one seed. Remembers the most telling pair: a different verdict before a different
 * output before no difference before only one order. */
static void
compare_endings(struct burl_campaign_race *out, struct ending e[2], char lines[2][64], int *best)
{
    int telling = 0;

    for (int i = 0; i < 2; i++)
        telling += e[i].valid;
    if (telling == 2 && e[0].output != e[1].output)
        telling = 3;
    if (telling == 3 && same_verdict(&e[0], &e[1]) && lines[0][0] && lines[1][0] &&
        strcmp(lines[0], lines[1]) != 0) {
        for (int i = 0; i < 2; i++) {
            const size_t used = strlen(e[i].text);

            snprintf(e[i].text + used, sizeof e[i].text - used, ", prints \"%s\"", lines[i]);
        }
    }
    if (telling >= 2 && !same_verdict(&e[0], &e[1]))
        telling = 4;
    if (telling <= *best)
        return;
    *best = telling;
    for (int i = 0; i < 2; i++)
        snprintf(out->ends[i], sizeof out->ends[i], "%s", e[i].valid ? e[i].text : "");
    out->outcome = telling == 1   ? BURL_CAMPAIGN_OUTCOME_ONE_ORDER
                   : telling == 2 ? BURL_CAMPAIGN_OUTCOME_SAME
                                  : BURL_CAMPAIGN_OUTCOME_DIFFERS;
}

enum burl_status
burl__outcome(struct burl_campaign *c, const struct burl_wire_verdict *race,
              struct burl_campaign_race *out, struct burl_outcome_failure *failure,
              struct burl_err *err)
{
    struct burl_work w = outcome_work(c, race);
    enum burl_status st = BURL_OK;
    int best = 0;
    bool met[2] = { false, false };

    memset(out, 0, sizeof *out);
    memset(failure, 0, sizeof *failure);
    for (uint32_t i = 0; i < 2; i++)
        out->sites[i] = race->sides[i].site;
    for (uint64_t seed = 1; seed <= SEEDS && st == BURL_OK; seed++) {
        struct ending e[2];
        char lines[2][64];

        for (uint32_t i = 0; i < 2 && st == BURL_OK; i++) {
            w.args.goal.race.goes_first = i == 0 ? BURL_RACE_FIRST_SITE : BURL_RACE_SECOND_SITE;
            st = try_order(c, &w, c->cfg->seed + seed, &e[i], lines[i], failure, err);
            met[i] |= st == BURL_OK && e[i].valid;
        }
        if (st == BURL_OK)
            compare_endings(out, e, lines, &best);
    }
    /* Met in either order, but never with one seed: nothing to compare. */
    if (best == 1 && met[0] && met[1])
        out->outcome = BURL_CAMPAIGN_OUTCOME_UNKNOWN;
    if (failure->any)
        out->failure = burl__findings_fingerprint(&c->findings, &failure->failure.verdict);
    return st;
}
