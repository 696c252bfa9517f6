/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_keep.c - a finding becomes files and a row of the store.
 *
 * Runs in the host. The order makes a kill -9 harmless: the row first (it gives the number), then
 * the files, each replaced atomically, then the row again with the whole text; only then is the
 * finding printed. What was printed is complete on disk. A finding of an earlier campaign keeps its
 * number and gets the newer schedule, because the older one belongs to an older build.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/test_int.h"

char *
burl__test_args_json(char *const *argv, int argc)
{
    struct burl_json_writer w;
    struct burl_buf b = BURL_BUF_INIT;

    burl_json_writer_init(&w, &b, 0);
    burl_json_array_begin(&w);
    for (int i = 0; i < argc; i++)
        burl_json_str(&w, argv[i]);
    burl_json_array_end(&w);
    burl_json_writer_finish(&w);
    return burl_buf_take(&b, NULL);
}

/* The strategy that first found it, if a stored schedule reproduced it now. */
static const char *
found_by(const struct burl_test *t, const struct burl_campaign_finding *f)
{
    const char *earlier = burl__memory_strategy(t, f);

    return earlier ? earlier : burl_schedfile_strategy_name(f->strategy);
}

/* ---- the row ----------------------------------------------------------------------- */

static struct burl_store_finding
make_row(const struct burl_test *t, const struct burl_campaign_finding *f, const char *fingerprint)
{
    struct burl_store_finding row = {
        .fingerprint = fingerprint,
        .kind = burl_verdict_name(f->run->verdict.kind),
        .program = t->argv[0],
        .args = t->args_json,
        .build_id = t->build_id,
        .engine = burl_schedfile_engine_name(f->engine),
        .reset = burl_engine_reset_name(f->reset),
        .strategy = found_by(t, f),
        .schedule = "schedule.txt",
        .trace_hash = f->run->trace_hash,
        .facts = f->facts,
        .campaign = t->campaign,
    };

    row.facts.count = 0; /* counted when its files are there */
    return row;
}

/* ---- the files --------------------------------------------------------------------- */

struct burl_schedfile
burl__test_schedfile(const struct burl_test *t, const struct burl_run *run)
{
    size_t n_env = 0;

    while (t->env && t->env[n_env])
        n_env++;
    return (struct burl_schedfile){
        .argv = t->argv,
        .n_argv = (size_t)t->argc,
        .dir = (char *)t->dir,
        .env = (char **)t->env,
        .n_env = n_env,
        .build_id = (char *)t->build_id,
        .epoch_ns = run->epoch_ns,
        .verdict = run->verdict.kind,
        .trace_hash = run->trace_hash,
        .steps = run->steps,
        .switches = run->switches,
        .n_switches = run->n_switches,
    };
}

struct burl_schedfile
burl__test_finding_schedfile(const struct burl_test *t, const struct burl_campaign_finding *f)
{
    struct burl_schedfile s = burl__test_schedfile(t, f->run);

    s.engine = f->engine;
    s.strategy = f->strategy;
    s.param = f->param;
    s.seed = f->facts.seed;
    s.order_flags = f->order_flags;
    s.fingerprint = f->facts.fingerprint;
    s.observers = f->observers;
    s.stop = f->stop;
    memcpy(s.stop_ops, f->stop_ops, sizeof s.stop_ops);
    return s;
}

static enum burl_status
write_report(const char *dir, const struct burl_kept *k, struct burl_err *err)
{
    static const struct burl_report_style plain = { 0 };
    struct burl_buf text = BURL_BUF_INIT;
    enum burl_status st;

    burl_report_text(k->finding, &plain, &text);
    st = burl_fs_write_in(dir, "report.txt", burl_buf_str(&text), text.n, err);
    if (st == BURL_OK)
        st = burl_fs_write_in(dir, "finding.json", k->json, strlen(k->json), err);
    burl_buf_deinit(&text);
    return st;
}

/* All ids, one per line; "" none yet. The caller frees it. */
static char *
read_builds(struct burl_store *store, int64_t id)
{
    struct burl_err ignored;
    char *text = NULL;
    char *path;
    char *dir;

    if (burl_store_finding_dir(store, id, false, &dir, &ignored) != BURL_OK)
        return burl_xstrdup("");
    path = burl_path_join(dir, BURL_FILE_BUILDS);
    if (burl_fs_read_file(path, 1u << 20, &text, NULL, &ignored) != BURL_OK)
        text = burl_xstrdup("");
    free(path);
    free(dir);
    return text;
}

static bool
has_line(const char *text, const char *line)
{
    const size_t n = strlen(line);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        if (strcspn(text, "\n") == n && strncmp(text, line, n) == 0)
            return true;
    }
    return false;
}

bool
burl__keep_has_build(struct burl_store *store, int64_t id, const char *build_id)
{
    char *text = read_builds(store, id);
    const bool has = has_line(text, build_id);

    free(text);
    return has;
}

enum burl_status
burl__keep_build(struct burl_store *store, int64_t id, const char *build_id, struct burl_err *err)
{
    char *text = read_builds(store, id);
    struct burl_buf b = BURL_BUF_INIT;
    char *dir = NULL;
    enum burl_status st = BURL_OK;

    if (!has_line(text, build_id)) {
        burl_buf_printf(&b, "%s%s\n", text, build_id);
        st = burl_store_finding_dir(store, id, true, &dir, err);
        if (st == BURL_OK)
            st = burl_fs_write_in(dir, BURL_FILE_BUILDS, burl_buf_str(&b), b.n, err);
    }
    free(dir);
    burl_buf_deinit(&b);
    free(text);
    return st;
}

static enum burl_status
write_schedule(const struct burl_test *t, const struct burl_campaign_finding *f, int64_t id,
               struct burl_err *err)
{
    const struct burl_schedfile file = burl__test_finding_schedfile(t, f);
    char *dir = NULL;
    enum burl_status st = burl_store_finding_dir(t->store, id, true, &dir, err);
    char *path;

    if (st != BURL_OK)
        return st;
    path = burl_path_join(dir, "schedule.txt");
    st = burl_schedfile_write(&file, t->sites, path, err);
    if (st == BURL_OK)
        st = burl_cli_store_input(dir, err);
    free(path);
    free(dir);
    return st;
}

/* ---- all of it --------------------------------------------------------------------- */

static struct burl_finding *
make_finding(const struct burl_test *t, const struct burl_campaign_finding *f, int64_t id)
{
    char *replay = burl_cli_replay_command(t->opts, id);
    char *schedule = burl_xasprintf("%s/findings/%lld/schedule.txt", t->opts->dir, (long long)id);
    const struct burl_report_facts facts = {
        .number = (uint32_t)id,
        .argv = (const char *const *)t->argv,
        .n_argv = (size_t)t->argc,
        .build_id = t->build_id,
        .engine = burl_schedfile_engine_name(f->engine),
        .strategy = found_by(t, f),
        .facts = f->facts,
        .replay = replay,
        .schedule = schedule,
        .outcome = (uint8_t)f->race.outcome,
        .order_sites = { f->race.sites[0], f->race.sites[1] },
        .order_ends = { f->race.ends[0][0] ? f->race.ends[0] : NULL,
                        f->race.ends[1][0] ? f->race.ends[1] : NULL },
        .order_failure = f->race.failure,
        .pairs = f->pairs,
        .n_pairs = f->n_pairs,
        .suspect = f->suspect,
        .moved = f->moved,
        .moved_arg = f->moved_arg,
    };
    struct burl_finding *r = burl_report_finding_new(f->run, t->sites, &facts);

    free(replay);
    free(schedule);
    return r;
}

void
burl__keep_brief(struct burl_finding *f, struct burl_buf *out)
{
    char *cwd = getcwd(NULL, 0);
    const struct burl_report_doc doc = { .v = &f, .n = 1, .cwd = cwd ? cwd : "" };

    burl_report_doc_lines(&doc, out);
    if (out->n > 0)
        burl_buf_truncate(out, out->n - 1);
    free(cwd);
}

void
burl__keep_render(struct burl_kept *k, const struct burl_report_style *style)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_report_json(k->finding, &b);
    k->json = burl_buf_take(&b, NULL);
    /* The count is not known before the end: the text printed now must stay true. */
    k->finding->facts.count = 0;
    if (style->brief)
        burl__keep_brief(k->finding, &b);
    else
        burl_report_text(k->finding, style, &b);
    k->finding->facts.count = k->facts.count;
    k->text = burl_buf_take(&b, NULL);
}

enum burl_status
burl__keep_finding(struct burl_store *store, struct burl_store_finding *row, struct burl_kept *k,
                   const struct burl_report_style *style, const char *output, size_t output_b,
                   struct burl_err *err)
{
    char *dir = NULL;
    enum burl_status st = burl_store_finding_dir(store, k->id, true, &dir, err);

    burl__keep_render(k, style);
    if (st == BURL_OK && output)
        st = burl_fs_write_in(dir, "output.txt", output, output_b, err);
    if (st == BURL_OK)
        st = write_report(dir, k, err);
    free(dir);
    if (st != BURL_OK)
        return st;
    row->title = k->finding->title;
    row->json = k->json;
    row->facts.count = k->counted_later ? 0 : k->facts.count;
    k->stored = row->facts.count;
    return burl_store_finding_upsert(store, row, NULL, NULL, err);
}

static bool
is_freed_early(uint8_t kind)
{
    return kind == BURL_VERDICT_DOUBLE_FREE || kind == BURL_VERDICT_USE_AFTER_FREE;
}

/* For find_freed(). */
static void
note_block(struct burl_kept *k, const struct burl_wire_verdict *v)
{
    size_t n = 0;

    if (v->origin.kind != BURL_ORIGIN_HEAP)
        return;
    if (is_freed_early(v->kind)) {
        k->freed[0] = v->other_site;
        k->block = v->origin.site;
        return;
    }
    for (size_t i = 0; v->kind == BURL_VERDICT_RACE_DATA && i < 2; i++) {
        if (v->sides[i].op == BURL_OP_FREE)
            k->freed[n++] = v->sides[i].site;
    }
    if (n > 0)
        k->block = v->origin.site;
}

enum burl_status
burl__test_keep(struct burl_test *t, const struct burl_campaign_finding *f, struct burl_kept *out,
                struct burl_err *err)
{
    char fingerprint[17];
    struct burl_store_finding row;
    bool is_new = false;
    enum burl_status st;

    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)f->facts.fingerprint);
    row = make_row(t, f, fingerprint);
    *out = (struct burl_kept){ .facts = f->facts, .kind = row.kind };
    st = burl_store_finding_upsert(t->store, &row, &out->id, &is_new, err);
    if (st == BURL_OK)
        st = write_schedule(t, f, out->id, err);
    if (st == BURL_OK)
        st = burl__keep_build(t->store, out->id, t->build_id, err);
    if (st != BURL_OK)
        return st;
    out->known_before = !is_new;
    out->finding = make_finding(t, f, out->id);
    st = burl__keep_finding(t->store, &row, out, &t->style, f->run->output ? f->run->output : "",
                            f->run->output_b, err);
    if (st != BURL_OK) {
        burl__kept_deinit(out);
    } else if (f->run->verdict.kind == BURL_VERDICT_RACE_DATA) {
        struct burl_buf b = BURL_BUF_INIT;

        burl_variable_of(&f->run->verdict, t->sites, &b);
        out->variable = burl_buf_take(&b, NULL);
        out->addr = f->run->verdict.addr;
        out->behind = f->run->verdict.behind;
        out->cause = burl_cause_of(&f->run->verdict, t->sites);
        burl_cause_add(&out->cause, f->pairs, f->n_pairs, t->sites);
    }
    if (st == BURL_OK)
        note_block(out, &f->run->verdict);
    return st;
}

char *
burl__keep_again(const struct burl_store_finding *f)
{
    struct burl_json_value *v;
    struct burl_err ignored;
    const char *again;
    char *copy = NULL;

    if (!f->json || burl_json_parse(&v, f->json, strlen(f->json), &ignored) != BURL_OK)
        return NULL;
    again = burl_json_as_str(burl_json_get(v, "again"), NULL);
    if (again && *again)
        copy = burl_xstrdup(again);
    burl_json_free(v);
    return copy;
}

enum burl_status
burl__keep_recount(struct burl_store *store, struct burl_kept *k, bool files, struct burl_err *err)
{
    const uint64_t more = k->facts.count > k->stored ? k->facts.count - k->stored : 0;
    struct burl_buf json = BURL_BUF_INIT;
    char *dir = NULL;
    enum burl_status st = BURL_OK;

    k->stored = k->facts.count;
    if (k->finding->facts.count == k->facts.count && k->finding->facts.of == k->facts.of &&
        k->finding->facts.shown == k->facts.shown && k->finding->facts.always == k->facts.always &&
        more == 0)
        return BURL_OK;
    k->finding->facts.count = k->facts.count;
    k->finding->facts.always = k->facts.always;
    k->finding->facts.shown = k->facts.shown;
    k->finding->facts.of = k->facts.of;
    burl_report_json(k->finding, &json);
    free(k->json);
    k->json = burl_buf_take(&json, NULL);
    if (files)
        st = burl_store_finding_dir(store, k->id, true, &dir, err);
    if (st == BURL_OK && files)
        st = write_report(dir, k, err);
    if (st == BURL_OK)
        st = burl_store_finding_hit(store, k->id, more, files ? k->json : NULL, err);
    free(dir);
    return st;
}
