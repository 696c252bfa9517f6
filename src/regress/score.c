/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/score.c - the score of an order of tests; score.h.
 *
 * Runs in the host. Pure.
 */
#include "regress/score.h"

#include <stdlib.h>

#include "base/mem.h"
#include "regress/techniques.h"

struct scoring {
    struct burl_regress_score *out;
    bool *confirmed;      /* by suspect */
    uint32_t *bug_at;     /* by bug: position of the first test that shows it, from 1; 0 none */
    uint32_t *suspect_at; /* by suspect: the same of the first that reports it */
};

/* Executions of the test that the order needs; *all: that were made. */
static uint64_t
needed_runs(struct scoring *s, const struct burl_regress_outcome *o, uint32_t position,
            uint64_t *all)
{
    uint64_t runs = 0;

    *all = 0;
    for (size_t i = 0; i < o->reports.n; i++) {
        const struct burl_regress_report *r = &o->reports.v[i];

        if (s->suspect_at[r->suspect] == 0) {
            s->suspect_at[r->suspect] = position;
            s->out->n_suspects++;
        }
        *all += r->runs;
        if (s->confirmed[r->suspect])
            continue;
        runs += r->runs;
        s->confirmed[r->suspect] = r->confirmed;
    }
    return runs;
}

static void
take_test(struct scoring *s, const struct burl_regress_outcome *o, uint32_t position,
          size_t n_truth)
{
    uint64_t all;
    const uint64_t runs = needed_runs(s, o, position, &all);
    const uint64_t made = o->n_observed + all;

    s->out->runs += runs;
    s->out->wall_ms +=
        made > 0 ? o->wall_ms * (int64_t)(o->n_observed + runs) / (int64_t)made : o->wall_ms;
    for (size_t i = 0; i < o->bugs.n; i++) {
        const uint32_t bug = o->bugs.v[i];

        if (bug < n_truth && s->bug_at[bug] == 0) {
            s->bug_at[bug] = position;
            s->out->n_bugs++;
        }
    }
}

void
burl_regress_score(struct burl_regress_score *out, const struct burl_regress_outcome *outcomes,
                   const uint32_t *order, size_t n, size_t n_truth, size_t n_suspects)
{
    struct scoring s = { .out = out,
                         .confirmed = burl_xcalloc(n_suspects + 1, sizeof(bool)),
                         .bug_at = burl_xcalloc(n_truth + 1, sizeof(uint32_t)),
                         .suspect_at = burl_xcalloc(n_suspects + 1, sizeof(uint32_t)) };

    *out = (struct burl_regress_score){ .n_tests = n };
    for (size_t i = 0; i < n; i++) {
        if (outcomes[order[i]].ran)
            take_test(&s, &outcomes[order[i]], (uint32_t)i + 1, n_truth);
    }
    out->has_apfd = burl_regress_apfd(s.bug_at, n_truth, n, &out->apfd);
    out->has_potential = burl_regress_apfd(s.suspect_at, n_suspects, n, &out->apfd_potential);
    free(s.confirmed);
    free(s.bug_at);
    free(s.suspect_at);
}
