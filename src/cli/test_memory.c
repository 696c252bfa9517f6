/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_memory.c - the memory of a program: loads it, stores it, and reports what is new.
 *
 * Runs in the host. A program is its absolute path with its arguments. With the same build a
 * campaign continues where the last one stopped, and the schedules of known findings are rerun
 * first, so that an unfixed bug is reported and counted even if no new schedule reproduces it.
 * After a rebuild the state is not used (sites, counts and enumerations belong to the old program);
 * all schedules of the corpus are rerun first.
 *
 * The state is written once, at the end, in one transaction: a killed campaign leaves the state of
 * the one before.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "cli/cover_int.h"
#include "cli/test_int.h"
#include "engine/plan/memory_text.h"
#include "engine/schedule/schedfile.h"

/* ---- the beginning ----------------------------------------------------------------- */

static void
list_reruns(struct burl_test *t)
{
    struct burl_memory *m = t->memory;

    /* Findings first: they matter most when the time is short. */
    for (int findings = 1; findings >= 0; findings--) {
        for (size_t i = 0; i < m->corpus.n; i++) {
            const struct burl_store_entry *e = &m->corpus.v[i];

            if ((e->finding != 0) != (findings == 1) || (e->finding == 0 && !m->rebuilt))
                continue;
            if (e->finding != 0 && t->is_repeated != NULL && t->is_repeated(t->arg, e->finding))
                continue; /* another campaign of this command has just shown it */
            BURL_VEC_PUSH(&m->order, i);
            BURL_VEC_PUSH(&m->paths, burl_path_join(burl_store_dir(t->store), e->file));
        }
    }
    m->reruns.paths = m->paths.v;
    m->reruns.n = m->paths.n;
}

static void
print_start(const struct burl_test *t)
{
    const struct burl_memory *m = t->memory;
    char a[32];

    if (t->opts->json || t->opts->quiet || t->opts->brief || !m->known)
        return;
    if (m->rebuilt)
        printf("rebuilt since the last campaign: rerunning %zu stored schedule%s first\n",
               m->reruns.n, m->reruns.n == 1 ? "" : "s");
    else
        printf("continuing after %s schedules in %" PRIu64 " campaign%s\n",
               burl_number(m->before.executions, a), m->before.campaigns,
               m->before.campaigns == 1 ? "" : "s");
    fflush(stdout);
}

/* A state that cannot be read restarts the campaign; it is not an error. */
static void
recall_state(struct burl_test *t, const struct burl_store_goals *goals)
{
    struct burl_memory *m = t->memory;
    struct burl_err why = { 0 };

    if (!m->continued || !m->before.state)
        return;
    if (burl_campaign_memory_read(&m->recall, m->before.state, m->before.state_b, t->sites, &why) ==
        BURL_OK) {
        burl_campaign_memory_read_goals(&m->recall, goals, t->sites);
        return;
    }
    m->continued = false;
    m->known = false;
    if (!t->opts->json)
        fprintf(stderr, "burl: note: the state of earlier campaigns cannot be used: %s\n", why.msg);
}

enum burl_status
burl__memory_ready(struct burl_test *t, struct burl_err *err)
{
    struct burl_memory *m = t->memory;
    struct burl_store_goals goals = { 0 };
    bool found = false;
    enum burl_status st = burl__cover_program_path(&m->path, t->argv[0], err);

    if (st == BURL_OK)
        st = burl_store_program_id(t->store, m->path, t->args_json, &m->program, err);
    if (st != BURL_OK || t->opts->fresh)
        return st;
    st = burl_store_program_get(t->store, m->path, t->args_json, &found, &m->before, err);
    if (st == BURL_OK)
        st = burl_store_corpus_list(t->store, m->program, &m->corpus, err);
    if (st == BURL_OK)
        st = burl_store_goals_list(t->store, m->program, &goals, err);
    if (st != BURL_OK)
        return st;
    m->known = m->before.campaigns > 0;
    /* A first campaign that was killed has left findings and no state. */
    m->rebuilt = m->known && m->before.build_id && strcmp(m->before.build_id, t->build_id) != 0;
    for (size_t i = 0; i < m->corpus.n && !m->known; i++)
        m->rebuilt |= m->corpus.v[i].build_id && strcmp(m->corpus.v[i].build_id, t->build_id) != 0;
    m->continued = m->known && !m->rebuilt;
    recall_state(t, &goals);
    burl_store_goals_deinit(&goals);
    list_reruns(t);
    print_start(t);
    return BURL_OK;
}

/* ---- schedules that were run again ------------------------------------------------- */

static const struct burl_store_entry *
entry_of(const struct burl_memory *m, size_t index)
{
    return &m->corpus.v[m->order.v[index]];
}

static const struct {
    const char *text;
    const char *word; /* in JSON */
} rerun_ends[BURL_CAMPAIGN_RERUN__N] = {
    [BURL_CAMPAIGN_RERUN_SAME] = { "failed as before", "same" },
    [BURL_CAMPAIGN_RERUN_OTHER] = { "failed in another way", "other" },
    [BURL_CAMPAIGN_RERUN_PASSED] = { "passed", "passed" },
    [BURL_CAMPAIGN_RERUN_LEFT] = { "passed, by another path", "left" },
    [BURL_CAMPAIGN_RERUN_CUT] = { "was cut", "cut" },
    [BURL_CAMPAIGN_RERUN_UNREADABLE] = { "could not be read", "unreadable" },
};

static bool
showed_last_time(const struct burl_store_entry *e)
{
    return !e->result || strcmp(e->result, rerun_ends[BURL_CAMPAIGN_RERUN_SAME].text) == 0;
}

void
burl__memory_name(struct burl_test *t, const struct burl_campaign_finding *f, struct burl_kept *k,
                  struct burl_buf *out)
{
    const struct burl_store_entry *e;

    if (f->rerun == 0)
        return;
    e = entry_of(t->memory, f->rerun - 1);
    k->regression = t->memory->rebuilt;
    if (e->finding == 0)
        burl_buf_printf(out, "%s: a schedule that passed before fails (corpus entry %" PRId64 ")\n",
                        k->regression ? "regression" : "corpus", e->n);
    else if (e->finding != k->id)
        burl_buf_printf(out,
                        "%s: the schedule of finding %" PRId64 " reproduces finding %" PRId64 "\n",
                        k->regression ? "regression" : "corpus", e->finding, k->id);
    else if (!k->regression)
        burl_buf_printf(out, "known: finding %" PRId64 " reproduced by its schedule\n", k->id);
    else
        burl_buf_printf(out, "regression: finding %" PRId64 " is %s\n", k->id,
                        showed_last_time(e) ? "still there" : "back");
}

const char *
burl__memory_strategy(const struct burl_test *t, const struct burl_campaign_finding *f)
{
    return f->rerun != 0 ? entry_of(t->memory, f->rerun - 1)->strategy : NULL;
}

/* The finding of this campaign with this fingerprint, 0 none. */
static int64_t
finding_id(const struct burl_test *t, uint64_t fingerprint)
{
    for (size_t i = 0; i < t->kept.n; i++) {
        if (t->kept.v[i].facts.fingerprint == fingerprint)
            return t->kept.v[i].id;
    }
    return 0;
}

static void
print_reran(struct burl_test *t, const struct burl_store_entry *e,
            const struct burl_campaign_reran *r)
{
    if (t->opts->json || t->opts->quiet || t->opts->brief)
        return;
    burl_progress_clear(&t->progress);
    if (r->end == BURL_CAMPAIGN_RERUN_UNREADABLE)
        printf("note: corpus entry %" PRId64 " cannot be rerun: %s\n", e->n, r->why);
    else if (e->finding != 0 && r->end == BURL_CAMPAIGN_RERUN_PASSED)
        printf("finding %" PRId64 " not reproduced; the schedule was followed to the end (other "
               "schedules may still reproduce it)\n",
               e->finding);
    else if (e->finding != 0 && r->end == BURL_CAMPAIGN_RERUN_LEFT)
        printf("finding %" PRId64 " not reproduced; this build diverges from the schedule at "
               "switch %u of %zu (other schedules may still reproduce it)\n",
               e->finding, r->run->diverged_at + 1, r->file->n_switches);
    else if (e->finding != 0 && r->end >= BURL_CAMPAIGN_RERUN_OTHER)
        printf("finding %" PRId64 " not reproduced; its schedule %s\n", e->finding,
               rerun_ends[r->end].text);
    fflush(stdout);
}

enum burl_status
burl__memory_reran(void *arg, const struct burl_campaign_reran *r, struct burl_err *err)
{
    struct burl_test *t = arg;
    struct burl_memory *m = t->memory;
    const struct burl_store_entry *e = entry_of(m, r->index);
    const struct burl_reran x = { .entry = e->n,
                                  .finding = e->finding,
                                  .shown = r->finding ? finding_id(t, r->fingerprint) : 0,
                                  .end = r->end,
                                  .file = burl_xstrdup(e->file) };
    enum burl_status st = BURL_OK;

    BURL_VEC_PUSH(&m->reran, x);
    print_reran(t, e, r);
    /* A schedule that this build has followed is stored again with its counts and sites; the
     * schedule of a finding is kept unchanged. */
    if (e->finding == 0 && !r->same_build && r->end == BURL_CAMPAIGN_RERUN_PASSED)
        st = burl__corpus_renew(t, e, r, err);
    if (st == BURL_OK)
        st = burl_store_corpus_result(t->store, m->program, e->n, rerun_ends[r->end].text,
                                      t->build_id, err);
    return st;
}

/* ---- the end ----------------------------------------------------------------------- */

/* Did the campaign run anything worth storing? */
static bool
is_worth_it(const struct burl_campaign_stats *s)
{
    return s->all.executions > 0 && s->end != BURL_CAMPAIGN_END_UNSUPPORTED &&
           s->end != BURL_CAMPAIGN_END_TOO_LONG;
}

enum burl_status
burl__memory_end(struct burl_test *t, const struct burl_campaign_stats *s, struct burl_err *err)
{
    struct burl_memory *m = t->memory;
    struct burl_store_goals goals = { 0 };
    struct burl_buf state = BURL_BUF_INIT;
    struct burl_store_program now = {
        .id = m->program,
        .program = t->argv[0],
        .build_id = t->build_id,
        .campaigns = 1 + (m->continued ? m->before.campaigns : 0),
        .executions = s->all.executions + (m->continued ? m->before.executions : 0),
        .edges = s->edges,
    };
    enum burl_status st;

    if (m->program == 0)
        return BURL_OK;
    if (s->memory) {
        burl_campaign_memory_write(s->memory, t->sites, &state);
        now.state = burl_buf_str(&state);
        now.state_b = state.n;
        burl_campaign_memory_write_goals(s->memory, t->sites, &goals);
    }
    st = burl__corpus_choose(t, &m->n_corpus, err);
    if (st == BURL_OK && is_worth_it(s))
        st = burl_store_program_put(t->store, &now, &goals, err);
    burl_buf_deinit(&state);
    free(goals.v);
    return st;
}

static uint64_t
new_edges(const struct burl_memory *m, const struct burl_campaign_stats *s)
{
    const uint64_t before = m->continued ? m->before.edges : 0;

    return s->edges > before ? s->edges - before : 0;
}

static size_t
count_new(const struct burl_test *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->kept.n; i++)
        n += !t->kept.v[i].known_before;
    return n;
}

/* Known findings whose schedule was rerun, and which this campaign did not reproduce. */
static size_t
count_silent(const struct burl_test *t)
{
    const struct burl_memory *m = t->memory;
    size_t n = 0;

    for (size_t i = 0; i < m->reran.n; i++) {
        const int64_t finding = m->reran.v[i].finding;
        bool shown = finding == 0;

        for (size_t k = 0; k < t->kept.n; k++)
            shown |= t->kept.v[k].id == finding;
        n += !shown;
    }
    return n;
}

void
burl__memory_print(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out)
{
    const struct burl_memory *m = t->memory;
    const size_t fresh = count_new(t);
    const size_t known = t->kept.n - fresh;
    const size_t silent = count_silent(t);
    char a[BURL_NUMBER_B], b[BURL_NUMBER_B];

    if (silent > 0 && !t->opts->verbose)
        fprintf(out, "note: %zu known finding%s not reproduced\n", silent,
                silent == 1 ? " was" : "s were");
    if ((!m->known && m->reran.n == 0) || !t->opts->verbose)
        return;
    fprintf(out, "new: %zu finding%s, %s reads-from edge%s; %zu known finding%s reproduced", fresh,
            fresh == 1 ? "" : "s", burl_number(new_edges(m, s), a), new_edges(m, s) == 1 ? "" : "s",
            known, known == 1 ? "" : "s");
    if (silent > 0)
        fprintf(out, ", %zu not", silent);
    fprintf(out, "\n");
    if (m->reran.n > 0)
        fprintf(out,
                "%zu stored schedule%s rerun: %u failed as before, %u failed differently, %u "
                "passed, %u passed with different steps%s\n",
                m->reran.n, m->reran.n == 1 ? "" : "s", s->reruns[BURL_CAMPAIGN_RERUN_SAME],
                s->reruns[BURL_CAMPAIGN_RERUN_OTHER], s->reruns[BURL_CAMPAIGN_RERUN_PASSED],
                s->reruns[BURL_CAMPAIGN_RERUN_LEFT],
                s->reruns[BURL_CAMPAIGN_RERUN_CUT] + s->reruns[BURL_CAMPAIGN_RERUN_UNREADABLE] > 0
                    ? ", the others could not be rerun"
                    : "");
    if (m->continued)
        fprintf(out, "%s schedules so far in %" PRIu64 " campaigns\n",
                burl_number(m->before.executions + s->all.executions, b), m->before.campaigns + 1);
}

static void
json_reran(const struct burl_memory *m, struct burl_json_writer *w)
{
    burl_json_kv_array(w, "reruns");
    for (size_t i = 0; i < m->reran.n; i++) {
        const struct burl_reran *x = &m->reran.v[i];

        burl_json_object_begin(w);
        burl_json_kv_i64(w, "entry", x->entry);
        burl_json_kv_i64(w, "finding", x->finding);
        burl_json_kv_str(w, "result", rerun_ends[x->end].word);
        burl_json_kv_i64(w, "shown", x->shown);
        burl_json_kv_str(w, "file", x->file);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

void
burl__memory_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                  struct burl_json_writer *w)
{
    const struct burl_memory *m = t->memory;

    burl_json_kv_object(w, "memory");
    burl_json_kv_bool(w, "continued", m->continued);
    burl_json_kv_bool(w, "rebuilt", m->rebuilt);
    burl_json_kv_u64(w, "campaigns_before", m->continued ? m->before.campaigns : 0);
    burl_json_kv_u64(w, "executions_before", m->continued ? m->before.executions : 0);
    burl_json_kv_u64(w, "new_findings", count_new(t));
    burl_json_kv_u64(w, "known_findings", t->kept.n - count_new(t));
    burl_json_kv_u64(w, "silent_findings", count_silent(t));
    burl_json_kv_u64(w, "edges", s->edges);
    burl_json_kv_u64(w, "new_edges", new_edges(m, s));
    burl_json_kv_u64(w, "corpus", m->n_corpus);
    json_reran(m, w);
    burl_json_object_end(w);
}

void
burl__memory_deinit(struct burl_memory *m)
{
    free(m->path);
    burl_campaign_memory_deinit(&m->recall);
    burl_store_program_deinit(&m->before);
    burl_store_corpus_deinit(&m->corpus);
    for (size_t i = 0; i < m->paths.n; i++)
        free((char *)m->paths.v[i]);
    for (size_t i = 0; i < m->reran.n; i++)
        free(m->reran.v[i].file);
    BURL_VEC_FREE(&m->paths);
    BURL_VEC_FREE(&m->order);
    BURL_VEC_FREE(&m->reran);
}
