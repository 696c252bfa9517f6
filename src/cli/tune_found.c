/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_found.c - findings of `burl tune`: under which setting they showed, and how often.
 *
 * Runs in the host. The setting of the first execution that showed a finding is a file beside it,
 * with the places that the search knew at that time, so that `burl run` injects the same noise.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/noise.h"
#include "base/shellwords.h"
#include "cli/tune_int.h"

static enum burl_status
write_setting(struct burl_tune_session *t, int64_t id, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    char *dir = NULL;
    enum burl_status st = burl_store_finding_dir(t->free.store, id, true, &dir, err);

    burl_buf_printf(&b, "# Under this noise finding %" PRId64 " was first seen by:", id);
    for (size_t i = 0; t->command[i]; i++)
        burl_shellwords_add(&b, t->command[i]);
    burl_buf_char(&b, '\n');
    burl__tune_write_setting(t, t->under, &b);
    if (st == BURL_OK)
        st = burl_fs_write_in(dir, BURL__FILE_SETTING, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    free(dir);
    return st;
}

/* "burl run --noise=.burl/findings/1/setting.noise ./server-test"; of a hang with a limit. A
 * check is run on what the program printed, as the search does. */
static char *
again_command(const struct burl_tune_session *t, const struct burl_wire_verdict *v, int64_t id)
{
    struct burl_buf b = BURL_BUF_INIT;
    char *option;

    burl_buf_str_append(&b, "burl run");
    if (t->under) {
        option =
            burl_xasprintf("--noise=%s/findings/%" PRId64 "/" BURL__FILE_SETTING, t->opts->dir, id);
        burl_shellwords_add(&b, option);
        free(option);
    }
    if (v->kind == BURL_VERDICT_HANG_TIMEOUT)
        burl_buf_printf(&b, " --time=%" PRId64 "ms", t->taken->r.wall_ms);
    if (v->kind == BURL_VERDICT_CHECK_FAILED)
        burl_buf_str_append(&b, " --report=/dev/null");
    if (t->command[0] && t->command[0][0] == '-')
        burl_buf_str_append(&b, " --");
    for (size_t i = 0; t->command[i]; i++)
        burl_shellwords_add(&b, t->command[i]);
    if (v->kind == BURL_VERDICT_CHECK_FAILED) {
        burl_buf_str_append(&b, " >output 2>&1; BURL_OUTPUT=output BURL_EXIT=0 sh -c");
        burl_shellwords_add(&b, t->exec.check);
    }
    return burl_buf_take(&b, NULL);
}

enum burl_status
burl__tune_origin(void *arg, const struct burl_wire_verdict *v, int64_t id,
                  struct burl_free_origin *out, struct burl_err *err)
{
    struct burl_tune_session *t = arg;
    struct burl_buf line = BURL_BUF_INIT;
    enum burl_status st = BURL_OK;

    if (t->under) {
        burl_noise_write_line(&line, t->under);
        st = write_setting(t, id, err);
    }
    if (st != BURL_OK) {
        burl_buf_deinit(&line);
        return st;
    }
    out->noise = t->under ? burl_buf_take(&line, NULL) : NULL;
    out->again = again_command(t, v, id);
    if (v->kind == BURL_VERDICT_CHECK_FAILED) {
        out->check = t->exec.check;
        out->check_output = t->taken->check_output;
    }
    return BURL_OK;
}

enum burl_status
burl__tune_recount(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < t->free.kept.n && st == BURL_OK; i++) {
        struct burl_kept *k = &t->free.kept.v[i];

        k->facts.shown = burl__tune_shown(t, k);
        k->facts.of = t->n_before + t->n_executions;
        st = burl__keep_recount(t->free.store, k, !k->replayable, err);
    }
    return st;
}
