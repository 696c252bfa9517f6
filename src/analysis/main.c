/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/main.c - burl-analyze: the static target of a program.
 *
 * Called by `burl cover`, once per build, and by hand:
 *     burl-analyze PROGRAM [-o FILE]     the target (base/sp.h), to standard output without -o
 *     burl-analyze --stats PROGRAM       sizes and times
 *     burl-analyze --dump-pts PROGRAM    what every pointer may point to
 *     burl-analyze --dump-callgraph PROGRAM
 * Exit code 0; 2 for a wrong command line; 3 when the program cannot be analyzed, with one line on
 * standard error.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/target/target.h"
#include "base/fs.h"

struct options {
    enum burl_target_form form;
    bool dump_pts;
    const char *program;
    const char *out;
    BURL_VEC(const char *) more; /* shared objects that it loads while it runs */
};

static enum burl_status
parse(struct options *o, int argc, char **argv, struct burl_err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--stats") == 0)
            o->form = BURL_TARGET_STATS;
        else if (strcmp(a, "--dump-pts") == 0)
            o->dump_pts = true;
        else if (strcmp(a, "--dump-callgraph") == 0)
            o->form = BURL_TARGET_CALLS;
        else if (strcmp(a, "-o") == 0 && i + 1 < argc)
            o->out = argv[++i];
        else if (strncmp(a, "--with=", 7) == 0 && a[7])
            BURL_VEC_PUSH(&o->more, a + 7);
        else if (*a == '-' && a[1])
            return burl_err_set(err, BURL_E_USAGE, 0, "unknown option %s", a);
        else if (o->program)
            return burl_err_set(err, BURL_E_USAGE, 0, "more than one program: %s and %s",
                                o->program, a);
        else
            o->program = a;
    }
    if (!o->program)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "usage: burl-analyze [--stats|--dump-pts|--dump-callgraph] PROGRAM "
                            "[--with=OBJECT]... [-o FILE]");
    return BURL_OK;
}

static enum burl_status
deliver(const struct options *o, struct burl_buf *text, struct burl_err *err)
{
    enum burl_status st = burl_buf_status(text, "the result", err);

    if (st != BURL_OK)
        return st;
    if (o->out)
        return burl_fs_write_atomic(o->out, burl_buf_str(text), text->n, err);
    return burl_fs_write_all(1, burl_buf_str(text), text->n, err);
}

static enum burl_status
run(const struct options *o, struct burl_err *err)
{
    uint64_t start = burl_pts_now_ms();
    struct burl_program p;
    struct burl_pts *pts;
    struct burl_buf text;
    enum burl_status st = burl_program_open(&p, o->program, o->more.v, o->more.n, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < p.problems.n; i++)
        fprintf(stderr, "burl-analyze: note: %s\n", p.problems.v[i]);
    st = burl_pts_solve(&pts, &p, err);
    if (st != BURL_OK)
        return st;
    burl_buf_init(&text, (size_t)1 << 32);
    if (o->dump_pts)
        burl_pts_dump(pts, &p, &text);
    else
        burl_target_write(&p, pts, o->form, start, &text);
    return deliver(o, &text, err);
}

int
main(int argc, char **argv)
{
    struct options o = { 0 };
    struct burl_err err;
    enum burl_status st = parse(&o, argc, argv, &err);

    if (st == BURL_OK)
        st = run(&o, &err);
    if (st != BURL_OK)
        fprintf(stderr, "burl-analyze: %s\n", err.msg);
    /* What the analysis holds lives as long as the process: taking it apart takes time. */
    _exit(st == BURL_OK ? BURL_EXIT_CLEAN : burl_err_exit_code(st));
}
