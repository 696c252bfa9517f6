/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_outcome.c - the outcome of a campaign in three to five lines.
 *
 * Runs in the host. First what was done and found, then what remains untested or in doubt, last
 * what to do next. Doubts are sentences (rule R6) and are ordered by their weight: if they do not
 * fit, the last line counts the others, and -v prints all. Choices and counters of the engine are
 * in test_summary.c.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/shellwords.h"
#include "cli/detect.h"
#include "cli/suppressed.h"
#include "cli/test_int.h"

#define MAX_DOUBTS 3u /* lines between the first and the last */

#define PLURAL(n) ((n) == 1 ? "" : "s")

/* ---- what was done and found ------------------------------------------------------- */

static void
put_findings(const struct burl_test *t, FILE *out)
{
    const size_t n = burl__kept_count(&t->kept);
    size_t known = 0;

    for (size_t i = 0; i < t->kept.n; i++)
        known += t->kept.v[i].known_before;
    fprintf(out, "%zu finding%s", n, PLURAL(n));
    if (known == t->kept.n)
        fprintf(out, ", %sknown from an earlier campaign", n == 1 ? "" : "all ");
    else if (known > 0)
        fprintf(out, ", %zu of them new", t->kept.n - known);
}

bool
burl__test_is_out_of_time(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    if (s->all.executions + s->extra_executions == 0)
        return s->end == BURL_CAMPAIGN_END_TIME;
    return s->end == BURL_CAMPAIGN_END_TOO_LONG && s->by_verdict[BURL_VERDICT_CUT_STEPS] == 0 &&
           s->wall_ms < burl__test_exec_timeout_ms(t->opts);
}

static void
put_result(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    if (t->kept.n > 0)
        put_findings(t, out);
    else if (burl__test_n_unstable(s) > 0)
        fprintf(out, "no finding that can be replayed");
    else if (s->end == BURL_CAMPAIGN_END_TOO_LONG || s->end == BURL_CAMPAIGN_END_UNSUPPORTED)
        fprintf(out, "no result");
    else if (burl__test_is_crowd_undecided(s))
        fprintf(out, "undecided");
    else
        fprintf(out, "nothing found%s", s->end == BURL_CAMPAIGN_END_INTERRUPTED ? " so far" : "");
}

/* "1,234 executions in 3.1 s (398/s), 2 findings" */
static void
print_done(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const uint64_t n = s->all.executions;
    char a[BURL_NUMBER_B], b[BURL_NUMBER_B];

    if (s->end == BURL_CAMPAIGN_END_INTERRUPTED)
        fprintf(out, "interrupted: ");
    if (n > 0)
        fprintf(out, "%s execution%s in %.1f s (%s/s), ", burl_number(n, a), PLURAL(n),
                (double)s->wall_ms / 1000.0,
                burl_number(s->wall_ms > 0 ? n * 1000 / (uint64_t)s->wall_ms : n, b));
    put_result(t, s, out);
    fprintf(out, "\n");
}

/* ---- what remains untested --------------------------------------------------------- */

/* Outcomes that the interleavings of a proof exclude or include. */
static void
put_injected(uint32_t inject, FILE *out)
{
    struct burl_buf words = BURL_BUF_INIT;

    if ((inject & BURL_ORDER_F_SPURIOUS) == 0)
        fprintf(out, " (without spurious wakeups)");
    if ((inject & BURL_ORDER_F_FAULTS) == 0)
        return;
    burl_faults_words(inject, &words);
    fprintf(out, " (with at most %u injected fault: %s)", BURL_MAX_FAULTS, burl_buf_str(&words));
    burl_buf_deinit(&words);
}

static void
print_proven_earlier(const struct burl_campaign_search *x, uint64_t n, FILE *out)
{
    const time_t when = (time_t)(x->when_ms / 1000);
    char date[32] = "an earlier date";
    char a[BURL_NUMBER_B];
    struct tm tm;

    if (localtime_r(&when, &tm))
        strftime(date, sizeof date, "%Y-%m-%d at %H:%M", &tm);
    if (n == 1)
        fprintf(out, "exhaustive: the only interleaving passed on %s", date);
    else
        fprintf(out, "exhaustive: all %s interleavings were explored on %s, none fails",
                burl_number(n, a), date);
    put_injected(x->inject, out);
    fprintf(out, ": the same program, arguments, environment, input and --detect\n");
}

static void
print_search(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const struct burl_campaign_search *x = &s->search;
    const uint64_t n = x->executions - x->pruned;
    char a[BURL_NUMBER_B], b[BURL_NUMBER_B];

    if (x->executions == 0) {
        if (strcmp(t->opts->strategy, "exhaustive") == 0 && x->why[0] != '\0')
            fprintf(out, "not complete: %s\n", x->why);
        return;
    }
    if (x->earlier) {
        print_proven_earlier(x, n, out);
        return;
    }
    if (x->complete && n == 1)
        fprintf(out, "exhaustive: the only interleaving %s",
                burl__test_is_proven(s) ? "passes" : "was explored");
    else
        fprintf(out, "exhaustive: %s%s interleaving%s explored%s", x->complete ? "all " : "",
                burl_number(n, a), PLURAL(n), burl__test_is_proven(s) ? ", none fails" : "");
    if (x->complete)
        put_injected(x->inject, out);
    if (x->campaigns > 1)
        fprintf(out, " (in %u campaigns)", x->campaigns);
    if (x->pruned > 0 && t->opts->verbose)
        fprintf(out, " (%s more %s pruned as equivalent or symmetric)", burl_number(x->pruned, b),
                x->pruned == 1 ? "was" : "were");
    if (!x->complete)
        fprintf(out, ", not complete: %s", x->why);
    fprintf(out, "\n");
    if (x->anew[0] != '\0')
        fprintf(out, "note: the exhaustive search was restarted: %s\n", x->anew);
}

static void
print_enumerated(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    static const char not_enumerated[] = " (without spurious wakeups)";
    const bool preempts = strcmp(t->opts->strategy, "preemption") == 0;
    const bool delays = strcmp(t->opts->strategy, "delay") == 0;
    const bool limited = s->end == BURL_CAMPAIGN_END_TIME || s->end == BURL_CAMPAIGN_END_RUNS;

    if (limited &&
        ((preempts && s->preemptions_complete == 0) || (delays && s->delays_complete == 0)))
        fprintf(out, "not complete: not every schedule with one %s was completed; raise %s%s\n",
                preempts ? "preemption" : "delay",
                s->end == BURL_CAMPAIGN_END_TIME ? "--time" : "--runs",
                s->all.cut > 0 ? ", and --max-steps or --exec-timeout" : "");
    if (s->delays_complete > 0 && (delays || t->opts->verbose))
        fprintf(out, "all schedules with at most %u delay%s were tried%s\n", s->delays_complete,
                PLURAL(s->delays_complete), not_enumerated);
    if (s->preemptions_complete > 0 && (preempts || t->opts->verbose))
        fprintf(out, "every placement of at most %u preemption%s was tried%s\n",
                s->preemptions_complete, PLURAL(s->preemptions_complete), not_enumerated);
}

/* Why the search ended before all schedules were tried; "" where another line says so. */
static const char *
stop_reason(const struct burl_campaign_stats *s)
{
    switch (s->end) {
    case BURL_CAMPAIGN_END_TIME:
        return " (stopped at --time)";
    case BURL_CAMPAIGN_END_RUNS:
        return " (stopped at --runs)";
    case BURL_CAMPAIGN_END_FIRST:
        return " (stopped at the first finding)";
    default:
        return "";
    }
}

/* "untested: other schedules (stopped at --time); 3 suspects". Coverage is printed with -v. */
static void
print_untested(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const bool edges = s->edge_candidates > s->edges;
    const struct burl_suspect_count n = burl__test_suspects_count(t, s);
    /* An exhaustive search has said what it left out. */
    const bool schedules = edges || s->search.executions == 0;
    const char *between = "";

    if (s->search.complete || s->max_threads < 2 || (!schedules && n.listed + n.hidden == 0))
        return;
    fprintf(out, "untested: ");
    if (schedules) {
        fprintf(out, "other schedules%s", stop_reason(s));
        between = "; ";
    }
    if (n.listed > 0) {
        fprintf(out, "%s%zu suspect%s", between, n.listed, PLURAL(n.listed));
        between = "; ";
    }
    if (n.hidden > 0)
        fprintf(out, "%s%zu unlikely suspect%s (-v)", between, n.hidden, PLURAL(n.hidden));
    fprintf(out, "\n");
}

static void
print_loss(const struct burl_campaign_stats *s, uint32_t verdict, const char *fate, const char *why,
           FILE *out)
{
    const uint64_t n = s->by_verdict[verdict];
    char a[BURL_NUMBER_B];

    if (n > 0)
        fprintf(out, "note: %s execution%s %s: %s\n", burl_number(n, a), n == 1 ? " was" : "s were",
                fate, why);
}

static void
print_losses(const struct burl_campaign_stats *s, FILE *out)
{
    print_loss(s, BURL_VERDICT_CUT_STEPS, "cut", "more steps than --max-steps", out);
    print_loss(s, BURL_VERDICT_CUT_TIME, "cut", "longer than --exec-timeout", out);
    print_loss(s, BURL_VERDICT_UNSUPPORTED, "not controlled", s->unsupported, out);
    print_loss(s, BURL_VERDICT_INTERNAL, "stopped by an internal error of burl", s->unsupported,
               out);
    if (s->n_restarts > 0)
        fprintf(out, "note: %u target process%s lost and replaced\n", s->n_restarts,
                s->n_restarts == 1 ? " was" : "es were");
    burl__test_print_counters(s->counters, out);
    if (s->is_thinned)
        fprintf(out, "note: after 1,000,000 steps of an execution, repeated accesses of one thread "
                     "were not scheduling points\n");
}

static void
print_determinism(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const struct burl_site_info *site;

    if (!s->nondeterministic) {
        if (t->opts->check_determinism)
            fprintf(out, "deterministic: every schedule ran the same way twice\n");
        return;
    }
    if (s->unstable_site == 0 || !t->sites) {
        fprintf(out, "note: the program behaves differently under the same schedule (seed %llu",
                (unsigned long long)s->unstable_seed);
        if (s->unstable_step > 0)
            fprintf(out, ", step %u", s->unstable_step);
        fprintf(out, "); %s\n",
                t->opts->check_determinism ? "the step is outside instrumented code"
                                           : "use --check-determinism to find the step");
        return;
    }
    site = burl_sites_get(t->sites, s->unstable_site);
    fprintf(out,
            "note: the program behaves differently under the same schedule: seed %llu, step %u, "
            "%s:%u in %s%s%s\n",
            (unsigned long long)s->unstable_seed, s->unstable_step, site->file, site->line,
            site->func, site->variable[0] ? ", " : "", site->variable);
}

/* The finding itself cannot say so: it is printed before the campaign ends. */
static void
print_always(const struct burl_test *t, FILE *out)
{
    char a[BURL_NUMBER_B];

    for (size_t i = 0; i < t->kept.n; i++) {
        const struct burl_kept *k = &t->kept.v[i];

        if (k->facts.always)
            fprintf(out,
                    "note: all %s executions failed with finding %lld: it needs no particular "
                    "interleaving\n",
                    burl_number(k->facts.count, a), (long long)k->id);
    }
}

uint64_t
burl__test_n_unstable(const struct burl_campaign_stats *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->n_unstable; i++)
        n += s->unstable[i].count;
    return n;
}

void
burl__test_print_unstable(const struct burl_campaign_stats *s, FILE *out)
{
    char a[BURL_NUMBER_B];

    for (size_t i = 0; i < s->n_unstable; i++) {
        const struct burl_campaign_unstable *u = &s->unstable[i];

        if (u->count > 0)
            fprintf(out, "%s: %s%s%s, %s time%s, first with %s seed %llu: %s\n",
                    burl__test_is_irreproducible(u) ? "not reproducible" : "not confirmed",
                    burl_verdict_name(u->verdict.kind), u->verdict.text[0] ? ": " : "",
                    u->verdict.text, burl_number(u->count, a), PLURAL(u->count),
                    burl_schedfile_strategy_name(u->strategy), (unsigned long long)u->seed, u->why);
    }
}

/* Failures that there was no time to confirm, in one line, and those without a schedule to keep.
 * Those that no replay reproduces are findings of their own. */
static void
print_unconfirmed(const struct burl_campaign_stats *s, FILE *out)
{
    const char *before = "not confirmed, since --time was over: ";
    char a[BURL_NUMBER_B];

    for (size_t i = 0; i < s->n_unstable; i++) {
        const struct burl_campaign_unstable *u = &s->unstable[i];

        if (u->count > 0 && u->vast)
            fprintf(out, "not confirmed: %s (%s time%s): %s\n", burl_verdict_name(u->verdict.kind),
                    burl_number(u->count, a), PLURAL(u->count), u->why);
    }
    for (size_t i = 0; i < s->n_unstable; i++) {
        const struct burl_campaign_unstable *u = &s->unstable[i];

        if (u->count == 0 || !u->late)
            continue;
        fprintf(out, "%s%s (%s time%s)", before, burl_verdict_name(u->verdict.kind),
                burl_number(u->count, a), PLURAL(u->count));
        before = ", ";
    }
    if (before[0] == ',')
        fprintf(out, "; raise --time\n");
}

void
burl__test_print_refusal(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    if (burl__test_is_out_of_time(t, s))
        fprintf(out, "--time was over before an execution of %s ended; raise --time\n",
                burl_cli_shown(t->argv[0]));
    else if (s->end == BURL_CAMPAIGN_END_TOO_LONG)
        fprintf(out,
                "no execution of %s ended: each was longer than --max-steps=%llu or "
                "--exec-timeout=%ums; give it less to do, test a program that terminates, or raise "
                "the limits and --time\n",
                t->argv[0], (unsigned long long)s->max_steps, burl__test_exec_timeout_ms(t->opts));
    else if (s->end == BURL_CAMPAIGN_END_UNSUPPORTED)
        fprintf(out, "%s cannot be controlled: %s\n", burl_cli_shown(t->argv[0]),
                burl_cli_shown(s->why_end));
}

/* The heaviest first. */
static void
print_doubts(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    burl__test_print_refusal(t, s, out);
    if (s->end == BURL_CAMPAIGN_END_ONE_THREAD)
        fprintf(out, "only one thread: nothing to interleave\n");
    if (t->opts->verbose)
        burl__test_print_unstable(s, out);
    else
        print_unconfirmed(s, out);
    burl__test_print_crowd(s, out);
    print_determinism(t, s, out);
    print_always(t, out);
    print_search(t, s, out);
    print_enumerated(t, s, out);
    print_untested(t, s, out);
    print_losses(s, out);
    if (t->memory)
        burl__memory_print(t, s, out);
    burl__print_suppressed(t->rules, t->opts->verbose, out);
}

/* ---- what to do next --------------------------------------------------------------- */

/* The finding to look at: a new one if there is any; those with a schedule first. */
static const struct burl_kept *
next_finding(const struct burl_kept_list *l)
{
    const struct burl_kept *best = NULL;

    for (size_t i = 0; i < l->n; i++) {
        const struct burl_kept *k = &l->v[i];
        const bool replays = strcmp(k->kind, BURL_KIND_NOT_REPRODUCIBLE) != 0;

        if (burl__kept_root(l, i) == NULL && replays &&
            (best == NULL || (best->known_before && !k->known_before)))
            best = k;
    }
    return best;
}

static void
print_next_finding(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const struct burl_kept *k = next_finding(&t->kept);
    char *replay;

    if (k == NULL) {
        fprintf(out, "next: `burl doctor %s` names what may differ from run to run\n",
                burl_cli_shown(t->argv[0]));
        return;
    }
    replay = burl_cli_replay_command(t->opts, k->id);
    fprintf(out, "next: %s --gdb%s\n", replay,
            s->end == BURL_CAMPAIGN_END_TIME          ? ", or a longer --time for more"
            : s->end == BURL_CAMPAIGN_END_INTERRUPTED ? ", or run it again to continue"
                                                      : "");
    free(replay);
}

static void
print_next(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    if (t->kept.n > 0) {
        print_next_finding(t, s, out);
        return;
    }
    switch (s->end) {
    case BURL_CAMPAIGN_END_INTERRUPTED:
        fprintf(out, "next: run it again to continue where it stopped\n");
        break;
    case BURL_CAMPAIGN_END_ONE_THREAD:
        fprintf(out, "next: give arguments or input with which it starts threads\n");
        break;
    case BURL_CAMPAIGN_END_UNSUPPORTED:
    case BURL_CAMPAIGN_END_TOO_LONG:
        fprintf(out, "next: `burl run %s` watches it at full speed\n", burl_cli_shown(t->argv[0]));
        break;
    default:
        if (s->search.earlier)
            fprintf(out, "next: test other arguments or inputs; --fresh searches again\n");
        else if (s->search.complete)
            fprintf(out, "next: test other arguments or inputs\n");
        else if (s->end == BURL_CAMPAIGN_END_RUNS)
            fprintf(out, "next: run it again to continue, or raise --runs\n");
        else
            fprintf(out, "next: run it again to continue, or raise --time\n");
        break;
    }
}

/* ---- all of it --------------------------------------------------------------------- */

static size_t
count_lines(const char *text)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* The first lines of `text`; the last counts the others. */
static void
print_first_lines(const char *text, size_t max, FILE *out)
{
    const size_t n = count_lines(text);

    for (size_t i = 0; i < n && (n <= max || i + 1 < max); i++) {
        const size_t length = strcspn(text, "\n") + 1;

        fwrite(text, 1, length, out);
        text += length;
    }
    if (n > max)
        fprintf(out, "and %zu more notes (-v)\n", n - max + 1);
}

void
burl__test_print_outcome(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    char *doubts = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&doubts, &n);

    print_done(t, s, out);
    print_doubts(t, s, f ? f : out);
    if (f) {
        fclose(f);
        print_first_lines(doubts, t->opts->verbose ? SIZE_MAX : MAX_DOUBTS, out);
    }
    free(doubts);
    print_next(t, s, out);
}

void
burl__test_print_done(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    print_done(t, s, out);
}
