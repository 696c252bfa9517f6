/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/synth_summary.c - the summary of `burl synth`, one line per phase.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/gen_int.h"
#include "synth/explain.h"

static size_t
count_functions(const struct burl_gen_model *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->fns.n; i++)
        n += !m->fns.v[i].is_ours;
    return n;
}

static void
put_phases(const struct burl_synth *s, const struct burl_gen_violations *v, struct burl_buf *b)
{
    size_t by_result[BURL_SYNTH_HARMFUL + 1] = { 0 };

    for (size_t i = 0; i < s->tests.n; i++)
        by_result[s->tests.v[i].result]++;
    burl_buf_printf(b, "\n%s: %zu functions\n", s->m->header, count_functions(s->m));
    burl_buf_printf(b, "  seeds        %zu, %llu calls of the API\n", burl_gen_exec_n_seeds(s->x),
                    (unsigned long long)s->stats.calls);
    burl_buf_printf(b, "  accesses     %llu to objects that a client chooses, %zu dependencies\n",
                    (unsigned long long)s->table.n_accesses, s->table.deps.n);
    burl_buf_printf(b, "  pairs        %llu raw, %llu unique, %llu feasible\n",
                    (unsigned long long)s->stats.raw, (unsigned long long)s->stats.unique,
                    (unsigned long long)s->stats.feasible);
    burl_buf_printf(b, "  tests        %zu; %llu run, %llu executions\n", s->tests.n,
                    (unsigned long long)s->stats.n_run, (unsigned long long)s->stats.executions);
    burl_buf_printf(b, "  met          %llu; harmful %zu, benign %zu, not met %zu, undecided %zu\n",
                    (unsigned long long)s->stats.n_met, by_result[BURL_SYNTH_HARMFUL],
                    by_result[BURL_SYNTH_BENIGN], by_result[BURL_SYNTH_NOT_MET],
                    by_result[BURL_SYNTH_NOT_DECIDED]);
    if (v->unclean > 0)
        burl_buf_printf(b,
                        "  set apart    %llu violations in tests that can also fail or block "
                        "sequentially; not counted\n",
                        (unsigned long long)v->unclean);
    if (v->unconfirmed > 0)
        burl_buf_printf(b, "  unconfirmed  %llu violations that were not reproduced; not counted\n",
                        (unsigned long long)v->unconfirmed);
    for (int i = BURL_SYNTH_UNWRITTEN; i <= BURL_SYNTH_TOO_LONG; i++) {
        static const char *const why[] = {
            [BURL_SYNTH_UNWRITTEN] = "an argument of the seed cannot be written as C",
            [BURL_SYNTH_STATIC_SEED] = "the seed has what it passes in static variables, which two "
                                       "executions would share",
            [BURL_SYNTH_UNSHARED] = "the client has no object on the path",
            [BURL_SYNTH_OWNED] = "the setter takes its argument over, which so has one owner",
            [BURL_SYNTH_TOO_LONG] = "the seed makes too many calls before"
        };

        if (s->stats.by_built[i] > 0)
            burl_buf_printf(b, "  no test      for %llu feasible pairs: %s\n",
                            (unsigned long long)s->stats.by_built[i], why[i]);
    }
}

struct explaining {
    const struct burl_synth *s;
    struct burl_buf *b;
};

static enum burl_status
explain_word(const char *word, void *arg, struct burl_err *err)
{
    struct explaining *e = arg;
    char *end;
    unsigned long n = strtoul(word, &end, 10);

    if (strcmp(word, "all") == 0) {
        for (size_t i = 0; i < e->s->pairs.n; i++)
            burl_synth_explain(e->s, burl_gen_exec_sites(e->s->x), i, e->b);
        return BURL_OK;
    }
    if (*end != '\0' || n == 0 || n > e->s->pairs.n)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--explain expects numbers of pairs, 1 to %zu, or all, not \"%s\"",
                            e->s->pairs.n, word);
    burl_synth_explain(e->s, burl_gen_exec_sites(e->s->x), n - 1, e->b);
    return BURL_OK;
}

enum burl_status
burl__synth_print_pairs(const struct burl_synth *s, const char *list, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct explaining e = { s, &b };
    enum burl_status st = burl_options_each_word(list, explain_word, &e, err);

    burl_cli_put(&b, stdout);
    return st;
}

void
burl__synth_print_summary(const struct burl_gen_run *g, const struct burl_synth *s,
                          const struct burl_gen_violations *v)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (!g->opts->quiet)
        put_phases(s, v, &b);
    burl_buf_printf(&b, "  findings     %zu%s\n", g->found.n,
                    s->stats.is_cut ? " so far; not every test was run" : "");
    for (size_t i = 0; i < g->found.n; i++)
        burl_buf_printf(&b, "  #%lld %s\n     %s\n", (long long)g->found.v[i].id,
                        g->found.v[i].title, g->found.v[i].test);
    burl_cli_put(&b, stdout);
}
