/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/main.c - burl-analyze: the static target of a program, and what a change impacts.
 *
 * Called by `burl cover` and `burl regress`, once per build, and by hand:
 *     burl-analyze PROGRAM [-o FILE]     the target (base/sp.h), to standard output without -o
 *     burl-analyze --stats PROGRAM       sizes and times
 *     burl-analyze --dump-pts PROGRAM    what every pointer may point to
 *     burl-analyze --dump-callgraph PROGRAM
 *     burl-analyze PROGRAM -o FILE --base=LIST --changes=FILE
 *                                        the target, and how the program differs from its base
 *                                        version (base/changes.h)
 *     burl-analyze --diff=LIST PROGRAM   how it differs from a base version (diff/diff.h)
 *     burl-analyze --extract=DIR PROGRAM copies its bitcode to DIR and writes DIR/list, which is a
 *                                        LIST when this version is the base
 * Exit code 0; 2 for a wrong command line; 3 when the program cannot be analyzed, with one line on
 * standard error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/diff/diff.h"
#include "analysis/impact/impact.h"
#include "analysis/target/target.h"
#include "base/bcrecord.h"
#include "base/fs.h"

struct options {
    enum burl_target_form form;
    bool dump_pts;
    const char *base;    /* list of the base version's modules, for the changes */
    const char *changes; /* their file */
    const char *diff;    /* list of the base version's modules */
    const char *extract; /* directory for the modules */
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
        else if (strncmp(a, "--base=", 7) == 0 && a[7])
            o->base = a + 7;
        else if (strncmp(a, "--changes=", 10) == 0 && a[10])
            o->changes = a + 10;
        else if (strncmp(a, "--diff=", 7) == 0 && a[7])
            o->diff = a + 7;
        else if (strncmp(a, "--extract=", 10) == 0 && a[10])
            o->extract = a + 10;
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
                            "usage: burl-analyze [--stats|--dump-pts|--dump-callgraph|--diff=LIST|"
                            "--extract=DIR] PROGRAM [--with=OBJECT]... [-o FILE] "
                            "[--base=LIST --changes=FILE]");
    if (!o->base != !o->changes)
        return burl_err_set(err, BURL_E_USAGE, 0, "--base and --changes go together");
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

/* Writes every module of the program as DIR/<hash>.bc, and their list. */
struct extraction {
    const char *dir;
    const struct burl_program *p;
    const char *object;
    struct burl_buf list;
};

static enum burl_status
extract_record(void *arg, const struct burl_bcrecord *r, struct burl_err *err)
{
    struct extraction *x = arg;
    char name[32];

    snprintf(name, sizeof name, "%016" PRIx64 ".bc", r->hash);
    burl_buf_printf(&x->list, "%s/%s\t%016" PRIx64 "\t%s\t%s\n", x->dir, name, r->hash, x->object,
                    r->name);
    return burl_fs_write_in(x->dir, name, r->bytes, r->n, err);
}

static enum burl_status
extract(const char *dir, const struct burl_program *p, struct burl_err *err)
{
    struct extraction x = { .dir = dir, .p = p };
    enum burl_status st = burl_fs_mkdir_p(dir, err);

    burl_buf_init(&x.list, BURL_BUF_NO_LIMIT);
    for (size_t i = 0; st == BURL_OK && i < p->modules.n; i++) {
        x.object = p->modules.v[i].object;
        if (i == 0 || strcmp(x.object, p->modules.v[i - 1].object) != 0)
            st = burl_bcrecord_each(x.object, extract_record, &x, err);
    }
    if (st == BURL_OK)
        st = burl_fs_write_in(dir, "list", burl_buf_str(&x.list), x.list.n, err);
    burl_buf_deinit(&x.list);
    return st;
}

static enum burl_status
compare(const struct options *o, const struct burl_program *p, struct burl_err *err)
{
    struct burl_program base;
    struct burl_diff d;
    struct burl_buf text;
    enum burl_status st = burl_program_open_list(&base, o->diff, err);

    if (st == BURL_OK)
        st = burl_diff_make(&d, p, &base, err);
    if (st != BURL_OK)
        return st;
    burl_buf_init(&text, (size_t)1 << 32);
    burl_diff_dump(&d, &text);
    return deliver(o, &text, err);
}

/* The changes to their file; with --stats their sizes and times behind those of the target. */
static enum burl_status
find_changes(const struct options *o, struct burl__sp *sp, const struct burl_program *p,
             struct burl_buf *stats, struct burl_err *err)
{
    uint64_t start = burl_pts_now_ms(), compared;
    struct burl_program base;
    struct burl_diff d;
    struct burl_changes c;
    struct burl_buf text;
    size_t n_impacted = 0;
    enum burl_status st = burl_program_open_list(&base, o->base, err);

    if (st == BURL_OK)
        st = burl_diff_make(&d, p, &base, err);
    if (st != BURL_OK)
        return st;
    compared = burl_pts_now_ms();
    burl_impact_find(&c, &d, sp);
    burl_buf_init(&text, (size_t)1 << 32);
    burl_changes_write(&c, &text);
    st = burl_buf_status(&text, "the changes", err);
    if (st == BURL_OK)
        st = burl_fs_write_atomic(o->changes, burl_buf_str(&text), text.n, err);
    burl_buf_deinit(&text);
    for (size_t i = 0; i < c.sites.n; i++)
        n_impacted += c.sites.v[i].rules != 0;
    if (o->form == BURL_TARGET_STATS)
        burl_buf_printf(stats,
                        "diff_ms %" PRIu64 "\nimpact_ms %" PRIu64 "\nchanged_functions %zu\n"
                        "impacted %zu\ncycles %zu\ndangerous %zu\n",
                        compared - start, burl_pts_now_ms() - compared, c.functions.n, n_impacted,
                        c.cycles.n, c.dangerous.n);
    return st;
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
    if (o->extract)
        return extract(o->extract, &p, err);
    if (o->diff)
        return compare(o, &p, err);
    st = burl_pts_solve(&pts, &p, err);
    if (st != BURL_OK)
        return st;
    burl_buf_init(&text, (size_t)1 << 32);
    if (o->dump_pts) {
        burl_pts_dump(pts, &p, &text);
        return deliver(o, &text, err);
    }
    struct burl__sp *sp = burl_target_make(&p, pts, o->changes != NULL, start);
    burl_target_write(sp, o->form, &text);
    if (o->changes)
        st = find_changes(o, sp, &p, &text, err);
    return st == BURL_OK ? deliver(o, &text, err) : st;
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
