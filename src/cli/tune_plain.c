/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_plain.c - runs without noise: what the program does by itself.
 *
 * Runs in the host. The first run has more detectors than the others, whose suspects give places
 * for noise, and so little noise (one yield in a thousand places) that it only learns which
 * variables are shared. The others say how long an execution takes and how often it fails anyway.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/tune_int.h"
#include "engine/target/target.h"

/* For a program that never ends. */
#define PLAIN_MS 60000u

static uint64_t
plain_limit(const struct burl_tune_session *t)
{
    const uint64_t own = t->opts->run_time;
    uint64_t limit = own > 0 ? own : PLAIN_MS;

    if (t->budget_ms > 0 && own == 0 && limit > t->budget_ms / 2)
        limit = t->budget_ms / 2;
    return limit;
}

static enum burl_status
execute(struct burl_tune_session *t, uint32_t more, const struct burl_wire_noise *noise,
        char **command, struct burl_execution *x, struct burl_err *err)
{
    struct burl_execute e = t->exec;
    enum burl_status st;

    /* As `burl run` would: what metrics cost is no part of a plain execution. */
    e.observers = t->free.observers | more;
    e.is_plain = true;
    st = burl_execute(x, &e, (const char *const *)command, noise, t->marks.v, t->marks.variables,
                      t->marks.n, plain_limit(t), err);
    if (st != BURL_E_LIMIT)
        return st;
    return burl_err_set(
        err, BURL_E_USAGE, 0, "%s did not reach main within %.3f s; give a longer %s", t->argv[0],
        (double)plain_limit(t) / 1000.0, t->opts->run_time > 0 ? "--run-time" : "--time");
}

/* The least of every parameter. */
static char **
plain_command(const struct burl_tune_session *t)
{
    struct burl_genes x = { { 0 } };

    burl_genes_clamp(&t->genome, &x);
    return burl__tune_command(t, &x);
}

static enum burl_status
note_interrupt(struct burl_tune_session *t, enum burl_status st)
{
    if (burl_cli_interrupts == 0)
        return st;
    t->interrupted = true;
    t->end = "interrupted";
    return BURL_OK;
}

enum burl_status
burl__tune_look(struct burl_tune_session *t, struct burl_err *err)
{
    const struct burl_wire_noise hardly = {
        .freq = 1, .strength = 1, .seeding = BURL_NOISE_YIELD, .seed = t->opts->seed
    };
    char **command = plain_command(t);
    struct burl_execution x;
    enum burl_status st = execute(t, BURL_OB(LOCKSET) | BURL_OB(TRIPLE) | BURL_OB(LOCKORDER),
                                  &hardly, command, &x, err);

    if (st == BURL_OK) {
        burl_marks_begin(&t->marks, x.r.modules, x.r.n_modules, x.r.sites);
        burl__tune_known_run(t, &x.r);
        t->no_places = x.r.noise.places == 0;
        st = burl__tune_take(t, &x, command, NULL, err);
        burl_execution_deinit(&x);
    }
    burl_params_free_command(command);
    return note_interrupt(t, st);
}

/* ---- plain runs -------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void
add_up(struct burl_tune_session *t, const struct burl_execution *x)
{
    struct burl_tune_plain *p = &t->plain;
    const enum burl_tune_error error = burl_execution_error(x);

    p->costs[p->n++] = burl_tune_cost_ms(x->r.cpu_us, x->r.wall_ms);
    p->slowest_ms = x->r.wall_ms > p->slowest_ms ? x->r.wall_ms : p->slowest_ms;
    /* The limit may be shorter than the program: that is no failure. */
    if (x->r.end == BURL_FREE_END_TIME) {
        p->cut++;
    } else if (x->r.end == BURL_FREE_END_OUTSIDE) {
        p->killed++;
    } else if (error != BURL_TUNE_ERROR__N) {
        p->errors[error]++;
        p->failed++;
    }
}

/* Plain runs get a quarter of the time, if one of them is enough for that. */
static bool
is_time_for_search(const struct burl_tune_session *t)
{
    return t->budget_ms > 0 && burl_now_ms() - t->started_ms >= (int64_t)t->budget_ms / 4;
}

static enum burl_status
judge(struct burl_tune_session *t, struct burl_err *err)
{
    struct burl_tune_plain *p = &t->plain;
    struct burl_buf how = BURL_BUF_INIT;
    enum burl_status st = BURL_OK;

    burl__tune_errors_words(p->errors, &how);
    if (p->cut == p->n)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "%s did not end within %.1f s in any of %u plain run%s; give a test that "
                          "ends by itself, or a longer --time or --run-time",
                          t->argv[0], (double)plain_limit(t) / 1000.0, p->n, p->n == 1 ? "" : "s");
    else if (p->killed == p->n)
        st = burl_err_set(
            err, BURL_E_USAGE, 0,
            "%s was killed by signal %d (%s) without noise, in all of %u plain run%s: "
            "burl takes that for a request from outside; give a test that ends by "
            "itself",
            t->argv[0], t->killed_by, strsignal(t->killed_by), p->n, p->n == 1 ? "" : "s");
    else if (p->failed == p->n)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "%s fails without noise, in all of %u plain runs (%s): there is nothing "
                          "to search for; what was found is kept (burl findings)%s",
                          t->argv[0], p->n, burl_buf_str(&how),
                          burl_cli_awaits_input() ? "; standard input is a pipe that nothing was "
                                                    "written to: if the program reads it, give a "
                                                    "file (< FILE)"
                                                  : "");
    else if (t->no_places && t->free.max_threads < 2 && t->params.n == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "%s had one thread in all plain runs: noise delays threads, and there is "
                          "nothing to search for; give a test that starts threads",
                          t->argv[0]);
    burl_buf_deinit(&how);
    return st;
}

enum burl_status
burl__tune_plain_runs(struct burl_tune_session *t, struct burl_err *err)
{
    struct burl_tune_plain *p = &t->plain;
    char **command = plain_command(t);
    enum burl_status st = BURL_OK;

    while (st == BURL_OK && p->n < t->opts->plain_runs && !t->interrupted) {
        struct burl_execution x;

        st = execute(t, 0, NULL, command, &x, err);
        if (st != BURL_OK)
            st = burl__tune_no_execution(t, st, err);
        if (st == BURL_OK && burl_cli_interrupts == 0) {
            add_up(t, &x);
            st = burl__tune_take(t, &x, command, NULL, err);
        }
        if (st == BURL_OK)
            burl_execution_deinit(&x);
        st = note_interrupt(t, st);
        /* Two that do not end are enough to know. */
        if ((p->cut == p->n && p->n >= 2) || is_time_for_search(t))
            break;
    }
    burl_params_free_command(command);
    /* Before the runs are judged: a slow writer may have come. */
    if (st == BURL_OK)
        st = burl_cli_check_late_input(err);
    if (st != BURL_OK || p->n == 0)
        return st;
    qsort(p->costs, p->n, sizeof p->costs[0], compare);
    p->floor_ms = p->costs[p->n / 2] > 1 ? p->costs[p->n / 2] : 1;
    t->run_ms = t->opts->run_time > 0 ? (int64_t)t->opts->run_time : 10 * p->slowest_ms + 1000;
    return t->interrupted ? BURL_OK : judge(t, err);
}
