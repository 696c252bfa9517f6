/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/cc.c - the plan for one command line of the compiler.
 *
 * Whatever is not a compilation of C or C++, or a link, is passed to clang unchanged by exec.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/path.h"
#include "cc/cc_int.h"

/* Above this the words of a link travel in a response file; exec's limit is far higher, but the
 * environment shares it. */
enum { MAX_LINK_B = 100000 };

static int
fail(const struct burl_err *err)
{
    fprintf(stderr, "burl-cc: error: %s\n", err->msg);
    return burl_err_exit_code(err->code);
}

static void
choose_clang(struct burl__cc *cc, const struct burl_cc_tools *tools, bool cplusplus)
{
    const char *env = getenv("BURL_CLANG");

    cc->tools = tools;
    cc->cplusplus = cplusplus;
    if (env && *env) {
        cc->clang = env;
        cc->driver_gxx = cplusplus;
    } else if (cplusplus) {
        cc->clang = tools->clangxx ? tools->clangxx : "clang++-19";
    } else {
        cc->clang = tools->clang ? tools->clang : "clang-19";
    }
}

/* Clang with the user's words, our own flags taken out, and the runtime when `link` says so. */
static int
hand_over(const struct burl__cc *cc, int argc, char **argv, bool link)
{
    struct burl__cc ignored = { 0 };
    struct burl__argv a = { 0 };
    struct burl_err err;

    burl__argv_clang(&a, cc);
    if (link)
        burl__cc_link_runtime(cc, &a);
    for (int i = 0; i < argc; i++) {
        if (!burl__cc_own_flag(&ignored, argv[i]))
            burl__argv_add(&a, argv[i]);
    }
    if (link)
        burl__cc_link_tail(cc, &a);
    if (burl__exec(&a, &err) != BURL_OK) {
        burl__argv_free(&a);
        return fail(&err);
    }
    return 0;
}

static const char *
object_suffix(const struct burl__cc *cc)
{
    if (cc->assemble_only)
        return cc->emit_llvm ? ".ll" : ".s";
    return cc->emit_llvm ? ".bc" : ".o";
}

/* -c or -S: each input gives an output of its own. */
static int
compile_all(const struct burl__cc *cc)
{
    int result = 0;

    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];
        struct burl_err err;
        enum burl_status st;
        int code = 0;

        if (!w->is_input || w->kind == BURL__IN_OBJECT)
            continue;
        char *out = cc->output ? burl_xstrdup(cc->output)
                               : burl__cc_default_output(w->text, object_suffix(cc));
        if (w->kind == BURL__IN_SOURCE)
            st = burl__cc_compile(cc, w, out, &code, &err);
        else
            st = burl__cc_compile_plain(cc, w, out, false, &code, &err);
        free(out);
        if (st != BURL_OK)
            return fail(&err);
        /* clang continues with the other inputs, and exits with the failure. */
        if (code)
            result = code;
    }
    return result;
}

static void
quote_word(struct burl_buf *b, const char *word)
{
    burl_buf_char(b, '"');
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            burl_buf_char(b, '\\');
        burl_buf_char(b, *word);
    }
    burl_buf_str_append(b, "\"\n");
}

/* Moves all words but the compiler's name into a file when there are too many for one exec. */
static enum burl_status
shorten(struct burl__argv *a, bool force, struct burl_err *err)
{
    size_t total = 0;
    struct burl_buf text = BURL_BUF_INIT;
    char *path;

    for (size_t i = 0; i < a->n; i++)
        total += strlen(a->v[i]) + 1;
    if (!force && total < MAX_LINK_B)
        return BURL_OK;
    enum burl_status st = burl__tmp_path(&path, "link", ".rsp", err);
    if (st != BURL_OK)
        return st;
    for (size_t i = 1; i < a->n; i++) {
        quote_word(&text, a->v[i]);
        free(a->v[i]);
    }
    a->n = 1;
    burl__argv_addf(a, "@%s", path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    st = fd < 0 ? burl_err_set(err, BURL_E_IO, errno, "cannot create %s", path)
                : burl_fs_write_all(fd, text.p, text.n, err);
    if (fd >= 0)
        close(fd);
    burl_buf_deinit(&text);
    free(path);
    return st;
}

/* Compiles the sources of a link into temporary objects; objects[i] belongs to word i. */
static int
compile_for_link(const struct burl__cc *cc, char **objects)
{
    int result = 0;

    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];
        struct burl_err err;
        int code = 0;

        if (!w->is_input || w->kind != BURL__IN_SOURCE)
            continue;
        char *stem = burl__cc_default_output(w->text, "");
        char *name = burl_xasprintf("%s-%zu", strcmp(stem, "-") == 0 ? "stdin" : stem, i);
        enum burl_status st = burl__tmp_path(&objects[i], name, ".o", &err);
        free(stem);
        free(name);
        if (st == BURL_OK)
            st = burl__cc_compile(cc, w, objects[i], &code, &err);
        if (st != BURL_OK)
            return fail(&err);
        if (code)
            result = code;
    }
    return result;
}

static int
link_all(const struct burl__cc *cc)
{
    struct burl__argv a = { 0 };
    struct burl_err err;
    char **objects = burl_xcalloc(cc->words.n + 1, sizeof *objects);
    const bool runtime = burl__cc_wants_runtime(cc);
    const size_t place = burl__cc_link_place(cc);
    int code = compile_for_link(cc, objects);
    enum burl_status st = BURL_OK;

    if (code == 0) {
        burl__argv_clang(&a, cc);
        if (cc->n_sources)
            burl__argv_add(&a, "-Qunused-arguments");
        for (size_t i = 0; i < cc->words.n; i++) {
            const struct burl__word *w = &cc->words.v[i];
            if (runtime && i == place)
                burl__cc_link_runtime(cc, &a);
            if (w->is_input && w->lang && !objects[i])
                burl__argv_adds(&a, "-x", w->lang, NULL);
            /* An input passed to clang may be assembly that needs the preprocessor options. */
            if (w->is_input || (w->stages & BURL__STAGE_LINK) || cc->n_others)
                burl__argv_add(&a, objects[i] ? objects[i] : w->text);
            if (w->is_input && w->lang && !objects[i])
                burl__argv_adds(&a, "-x", "none", NULL);
        }
        if (runtime && place == cc->words.n)
            burl__cc_link_runtime(cc, &a);
        if (cc->output)
            burl__argv_adds(&a, "-o", cc->output, NULL);
        if (runtime)
            burl__cc_link_tail(cc, &a);
        st = shorten(&a, cc->used_response, &err);
        if (st == BURL_OK)
            st = burl__run(&a, NULL, &code, &err);
        if (st != BURL_OK)
            code = fail(&err);
    }
    for (size_t i = 0; i < cc->words.n; i++)
        free(objects[i]);
    free(objects);
    burl__argv_free(&a);
    return code;
}

/* Whether the command needs nothing from the wrapper. */
static bool
is_plain(const struct burl__cc *cc)
{
    bool objects_only = cc->compile_only || cc->assemble_only;
    size_t n_compiled = cc->n_sources + cc->n_others;

    if (cc->plain || cc->no_instrument || cc->other_target || cc->missing_input || cc->n_headers)
        return true;
    if (n_compiled + cc->n_objects + cc->n_libs == 0)
        return true;
    if (objects_only && cc->n_sources == 0)
        return true;
    /* clang has a message for one output name and several outputs. */
    if (objects_only && cc->output && n_compiled > 1)
        return true;
    /* -emit-llvm without -c or -S is an error of clang's. */
    if (cc->emit_llvm && !objects_only)
        return true;
    return cc->freestanding;
}

static int
run_command(const struct burl__cc *cc, int argc, char **argv)
{
    bool links = !cc->compile_only && !cc->assemble_only;

    if (is_plain(cc))
        return hand_over(cc, argc, argv, false);
    if (links && cc->is_static) {
        /* A kernel-like program; or a probe, which is no program under test. */
        if (cc->nostdlib || cc->probe)
            return hand_over(cc, argc, argv, false);
        fprintf(stderr, "burl-cc: error: -static: the runtime is a shared library, so a program "
                        "under test must be linked dynamically; omit -static, or use "
                        "--no-instrument to build without burl\n");
        return 1;
    }
    if (cc->probe)
        return hand_over(cc, argc, argv, links && burl__cc_wants_runtime(cc));
    return links ? link_all(cc) : compile_all(cc);
}

int
burl_cc_main(int argc, char **argv, const struct burl_cc_tools *tools, bool cplusplus)
{
    struct burl__cc cc = { 0 };
    struct burl_err err;

    choose_clang(&cc, tools, cplusplus);
    if (burl__cc_parse(&cc, argc, argv, &err) != BURL_OK) {
        burl__cc_deinit(&cc);
        return fail(&err);
    }
    int code = run_command(&cc, argc, argv);
    burl__tmp_cleanup();
    burl__cc_deinit(&cc);
    return code;
}
