/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/compile.c - one source: clang to bitcode, burl-instr, clang to object.
 *
 *   Early:  clang -emit-llvm (no passes), burl-instr, clang (the user's -O)
 *   Late:   clang -emit-llvm (no passes), burl-instr --late-prepare, clang -emit-llvm
 *           (the user's -O), burl-instr --late-finish, clang (no passes)
 *
 * Messages about the user's code come from the first run, which sees the source under its own name.
 * Warnings of the later runs are about generated code and are disabled. After an error there
 * (mostly bad inline assembly) the source is compiled again by clang alone, so that the user gets
 * clang's own message or, should that succeed, an object and a warning that it is not instrumented.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "cc/cc_int.h"

/* The temporary files of one source. */
struct files {
    char *front; /* clang's bitcode */
    char *next;  /* ours */
    char *opt;   /* late: optimized */
    char *last;  /* late: ours again */
    char *log;   /* messages of the runs that must be quiet */
};

/* As clang names it: the extension of the output replaced, else the source's stem here. */
static char *
replace_extension(const char *path, const char *suffix)
{
    const char *base = burl_path_basename(path);
    const char *dot = strrchr(base, '.');
    size_t n = dot ? (size_t)(dot - path) : strlen(path);

    return burl_xasprintf("%.*s%s", (int)n, path, suffix);
}

char *
burl__cc_default_output(const char *source, const char *suffix)
{
    return replace_extension(burl_path_basename(source), suffix);
}

static void
add_words(struct burl__argv *a, const struct burl__cc *cc, unsigned stages)
{
    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];
        if (!w->is_input && (w->stages & stages))
            burl__argv_add(a, w->text);
    }
}

static void
add_source(struct burl__argv *a, const struct burl__word *source)
{
    if (source->lang)
        burl__argv_adds(a, "-x", source->lang, NULL);
    burl__argv_add(a, source->text);
}

static bool
makes_objects(const struct burl__cc *cc)
{
    return cc->compile_only || cc->assemble_only;
}

/* Without these clang would take the names from our temporary files. */
static void
add_dependency_names(struct burl__argv *a, const struct burl__cc *cc,
                     const struct burl__word *source)
{
    char *name;

    if (!cc->depend)
        return;
    if (!cc->dep_file_said) {
        name = cc->output ? replace_extension(cc->output, ".d")
                          : burl__cc_default_output(source->text, ".d");
        burl__argv_adds(a, "-MF", name, NULL);
        free(name);
    }
    if (!cc->dep_named) {
        name = cc->output ? burl_xstrdup(cc->output) : burl__cc_default_output(source->text, ".o");
        burl__argv_adds(a, "-MQ", name, NULL);
        free(name);
    }
}

static void
add_coverage_names(struct burl__argv *a, const struct burl__cc *cc, const struct burl__word *source)
{
    char *cwd, *name, *path;

    if (!cc->coverage)
        return;
    cwd = getcwd(NULL, 0);
    name = cc->output && makes_objects(cc) ? replace_extension(cc->output, "")
                                           : burl__cc_default_output(source->text, "");
    path = burl_path_join(cwd ? cwd : ".", name);
    burl__argv_add(a, "-Xclang");
    burl__argv_addf(a, "-coverage-notes-file=%s.gcno", path);
    burl__argv_add(a, "-Xclang");
    burl__argv_addf(a, "-coverage-data-file=%s.gcda", path);
    free(path);
    free(name);
    free(cwd);
}

/* <burl/burl.h>, behind every folder the user names: beside the runtime in a build tree, else in
 * the prefix it is installed in. */
static void
add_annotations(struct burl__argv *a, const struct burl__cc *cc)
{
    static const char *const places[] = { "include", "../../include" };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *dir = burl_path_join(cc->tools->lib_dir, places[i]);
        char *header = burl_path_join(dir, "burl/burl.h");
        bool there = access(header, R_OK) == 0;

        if (there)
            burl__argv_addf(a, "-idirafter%s", dir);
        free(header);
        free(dir);
        if (there)
            return;
    }
}

static enum burl_status
run_front(const struct burl__cc *cc, const struct burl__word *source, const char *output, int *code,
          struct burl_err *err)
{
    struct burl__argv a = { 0 };
    unsigned stages = BURL__STAGE_FRONT;

    burl__argv_clang(&a, cc);
    /* A command that only compiles gets clang's own remarks about words that have no use. */
    if (makes_objects(cc))
        stages |= BURL__STAGE_LINK;
    else
        burl__argv_add(&a, "-Qunused-arguments");
    burl__argv_add(&a, "-D__BURL__=1");
    add_annotations(&a, cc);
    add_words(&a, cc, stages);
    /* Variable names come out of the debug information; what the object keeps of it is decided
     * after that. Standalone, for clang else leaves out classes whose virtual functions or
     * constructors are defined in another file; measured, it costs nothing to speak of. */
    if (cc->debug != BURL__DEBUG_FULL)
        burl__argv_add(&a, "-g");
    burl__argv_adds(&a, "-fstandalone-debug", "-Xclang", "-disable-llvm-passes", "-Xclang",
                    "-disable-O0-optnone", NULL);
    add_dependency_names(&a, cc, source);
    add_coverage_names(&a, cc, source);
    burl__argv_adds(&a, "-emit-llvm", "-c", NULL);
    add_source(&a, source);
    burl__argv_adds(&a, "-o", output, NULL);
    return burl__run(&a, NULL, code, err);
}

static const char *
debug_flag(const struct burl__cc *cc)
{
    switch (cc->debug) {
    case BURL__DEBUG_FULL:
        return "--debug=full";
    case BURL__DEBUG_LINES:
        return "--debug=lines";
    case BURL__DEBUG_NONE:
        return "--debug=none";
    default:
        /* Line tables cost a seventh of the back end's time, and the site table has the lines.
         * gcov works from them. */
        return cc->lines || cc->coverage ? "--debug=lines" : "--debug=none";
    }
}

/* Does clang optimize? The last -O decides. */
static bool
is_optimized(const struct burl__cc *cc)
{
    bool yes = false;

    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];

        if (!w->is_input && (w->stages & BURL__STAGE_BACK) && strncmp(w->text, "-O", 2) == 0)
            yes = strcmp(w->text, "-O0") != 0;
    }
    return yes;
}

static enum burl_status
run_instr(const struct burl__cc *cc, const char *mode, const char *in, const char *out,
          const char *log, int *code, struct burl_err *err)
{
    struct burl__argv a = { 0 };
    const char *dir;
    enum burl_status st = burl__tmp_dir(&dir, err);

    if (st != BURL_OK)
        return st;
    burl__argv_add(&a, cc->tools->instr);
    if (mode)
        burl__argv_add(&a, mode);
    else if (cc->fast_run && is_optimized(cc))
        burl__argv_add(&a, "--free-copies");
    if (cc->blocks)
        burl__argv_add(&a, "--blocks");
    if (cc->volatile_atomic)
        burl__argv_add(&a, "--volatile=atomic");
    if (cc->record)
        burl__argv_add(&a, "--record");
    if (cc->redirect)
        burl__argv_adds(&a, "--redirect", cc->redirect, NULL);
    /* The object is finished elsewhere, when our files are gone. */
    if (cc->lto || cc->emit_llvm || cc->assemble_only)
        burl__argv_add(&a, "--inline");
    burl__argv_adds(&a, debug_flag(cc), "--records", dir, "--in", in, "--out", out, NULL);
    return burl__run(&a, log, code, err);
}

enum back { BACK_FULL, BACK_OPTIMIZE, BACK_CODEGEN };

static enum burl_status
run_back(const struct burl__cc *cc, enum back what, const char *in, const char *out,
         const char *log, int *code, struct burl_err *err)
{
    struct burl__argv a = { 0 };

    burl__argv_clang(&a, cc);
    burl__argv_adds(&a, "-Qunused-arguments", "-w", NULL);
    for (size_t i = 0; i < cc->words.n; i++) {
        const struct burl__word *w = &cc->words.v[i];
        /* Split debug files of a temporary object would vanish with it. */
        bool split = strncmp(w->text, "-gsplit-dwarf", 13) == 0 && !makes_objects(cc);
        if (!w->is_input && (w->stages & BURL__STAGE_BACK) && !split)
            burl__argv_add(&a, w->text);
    }
    if (what == BACK_CODEGEN)
        burl__argv_adds(&a, "-Xclang", "-disable-llvm-passes", NULL);
    if (cc->emit_llvm || what == BACK_OPTIMIZE)
        burl__argv_add(&a, "-emit-llvm");
    burl__argv_adds(&a, cc->assemble_only && what != BACK_OPTIMIZE ? "-S" : "-c", "-x", "ir", in,
                    "-o", out, NULL);
    return burl__run(&a, log, code, err);
}

enum burl_status
burl__cc_compile_plain(const struct burl__cc *cc, const struct burl__word *source,
                       const char *output, bool quiet, int *code, struct burl_err *err)
{
    struct burl__argv a = { 0 };

    burl__argv_clang(&a, cc);
    if (!makes_objects(cc) || quiet)
        burl__argv_add(&a, "-Qunused-arguments");
    add_annotations(&a, cc);
    add_words(&a, cc,
              BURL__STAGE_FRONT | BURL__STAGE_BACK | (makes_objects(cc) ? BURL__STAGE_LINK : 0));
    if (quiet)
        burl__argv_add(&a, "-w");
    add_dependency_names(&a, cc, source);
    if (cc->emit_llvm)
        burl__argv_add(&a, "-emit-llvm");
    burl__argv_add(&a, cc->assemble_only ? "-S" : "-c");
    add_source(&a, source);
    burl__argv_adds(&a, "-o", output, NULL);
    return burl__run(&a, NULL, code, err);
}

static void
show_log(const char *path, bool first_line_only)
{
    char *text;

    if (burl_fs_read_file(path, (size_t)1 << 24, &text, NULL, NULL) != BURL_OK)
        return;
    if (first_line_only)
        text[strcspn(text, "\n")] = '\0';
    fputs(text, stderr);
    free(text);
}

/* Something after the first run failed: see the head of this file. */
static enum burl_status
compile_again(const struct burl__cc *cc, const struct burl__word *source, const char *output,
              const char *log, int *code, struct burl_err *err)
{
    if (strcmp(source->text, "-") == 0) {
        show_log(log, false);
        return BURL_OK;
    }
    enum burl_status st = burl__cc_compile_plain(cc, source, output, true, code, err);
    if (st == BURL_OK && *code == 0) {
        fprintf(stderr, "burl-cc: warning: %s is compiled without instrumentation: ", source->text);
        show_log(log, true);
        fputc('\n', stderr);
    }
    return st;
}

static enum burl_status
run_steps(const struct burl__cc *cc, const struct files *f, const char *output, int *code,
          struct burl_err *err)
{
    enum burl_status st;

    if (!cc->late) {
        st = run_instr(cc, NULL, f->front, f->next, f->log, code, err);
        if (st != BURL_OK || *code)
            return st;
        return run_back(cc, BACK_FULL, f->next, output, f->log, code, err);
    }
    st = run_instr(cc, "--late-prepare", f->front, f->next, f->log, code, err);
    if (st == BURL_OK && *code == 0)
        st = run_back(cc, BACK_OPTIMIZE, f->next, f->opt, f->log, code, err);
    if (st == BURL_OK && *code == 0)
        st = run_instr(cc, "--late-finish", f->opt, f->last, f->log, code, err);
    if (st == BURL_OK && *code == 0)
        st = run_back(cc, BACK_CODEGEN, f->last, output, f->log, code, err);
    return st;
}

/* -save-temps: what clang keeps too, the preprocessed source and the assembly. */
static enum burl_status
keep_temps(const struct burl__cc *cc, const struct burl__word *source, const struct files *f,
           struct burl_err *err)
{
    struct burl__cc asm_cc = *cc;
    struct burl__argv a = { 0 };
    char *i_name = burl__cc_default_output(source->text, cc->cplusplus ? ".ii" : ".i");
    char *s_name = burl__cc_default_output(source->text, ".s");
    int code = 0;

    burl__argv_clang(&a, cc);
    burl__argv_adds(&a, "-Qunused-arguments", "-w", NULL);
    add_words(&a, cc, BURL__STAGE_FRONT);
    burl__argv_add(&a, "-E");
    add_source(&a, source);
    burl__argv_adds(&a, "-o", i_name, NULL);
    enum burl_status st = burl__run(&a, NULL, &code, err);
    asm_cc.assemble_only = true;
    if (st == BURL_OK)
        st = run_back(&asm_cc, cc->late ? BACK_CODEGEN : BACK_FULL, cc->late ? f->last : f->next,
                      s_name, f->log, &code, err);
    free(i_name);
    free(s_name);
    return st;
}

static enum burl_status
make_files(struct files *f, struct burl_err *err)
{
    char *unused[2] = { NULL, NULL };
    const struct {
        char **path;
        const char *stem;
        const char *suffix;
    } names[] = {
        { &f->front, "front", ".bc" },
        { &f->next, "hooked", ".bc" },
        { &f->opt, "optimized", ".bc" },
        { &f->last, "last", ".bc" },
        { &f->log, "log", ".txt" },
        /* Named only so that the signal handler knows them. */
        { &unused[0], "sites", ".rec" },
        { &unused[1], "bitcode", ".rec" },
    };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < sizeof names / sizeof *names && st == BURL_OK; i++)
        st = burl__tmp_path(names[i].path, names[i].stem, names[i].suffix, err);
    free(unused[0]);
    free(unused[1]);
    return st;
}

enum burl_status
burl__cc_compile(const struct burl__cc *cc, const struct burl__word *source, const char *output,
                 int *code, struct burl_err *err)
{
    struct files f = { 0 };
    enum burl_status st = make_files(&f, err);

    if (st == BURL_OK)
        st = run_front(cc, source, f.front, code, err);
    if (st == BURL_OK && *code == 0) {
        st = run_steps(cc, &f, output, code, err);
        if (st == BURL_OK && *code)
            st = compile_again(cc, source, output, f.log, code, err);
        else if (st == BURL_OK)
            show_log(f.log, false);
        if (st == BURL_OK && *code == 0 && cc->save_temps)
            st = keep_temps(cc, source, &f, err);
    }
    free(f.front);
    free(f.next);
    free(f.opt);
    free(f.last);
    free(f.log);
    return st;
}
