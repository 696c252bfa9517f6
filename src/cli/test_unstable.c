/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_unstable.c - failures that no replay reproduces become findings of their own kind.
 *
 * Runs in the host, when the campaign is over: only then is it known that no other execution showed
 * the failure in a way that can be replayed, and how often it came. There is one finding for each
 * way to fail (the fingerprint), not one for each execution. It has a report and no schedule.
 *
 * A failure for which there was no time, or whose schedule is too long for a file, is not one of
 * these: it may well be reproducible.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/test_int.h"

bool
burl__test_is_irreproducible(const struct burl_campaign_unstable *u)
{
    return u->count > 0 && !u->late && !u->vast;
}

/* Failures that would be expected of one process alone if the program itself were to blame: with
 * fewer it may just not have failed yet. */
#define FAILURES_EXPECTED 3u

bool
burl__test_is_crowd_undecided(const struct burl_campaign_stats *s)
{
    const uint64_t n_alone = s->schedules - s->crowded_schedules;

    return s->n_crowded > 0 &&
           n_alone * s->n_crowded < (uint64_t)FAILURES_EXPECTED * s->crowded_schedules;
}

void
burl__test_print_crowd(const struct burl_campaign_stats *s, FILE *out)
{
    const bool undecided = burl__test_is_crowd_undecided(s);

    if (s->n_crowded == 0)
        return;
    fprintf(out,
            "note: %llu execution%s failed while other processes of the program ran, and passed "
            "alone; %s\n",
            (unsigned long long)s->n_crowded, s->n_crowded == 1 ? "" : "s",
            undecided ? "too few ran alone afterwards to tell whether it uses files or ports "
                        "together with them; run it with --jobs=1"
                      : "it seems to use files or ports together with them, so one process ran at "
                        "a time from then on (--jobs=1)");
}

static struct burl_finding *
make_finding(const struct burl_test *t, const struct burl_campaign_stats *s,
             const struct burl_campaign_unstable *u, const struct burl_kept *k)
{
    static const struct burl_report_free nothing = { 0 };
    const struct burl_report_facts facts = {
        .number = (uint32_t)k->id,
        .argv = (const char *const *)t->argv,
        .n_argv = (size_t)t->argc,
        .build_id = t->build_id,
        .engine = burl_schedfile_engine_name(s->engine),
        .strategy = burl_schedfile_strategy_name(u->strategy),
        .facts = k->facts,
        .not_reproducible = u->why,
    };

    return burl_report_finding_from_verdict(&u->verdict, &nothing, t->sites, &facts);
}

static enum burl_status
keep_one(struct burl_test *t, const struct burl_campaign_stats *s,
         const struct burl_campaign_unstable *u, struct burl_kept *k, struct burl_err *err)
{
    char fingerprint[17];
    struct burl_store_finding row = {
        .fingerprint = fingerprint,
        .kind = BURL_KIND_NOT_REPRODUCIBLE,
        .program = t->argv[0],
        .args = t->args_json,
        .build_id = t->build_id,
        .engine = burl_schedfile_engine_name(s->engine),
        .reset = burl_engine_reset_name(s->reset),
        .strategy = burl_schedfile_strategy_name(u->strategy),
        .schedule = "",
        .campaign = t->campaign,
    };
    bool is_new = false;
    enum burl_status st;

    *k = (struct burl_kept){ .kind = row.kind,
                             .facts = { .fingerprint = burl_fingerprint_not_reproducible(
                                            &u->verdict, t->sites, NULL),
                                        .seed = u->seed,
                                        .count = u->count } };
    row.facts.seed = u->seed;
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)k->facts.fingerprint);
    st = burl_store_finding_upsert(t->store, &row, &k->id, &is_new, err);
    if (st == BURL_OK)
        st = burl__keep_build(t->store, k->id, t->build_id, err);
    if (st != BURL_OK)
        return st;
    k->known_before = !is_new;
    k->finding = make_finding(t, s, u, k);
    return burl__keep_finding(t->store, &row, k, &t->style, "", 0, err);
}

enum burl_status
burl__test_keep_unstable(struct burl_test *t, const struct burl_campaign_stats *s,
                         struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < s->n_unstable && st == BURL_OK && t->store != NULL; i++) {
        struct burl_kept k;

        if (!burl__test_is_irreproducible(&s->unstable[i]))
            continue;
        st = keep_one(t, s, &s->unstable[i], &k, err);
        if (st != BURL_OK) {
            burl__kept_deinit(&k);
            break;
        }
        BURL_VEC_PUSH(&t->kept, k);
        if (!t->opts->json)
            printf("%s\n", k.text);
    }
    return st;
}
