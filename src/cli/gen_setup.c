/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_setup.c - what `burl gen` and `burl synth` do before and after their search: tools,
 * model, folder, executor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/gen_int.h"
#include "cli/interrupt.h"
#include "store/store.h"

enum burl_status
burl__gen_find_tools(struct burl_gen_run *g, struct burl_err *err)
{
    struct burl_path_tools tools;
    enum burl_status st = burl_path_tools(&tools, err);
    char *dir;

    if (st != BURL_OK)
        return st;
    dir = burl_path_dirname(tools.instr);
    g->api_tool = burl_path_join(dir, "burl-api");
    g->burl = burl_xstrdup(tools.exe);
    free(dir);
    burl_path_tools_deinit(&tools);
    if (!burl_fs_exists(g->api_tool))
        return burl_err_set(err, BURL_E_IO, 0,
                            "%s is missing; it reads headers for burl %s: build it with make, or "
                            "install burl again",
                            g->api_tool, g->command);
    g->sources.api_tool = g->api_tool;
    return BURL_OK;
}

/* queue.burl beside queue.h. */
static char *
default_model_file(const char *header)
{
    const char *dot = strrchr(header, '.');
    const char *slash = strrchr(header, '/');
    const size_t stem =
        dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - header) : strlen(header);

    return burl_xasprintf("%.*s.burl", (int)stem, header);
}

enum burl_status
burl__gen_make_model(struct burl_gen_run *g, struct burl_err *err)
{
    char *file = default_model_file(g->sources.header);
    const char *use = g->opts->model_file;
    enum burl_status st;

    if (use == NULL && burl_fs_exists(file))
        use = file;
    st = burl_gen_model_load(&g->model, &g->sources, g->opts->shared, use, err);
    if (st == BURL_OK && use != NULL && !g->opts->quiet && !g->opts->json && !g->opts->model)
        fprintf(stderr, "burl %s: corrected by %s\n", g->command, use);
    free(file);
    return st;
}

/*
 * Two concurrent runs must not mix their objects and programs: the second one works in gen-2. The
 * kernel releases the lock with the process.
 */
static enum burl_status
choose_dir(struct burl_gen_run *g, struct burl_err *err)
{
    enum { MOST = 64 };

    for (unsigned i = 1; i <= MOST; i++) {
        char *name = i == 1 ? burl_xstrdup(g->command) : burl_xasprintf("%s-%u", g->command, i);
        char *file;
        enum burl_status st;

        free(g->dir);
        g->dir = burl_path_join(g->opts->dir, name);
        free(name);
        st = burl_fs_mkdir_inside(g->opts->dir, strrchr(g->dir, '/') + 1, err);
        if (st == BURL_OK)
            st = burl_fs_check_tree(g->dir, err); /* compilers write there */
        if (st != BURL_OK)
            return st;
        file = burl_path_join(g->dir, "lock");
        g->lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (g->lock < 0)
            st = burl_err_set(err, BURL_E_IO, errno,
                              "cannot write %s; make it writable or give another directory with "
                              "--dir",
                              file);
        free(file);
        if (st != BURL_OK || flock(g->lock, LOCK_EX | LOCK_NB) == 0)
            return st;
        close(g->lock);
        g->lock = -1;
    }
    return burl_err_set(err, BURL_E_USAGE, 0, "%d runs of burl %s are already using %s", (int)MOST,
                        g->command, g->opts->dir);
}

static enum burl_status
open_exec(struct burl_gen_run *g, bool with_seeds, struct burl_err *err)
{
    const struct burl_gen_exec_opts x = {
        .model = &g->model,
        .sources = g->sources,
        .dir = g->dir,
        .burl = g->burl,
        .cc_flags = "",
        .max_steps = g->opts->max_steps,
        .exec_timeout_ms = burl__test_exec_timeout_ms(g->opts),
        .with_seeds = with_seeds,
        .verbose = g->opts->verbose,
        .interrupt = &burl_cli_interrupts,
    };

    return burl_gen_exec_open(&g->exec, &x, err);
}

enum burl_status
burl__gen_open(struct burl_gen_run *g, bool with_seeds, struct burl_err *err)
{
    enum burl_status st = burl_store_check_unused(g->opts->dir, g->command, err);

    if (st == BURL_OK)
        st = choose_dir(g, err);
    return st == BURL_OK ? open_exec(g, with_seeds, err) : st;
}

enum burl_status
burl__gen_reopen(struct burl_gen_run *g, struct burl_err *err)
{
    return open_exec(g, true, err);
}

void
burl__gen_say_left_out(const struct burl_gen_run *g)
{
    enum { SHOWN = 8 };
    struct burl_buf b = BURL_BUF_INIT;
    unsigned n = 0;

    burl_gen_model_left_out(&g->model, &b);
    for (const char *p = burl_buf_str(&b); *p; n++) {
        const size_t len = strcspn(p, "\n");
        if (n < SHOWN)
            fprintf(stderr, "burl %s: %.*s\n", g->command, (int)len, p);
        p += len + (p[len] == '\n');
    }
    if (n > SHOWN)
        fprintf(stderr, "burl %s: and %u more functions; burl gen --model lists them all\n",
                g->command, n - SHOWN);
    burl_buf_deinit(&b);
}

void
burl__gen_deinit(struct burl_gen_run *g)
{
    for (size_t i = 0; i < g->found.n; i++) {
        free(g->found.v[i].title);
        free(g->found.v[i].test);
        free(g->found.v[i].source);
        free(g->found.v[i].json);
        free(g->found.v[i].origin);
        for (size_t k = 0; k < g->found.v[i].also.n; k++)
            free(g->found.v[i].also.v[k]);
        BURL_VEC_FREE(&g->found.v[i].also);
    }
    for (size_t i = 0; i < g->kept.n; i++)
        burl_gen_test_deinit(&g->kept.v[i]);
    BURL_VEC_FREE(&g->found);
    for (size_t i = 0; i < g->stories.n; i++)
        free(g->stories.v[i]);
    BURL_VEC_FREE(&g->kept);
    BURL_VEC_FREE(&g->stories);
    for (size_t i = 0; i < g->not_built.n; i++)
        free(g->not_built.v[i]);
    BURL_VEC_FREE(&g->not_built);
    BURL_VEC_FREE(&g->shown);
    BURL_VEC_FREE(&g->curve);
    burl_gen_pairs_deinit(&g->pairs);
    burl_gen_exec_close(g->exec);
    burl_gen_model_deinit(&g->model);
    if (g->lock >= 0)
        close(g->lock);
    free(g->burl);
    free(g->api_tool);
    free(g->dir);
}
