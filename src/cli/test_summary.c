/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_summary.c - the summary of a campaign, as text and as JSON.
 *
 * Runs in the host. The summary is complete before it is short: choices with reasons, executions
 * that were cut, lost or not controlled, failures that were not reproduced. Nonzero counters of the
 * runtime appear as sentences (rule R6).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/detect.h"
#include "cli/suppressed.h"
#include "cli/test_int.h"
#include "engine/schedule/schedfile.h"

const char *
burl__test_number(uint64_t n, char buf[32])
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    int at = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = digits[i];
    }
    buf[at] = '\0';
    return buf;
}

static bool
has_utf8(void)
{
    static const char *const vars[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof vars / sizeof vars[0]; i++) {
        const char *v = getenv(vars[i]);

        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "utf-8");
    }
    return false;
}

struct burl_report_style
burl__test_style(const struct burl_options *opts, FILE *out)
{
    struct burl_report_style s = { .color = burl_cli_color(opts, out), .unicode = has_utf8() };
    struct winsize w;

    if (ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 20)
        s.width = w.ws_col;
    return s;
}

#define SHARES_SHOWN 4u /* strategies in the line of the summary */

/* ---- text -------------------------------------------------------------------------- */

static void
print_size(const struct burl_campaign_stats *s)
{
    char a[32], b[32], c[32];
    const double seconds = (double)s->wall_ms / 1000.0;
    const uint64_t rate =
        s->wall_ms > 0 ? s->all.executions * 1000 / (uint64_t)s->wall_ms : s->all.executions;

    printf("%s execution%s in %.1f s (%s/s), up to %u thread%s",
           burl__test_number(s->all.executions, a), s->all.executions == 1 ? "" : "s", seconds,
           burl__test_number(rate, b), s->max_threads, s->max_threads == 1 ? "" : "s");
    if (s->all.executions > 0)
        printf(", %s scheduling decisions each",
               burl__test_number(s->all.points / s->all.executions, c));
    printf("\n");
}

static void
print_choice(const struct burl_campaign_stats *s)
{
    printf("engine %s%s%s%s, reset %s%s%s%s\n", burl_schedfile_engine_name(s->engine),
           s->why_engine[0] ? " (" : "", s->why_engine, s->why_engine[0] ? ")" : "",
           burl_engine_reset_name(s->reset), s->why_reset[0] ? " (" : "", s->why_reset,
           s->why_reset[0] ? ")" : "");
}

static void
print_enumerated(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    static const char not_enumerated[] = " (without spurious wakeups)";
    const bool preempts = strcmp(t->opts->strategy, "preemption") == 0;

    if (s->end == BURL_CAMPAIGN_END_TIME || s->end == BURL_CAMPAIGN_END_RUNS) {
        if ((preempts && s->preemptions_complete == 0) ||
            (strcmp(t->opts->strategy, "delay") == 0 && s->delays_complete == 0))
            printf("not complete: not every schedule with one %s was completed; raise %s%s\n",
                   preempts ? "preemption" : "delay",
                   s->end == BURL_CAMPAIGN_END_TIME ? "--time" : "--runs",
                   s->all.cut > 0 ? ", and --max-steps or --exec-timeout" : "");
    }
    if (s->delays_complete > 0)
        printf("all schedules with at most %u delay%s were tried%s\n", s->delays_complete,
               s->delays_complete == 1 ? "" : "s", not_enumerated);
    if (s->preemptions_complete > 0)
        printf("every placement of at most %u preemption%s was tried%s\n", s->preemptions_complete,
               s->preemptions_complete == 1 ? "" : "s", not_enumerated);
}

/* The strategies that had the most executions; with -v all of them have a line. */
static void
print_shares(const struct burl_campaign_stats *s)
{
    uint64_t done = 0;
    uint32_t used = 0;
    bool shown[BURL_STRATEGY__N] = { false };
    char a[32];

    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++)
        used += s->by_strategy[i].executions > 0;
    if (used < 2)
        return;
    printf("executions by");
    for (uint32_t n = 0; n < used && n < SHARES_SHOWN; n++) {
        uint32_t most = 0;

        for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
            if (!shown[i] &&
                (shown[most] || s->by_strategy[i].executions > s->by_strategy[most].executions))
                most = i;
        }
        shown[most] = true;
        done += s->by_strategy[most].executions;
        printf("%s %s %s", n > 0 ? "," : "", burl_schedfile_strategy_name(most),
               burl__test_number(s->by_strategy[most].executions, a));
    }
    if (s->all.executions > done)
        printf(", %u other%s %s", used - SHARES_SHOWN, used - SHARES_SHOWN == 1 ? "" : "s",
               burl__test_number(s->all.executions - done, a));
    printf("\n");
}

static void
print_points(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    char a[32], b[32];

    printf("%s of %s sites are shared between threads and serve as scheduling points\n",
           burl__test_number(s->n_shared, a), burl__test_number(s->n_sites, b));
    if (s->n_points < s->n_shared)
        printf("executions are long: after the first ones only %s of these sites were scheduling "
               "points,\nwhich are atomic or which no lock or order of threads keeps apart\n",
               burl__test_number(s->n_points, a));
    if (s->is_thinned)
        printf("after 1,000,000 steps of an execution, repeated accesses to memory of one thread "
               "were no decisions\n");
    if (!t->opts->verbose)
        print_shares(s);
    print_enumerated(t, s);
    if (!t->opts->verbose)
        return;
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        const struct burl_campaign_totals *x = &s->by_strategy[i];

        if (x->executions > 0)
            printf("  %-14s %12s executions, %s failed\n", burl_schedfile_strategy_name(i),
                   burl__test_number(x->executions, a), burl__test_number(x->failures, b));
    }
    printf("  %s more executions for the self-check, confirming and minimizing\n",
           burl__test_number(s->extra_executions, a));
    if (s->directed_hits > 0)
        printf("  %s directed executions reached a suspected state\n",
               burl__test_number(s->directed_hits, a));
    printf("  %u rounds, PCT horizon %s, snapshot of %s KB\n", s->n_rounds,
           burl__test_number(s->horizon, a), burl__test_number(s->snapshot_b >> 10, b));
    if (s->reset_us[BURL_RESET_SNAPSHOT] > 0)
        printf("  measured: an execution takes %s us with a snapshot, %s us with a fork\n",
               burl__test_number(s->reset_us[BURL_RESET_SNAPSHOT], a),
               burl__test_number(s->reset_us[BURL_RESET_FORK], b));
}

/* "pct 3": the name of an arm. */
static const char *
arm_name(const struct burl_campaign_arm *a, char buf[32])
{
    const bool pairs = a->strategy == BURL_STRATEGY_DIRECTED;

    snprintf(buf, 32, "%s", pairs ? "location pairs" : burl_schedfile_strategy_name(a->strategy));
    if (a->param > 0)
        snprintf(buf + strlen(buf), 32 - strlen(buf), " %u", a->param);
    return buf;
}

static void
print_portfolio(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    char a[32], b[32];

    if (s->edge_candidates > 0)
        printf("reads-from coverage: %s of %s\n", burl__test_number(s->edges, a),
               burl__test_number(s->edge_candidates, b));
    if (s->pair_candidates > 0 && t->opts->verbose)
        printf("location-pair coverage: %s of %s\n", burl__test_number(s->pairs, a),
               burl__test_number(s->pair_candidates, b));
    for (size_t i = 0; i < s->n_arms && t->opts->verbose; i++) {
        const struct burl_campaign_arm *x = &s->arms[i];

        if (x->executions > 0)
            printf("  %-14s %12s executions; new: %llu edges, %llu pairs, %llu lock orders, %llu "
                   "suspects, %llu findings\n",
                   arm_name(x, b), burl__test_number(x->executions, a),
                   (unsigned long long)x->edges, (unsigned long long)x->pairs,
                   (unsigned long long)x->orders, (unsigned long long)x->suspects,
                   (unsigned long long)x->findings);
    }
}

bool
burl__test_is_proven(const struct burl_campaign_stats *s)
{
    return s->search.complete && !s->search.failed && s->n_findings == 0 && s->all.failures == 0;
}

/* Outcomes that the interleavings of a proof exclude or include. */
static void
print_injected(uint32_t inject)
{
    struct burl_buf words = BURL_BUF_INIT;

    if ((inject & BURL_ORDER_F_SPURIOUS) == 0)
        printf(" (without spurious wakeups)");
    if ((inject & BURL_ORDER_F_FAULTS) == 0)
        return;
    burl_faults_words(inject, &words);
    printf(" (with at most %u injected fault: %s)", BURL_MAX_FAULTS, burl_buf_str(&words));
    burl_buf_deinit(&words);
}

static void
print_proven_earlier(const struct burl_campaign_search *x, uint64_t n)
{
    char a[32];
    const time_t when = (time_t)(x->when_ms / 1000);
    struct tm tm;
    char date[32] = "an earlier date";

    if (localtime_r(&when, &tm))
        strftime(date, sizeof date, "%Y-%m-%d at %H:%M", &tm);
    if (n == 1)
        printf("exhaustive: the only interleaving passed on %s", date);
    else
        printf("all %s interleavings were explored on %s, none fails", burl__test_number(n, a),
               date);
    print_injected(x->inject);
    printf(": the same program, arguments, environment, input and --detect; --fresh searches "
           "again\n");
}

static void
print_search(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    const struct burl_campaign_search *x = &s->search;
    const uint64_t n = x->executions - x->pruned;
    char a[32], b[32];

    if (x->anew[0] != '\0')
        printf("exhaustive search restarted: %s\n", x->anew);
    if (x->executions == 0) {
        if (strcmp(t->opts->strategy, "exhaustive") == 0 && x->why[0] != '\0')
            printf("not complete: %s\n", x->why);
        return;
    }
    if (x->earlier) {
        print_proven_earlier(x, n);
        return;
    }
    if (x->complete && n == 1)
        printf("exhaustive: the only interleaving %s",
               burl__test_is_proven(s) ? "passes" : "was explored");
    else
        printf("%s%s interleaving%s explored%s", x->complete ? "all " : "", burl__test_number(n, a),
               n == 1 ? "" : "s", burl__test_is_proven(s) ? ", none fails" : "");
    if (x->complete)
        print_injected(x->inject);
    if (x->campaigns > 1)
        printf(" (in %u campaigns%s", x->campaigns, x->pruned > 0 ? "; " : ")");
    if (x->pruned > 0)
        printf("%s%s more %s pruned as equivalent or symmetric)", x->campaigns > 1 ? "" : " (",
               burl__test_number(x->pruned, b), x->pruned == 1 ? "was" : "were");
    if (!x->complete)
        printf(", not complete: %s", x->why);
    printf("\n");
}

static void
print_loss(const struct burl_campaign_stats *s, uint32_t verdict, const char *fate, const char *why)
{
    const uint64_t n = s->by_verdict[verdict];
    char a[32];

    if (n > 0)
        printf("note: %s execution%s %s: %s\n", burl__test_number(n, a), n == 1 ? " was" : "s were",
               fate, why);
}

void
burl__test_print_counters(const uint64_t counters[BURL_COUNTER__N], FILE *out)
{
    char n[32];

    for (uint32_t i = 0; i < BURL_COUNTER__N; i++) {
        if (counters[i] > 0)
            fprintf(out, "note: %s %s\n", burl__test_number(counters[i], n),
                    burl_engine_counter_text(i));
    }
}

void
burl__test_json_counters(const uint64_t counters[BURL_COUNTER__N], struct burl_json_writer *w)
{
    burl_json_kv_object(w, "counters");
    for (uint32_t i = 0; i < BURL_COUNTER__N; i++) {
        if (counters[i] > 0)
            burl_json_kv_u64(w, burl_engine_counter_name(i), counters[i]);
    }
    burl_json_object_end(w);
}

static void
print_losses(const struct burl_campaign_stats *s)
{
    print_loss(s, BURL_VERDICT_CUT_STEPS, "cut", "more steps than --max-steps");
    print_loss(s, BURL_VERDICT_CUT_TIME, "cut", "longer than --exec-timeout");
    print_loss(s, BURL_VERDICT_UNSUPPORTED, "not controlled", s->unsupported);
    print_loss(s, BURL_VERDICT_INTERNAL, "stopped by an internal error of burl", s->unsupported);
    if (s->n_restarts > 0)
        printf("note: %u target process%s lost and replaced\n", s->n_restarts,
               s->n_restarts == 1 ? " was" : "es were");
    burl__test_print_counters(s->counters, stdout);
}

static void
print_determinism(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    const struct burl_site_info *site;

    if (!s->nondeterministic) {
        if (t->opts->check_determinism)
            printf("deterministic: every schedule ran the same way twice\n");
        return;
    }
    if (s->unstable_site == 0 || !t->sites) {
        printf("note: the program behaves differently under the same schedule (seed %llu",
               (unsigned long long)s->unstable_seed);
        if (s->unstable_step > 0)
            printf(", step %u", s->unstable_step);
        printf("); %s\n", t->opts->check_determinism ? "the step is outside instrumented code"
                                                     : "use --check-determinism to find the step");
        return;
    }
    site = burl_sites_get(t->sites, s->unstable_site);
    printf("note: the program behaves differently under the same schedule: seed %llu, step %u, "
           "%s:%u in %s%s%s\n",
           (unsigned long long)s->unstable_seed, s->unstable_step, site->file, site->line,
           site->func, site->variable[0] ? ", " : "", site->variable);
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
    for (size_t i = 0; i < s->n_unstable; i++) {
        const struct burl_campaign_unstable *u = &s->unstable[i];

        if (u->count > 0)
            fprintf(out, "%s: %s%s%s, %llu time%s, first with %s seed %llu: %s\n",
                    burl__test_is_irreproducible(u) ? "not reproducible" : "not confirmed",
                    burl_verdict_name(u->verdict.kind), u->verdict.text[0] ? ": " : "",
                    u->verdict.text, (unsigned long long)u->count, u->count == 1 ? "" : "s",
                    burl_schedfile_strategy_name(u->strategy), (unsigned long long)u->seed, u->why);
    }
}

void
burl__test_print_refusal(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    if (s->end == BURL_CAMPAIGN_END_TOO_LONG)
        fprintf(out,
                "no execution of %s ended: each was longer than --max-steps=%llu or "
                "--exec-timeout=%ums; give it less to do, test a program that terminates, or raise "
                "the limits and --time\n",
                t->argv[0], (unsigned long long)s->max_steps, burl__test_exec_timeout_ms(t->opts));
    else if (s->end == BURL_CAMPAIGN_END_UNSUPPORTED)
        fprintf(out, "%s cannot be controlled: %s\n", burl_cli_shown(t->argv[0]),
                burl_cli_shown(s->why_end));
}

static void
print_end(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    switch (s->end) {
    case BURL_CAMPAIGN_END_INTERRUPTED:
        printf("interrupted: %s\n",
               t->kept.n > 0 ? "findings so far are kept" : "nothing found so far");
        break;
    case BURL_CAMPAIGN_END_ONE_THREAD:
        printf("only one thread: nothing to interleave\n");
        break;
    default:
        burl__test_print_refusal(t, s, stdout);
        break;
    }
}

void
burl__test_print_summary(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    if (s->all.executions > 0) {
        print_size(s);
        print_choice(s);
    }
    if (s->max_threads > 1)
        print_points(t, s);
    if (s->max_threads > 1)
        print_portfolio(t, s);
    print_search(t, s);
    print_losses(s);
    print_determinism(t, s);
    burl__test_print_unstable(s, stdout);
    burl__test_print_crowd(s, stdout);
    print_end(t, s);
    if (t->kept.n > 0)
        burl__kept_print(&t->kept, &t->style, "known from an earlier campaign", stdout);
    else if (burl__test_n_unstable(s) > 0)
        printf("no finding that can be replayed\n");
    else if ((s->end == BURL_CAMPAIGN_END_RUNS || s->end == BURL_CAMPAIGN_END_TIME) &&
             !burl__test_is_crowd_undecided(s))
        printf("nothing found\n");
    if (t->memory)
        burl__memory_print(t, s);
    burl__test_suspects_print(t, s);
    burl__print_suppressed(t->rules, t->opts->verbose, stdout);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void
json_totals(struct burl_json_writer *w, const struct burl_campaign_totals *t)
{
    burl_json_kv_u64(w, "executions", t->executions);
    burl_json_kv_u64(w, "steps", t->steps);
    burl_json_kv_u64(w, "points", t->points);
    burl_json_kv_u64(w, "switches", t->switches);
    burl_json_kv_u64(w, "preemptions", t->preemptions);
    burl_json_kv_u64(w, "failures", t->failures);
    burl_json_kv_u64(w, "cut", t->cut);
}

static void
json_tables(struct burl_json_writer *w, const struct burl_campaign_stats *s)
{
    burl_json_kv_object(w, "strategies");
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        if (s->by_strategy[i].executions == 0)
            continue;
        burl_json_kv_object(w, burl_schedfile_strategy_name(i));
        json_totals(w, &s->by_strategy[i]);
        if (i == BURL_STRATEGY_DELAY)
            burl_json_kv_u64(w, "complete", s->delays_complete);
        if (i == BURL_STRATEGY_PREEMPT)
            burl_json_kv_u64(w, "complete", s->preemptions_complete);
        burl_json_object_end(w);
    }
    burl_json_object_end(w);
    burl_json_kv_object(w, "verdicts");
    for (uint32_t i = 0; i < BURL_VERDICT__N; i++) {
        if (s->by_verdict[i] > 0)
            burl_json_kv_u64(w, burl_verdict_name(i), s->by_verdict[i]);
    }
    burl_json_object_end(w);
    burl__test_json_counters(s->counters, w);
}

static void
json_portfolio(struct burl_json_writer *w, const struct burl_campaign_stats *s)
{
    burl_json_kv_u64(w, "edges", s->edges);
    burl_json_kv_u64(w, "edge_candidates", s->edge_candidates);
    burl_json_kv_u64(w, "location_pairs", s->pairs);
    burl_json_kv_u64(w, "location_pair_candidates", s->pair_candidates);
    burl_json_kv_u64(w, "lock_orders", s->lock_orders);
    burl_json_kv_array(w, "portfolio");
    for (size_t i = 0; i < s->n_arms; i++) {
        const struct burl_campaign_arm *a = &s->arms[i];
        char name[32];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "name", arm_name(a, name));
        burl_json_kv_str(w, "strategy", burl_schedfile_strategy_name(a->strategy));
        burl_json_kv_u64(w, "param", a->param);
        burl_json_kv_u64(w, "executions", a->executions);
        burl_json_kv_u64(w, "edges", a->edges);
        burl_json_kv_u64(w, "pairs", a->pairs);
        burl_json_kv_u64(w, "lock_orders", a->orders);
        burl_json_kv_u64(w, "suspects", a->suspects);
        burl_json_kv_u64(w, "findings", a->findings);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
json_search(struct burl_json_writer *w, const struct burl_campaign_search *x)
{
    struct burl_buf words = BURL_BUF_INIT;

    burl_json_kv_object(w, "search");
    burl_json_kv_u64(w, "interleavings", x->executions - x->pruned);
    burl_json_kv_u64(w, "executions", x->executions);
    burl_json_kv_u64(w, "pruned", x->pruned);
    burl_json_kv_bool(w, "complete", x->complete);
    burl_json_kv_str(w, "why", x->why);
    burl_json_kv_u64(w, "campaigns", x->campaigns);
    burl_json_kv_bool(w, "earlier", x->earlier);
    burl_json_kv_str(w, "anew", x->anew);
    burl_json_kv_bool(w, "spurious_wakeups", (x->inject & BURL_ORDER_F_SPURIOUS) != 0);
    burl_faults_words(x->inject, &words);
    burl_json_kv_str(w, "faults", burl_buf_str(&words));
    burl_buf_deinit(&words);
    burl_json_object_end(w);
}

static void
json_unstable(struct burl_json_writer *w, const struct burl_campaign_stats *s)
{
    burl_json_kv_array(w, "unstable");
    for (size_t i = 0; i < s->n_unstable; i++) {
        const struct burl_campaign_unstable *u = &s->unstable[i];

        if (u->count == 0)
            continue;
        burl_json_object_begin(w);
        burl_json_kv_str(w, "kind", burl_verdict_name(u->verdict.kind));
        burl_json_kv_str(w, "text", u->verdict.text);
        burl_json_kv_str(w, "strategy", burl_schedfile_strategy_name(u->strategy));
        burl_json_kv_u64(w, "seed", u->seed);
        burl_json_kv_u64(w, "count", u->count);
        burl_json_kv_str(w, "why", u->why);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
json_findings(struct burl_json_writer *w, const struct burl_test *t)
{
    burl_json_kv_array(w, "findings");
    for (size_t i = 0; i < t->kept.n; i++) {
        const struct burl_kept *k = &t->kept.v[i];
        char confirmed[32];

        snprintf(confirmed, sizeof confirmed, "%u/%u", k->facts.confirmed, k->facts.confirm_tries);
        burl_json_object_begin(w);
        burl_json_kv_i64(w, "id", k->id);
        burl_json_kv_str(w, "kind", k->kind);
        burl_json_kv_hex(w, "fingerprint", k->facts.fingerprint);
        burl_json_kv_u64(w, "count", k->facts.count);
        burl_json_kv_u64(w, "found_after", k->facts.found.after);
        burl_json_kv_u64(w, "found_execution", k->facts.found.execution);
        burl_json_kv_i64(w, "found_ms", k->facts.found.ms);
        burl_json_kv_str(w, "confirmed", confirmed);
        burl_json_kv_bool(w, "sequential", k->facts.sequential);
        burl_json_kv_bool(w, "known_before", k->known_before);
        burl__kept_json_behind(&t->kept, i, w);
        burl_json_kv_bool(w, "regression", k->regression);
        burl_json_key(w, "detail");
        burl_json_raw(w, k->json);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
json_determinism(struct burl_json_writer *w, const struct burl_test *t,
                 const struct burl_campaign_stats *s)
{
    burl_json_kv_bool(w, "nondeterministic", s->nondeterministic);
    if (!s->nondeterministic)
        return;
    burl_json_kv_u64(w, "differs_seed", s->unstable_seed);
    burl_json_kv_u64(w, "differs_step", s->unstable_step);
    if (t->sites && s->unstable_site != 0) {
        const struct burl_site_info *site = burl_sites_get(t->sites, s->unstable_site);

        burl_json_kv_str(w, "differs_file", site->file);
        burl_json_kv_u64(w, "differs_line", site->line);
    }
}

static void
json_choice(struct burl_json_writer *w, const struct burl_campaign_stats *s)
{
    burl_json_kv_str(w, "end", burl_campaign_end_name(s->end));
    burl_json_kv_str(w, "end_why", s->why_end);
    burl_json_kv_str(w, "engine", burl_schedfile_engine_name(s->engine));
    burl_json_kv_str(w, "engine_why", s->why_engine);
    burl_json_kv_str(w, "reset", burl_engine_reset_name(s->reset));
    burl_json_kv_str(w, "reset_why", s->why_reset);
    if (s->reset_us[BURL_RESET_SNAPSHOT] > 0) {
        burl_json_key(w, "reset_us");
        burl_json_object_begin(w);
        burl_json_kv_u64(w, "snapshot", s->reset_us[BURL_RESET_SNAPSHOT]);
        burl_json_kv_u64(w, "fork", s->reset_us[BURL_RESET_FORK]);
        burl_json_object_end(w);
    }
}

void
burl__test_print_json(const struct burl_test *t, const struct burl_campaign_stats *s, int exit_code,
                      const struct burl_err *err)
{
    struct burl_cli_json doc;
    struct burl_json_writer *w = burl_cli_json_begin(&doc);

    burl_json_kv_u64(w, "version", 1);
    burl_json_kv_str(w, "command", "test");
    burl_json_kv_i64(w, "exit", exit_code);
    burl_json_kv_str(w, "error", err ? err->msg : NULL);
    burl_json_kv_str(w, "program", t->argv[0]);
    burl_json_kv_str(w, "build_id", t->build_id);
    burl_json_kv_i64(w, "campaign", t->campaign);
    burl_json_kv_u64(w, "seed", t->opts->seed);
    json_choice(w, s);
    json_totals(w, &s->all);
    burl_json_kv_u64(w, "schedules", s->schedules);
    burl_json_kv_u64(w, "extra_executions", s->extra_executions);
    burl_json_kv_i64(w, "wall_ms", s->wall_ms);
    burl_json_kv_u64(w, "max_threads", s->max_threads);
    burl_json_kv_u64(w, "sites", s->n_sites);
    burl_json_kv_u64(w, "shared_sites", s->n_shared);
    burl_json_kv_u64(w, "point_sites", s->n_points);
    burl_json_kv_u64(w, "restarts", s->n_restarts);
    burl_json_kv_u64(w, "rounds", s->n_rounds);
    burl_json_kv_u64(w, "horizon", s->horizon);
    json_determinism(w, t, s);
    json_tables(w, s);
    json_portfolio(w, s);
    json_search(w, &s->search);
    json_unstable(w, s);
    burl_json_kv_u64(w, "failed_beside_others", s->n_crowded);
    json_findings(w, t);
    if (t->memory)
        burl__memory_json(t, s, w);
    burl__test_suspects_json(t, s, w);
    burl__json_suppressed(t->rules, w);
    burl_cli_json_end(&doc, stdout);
    fflush(stdout);
}
