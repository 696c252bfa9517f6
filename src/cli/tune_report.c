/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_report.c - what `burl tune` says: the live line, findings as they come, the summary.
 *
 * Runs in the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/noise.h"
#include "base/proc.h"
#include "base/shellwords.h"
#include "cli/suppressed.h"
#include "cli/tune_int.h"
#include "tune/seeds.h"

static const char *const error_words[] = {
#define BURL_X(name, words) words,
    BURL_TUNE_ERRORS(BURL_X)
#undef BURL_X
};

void
burl__tune_errors_words(const uint32_t errors[BURL_TUNE_ERROR__N], struct burl_buf *out)
{
    for (int i = 0; i < BURL_TUNE_ERROR__N; i++) {
        if (errors[i] > 0)
            burl_buf_printf(out, "%s%u %s", out->n > 0 ? ", " : "", errors[i], error_words[i]);
    }
}

/* ---- while it runs ----------------------------------------------------------------- */

void
burl__tune_print_new(struct burl_tune_session *t, size_t first_new)
{
    for (size_t i = first_new; i < t->free.kept.n && !t->opts->json; i++) {
        burl_progress_clear(&t->progress);
        printf("%s\n", t->free.kept.v[i].text);
        fflush(stdout);
    }
}

/* "4:31 left", or how long it has been running. */
static void
write_time(const struct burl_tune_session *t, char *buf, size_t n)
{
    const int64_t elapsed = burl_now_ms() - t->started_ms;
    const int64_t left = ((int64_t)t->budget_ms - elapsed + 999) / 1000;

    if (t->budget_ms == 0)
        snprintf(buf, n, "%.1f s", (double)elapsed / 1000.0);
    else
        snprintf(buf, n, "%lld:%02lld left", (long long)(left > 0 ? left / 60 : 0),
                 (long long)(left > 0 ? left % 60 : 0));
}

void
burl__tune_progress(struct burl_tune_session *t)
{
    const struct burl_setting *best;
    struct burl_tuner_generation g;
    char left[48];

    if (!burl_progress_due(&t->progress))
        return;
    write_time(t, left, sizeof left);
    best = burl_tuner_best(&t->tuner);
    g = burl_tuner_generation(&t->tuner);
    /* What matters most comes first: a narrow terminal cuts the rest. */
    burl_progress_update(&t->progress,
                         "%s%s, generation %u, best %.0f, mean %.0f, %u errors, %u warnings, "
                         "%u tasks, %zu evaluations",
                         left, t->in_finals ? ", finals" : "", g.generation,
                         best ? burl_tuner_value(&t->tuner, best) : 0, g.mean,
                         burl_tune_errors(&t->tuner.total), t->seen.n_warnings, t->seen.n_items,
                         t->tuner.done.n);
}

/* ---- the summary ------------------------------------------------------------------- */

static void
print_sums(const struct burl_tune_session *t, FILE *out)
{
    const struct burl_tuner_generation g = burl_tuner_generation(&t->tuner);
    const struct burl_tune_outcome *all = &t->tuner.total;
    struct burl_buf words = BURL_BUF_INIT;
    char n[32];

    fprintf(out, "%s: %zu evaluation%s, %zu final, %s execution%s in %.1f s", t->argv[0],
            t->tuner.done.n, t->tuner.done.n == 1 ? "" : "s", t->tuner.finals.n,
            burl_number(t->n_before + t->n_executions, n),
            t->n_before + t->n_executions == 1 ? "" : "s",
            (double)(burl_now_ms() - t->started_ms) / 1000.0);
    if (t->n_resumed > 0)
        fprintf(out, ", %zu of the evaluations by an earlier burl tune", t->n_resumed);
    fprintf(out, "\n  search      %s, generation %u, mean fitness %.1f\n", t->opts->search,
            g.generation, g.mean);
    fprintf(out, "  plain runs  %u of %u failed, %lld ms each\n", t->plain.failed, t->plain.n,
            (long long)t->plain.floor_ms);
    burl__tune_errors_words(all->errors, &words);
    fprintf(out, "  errors      %u%s%s", burl_tune_errors(all), words.n > 0 ? ": " : "",
            burl_buf_str(&words));
    if (t->first_error_ms >= 0)
        fprintf(out, "; the first after %.1f s", (double)t->first_error_ms / 1000.0);
    fprintf(out, "\n  warnings    %u\n  coverage    %u tasks\n", t->seen.n_warnings,
            t->seen.n_items);
    if (all->cut > 0)
        fprintf(out,
                "  too slow    %u execution%s went on without noise after %.1f s (--run-time)\n",
                all->cut, all->cut == 1 ? "" : "s", (double)t->run_ms / 1000.0);
    if (t->check_file)
        fprintf(out, "  check       the first output that failed is in %s\n", t->check_file);
    burl_buf_deinit(&words);
}

static void
print_notes(const struct burl_tune_session *t, FILE *out)
{
    if (t->no_shared)
        fprintf(out, "note: no variable is shared between threads: only random placement was "
                     "searched\n");
    if (t->free.n_unobserved > 0)
        fprintf(out, "not observed to the end: %s\n", t->free.text);
    if (t->n_killed > 0)
        fprintf(out,
                "note: %llu execution%s killed by a signal (%s) that burl takes for a request from "
                "outside: neither failed nor passed\n",
                (unsigned long long)t->n_killed, t->n_killed == 1 ? " was" : "s were",
                strsignal(t->killed_by));
    if (t->interrupted)
        fprintf(out, "interrupted: everything so far is kept; the same command goes on\n");
}

/* The command that runs the program under the best setting, to be pasted. */
static void
print_use(const struct burl_tune_session *t, const struct burl_setting *best, FILE *out)
{
    char **command = burl__tune_command(t, &best->genes);
    char *option = burl_xasprintf("--noise=%s", t->out_path);
    struct burl_buf b = BURL_BUF_INIT;

    burl_shellwords_add(&b, option);
    for (size_t i = 0; command[i]; i++)
        burl_shellwords_add(&b, command[i]);
    fprintf(out, "use it: burl run %s\n", burl_buf_str(&b));
    burl_buf_deinit(&b);
    free(option);
    burl_params_free_command(command);
}

/* "  8 of 10 executions failed with seed 3, 0.02 s each" */
static void
print_share(const struct burl_tune_outcome *o, const char *with, FILE *out)
{
    fprintf(out, "  %u of %u execution%s failed%s, %.2f s each\n", burl_tune_errors(o),
            o->executions, o->executions == 1 ? "" : "s", with,
            (double)o->wall_ms / 1000.0 / (o->executions > 0 ? o->executions : 1));
}

static void
print_best(const struct burl_tune_session *t, FILE *out)
{
    const struct burl_setting *best = t->has_tuner ? burl_tuner_best(&t->tuner) : NULL;
    const struct burl_seed *seed;
    struct burl_tune_outcome o;
    struct burl_wire_noise noise;
    char with[48];
    struct burl_buf b = BURL_BUF_INIT;

    if (!best)
        return;
    o = burl_tuner_outcome(best);
    seed = burl_seeds_best(&t->tuner, &best->genes);
    burl__tune_best_noise(t, best, &noise);
    burl_noise_write_line(&b, &noise);
    fprintf(out, "best setting: %s\n", burl_buf_str(&b));
    burl_buf_clear(&b);
    print_share(&o, seed ? " with changing seeds" : "", out);
    if (seed) {
        snprintf(with, sizeof with, " with seed %llu", (unsigned long long)seed->seed);
        print_share(&seed->outcome, with, out);
    }
    burl_noise_write_words(&b, &noise);
    for (const char *line = burl_buf_str(&b); *line;) {
        const size_t n = strcspn(line, "\n");

        fprintf(out, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    burl_buf_deinit(&b);
    if (t->out_path)
        print_use(t, best, out);
}

static void
print_findings(const struct burl_tune_session *t, FILE *out)
{
    const unsigned long long n = t->n_before + t->n_executions;

    if (t->findings.n == 0 && t->tuner.done.n == 0)
        return;
    if (t->findings.n == 0) {
        fprintf(out, burl_tune_errors(&t->tuner.total) > 0 ? "all findings are suppressed\n"
                                                           : "nothing found\n");
        return;
    }
    fprintf(out, "%zu finding%s:\n", t->findings.n, t->findings.n == 1 ? "" : "s");
    for (size_t i = 0; i < t->findings.n; i++) {
        const struct burl_tune_finding *f = &t->findings.v[i];

        fprintf(out, "  #%-3lld %s  %s\n", (long long)f->id, f->kind, f->title);
        if (f->shown > 0)
            fprintf(out, "       in %llu of %llu execution%s", (unsigned long long)f->shown, n,
                    n == 1 ? "" : "s");
        else
            fprintf(out, "       without noise only");
        fprintf(out, "%s\n", f->known_before ? "; known from an earlier run" : "");
    }
    burl_cli_say_no_replay(out, t->argv[0]);
    fprintf(out, "`burl show N` has the command that runs finding N again under its noise\n");
}

void
burl__tune_print_summary(const struct burl_tune_session *t, FILE *out)
{
    if (t->has_tuner)
        print_sums(t, out);
    print_notes(t, out);
    burl__print_suppressed(t->free.rules, t->opts->verbose, out);
    print_best(t, out);
    print_findings(t, out);
}
