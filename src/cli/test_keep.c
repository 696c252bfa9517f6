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

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/test_int.h"
#include "engine/schedule/schedfile.h"

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

enum burl_status
burl__test_write_schedule(const struct burl_test *t, const struct burl_campaign_finding *f,
                          const char *path, struct burl_err *err)
{
    struct burl_schedfile s = {
        .argv = t->argv,
        .n_argv = (size_t)t->argc,
        .build_id = (char *)t->build_id,
        .engine = f->engine,
        .strategy = f->strategy,
        .param = f->param,
        .seed = f->facts.seed,
        .order_flags = f->order_flags,
        .epoch_ns = f->run->epoch_ns,
        .verdict = f->run->verdict.kind,
        .fingerprint = f->facts.fingerprint,
        .trace_hash = f->run->trace_hash,
        .steps = f->run->steps,
        .switches = f->run->switches,
        .n_switches = f->run->n_switches,
        .observers = f->observers,
        .stop = f->stop,
    };

    memcpy(s.stop_ops, f->stop_ops, sizeof s.stop_ops);
    return burl_schedfile_write(&s, t->sites, path, err);
}

static enum burl_status
write_report(const char *dir, const struct burl_buf *json, const struct burl_buf *plain,
             struct burl_err *err)
{
    char *path = burl_path_join(dir, "report.txt");
    enum burl_status st = burl_fs_write_atomic(path, burl_buf_str(plain), plain->n, err);

    free(path);
    if (st != BURL_OK)
        return st;
    path = burl_path_join(dir, "finding.json");
    st = burl_fs_write_atomic(path, burl_buf_str(json), json->n, err);
    free(path);
    return st;
}

static enum burl_status
write_files(struct burl_test *t, const struct burl_campaign_finding *f, int64_t id,
            const struct burl_buf *json, const struct burl_buf *plain, struct burl_err *err)
{
    char *dir = NULL;
    enum burl_status st = burl_store_finding_dir(t->store, id, true, &dir, err);
    char *path;

    if (st != BURL_OK)
        return st;
    path = burl_path_join(dir, "schedule.txt");
    st = burl__test_write_schedule(t, f, path, err);
    free(path);
    if (st == BURL_OK) {
        path = burl_path_join(dir, "output.txt");
        st =
            burl_fs_write_atomic(path, f->run->output ? f->run->output : "", f->run->output_b, err);
        free(path);
    }
    if (st == BURL_OK)
        st = write_report(dir, json, plain, err);
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

enum burl_status
burl__test_keep(struct burl_test *t, const struct burl_campaign_finding *f, struct burl_kept *out,
                char **text, struct burl_err *err)
{
    static const struct burl_report_style plain = { 0 };
    char fingerprint[17];
    struct burl_store_finding row;
    struct burl_finding *finding = NULL;
    struct burl_buf buf = BURL_BUF_INIT;
    struct burl_buf json = BURL_BUF_INIT;
    bool is_new = false;
    enum burl_status st;

    memset(out, 0, sizeof *out);
    *text = NULL;
    snprintf(fingerprint, sizeof fingerprint, "%016llx", (unsigned long long)f->facts.fingerprint);
    row = make_row(t, f, fingerprint);
    st = burl_store_finding_upsert(t->store, &row, &out->id, &is_new, err);
    if (st != BURL_OK)
        goto done;
    finding = make_finding(t, f, out->id);
    burl_report_json(finding, &json);
    burl_report_text(finding, &plain, &buf);
    st = write_files(t, f, out->id, &json, &buf, err);
    burl_buf_clear(&buf);
    if (st != BURL_OK)
        goto done;
    row.title = finding->title;
    row.json = burl_buf_str(&json);
    row.facts.count = f->facts.count;
    st = burl_store_finding_upsert(t->store, &row, NULL, NULL, err);
    if (st != BURL_OK)
        goto done;
    out->facts = f->facts;
    out->stored = f->facts.count;
    out->known_before = !is_new;
    out->kind = row.kind;
    /* The count is not known before the end: the text printed now must stay true. */
    finding->facts.count = 0;
    burl_report_text(finding, &t->style, &buf);
    finding->facts.count = f->facts.count;
    *text = burl_buf_take(&buf, NULL);
    if (f->run->verdict.kind == BURL_VERDICT_RACE_DATA) {
        burl_variable_of(&f->run->verdict, t->sites, &buf);
        out->variable = burl_buf_take(&buf, NULL);
    }
    out->json = burl_buf_take(&json, NULL);
    out->finding = finding;
    finding = NULL;
done:
    burl_report_finding_free(finding);
    burl_buf_deinit(&json);
    burl_buf_deinit(&buf);
    return st;
}

enum burl_status
burl__keep_recount(struct burl_store *store, int64_t id, bool files, struct burl_finding *f,
                   uint64_t count, uint64_t *stored, char **json, struct burl_err *err)
{
    static const struct burl_report_style plain = { 0 };
    const uint64_t more = count > *stored ? count - *stored : 0;
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_buf new_json = BURL_BUF_INIT;
    char *dir = NULL;
    enum burl_status st = BURL_OK;

    *stored = count;
    if (f->facts.count == count && more == 0)
        return BURL_OK;
    f->facts.count = count;
    burl_report_json(f, &new_json);
    burl_report_text(f, &plain, &text);
    if (files)
        st = burl_store_finding_dir(store, id, true, &dir, err);
    if (st == BURL_OK && files)
        st = write_report(dir, &new_json, &text, err);
    if (st == BURL_OK)
        st = burl_store_finding_hit(store, id, more, files ? burl_buf_str(&new_json) : NULL, err);
    free(*json);
    *json = burl_buf_take(&new_json, NULL);
    burl_buf_deinit(&text);
    free(dir);
    return st;
}

void
burl__test_kept_deinit(struct burl_kept *k)
{
    burl_report_finding_free(k->finding);
    free(k->json);
    free(k->variable);
    memset(k, 0, sizeof *k);
}
