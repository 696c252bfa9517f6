/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/seeds.c - runs the seeds, and says which of them can be used.
 *
 * A seed that is of no use does not keep the others from being used: it is named, with the reason
 * and what to do about it. Only a seed that passes shows what the API does when nothing fails.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/verdict.h"
#include "synth/record.h"
#include "synth/statics.h"
#include "synth/synth.h"
#include "wire/record.h"

#define OUTPUT_SHOWN 160u /* last bytes of a seed's output, in a message */

void
burl_synth_seeds_deinit(struct burl_synth *s)
{
    for (size_t i = 0; i < s->seeds.n; i++)
        free(s->seeds.v[i].why);
    for (size_t i = 0; i < s->notes.n; i++)
        free(s->notes.v[i]);
    BURL_VEC_FREE(&s->seeds);
    BURL_VEC_FREE(&s->notes);
}

size_t
burl_synth_n_used_seeds(const struct burl_synth *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->seeds.n; i++)
        n += s->seeds.v[i].n_calls > 0;
    return n;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* " at list.c:12 in list_add()", of the last code of the library that ran. */
static void
put_place(const struct burl_gen_exec *x, uint32_t site, struct burl_buf *out)
{
    const struct burl_site_info *s = burl_sites_get(burl_gen_exec_sites(x), site);

    if (site == 0 || s->line == 0)
        return;
    burl_buf_printf(out, " at %s:%u", burl_path_basename(s->file), s->line);
    if (s->func[0] != '\0')
        burl_buf_printf(out, " in %s()", s->func);
}

/* What the seed printed last, in one line. */
static void
put_output(const struct burl_gen_seed_run *run, struct burl_buf *out)
{
    size_t n = run->output != NULL ? strlen(run->output) : 0;
    size_t from;

    while (n > 0 && isspace((unsigned char)run->output[n - 1]))
        n--;
    if (n == 0)
        return;
    from = n > OUTPUT_SHOWN ? n - OUTPUT_SHOWN : 0;
    burl_buf_printf(out, ". Its last output: %s", from > 0 ? "..." : "");
    for (size_t i = from; i < n; i++) {
        const unsigned char c = (unsigned char)run->output[i];

        if (c == '\n')
            burl_buf_str_append(out, " | ");
        else if (c >= ' ')
            burl_buf_append(out, &c, 1);
    }
}

/* How a seed that does not pass ends. */
static void
put_end(const struct burl_synth *s, const struct burl_gen_seed_run *run,
        const struct burl_synth_record_info *info, struct burl_buf *out)
{
    const struct burl_wire_verdict *v = &run->verdict;

    switch (v->kind) {
    case BURL_VERDICT_EXIT_NONZERO:
        burl_buf_printf(out, "ends with exit code %d", v->code);
        break;
    case BURL_VERDICT_CRASH_SIGNAL:
        burl_buf_printf(out, "crashes (signal %d)", v->code);
        break;
    case BURL_VERDICT_CRASH_ABORT:
        burl_buf_str_append(out, "aborts");
        break;
    case BURL_VERDICT_CUT_TIME:
    case BURL_VERDICT_CUT_STEPS:
        burl_buf_str_append(out, "does not end in time (--exec-timeout)");
        break;
    case BURL_VERDICT_LIVELOCK:
        burl_buf_str_append(out, "hangs: it repeats a loop without end");
        break;
    case BURL_VERDICT_DEADLOCK_CYCLE:
    case BURL_VERDICT_DEADLOCK_STUCK:
        burl_buf_str_append(out, "hangs: it waits for what no other thread can do");
        break;
    default:
        burl_buf_printf(out, "fails (%s)", burl_verdict_name(v->kind));
        break;
    }
    if (info->is_inside)
        put_place(s->x, v->site, out);
    else if (info->last_fn >= 0)
        burl_buf_printf(out, " after its call of %s()", s->m->fns.v[info->last_fn].name);
    if (v->text[0] != '\0')
        burl_buf_printf(out, ": %s", v->text);
    burl_buf_str_append(out, ". Repair it or leave it out; arguments that it needs are given with "
                             "--seed-args");
    put_output(run, out);
}

/* ---- one seed ------------------------------------------------------------------------------ */

/* Why a seed cannot be used: owned; NULL: it can. */
static char *
seed_problem(const struct burl_synth *s, const struct burl_gen_seed_run *run,
             const struct burl_synth_record_info *info)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (run->verdict.kind == BURL_VERDICT_UNSUPPORTED)
        burl_buf_printf(&b, "does what burl cannot control (%s): leave it out", run->verdict.text);
    else if (info->n_own_threads > 0)
        burl_buf_str_append(&b, "creates threads itself, and so does not show what one call does "
                                "alone: give sequential tests, and test this program with burl "
                                "test");
    else if (run->verdict.kind != BURL_VERDICT_PASS)
        put_end(s, run, info, &b);
    else if (run->area == NULL)
        burl_buf_str_append(&b, "ended before it was recorded: run it alone first");
    else if (info->n_calls == 0)
        burl_buf_printf(&b,
                        "never calls a function of %s in its main thread: nothing can be learned "
                        "from it. Calls in a process that it forks are not recorded",
                        s->m->header);
    return b.n > 0 ? burl_buf_take(&b, NULL) : NULL;
}

/* Functions that start threads are named once. */
static void
note_threads(struct burl_synth *s, const struct burl_synth_record_info *info, bool *noted)
{
    for (size_t i = 0; i < info->threads.n; i++) {
        if (noted[info->threads.v[i]])
            continue;
        noted[info->threads.v[i]] = true;
        BURL_VEC_PUSH(&s->notes,
                      burl_xasprintf("%s() starts threads: the results of tests that call it are "
                                     "not compared, since they may depend on the progress of these "
                                     "threads; failures and data races still count",
                                     s->m->fns.v[info->threads.v[i]].name));
    }
}

/* Reads the record of one run into the log, or says why not in out->why. */
static enum burl_status
seed_take(struct burl_synth *s, size_t seed, const struct burl_gen_seed_run *run,
          struct burl_synth_seed *out, bool *noted, struct burl_err *err)
{
    struct burl_synth_record_info info = { .last_fn = -1 };
    struct burl_err why = { 0 };
    enum burl_status st = BURL_OK;

    if (run->area != NULL &&
        burl_synth_record_scan(&info, s->m, run->area, run->area_b, &why) != BURL_OK)
        out->why = burl_xasprintf("overwrote the record of its calls (%s): leave it out", why.msg);
    else
        out->why = seed_problem(s, run, &info);
    if (out->why == NULL && s->log.statics.n == 0)
        st = burl_synth_statics_read(&s->log, s->x,
                                     ((const struct burl_record_head *)run->area)->image, err);
    if (out->why == NULL && st == BURL_OK) {
        const size_t before = s->log.calls.n;

        if (burl_synth_record_read(&s->log, &s->script, s->m, (int)seed, run->area, run->area_b,
                                   &why) != BURL_OK)
            out->why =
                burl_xasprintf("overwrote the record of its calls (%s): leave it out", why.msg);
        else
            note_threads(s, &info, noted);
        out->n_calls = s->log.calls.n - before;
        if (info.is_full && out->why == NULL)
            out->why = burl_xasprintf("does more than can be recorded: its first %zu calls of the "
                                      "API are used",
                                      out->n_calls);
    }
    burl_synth_record_info_deinit(&info);
    return st;
}

/* ---- all ----------------------------------------------------------------------------------- */

static enum burl_status
no_seed_error(const struct burl_synth *s, struct burl_err *err)
{
    const struct burl_synth_seed *first = &s->seeds.v[0];

    if (s->seeds.n == 1)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s cannot be used as a seed: it %s",
                            first->source, first->why);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "none of the %zu programs with a main() can be used as a seed; %s %s",
                        s->seeds.n, first->source, first->why);
}

/* Functions whose calls the recorder does not see. */
static void
note_unrecorded(struct burl_synth *s)
{
    int fn;

    for (size_t i = 0; (fn = burl_gen_exec_unrecorded(s->x, i)) >= 0; i++)
        BURL_VEC_PUSH(&s->notes,
                      burl_xasprintf("calls of %s() are not recorded, since it has %s: tests do "
                                     "without them",
                                     s->m->fns.v[fn].name,
                                     strstr(s->m->fns.v[fn].ctype, "...") != NULL
                                         ? "a variable number of arguments"
                                         : "too many parameters"));
}

static bool
is_unrecorded(const struct burl_synth *s, int fn)
{
    size_t i = 0;
    int other;

    while ((other = burl_gen_exec_unrecorded(s->x, i)) >= 0 && other != fn)
        i++;
    return other == fn;
}

/* Functions that no seed calls: nothing is learned about them. */
static void
note_uncalled(struct burl_synth *s)
{
    enum { SHOWN = 8 };
    bool *called = burl_xcalloc(s->m->fns.n + 1, sizeof *called);
    struct burl_buf b = BURL_BUF_INIT;
    size_t n = 0;

    for (size_t i = 0; i < s->log.calls.n; i++)
        called[s->log.calls.v[i].fn] = true;
    for (size_t i = 0; i < s->m->fns.n; i++) {
        if (s->m->fns.v[i].is_ours)
            continue;
        s->stats.n_called += called[i];
        if (!called[i] && !is_unrecorded(s, (int)i) && ++n <= SHOWN)
            burl_buf_printf(&b, "%s%s()", n > 1 ? ", " : "", s->m->fns.v[i].name);
    }
    if (n > SHOWN)
        burl_buf_printf(&b, " and %zu more", n - SHOWN);
    if (n > 0 && s->log.calls.n > 0)
        BURL_VEC_PUSH(&s->notes, burl_xasprintf("not called by any seed, and so in no test: %s",
                                                burl_buf_str(&b)));
    burl_buf_deinit(&b);
    free(called);
}

enum burl_status
burl_synth_record(struct burl_synth *s, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    bool *noted = burl_xcalloc(s->m->fns.n + 1, sizeof *noted);

    for (size_t i = 0; st == BURL_OK && i < burl_gen_exec_n_seeds(s->x); i++) {
        struct burl_synth_seed seed = { .source = burl_gen_exec_seed_source(s->x, i) };
        struct burl_gen_seed_run run;

        if (s->on_seed != NULL)
            s->on_seed(s->arg, i, burl_gen_exec_n_seeds(s->x));
        if (!burl_gen_exec_can_stop(s->x, i))
            BURL_VEC_PUSH(&s->script.whole, (int)i);
        burl_gen_exec_seed(s->x, i, s->cfg.seed_args, s->cfg.seed_args_b, &run);
        st = burl_gen_exec_status(s->x, err);
        if (st == BURL_OK) {
            st = seed_take(s, i, &run, &seed, noted, err);
            BURL_VEC_PUSH(&s->seeds, seed);
        }
        burl_gen_seed_run_deinit(&run);
    }
    s->stats.calls = s->log.calls.n;
    note_unrecorded(s);
    note_uncalled(s);
    free(noted);
    if (st == BURL_OK && burl_synth_n_used_seeds(s) == 0)
        st = no_seed_error(s, err);
    return st;
}
