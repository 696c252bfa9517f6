/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_show.c - the end of every sub-command of `burl cover`: renders the model in all
 * requested forms and checks the thresholds.
 *
 * Runs in the host. Text or JSON on standard output; the page and the tracefile are files. Missed
 * thresholds are reported on standard error, so that --json stays one document.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "cli/cover_int.h"
#include "cli/test_int.h"
#include "cover/prune.h"
#include "report/cover/render_cover.h"

/* As a shell would take it: program and arguments of the newest campaign. */
static char *
join_command(const struct burl_store_cover_program *p)
{
    struct burl_json_value *args = NULL;
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_err ignored;

    burl_buf_str_append(&b, p->program ? p->program : "");
    if (p->args && burl_json_parse(&args, p->args, strlen(p->args), &ignored) == BURL_OK) {
        for (size_t i = 0; i < burl_json_count(args); i++)
            burl_buf_printf(&b, " %s", burl_json_as_str(burl_json_at(args, i), ""));
        burl_json_free(args);
    }
    return burl_buf_take(&b, NULL);
}

enum burl_status
burl__cover_model(struct burl_cover_session *s, struct burl_cover_model *m,
                  struct burl_cover_names *names, struct burl_err *err)
{
    char *command = join_command(burl_cover_program(s->cover));
    const struct burl_cover_fill_opts o = {
        .metrics = s->metrics,
        .no_target = s->opts->no_target,
        .prune_path = s->opts->prune_file,
        .command = command,
    };
    enum burl_status st;

    burl_cover_model_init(m);
    st = burl_cover_fill(s->cover, &o, m, names, err);
    free(command);
    if (st != BURL_OK)
        burl_cover_model_deinit(m);
    return st;
}

size_t
burl__cover_accept_all(const struct burl_cover_model *m, struct burl_prune *p)
{
    size_t n = 0;

    for (size_t i = 0; i < m->pairs.n; i++) {
        if (m->pairs.v[i].state == BURL_COVER_PROPOSED)
            n += burl_prune_add(p, m, i, m->pairs.v[i].reason ? m->pairs.v[i].reason : "");
    }
    return n;
}

/* --auto-prune: every proposal becomes an entry, then the model is rebuilt. */
static enum burl_status
accept_proposals(struct burl_cover_session *s, struct burl_cover_model *m, struct burl_err *err)
{
    struct burl_prune *p;
    enum burl_status st = burl_prune_read(&p, s->opts->prune_file, err);
    size_t n;

    if (st != BURL_OK)
        return st;
    n = burl__cover_accept_all(m, p);
    if (n > 0)
        st = burl_prune_write(p, s->opts->prune_file, err);
    burl_prune_free(p);
    if (st != BURL_OK || n == 0)
        return st;
    if (!s->opts->quiet)
        fprintf(stderr, "burl: %zu pair%s added to %s\n", n, n == 1 ? "" : "s",
                s->opts->prune_file);
    burl_cover_model_deinit(m);
    return burl__cover_model(s, m, NULL, err);
}

static enum burl_status
write_files(const struct burl_cover_session *s, const struct burl_cover_model *m,
            struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (s->opts->lcov) {
        struct burl_buf b = BURL_BUF_INIT;

        burl_report_cover_lcov(m, &b);
        st = burl_fs_write_atomic(s->opts->lcov, burl_buf_str(&b), b.n, err);
        burl_buf_deinit(&b);
    }
    if (st == BURL_OK && s->opts->html)
        st = burl_report_cover_html(m, s->opts->html, err);
    if (st == BURL_OK && s->opts->html && !s->opts->quiet) {
        const size_t n = strlen(s->opts->html);

        /* With --json standard output has the document only. */
        fprintf(s->opts->json ? stderr : stdout, "%spage: %s%sindex.html\n",
                s->opts->json ? "" : "\n", s->opts->html,
                n > 0 && s->opts->html[n - 1] == '/' ? "" : "/");
    }
    return st;
}

static void
print_model(const struct burl_cover_session *s, const struct burl_cover_model *m)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (s->opts->json) {
        burl_report_cover_json(m, &b);
    } else if (!s->opts->quiet) {
        const struct burl_report_style style = burl__test_style(s->opts, stdout);

        burl_report_cover_text(m, &style, s->opts->gaps, &b);
    }
    burl_cli_put(&b, stdout);
}

/* Compares the printed number, which is rounded down: 83.96 % is 83.9 % and not 84. */
static bool
is_below(const struct burl_cover_model *m, const struct burl_cover_metric *x,
         const struct burl_cover_floor *f)
{
    /* 0.0001 is smaller than any useful difference and larger than the rounding error of a
     * double. */
    return (double)burl_report_cover_permille(m, x) + 0.0001 < f->percent * 10.0;
}

/* False if a threshold was missed or could not be checked. */
static bool
check_floors(const struct burl_cover_session *s, const struct burl_cover_model *m)
{
    bool ok = true;

    for (size_t i = 0; i < s->n_floors; i++) {
        const struct burl_cover_floor *f = &s->floors[i];
        const struct burl_cover_metric *x = burl_report_cover_metric(m, f->metric);
        const char *name = burl_report_metric_short(f->metric);

        if (!x || (f->metric == BURL_METRIC_LOCPAIRS && !m->has_target)) {
            fprintf(stderr, "burl: %s=%g cannot be checked: there is no target%s%s\n", name,
                    f->percent, m->target_problem ? "; " : "",
                    m->target_problem ? m->target_problem : "");
            ok = false;
        } else if (is_below(m, x, f)) {
            const uint32_t share = burl_report_cover_permille(m, x);

            fprintf(stderr, "burl: %s is %u.%u %% (%llu of %llu), below the threshold of %g %%\n",
                    name, share / 10, share % 10, (unsigned long long)x->covered,
                    (unsigned long long)x->target, f->percent);
            ok = false;
        }
    }
    return ok;
}

void
burl__cover_say_foreign(const struct burl_cover_session *s, const struct burl_cover_model *m)
{
    if (s->opts->verbose && m->foreign_prunes > 0)
        fprintf(stderr,
                "burl: %llu entr%s of %s %s about files that are not part of this program\n",
                (unsigned long long)m->foreign_prunes, m->foreign_prunes == 1 ? "y" : "ies",
                s->opts->prune_file, m->foreign_prunes == 1 ? "is" : "are");
}

enum burl_status
burl__cover_show(struct burl_cover_session *s, int *code, struct burl_err *err)
{
    struct burl_cover_model m;
    enum burl_status st = burl__cover_model(s, &m, NULL, err);

    if (st != BURL_OK)
        return st;
    if (s->opts->auto_prune && m.has_target)
        st = accept_proposals(s, &m, err);
    if (st != BURL_OK)
        return st;
    print_model(s, &m);
    fflush(stdout);
    st = write_files(s, &m, err);
    burl__cover_say_foreign(s, &m);
    if (st == BURL_OK && !check_floors(s, &m) && *code == BURL_EXIT_CLEAN)
        *code = BURL_EXIT_PROMISE;
    burl_cover_model_deinit(&m);
    return st;
}
