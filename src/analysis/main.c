/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/main.c - burl-analyze: the static target of a program.
 *
 * Called by `burl cover`, once per build, and by people who want to look:
 *     burl-analyze PROGRAM [-o FILE]     the target (base/sp.h), to standard output without -o
 *     burl-analyze --stats PROGRAM       sizes and times
 *     burl-analyze --dump-pts PROGRAM    what every pointer may point to
 *     burl-analyze --dump-callgraph PROGRAM
 * Exit code 0; 2 for a wrong command line; 3 when the program cannot be analyzed, with one line on
 * standard error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/target/sp_int.h"
#include "base/fs.h"
#include "base/sitetab.h"

enum mode { MODE_TARGET, MODE_STATS, MODE_PTS, MODE_CALLS };

struct options {
    enum mode mode;
    const char *program;
    const char *out;
    struct {
        BURL_VEC_OF(const char *);
    } more; /* shared objects that it loads while it runs */
};

static uint64_t
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t
peak_kb(void)
{
    struct rusage u;

    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss : 0;
}

static enum burl_status
parse(struct options *o, int argc, char **argv, struct burl_err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--stats") == 0)
            o->mode = MODE_STATS;
        else if (strcmp(a, "--dump-pts") == 0)
            o->mode = MODE_PTS;
        else if (strcmp(a, "--dump-callgraph") == 0)
            o->mode = MODE_CALLS;
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

static void
set_program(struct burl_sp *t, const struct burl_program *p)
{
    uint64_t *hashes = burl_xcalloc(p->modules.n + 1, sizeof *hashes);

    for (size_t i = 0; i < p->modules.n; i++)
        hashes[i] = p->modules.v[i].hash;
    t->program = burl_sp_program(hashes, p->modules.n);
    free(hashes);
}

static void
set_unknown(struct burl_sp *t, const struct burl_pts *pts)
{
    uint32_t n;
    const char *const *names = burl_pts_unknown(pts, &n);

    for (uint32_t i = 0; i < n; i++)
        BURL_VEC_PUSH(&t->unknown, burl_xstrdup(names[i]));
}

static void
put_edges(const struct burl__sp *sp, struct burl_buf *out)
{
    size_t len;

    for (size_t i = 0; i < sp->t->roots.n; i++)
        burl_buf_printf(out, "thread %zu: %s%s\n", i, sp->t->roots.v[i].function,
                        sp->t->roots.v[i].many ? ", many" : "");
    for (size_t i = 0; i < sp->fns.n; i++) {
        const struct burl__fn *f = &sp->fns.v[i];
        burl_buf_printf(out, "%s, threads", LLVMGetValueName2(f->fn, &len));
        for (size_t k = 0; k < f->roots.n; k++)
            burl_buf_printf(out, " %u", f->roots.v[k]);
        burl_buf_char(out, '\n');
        for (size_t k = 0; k < f->out.n; k++) {
            const struct burl__edge *e = &sp->edges.v[f->out.v[k]];
            burl_buf_printf(out, "    %s%s\n", LLVMGetValueName2(sp->fns.v[e->callee].fn, &len),
                            e->later ? " (later)" : "");
        }
    }
}

static void
put_stats(const struct burl__sp *sp, const struct burl_pts_stats *ps, struct burl_buf *out)
{
    const struct burl_sp *t = sp->t;
    size_t n_untyped = 0;

    for (size_t i = 0; i < t->classes.n; i++)
        n_untyped += t->classes.v[i].untyped;
    burl_buf_printf(out,
                    "modules %zu\nfunctions %zu\nobjects %u\nleaves %u\nvariables %u\n"
                    "constraints %u\nmerged %u\nsolve_ms %" PRIu64 "\n",
                    sp->p->modules.n, sp->fns.n, ps->n_objects, ps->n_leaves, ps->n_variables,
                    ps->n_constraints, ps->n_merged, ps->solve_ms);
    burl_buf_printf(out,
                    "threads %zu\naccesses %zu\nsites %zu\nclasses %zu\nuntyped_classes %zu\n"
                    "pairs %" PRIu64 "\npairs_any_tier %" PRIu64 "\nlocks %zu\nfacts %zu\n"
                    "unknown %zu\nms %" PRIu64 "\nkb %" PRIu64 "\n",
                    t->roots.n, sp->accesses.n, t->sites.n, t->classes.n - n_untyped, n_untyped,
                    burl_sp_count(t, false), burl_sp_count(t, true), t->locks.n, t->facts.n,
                    t->unknown.n, t->analysis_ms, t->analysis_kb);
}

/* With --late the optimizer removed accesses that the canonical form still has (a read before an
 * overwrite): an access that must come in between there may be missing at run time. */
static bool
is_late(const struct burl_program *p)
{
    struct burl_sitetab *tab = burl_sitetab_new();
    bool late = false;

    for (size_t i = 0; i < p->modules.n && !late; i++) {
        size_t ix;
        if (!burl_sitetab_find(tab, p->modules.v[i].hash, &ix) &&
            burl_sitetab_add_file(tab, p->modules.v[i].object, NULL, NULL) != BURL_OK)
            late = true;
        else if (burl_sitetab_find(tab, p->modules.v[i].hash, &ix))
            late = strstr(burl_sitetab_module(tab, ix).producer, "late") != NULL;
    }
    burl_sitetab_free(tab);
    return late;
}

static void
analyze(struct burl__sp *sp)
{
    burl__sp_threads(sp);
    burl__sp_escape(sp);
    burl__sp_accesses(sp);
    burl__sp_locks(sp);
    burl__sp_classes(sp);
    if (!is_late(sp->p))
        burl__sp_facts(sp);
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
    uint64_t start = now_ms();
    struct burl_program p;
    struct burl_pts *pts = NULL;
    struct burl_sp t;
    struct burl_buf text;
    enum burl_status st = burl_program_open(&p, o->program, o->more.v, o->more.n, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < p.problems.n; i++)
        fprintf(stderr, "burl-analyze: note: %s\n", p.problems.v[i]);
    st = burl_pts_solve(&pts, &p, err);
    if (st == BURL_OK) {
        burl_buf_init(&text, (size_t)1 << 32);
        burl_sp_init(&t);
        struct burl__sp sp = { .p = &p, .pts = pts, .t = &t };
        struct burl_pts_stats stats;
        burl_pts_stats(pts, &stats);
        set_program(&t, &p);
        set_unknown(&t, pts);
        if (o->mode != MODE_PTS)
            analyze(&sp);
        t.analysis_ms = now_ms() - start;
        t.analysis_kb = peak_kb();
        if (o->mode == MODE_PTS)
            burl_pts_dump(pts, &p, &text);
        else if (o->mode == MODE_CALLS)
            put_edges(&sp, &text);
        else if (o->mode == MODE_STATS)
            put_stats(&sp, &stats, &text);
        else
            burl_sp_write(&t, &text);
        st = deliver(o, &text, err);
        burl__sp_free(&sp);
        burl_sp_deinit(&t);
        burl_buf_deinit(&text);
        burl_pts_free(pts);
    }
    burl_program_close(&p);
    return st;
}

int
main(int argc, char **argv)
{
    struct options o = { 0 };
    struct burl_err err;
    enum burl_status st = parse(&o, argc, argv, &err);

    if (st == BURL_OK)
        st = run(&o, &err);
    BURL_VEC_FREE(&o.more);
    if (st == BURL_OK)
        return BURL_EXIT_CLEAN;
    fprintf(stderr, "burl-analyze: %s\n", err.msg);
    return burl_err_exit_code(st);
}
