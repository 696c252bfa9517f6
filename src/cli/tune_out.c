/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_out.c - the best setting as a file that `burl run --noise=` takes.
 *
 * Runs in the host. Written anew at the end of each `burl tune`; its head says how it was found.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/noise.h"
#include "base/path.h"
#include "base/shellwords.h"
#include "cli/tune_int.h"
#include "tune/seeds.h"

static void
write_head(const struct burl_tune_session *t, const struct burl_setting *best, struct burl_buf *b)
{
    const struct burl_tune_outcome o = burl_tuner_outcome(best);
    const struct burl_seed *seed = burl_seeds_best(&t->tuner, &best->genes);
    const time_t now = time(NULL);
    struct tm tm;
    char date[16];
    char genes[BURL_GENES_MAX * 12];
    char **command = burl__tune_command(t, &best->genes);

    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &tm));
    burl_genes_write(&t->genome, &best->genes, genes, sizeof genes);
    burl_buf_printf(b, "# Made by burl tune on %s for:", date);
    for (size_t i = 0; command[i]; i++)
        burl_shellwords_add(b, command[i]);
    burl_buf_printf(b,
                    "\n# search %s, seed %llu: the best of %zu setting%s in %zu evaluation%s; "
                    "vector %s\n",
                    t->opts->search, (unsigned long long)t->search.seed, t->tuner.settings.n,
                    t->tuner.settings.n == 1 ? "" : "s", t->tuner.done.n,
                    t->tuner.done.n == 1 ? "" : "s", genes);
    burl_buf_printf(b, "# %u of %u executions failed under it, and %u of %u without noise\n",
                    burl_tune_errors(&o), o.executions, t->plain.failed, t->plain.n);
    if (seed)
        burl_buf_printf(b, "# %u of %u executions failed with seed %llu\n",
                        burl_tune_errors(&seed->outcome), seed->outcome.executions,
                        (unsigned long long)seed->seed);
    burl_params_free_command(command);
}

void
burl__tune_best_noise(const struct burl_tune_session *t, const struct burl_setting *best,
                      struct burl_wire_noise *out)
{
    const struct burl_seed *seed = burl_seeds_best(&t->tuner, &best->genes);

    burl_genes_to_noise(&t->genome, &best->genes, out);
    out->seed = seed ? seed->seed : 1;
}

/* The marks that the setting looks at. */
static uint8_t
marks_of(const struct burl_wire_noise *n)
{
    uint8_t marks = (uint8_t)n->marks;

    if (n->shared != BURL_NOISE_SHARED_OFF)
        marks |= BURL_NOISE_MARK_SHARED;
    if (n->cover != BURL_NOISE_COVER_OFF)
        marks |= BURL_NOISE_MARK_SWITCHED;
    return marks;
}

/* Without the numbers of variables `burl run` would take 8 bytes of memory for one. */
static bool
is_one(const struct burl_wire_noise *n)
{
    return n->shared == BURL_NOISE_SHARED_ONE || n->shared == BURL_NOISE_SHARED_ONE_RANDOM;
}

void
burl__tune_write_setting(const struct burl_tune_session *t, const struct burl_wire_noise *n,
                         struct burl_buf *out)
{
    burl_noise_write_file(out, n);
    burl__free_marks_write(out, t->free.build_id, t->marks.v, is_one(n) ? t->marks.variables : NULL,
                           t->marks.n, marks_of(n));
}

char *
burl__tune_out_file(const struct burl_tune_session *t)
{
    return t->opts->out ? burl_xstrdup(t->opts->out)
                        : burl_xasprintf("%s.noise", burl_path_basename(t->argv[0]));
}

enum burl_status
burl__tune_write_best(struct burl_tune_session *t, struct burl_err *err)
{
    const struct burl_setting *best = t->has_tuner ? burl_tuner_best(&t->tuner) : NULL;
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_wire_noise noise;
    char *path;
    enum burl_status st;

    if (!best)
        return BURL_OK;
    burl__tune_best_noise(t, best, &noise);
    path = burl__tune_out_file(t);
    write_head(t, best, &b);
    burl__tune_write_setting(t, &noise, &b);
    st = burl_fs_write_atomic(path, burl_buf_str(&b), b.n, err);
    burl_buf_deinit(&b);
    if (st == BURL_OK)
        t->out_path = path;
    else
        free(path);
    return st;
}
