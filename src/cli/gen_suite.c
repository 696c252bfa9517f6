/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_suite.c - --emit-suite: tests as C with a Makefile and a CMakeLists.txt. `burl gen` keeps
 * those that increased coverage, `burl synth` all.
 *
 * Runs in the host. Each test checks its results against the sequential orders of its calls, so the
 * suite is useful with any compiler; under `burl test` it explores schedules as well.
 */
#include <stdlib.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/gen_int.h"

static enum burl_status
write_test(struct burl_gen_run *g, const struct burl_gen_test *t, size_t number,
           struct burl_err *err)
{
    struct burl_gen_oracle *oracle = burl_gen_oracle_new(g->exec, t, g->cfg.max_linear);
    char *name = burl_xasprintf("test_%zu", number);
    char *file = burl_xasprintf("%s.c", name);
    struct burl_gen_emit e = { .model = &g->model,
                               .test = t,
                               .exec = g->exec,
                               .oracle = oracle,
                               .story = number <= g->stories.n ? g->stories.v[number - 1] : NULL,
                               .name = name,
                               .is_movable = true,
                               .start_together = true };
    const char **words = burl__gen_words(g, t, &e.n_words);
    struct burl_buf b = BURL_BUF_INIT;
    enum burl_status st;

    e.words = words;
    burl_gen_oracle_all(oracle, &e.linear, &e.n_linear);
    st = burl_gen_exec_status(g->exec, err);
    if (st == BURL_OK) {
        burl_gen_emit_test(&e, &b);
        st = burl_fs_write_in(g->opts->emit_suite, file, burl_buf_str(&b), b.n, err);
    }
    burl_buf_deinit(&b);
    burl_gen_oracle_free(oracle);
    free(words);
    free(file);
    free(name);
    return st;
}

/* Parts of seeds that the seeds in tests need; `cmake` or make. */
static void
write_parts(const struct burl_gen_run *g, bool cmake, struct burl_buf *b)
{
    bool *tests = burl_xcalloc(g->kept.n + 1, sizeof *tests);
    const char *part;
    bool any = false;
    bool calls;

    for (size_t i = 0; i < g->kept.n; i++) {
        tests[i] = g->kept.v[i].stops.n > 0;
        any |= tests[i];
    }
    for (size_t i = 0; any && (part = burl_gen_exec_part(g->exec, i, &calls)) != NULL; i++) {
        if (calls)
            continue; /* its text is in the tests */
        if (cmake)
            burl_gen_emit_cmake_part(part, tests, g->kept.n, b);
        else
            burl_gen_emit_makefile_part(part, i + 1, tests, g->kept.n, b);
    }
    free(tests);
}

enum burl_status
burl__gen_suite(struct burl_gen_run *g, struct burl_err *err)
{
    enum burl_status st = burl_fs_mkdir_p(g->opts->emit_suite, err);
    struct burl_buf b = BURL_BUF_INIT;

    for (size_t i = 0; i < g->kept.n && st == BURL_OK; i++)
        st = write_test(g, &g->kept.v[i], i + 1, err);
    if (st != BURL_OK)
        return st;
    g->n_suite = g->kept.n;
    burl_gen_emit_makefile(&g->sources, g->kept.n, &b);
    write_parts(g, false, &b);
    st = burl_fs_write_in(g->opts->emit_suite, "Makefile", burl_buf_str(&b), b.n, err);
    burl_buf_clear(&b);
    if (st == BURL_OK) {
        burl_gen_emit_cmake(&g->sources, g->kept.n, &b);
        write_parts(g, true, &b);
        st = burl_fs_write_in(g->opts->emit_suite, "CMakeLists.txt", burl_buf_str(&b), b.n, err);
    }
    burl_buf_deinit(&b);
    return st;
}
