/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_keep.c - a violation becomes a C test, a campaign on it, a finding.
 *
 * Runs in the host. The test is written as C, compiled by `burl cc` with the user's sources, and
 * run in an ordinary campaign: so the finding is confirmed in fresh processes, minimized, and can
 * be replayed, like any other. The C file is copied into the finding's directory.
 *
 * A test that does not fail in its campaign is not a finding, although the search saw it fail: only
 * reproducible failures are claimed. The summary names it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/detect.h"
#include "cli/gen_int.h"
#include "cli/interrupt.h"

/* The first campaign uses all detectors, so that a race or a triple can explain the failure. The
 * second, if the first did not reproduce it, searches for the failure alone, and longer. */
#define FIRST_RUNS 1000u
#define FIRST_MS 10000u
#define SECOND_RUNS 50000u
#define SECOND_MS 30000u
#define LAST_MS 2000u /* of either, when time is over */

/* Where one test lives. */
struct place {
    char *dir;
    char *source;
    char *program;
};

static void
place_deinit(struct place *p)
{
    free(p->dir);
    free(p->source);
    free(p->program);
}

/* Violations of different kinds may be minimized to one test. Each has a program of its own: its
 * comments and checks differ, and a rebuilt program would not replay the findings of the first. */
static struct place
place_of(const struct burl_gen_run *g, const struct burl_gen_violation *v)
{
    uint64_t h = burl_gen_test_hash(&v->test);
    struct place p;

    h = burl_hash_u64(burl_hash_u64(BURL_HASH_BEGIN, h), v->is_race);
    h = burl_hash_u64(h, (uint64_t)v->verdict.by_results << 32 | v->run.verdict.kind);
    h = burl_hash_end(burl_hash_str(h, g->story != NULL ? g->story : ""));
    p.dir = burl_xasprintf("%s/test-%016llx", g->dir, (unsigned long long)h);
    p.source = burl_path_join(p.dir, "test.c");
    p.program = burl_path_join(p.dir, "test");
    return p;
}

/* ---- writing ----------------------------------------------------------------- */

const char **
burl__gen_words(const struct burl_gen_run *g, const struct burl_gen_test *t, size_t *n)
{
    const char **words;
    const char *part;
    bool calls;

    *n = g->sources.n_words;
    while (t->stops.n > 0 && burl_gen_exec_part(g->exec, *n - g->sources.n_words, &calls) != NULL)
        ++*n;
    words = burl_xcalloc(*n + 1, sizeof *words);
    for (*n = 0; *n < g->sources.n_words; ++*n)
        words[*n] = g->sources.words[*n];
    for (size_t i = 0; t->stops.n > 0 && (part = burl_gen_exec_part(g->exec, i, &calls)); i++) {
        if (!calls)
            words[(*n)++] = part;
    }
    return words;
}

static enum burl_status
write_source(const struct burl_gen_run *g, const struct burl_gen_violation *v,
             struct burl_gen_oracle *oracle, const struct place *p, bool by_label,
             struct burl_err *err)
{
    struct burl_gen_emit e = { .model = &g->model,
                               .test = &v->test,
                               .exec = g->exec,
                               .oracle = oracle,
                               .violation = v,
                               .story = g->story,
                               .by_label = by_label,
                               .name = burl_path_basename(p->dir) };
    const char **words = burl__gen_words(g, &v->test, &e.n_words);
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    e.words = words;
    if (!v->is_race)
        burl_gen_oracle_all(oracle, &e.linear, &e.n_linear);
    st = burl_gen_exec_status(g->exec, err);
    /* Not all sequential orders may be known then, and the test would have to allow for them. */
    if (st == BURL_OK && burl_gen_exec_is_late(g->exec)) {
        burl_buf_deinit(&b);
        free(words);
        return BURL_OK;
    }
    if (st == BURL_OK) {
        burl_gen_emit_test(&e, &b);
        st = burl_fs_mkdir_p(p->dir, err);
    }
    if (st == BURL_OK)
        st = burl_fs_write_atomic(p->source, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    free(words);
    return st;
}

static enum burl_status
build(struct burl_gen_run *g, const struct burl_gen_violation *v, struct burl_gen_oracle *oracle,
      const struct place *p, bool by_label, bool *built, struct burl_err *err)
{
    enum burl_status st = write_source(g, v, oracle, p, by_label, err);

    if (st != BURL_OK || burl_gen_exec_is_late(g->exec))
        return st;
    st = burl_gen_exec_build_test(g->exec, p->source, p->program, v->test.stops.n > 0, err);
    *built = st == BURL_OK;
    /* The text of a seed need not fit into a file with another's. */
    return v->test.stops.n > 0 ? BURL_OK : st;
}

/* One message for tests that do not compile for the same reason. */
static void
say_not_built(struct burl_gen_run *g, const char *message)
{
    const char *error = strstr(message, "error: ");
    const char *kind = error != NULL ? error : message;

    for (size_t i = 0; i < g->not_built.n; i++) {
        if (strcmp(g->not_built.v[i], kind) == 0)
            return;
    }
    BURL_VEC_PUSH(&g->not_built, burl_xstrdup(kind));
    fprintf(stderr,
            "burl %s: a confirmed violation is not reported, because burl cannot build its "
            "test, which contains the seed: %s\n",
            g->command, message);
}

/* ---- the campaign -------------------------------------------------------------------------- */

/* One campaign, and what it is for. */
struct campaign {
    struct burl_gen_run *g;
    const struct burl_gen_violation *v;
    struct burl_test t;
    bool any_failure; /* not only one like the violation */
};

static bool
is_race_kind(const struct burl_kept *k)
{
    return strcmp(k->kind, burl_verdict_name(BURL_VERDICT_RACE_DATA)) == 0;
}

/* Does one of the findings show what the search saw? */
static bool
has_wanted(const struct burl_test *t, const struct burl_gen_violation *v)
{
    for (size_t i = 0; i < t->kept.n; i++) {
        if (is_race_kind(&t->kept.v[i]) == v->is_race)
            return true;
    }
    return false;
}

static struct burl_gen_found *
find_found(const struct burl_gen_run *g, int64_t id)
{
    for (size_t i = 0; i < g->found.n; i++) {
        if (g->found.v[i].id == id)
            return &g->found.v[i];
    }
    return NULL;
}

/* One more test shows a finding. A test may have two campaigns. */
static void
note_test(struct burl_gen_found *f, const char *source)
{
    for (size_t i = 0; i < f->also.n; i++) {
        if (strcmp(f->also.v[i], source) == 0)
            return;
    }
    if (strcmp(f->source, source) != 0)
        BURL_VEC_PUSH(&f->also, burl_xstrdup(source));
}

/* The report of a finding that this command has shown before is not repeated. */
static bool
is_repeated(void *arg, int64_t id)
{
    const struct campaign *c = arg;

    return find_found(c->g, id) != NULL;
}

/* "memory" of memory.double-free and memory.use-after-free. */
static bool
is_alike(const char *a, const char *b)
{
    const size_t n = strcspn(a, ".");

    return strcspn(b, ".") == n && strncmp(a, b, n) == 0;
}

/* Does the campaign search for failures of this kind? */
static bool
is_searched(const struct campaign *c, enum burl_wire_verdict_kind kind)
{
    const struct burl_gen_violation *v = c->v;

    if (v->is_race)
        return false;
    if (c->any_failure || v->run.end == BURL_GEN_END_BLOCKED)
        return true;
    return is_alike(burl_verdict_name(v->verdict.by_results ? BURL_VERDICT_NON_LINEARIZABLE
                                                            : v->run.verdict.kind),
                    burl_verdict_name(kind));
}

/*
 * One bug makes a test fail at many places, in many ways. The races are kept, which are the causes
 * and say of themselves whether a failure follows, and the first failure of the sort that the
 * search saw. Every other is one more consequence.
 */
static bool
is_unwanted(void *arg, const struct burl_wire_verdict *verdict)
{
    const struct campaign *c = arg;

    if (verdict->kind == BURL_VERDICT_RACE_DATA)
        return false;
    for (size_t i = 0; i < c->t.kept.n; i++) {
        if (!is_race_kind(&c->t.kept.v[i]))
            return true;
    }
    return !is_searched(c, verdict->kind);
}

/* The test as it stands in the directory of the finding: its comment names the number. */
static enum burl_status
write_copy(const char *file, const char *text, int64_t id, struct burl_err *err)
{
    static const char unknown[] = "`burl replay N`";
    const char *at = strstr(text, unknown);
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    if (at != NULL) {
        burl_buf_append(&b, text, (size_t)(at - text));
        burl_buf_printf(&b, "`burl replay %lld`", (long long)id);
        text = at + sizeof unknown - 1;
    }
    burl_buf_str_append(&b, text);
    st = burl_fs_write_atomic(file, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    return st;
}

static enum burl_status
keep_copies(struct burl_gen_run *g, const struct burl_test *t, const struct place *p, size_t *n_new,
            struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    char *text = NULL;

    st = burl_fs_read_file(p->source, 16u << 20, &text, NULL, err);
    for (size_t i = 0; i < t->kept.n && st == BURL_OK; i++) {
        const struct burl_kept *k = &t->kept.v[i];
        struct burl_gen_found *known = find_found(g, k->id);
        struct burl_gen_found f = { .id = k->id, .kind = k->kind };
        char *dir;

        BURL_VEC_PUSH(&g->shown, k->id);
        if (known != NULL) {
            note_test(known, p->source);
            continue;
        }
        st = burl_store_finding_dir(t->store, k->id, true, &dir, err);
        if (st != BURL_OK)
            break;
        f.test = burl_path_join(dir, BURL_FILE_TEST);
        st = write_copy(f.test, text, k->id, err);
        if (st == BURL_OK && g->story != NULL)
            st = burl_fs_write_in(dir, BURL_FILE_STORY, g->story, strlen(g->story), err);
        free(dir);
        f.source = burl_xstrdup(p->source);
        f.origin = g->origin != NULL ? burl_xstrdup(g->origin) : NULL;
        f.title = burl_xstrdup(k->finding->title);
        f.json = burl_xstrdup(k->json);
        BURL_VEC_PUSH(&g->found, f);
        ++*n_new;
        if (st == BURL_OK && !g->opts->json)
            printf("  test:     %s\n\n", f.test);
    }
    free(text);
    return st;
}

/* At most what is left of --time; a violation that was seen is worth a little more. */
static uint64_t
time_for(const struct burl_gen_run *g, uint64_t most_ms)
{
    const int64_t left = burl_gen_exec_left_ms(g->exec);

    if (left >= (int64_t)most_ms)
        return most_ms;
    return left > (int64_t)LAST_MS ? (uint64_t)left : LAST_MS;
}

static enum burl_status
run_campaign(struct burl_gen_run *g, const struct burl_gen_violation *v, const struct place *p,
             bool second, bool *wanted, size_t *n_new, struct burl_err *err)
{
    char *argv[] = { p->program, NULL };
    struct campaign c = { .g = g, .v = v, .any_failure = second };
    struct burl_test *t = &c.t;
    struct burl_campaign_stats stats = { 0 };
    struct burl_campaign_config cfg;
    uint32_t observers = BURL_OB(RACE);
    enum burl_status st = BURL_OK;

    *t = (struct burl_test){ .opts = g->opts,
                             .command = g->command,
                             .judged = true,
                             .argc = 1,
                             .argv = argv,
                             .is_repeated = is_repeated,
                             .is_unwanted = is_unwanted,
                             .arg = &c };
    if (second)
        observers = 0;
    else if (!v->is_race)
        st = burl_detect_parse("race,lockset,triple,lockorder", &observers, err);
    if (st != BURL_OK)
        return st;
    /* Without the race detector races are not reported here either. */
    if ((g->cfg.observers & BURL_OB(RACE)) == 0)
        observers &= ~(BURL_OB(RACE) | BURL_OB(LOCKSET));
    cfg = burl__test_config(g->opts, observers, argv);
    cfg.runs = second ? SECOND_RUNS : FIRST_RUNS;
    cfg.time_ms = time_for(g, second ? SECOND_MS : FIRST_MS);
    cfg.deadline = burl_gen_exec_deadline(g->exec);
    cfg.stop_at_first = second;
    t->style = burl__test_style(g->opts, stdout);
    t->args_json = burl__test_args_json(argv + 1, 0);
    t->options_json = burl__test_options_json(g->opts, burl_command_find(g->command)->on);
    burl_progress_init(&t->progress, false);
    burl_progress_clear(&g->progress);
    st = burl__test_campaign(t, &cfg, &stats, err);
    if (st == BURL_OK)
        st = burl__test_record_end(t, &stats, t->kept.n > 0 ? BURL_EXIT_FINDINGS : BURL_EXIT_CLEAN,
                                   err);
    if (st == BURL_OK)
        st = keep_copies(g, t, p, n_new, err);
    *wanted = has_wanted(t, v);
    burl_campaign_stats_deinit(&stats);
    burl__test_deinit(t);
    return st;
}

static bool
is_late(const struct burl_gen_run *g)
{
    const struct burl_deadline d = burl_gen_exec_deadline(g->exec);

    return burl_deadline_is_over(&d);
}

static bool
is_cut_short(const struct burl_gen_run *g)
{
    return burl_cli_interrupts != 0 || burl_gen_exec_is_late(g->exec);
}

/* A violation that there was no time for is not one that its test did not show. */
static void
say_late(const struct burl_gen_run *g, const struct place *p, const struct burl_gen_violation *v,
         enum burl_gen_fate fate)
{
    if (fate != BURL_GEN_FATE_NOT_REPRODUCED || !is_late(g) || g->opts->json || g->opts->quiet)
        return;
    fprintf(stderr,
            "burl %s: --time was over before the violation of %s (%s) was confirmed; not counted; "
            "raise --time\n",
            g->command, p->source, v->verdict.why);
}

enum burl_status
burl__gen_keep(void *arg, const struct burl_gen_violation *v, struct burl_gen_oracle *oracle,
               enum burl_gen_fate *fate, struct burl_err *err)
{
    struct burl_gen_run *g = arg;
    struct place p = place_of(g, v);
    bool wanted = false;
    size_t n_new = 0;
    bool built = false;
    enum burl_status st = build(g, v, oracle, &p, false, &built, err);

    g->shown.n = 0;
    if (st == BURL_OK && !built && !is_cut_short(g)) {
        struct burl_err first = *err;

        /* Macros may rename more than the functions. */
        st = build(g, v, oracle, &p, true, &built, err);
        if (st == BURL_OK && !built && !is_cut_short(g))
            say_not_built(g, first.msg);
    }
    if (st == BURL_OK && !built) {
        *fate = burl_cli_interrupts != 0         ? BURL_GEN_FATE_INTERRUPTED
                : burl_gen_exec_is_late(g->exec) ? BURL_GEN_FATE_NOT_REPRODUCED
                                                 : BURL_GEN_FATE_NOT_BUILT;
        say_late(g, &p, v, *fate);
        place_deinit(&p);
        return BURL_OK;
    }
    if (st == BURL_OK)
        st = run_campaign(g, v, &p, false, &wanted, &n_new, err);
    if (st == BURL_OK && !wanted && !v->is_race && burl_gen_exec_left_ms(g->exec) > 0)
        st = run_campaign(g, v, &p, true, &wanted, &n_new, err);
    if (st == BURL_E_TIME) /* the test did not even start: said below */
        st = BURL_OK;
    if (n_new == 0)
        *fate = wanted                     ? BURL_GEN_FATE_KNOWN
                : burl_cli_interrupts != 0 ? BURL_GEN_FATE_INTERRUPTED
                                           : BURL_GEN_FATE_NOT_REPRODUCED;
    say_late(g, &p, v, st == BURL_OK ? *fate : BURL_GEN_FATE_NEW);
    if (st == BURL_OK && *fate == BURL_GEN_FATE_NOT_REPRODUCED && !g->opts->json &&
        !g->opts->quiet && !is_late(g))
        fprintf(
            stderr,
            "burl %s: %s found a violation (%s) that its C test did not reproduce; not counted\n",
            g->command, p.source, v->verdict.why);
    place_deinit(&p);
    return st;
}
