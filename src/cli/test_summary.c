/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_summary.c - the summary of a campaign, as text and as JSON.
 *
 * Runs in the host. The text begins with the findings and the suspects; with -v the choices and
 * counters of the engine follow. The outcome is last (test_outcome.c). The JSON has all of it.
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
    struct burl_report_style s = { .color = burl_cli_color(opts, out),
                                   .unicode = has_utf8(),
                                   .brief = opts->brief,
                                   .verbose = opts->verbose };
    const char *columns = getenv("COLUMNS");
    unsigned long n;
    struct winsize w;

    if (ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 20)
        s.width = w.ws_col;
    else if (columns && (n = strtoul(columns, NULL, 10)) > 20 && n < 100000)
        s.width = (unsigned)n;
    return s;
}

/* ---- text -------------------------------------------------------------------------- */

static void
print_choice(const struct burl_campaign_stats *s)
{
    printf("engine %s%s%s%s, reset %s%s%s%s\n", burl_schedfile_engine_name(s->engine),
           s->why_engine[0] ? " (" : "", s->why_engine, s->why_engine[0] ? ")" : "",
           burl_engine_reset_name(s->reset), s->why_reset[0] ? " (" : "", s->why_reset,
           s->why_reset[0] ? ")" : "");
}

static void
print_points(const struct burl_campaign_stats *s)
{
    char a[BURL_NUMBER_B], b[BURL_NUMBER_B];

    printf("%s of %s sites are shared between threads and serve as scheduling points\n",
           burl_number(s->n_shared, a), burl_number(s->n_sites, b));
    if (s->n_points < s->n_shared)
        printf("executions are long: after the first ones only %s of these sites were scheduling "
               "points:\natomic accesses, and those that no lock or thread order separates\n",
               burl_number(s->n_points, a));
    for (uint32_t i = 0; i < BURL_STRATEGY__N; i++) {
        const struct burl_campaign_totals *x = &s->by_strategy[i];

        if (x->executions > 0)
            printf("  %-14s %12s executions, %s failed\n", burl_schedfile_strategy_name(i),
                   burl_number(x->executions, a), burl_number(x->failures, b));
    }
    printf("  %s more executions for the self-check, confirming and minimizing\n",
           burl_number(s->extra_executions, a));
    if (s->directed_hits > 0)
        printf("  %s directed executions reached a suspected state\n",
               burl_number(s->directed_hits, a));
    printf("  %u rounds, PCT horizon %s, snapshot of %s KB\n", s->n_rounds,
           burl_number(s->horizon, a), burl_number(s->snapshot_b >> 10, b));
    if (s->reset_us[BURL_RESET_SNAPSHOT] > 0)
        printf("  measured: an execution takes %s us with a snapshot, %s us with a fork\n",
               burl_number(s->reset_us[BURL_RESET_SNAPSHOT], a),
               burl_number(s->reset_us[BURL_RESET_FORK], b));
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
print_portfolio(const struct burl_campaign_stats *s)
{
    char a[32], b[32];

    if (s->edge_candidates > 0)
        printf("reads-from coverage: %s of %s\n", burl_number(s->edges, a),
               burl_number(s->edge_candidates, b));
    if (s->pair_candidates > 0)
        printf("location-pair coverage: %s of %s\n", burl_number(s->pairs, a),
               burl_number(s->pair_candidates, b));
    for (size_t i = 0; i < s->n_arms; i++) {
        const struct burl_campaign_arm *x = &s->arms[i];

        if (x->executions > 0)
            printf("  %-14s %12s executions; new: %llu edges, %llu pairs, %llu lock orders, %llu "
                   "suspects, %llu findings\n",
                   arm_name(x, b), burl_number(x->executions, a), (unsigned long long)x->edges,
                   (unsigned long long)x->pairs, (unsigned long long)x->orders,
                   (unsigned long long)x->suspects, (unsigned long long)x->findings);
    }
}

bool
burl__test_is_proven(const struct burl_campaign_stats *s)
{
    return s->search.complete && !s->search.failed && s->n_findings == 0 && s->all.failures == 0;
}

void
burl__test_print_counters(const uint64_t counters[BURL_COUNTER__N], FILE *out)
{
    char n[32];

    for (uint32_t i = 0; i < BURL_COUNTER__N; i++) {
        if (counters[i] > 0)
            fprintf(out, "note: %s %s\n", burl_number(counters[i], n), burl_engine_counter_text(i));
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
print_choice_size(const struct burl_campaign_stats *s)
{
    char a[BURL_NUMBER_B];

    printf("up to %u thread%s", s->max_threads, s->max_threads == 1 ? "" : "s");
    if (s->all.executions > 0)
        printf(", %s scheduling decisions each", burl_number(s->all.points / s->all.executions, a));
    printf("; ");
    print_choice(s);
}

void
burl__test_print_summary(const struct burl_test *t, const struct burl_campaign_stats *s)
{
    if (t->kept.n > 1)
        burl__kept_print(&t->kept, &t->style, "known from an earlier campaign", stdout);
    burl__test_suspects_print(t, s);
    if (t->opts->verbose && s->all.executions > 0) {
        print_choice_size(s);
        if (s->max_threads > 1) {
            print_points(s);
            print_portfolio(s);
        }
    }
    burl__test_print_outcome(t, s, stdout);
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
