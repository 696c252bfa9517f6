/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/synth_summary.c - the summary of `burl synth`: one line per phase, the findings, and apart
 * from them the tests that are none. And --explain.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/gen_int.h"
#include "synth/explain.h"

#define SHOWN 6u /* tests of one result; --verbose shows all */

/* ---- --explain --------------------------------------------------------------------------- */

struct parsing {
    const struct burl_synth *s;
    struct burl_synth_asked *out;
};

static enum burl_status
parse_word(const char *word, void *arg, struct burl_err *err)
{
    struct parsing *p = arg;
    const size_t most = burl_synth_n_pairs(p->s);
    char *end;
    unsigned long n = strtoul(word, &end, 10);

    if (strcmp(word, BURL_OPTION_ALL) == 0) {
        p->out->all = true;
        return BURL_OK;
    }
    if (most == 0)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--explain=%s: the seeds show no pair of calls; --explain alone", word);
    if (word[0] < '0' || word[0] > '9' || *end != '\0' || n == 0 || n > most)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--explain expects numbers of pairs, 1 to %zu, not \"%s\"; --explain "
                            "alone lists them",
                            most, word);
    BURL_VEC_PUSH(&p->out->pairs, n);
    return BURL_OK;
}

enum burl_status
burl__synth_parse_pairs(const struct burl_synth *s, const char *list, struct burl_synth_asked *out,
                        struct burl_err *err)
{
    struct parsing p = { s, out };

    return burl_options_each_word(list, parse_word, &p, err);
}

static void
put_explanations(const struct burl_synth *s, const struct burl_synth_asked *asked,
                 struct burl_buf *b)
{
    const struct burl_sites *sites = burl_gen_exec_sites(s->x);

    if (asked->all || asked->pairs.n > 0)
        burl_buf_char(b, '\n');
    if (asked->all)
        burl_synth_explain_all(s, sites, b);
    for (size_t i = 0; i < asked->pairs.n; i++)
        burl_synth_explain(s, sites, asked->pairs.v[i], b);
}

/* ---- phases ------------------------------------------------------------------------------ */

static void
put_pairs(const struct burl_synth *s, struct burl_buf *b)
{
    static const char *const why[] = { [BURL_SYNTH_OWN_LOCK] = "the object's own lock",
                                       [BURL_SYNTH_GLOBAL_LOCK] = "a lock of every client",
                                       [BURL_SYNTH_NO_SETTER] = "a lock of an owner, no setter" };
    size_t by_fate[BURL_SYNTH_NO_SETTER + 1] = { 0 };
    const char *before = "             dropped: ";
    char n[3][32];

    for (size_t i = 0; i < s->pairs.n; i++)
        by_fate[s->pairs.v[i].fate]++;
    burl_buf_printf(b, "  pairs      %s raw, %s unique, %s feasible",
                    burl_number(s->stats.raw, n[0]), burl_number(s->stats.unique, n[1]),
                    burl_number(s->stats.feasible, n[2]));
    if (s->lock_pairs.n > 0)
        burl_buf_printf(b, "; %s of nested locks", burl_number(s->lock_pairs.n, n[0]));
    burl_buf_char(b, '\n');
    if (s->pairs.n_left_out > 0)
        burl_buf_printf(b, "             left out: %s raw pairs beyond the first %s\n",
                        burl_number(s->pairs.n_left_out, n[0]), burl_number(s->stats.raw, n[1]));
    for (int i = BURL_SYNTH_OWN_LOCK; i <= BURL_SYNTH_NO_SETTER; i++) {
        if (by_fate[i] == 0)
            continue;
        burl_buf_printf(b, "%s%s by %s", before, burl_number(by_fate[i], n[0]), why[i]);
        before = ", ";
    }
    burl_buf_str_append(b, before[0] == ',' ? "\n" : "");
}

static void
put_results(const struct burl_synth *s, struct burl_buf *b)
{
    size_t by_result[BURL_SYNTH_HARMFUL + 1] = { 0 };

    for (size_t i = 0; i < s->tests.n; i++)
        by_result[s->tests.v[i].result]++;
    burl_buf_printf(b, "  met        by %llu test%s: executions reached what was predicted\n",
                    (unsigned long long)s->stats.n_met, s->stats.n_met == 1 ? "" : "s");
    burl_buf_printf(b, "  harmful    %zu; benign %zu, not met %zu, undecided %zu\n",
                    by_result[BURL_SYNTH_HARMFUL], by_result[BURL_SYNTH_BENIGN],
                    by_result[BURL_SYNTH_NOT_MET], by_result[BURL_SYNTH_NOT_DECIDED]);
}

static void
put_phases(const struct burl_synth *s, const struct burl_gen_violations *v, struct burl_buf *b)
{
    char n[3][32];

    burl_buf_printf(b, "\n%s: %zu functions\n", s->m->header, burl__synth_n_functions(s));
    burl__synth_put_seeds(s, b);
    burl_buf_printf(b, "  accesses   %s to objects that a client chooses; %s dependencies\n",
                    burl_number(s->table.n_accesses, n[0]), burl_number(s->table.deps.n, n[1]));
    put_pairs(s, b);
    burl_buf_printf(b, "  tests      %s; %s run, %s executions in %.1f s\n",
                    burl_number(s->tests.n, n[0]), burl_number(s->stats.n_run, n[1]),
                    burl_number(s->stats.executions, n[2]), (double)s->stats.wall_ms / 1000.0);
    for (int i = BURL_SYNTH_UNWRITTEN; i <= BURL_SYNTH_TOO_LONG; i++) {
        if (s->stats.by_built[i] > 0)
            burl_buf_printf(b, "             none for %s feasible pairs: %s\n",
                            burl_number(s->stats.by_built[i], n[0]),
                            burl_synth_built_text((enum burl_synth_built)i));
    }
    put_results(s, b);
    burl__gen_put_set_apart(v->unclean, v->unconfirmed, v->cut, b);
    if (v->not_built > 0)
        burl_buf_printf(b,
                        "  not built  tests of %s confirmed violations, which are not reported: "
                        "burl failed to build\n             them with the seed in them\n",
                        burl_number(v->not_built, n[0]));
}

size_t
burl__synth_n_functions(const struct burl_synth *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->m->fns.n; i++)
        n += !s->m->fns.v[i].is_ours;
    return n;
}

/* ---- tests that are no findings ---------------------------------------------------------- */

static void
put_tests(const struct burl_synth *s, enum burl_synth_result result, const char *label,
          const char *meaning, bool all, struct burl_buf *b)
{
    size_t n = 0;

    for (size_t i = 0; i < s->tests.n; i++)
        n += s->tests.v[i].result == result;
    if (n == 0)
        return;
    burl_buf_printf(b, "  %-10s %zu test%s: %s\n", label, n, n == 1 ? "" : "s", meaning);
    n = 0;
    for (size_t i = 0; i < s->tests.n; i++) {
        const struct burl_synth_test *t = &s->tests.v[i];

        if (t->result != result || (n++ >= SHOWN && !all))
            continue;
        burl_buf_printf(b, "     test %zu: %s x %s (", i + 1, burl_synth_test_fn(s, i, 0),
                        burl_synth_test_fn(s, i, 1));
        burl_synth_test_pairs(s, i, b);
        burl_buf_printf(b, ")%s%s\n", t->why[0] ? ": " : "", t->why);
    }
    if (n > SHOWN && !all)
        burl_buf_printf(b, "     and %zu more; --verbose lists them\n", n - SHOWN);
}

void
burl__synth_print_summary(const struct burl_gen_run *g, const struct burl_synth *s,
                          const struct burl_gen_violations *v, const struct burl_synth_asked *asked)
{
    const bool all = g->opts->verbose;
    struct burl_buf b = BURL_BUF_INIT;

    if (!g->opts->quiet) {
        put_phases(s, v, &b);
        if (g->found.n > 0)
            burl_buf_printf(&b, "  findings   %zu%s\n", g->found.n,
                            s->stats.is_cut ? " so far; not every test was run" : "");
        else
            burl_buf_printf(&b, "  findings   none%s\n",
                            s->stats.is_cut ? " so far; not every test was run" : "");
        burl__gen_put_findings(g, &b);
        put_tests(s, BURL_SYNTH_BENIGN, "benign",
                  "met, and a sequential order of the calls explains every outcome", all, &b);
        put_tests(s, BURL_SYNTH_NOT_MET, "not met", "no execution reached what was predicted", all,
                  &b);
        put_tests(s, BURL_SYNTH_NOT_DECIDED, "undecided", "the oracle cannot decide", all, &b);
        burl__gen_put_files(g, &b);
        if (burl_synth_n_pairs(s) > 0 && g->opts->explain == NULL)
            burl_buf_str_append(&b, "  explain    --explain lists the pairs, --explain=N says why "
                                    "pair N was kept or dropped\n");
    }
    put_explanations(s, asked, &b);
    burl_cli_put(&b, stdout);
}
