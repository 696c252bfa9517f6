/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/cover_sample.h - coverage models made by hand, for tests of their renderers.
 *
 * sample_small() is about tests/golden/src/bank.c and queue.c and has every state and every kind of
 * note; sample_hostile() has names that would break out of HTML, JSON or a tracefile;
 * sample_large() writes its own sources and is as large as the page must bear.
 */
#ifndef BURL_TESTS_COVER_SAMPLE_H
#define BURL_TESTS_COVER_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "report/cover/render_cover.h"

static inline uint32_t
sample_site(struct burl_cover_model *m, const char *dir, const char *file, uint32_t line,
            uint32_t column, const char *func, const char *variable, const char *access)
{
    struct burl_cover_site *s = BURL_VEC_ADD(&m->sites);

    s->file = burl_xstrdup(file);
    s->path = dir != NULL ? burl_path_join(dir, file) : burl_xstrdup("");
    s->line = line;
    s->column = column;
    s->func = burl_xstrdup(func);
    s->variable = burl_xstrdup(variable);
    s->reads = strchr(access, 'r') != NULL;
    s->writes = strchr(access, 'w') != NULL;
    s->atomic = strchr(access, 'a') != NULL;
    return (uint32_t)m->sites.n - 1;
}

static inline uint32_t
sample_variable(struct burl_cover_model *m, const char *name, const char *object)
{
    struct burl_cover_variable *v = BURL_VEC_ADD(&m->variables);

    v->name = burl_xstrdup(name);
    v->object = burl_xstrdup(object);
    return (uint32_t)m->variables.n - 1;
}

static inline struct burl_cover_pair *
sample_pair(struct burl_cover_model *m, uint32_t a, uint32_t b, uint32_t variable,
            enum burl_cover_state state)
{
    struct burl_cover_pair *p = BURL_VEC_ADD(&m->pairs);

    p->a = a;
    p->b = b;
    p->variable = variable;
    p->state = state;
    p->strategy = burl_xstrdup("");
    p->schedule = burl_xstrdup("");
    p->reason = burl_xstrdup("");
    p->why = burl_xstrdup("");
    if (variable < m->variables.n) {
        struct burl_cover_variable *v = &m->variables.v[variable];

        v->covered += state == BURL_COVER_COVERED;
        v->uncovered += state == BURL_COVER_UNCOVERED || state == BURL_COVER_PROPOSED;
        v->pruned += state == BURL_COVER_PRUNED;
        v->impossible += state == BURL_COVER_IMPOSSIBLE;
    }
    return p;
}

static inline void
sample_set(char **to, const char *s)
{
    free(*to);
    *to = burl_xstrdup(s);
}

static inline void
sample_covered(struct burl_cover_pair *p, uint64_t exec, uint64_t seed, const char *strategy,
               const char *schedule, bool racy)
{
    p->first_exec = exec;
    p->seed = seed;
    p->racy = racy;
    sample_set(&p->strategy, strategy);
    sample_set(&p->schedule, schedule);
}

static inline void
sample_gap(struct burl_cover_pair *p, uint32_t rank, const char *why, uint64_t tries)
{
    p->rank = rank;
    p->tries = tries;
    sample_set(&p->why, why);
}

/* A curve that rises to `items` and flattens, `n` points over `executions`. */
static inline struct burl_cover_metric *
sample_metric(struct burl_cover_model *m, uint8_t metric, uint64_t items, uint64_t executions,
              unsigned n)
{
    struct burl_cover_metric *x = BURL_VEC_ADD(&m->metrics);

    x->metric = metric;
    x->covered = items;
    x->window = 100;
    for (unsigned i = 1; i <= n; i++) {
        uint64_t left = (uint64_t)(n - i) * (n - i) * (n - i);
        struct burl_cover_point p = { executions * i / n,
                                      items - items * left / ((uint64_t)n * n * n) };

        BURL_VEC_PUSH(&x->curve, p);
    }
    return x;
}

static inline struct burl_cover_file *
sample_file(struct burl_cover_model *m, const char *dir, const char *file)
{
    struct burl_cover_file *f = BURL_VEC_ADD(&m->files);

    f->file = burl_xstrdup(file);
    f->path = dir != NULL ? burl_path_join(dir, file) : burl_xstrdup("");
    return f;
}

static inline void
sample_lines(struct burl_cover_file *f, const uint32_t *hit, size_t n_hit, const uint32_t *missed,
             size_t n_missed)
{
    for (size_t i = 0; i < n_hit; i++)
        BURL_VEC_PUSH(&f->hit, hit[i]);
    for (size_t i = 0; i < n_missed; i++)
        BURL_VEC_PUSH(&f->missed, missed[i]);
    f->lines_hit = (uint32_t)n_hit;
    f->lines_found = (uint32_t)(n_hit + n_missed);
}

static inline void
sample_stale(struct burl_cover_model *m, const char *file, uint32_t line, const char *text)
{
    struct burl_cover_stale *s = BURL_VEC_ADD(&m->stale);

    s->file = burl_xstrdup(file);
    s->line = line;
    s->text = burl_xstrdup(text);
}

static inline void
sample_head(struct burl_cover_model *m, const char *program, const char *command)
{
    m->program = burl_xstrdup(program);
    m->command = burl_xstrdup(command);
    m->mode = burl_xstrdup("controlled, fibers");
    m->target_problem = burl_xstrdup("");
    m->executions = 2000;
    m->campaigns = 3;
    m->wall_ms = 12480;
    m->has_target = true;
}

static inline void
sample_small_metrics(struct burl_cover_model *m)
{
    struct burl_cover_metric *x = sample_metric(m, BURL_METRIC_LOCPAIRS, 7, 2000, 20);

    x->target = 13;
    x->new_last_window = 1;
    sample_metric(m, BURL_METRIC_DEFUSE, 5, 2000, 20);
    sample_metric(m, BURL_METRIC_ACCESSPAIRS, 9, 2000, 20)->new_last_window = 2;
    sample_metric(m, BURL_METRIC_METHODPAIRS, 11, 2000, 20);
    sample_metric(m, BURL_METRIC_CONCMETHODS, 8, 2000, 20);
    sample_metric(m, BURL_METRIC_SYNCHRO, 14, 2000, 20);
    sample_metric(m, BURL_METRIC_HBPAIRS, 6, 2000, 20);
    sample_metric(m, BURL_METRIC_AVIO, 12, 2000, 20)->unserial = 3;
    sample_metric(m, BURL_METRIC_GOLDISC, 10, 2000, 20)->weighted = 38;
    sample_metric(m, BURL_METRIC_PINV, 21, 2000, 20)->unserial = 5;
    sample_metric(m, BURL_METRIC_BLOCKS, 17, 2000, 20);
    sample_metric(m, BURL_METRIC_LINES, 26, 2000, 20)->target = 31;
}

static inline void
sample_small_pairs(struct burl_cover_model *m, const char *dir)
{
    uint32_t total = sample_variable(m, "total", "global total");
    uint32_t balance = sample_variable(m, "struct acct.balance", "global accts");
    uint32_t count = sample_variable(m, "struct queue.count", "heap queue.c:47");
    uint32_t tr = sample_site(m, dir, "bank.c", 16, 15, "deposit", "total", "r");
    uint32_t tw = sample_site(m, dir, "bank.c", 17, 11, "deposit", "total", "w");
    uint32_t fr = sample_site(m, dir, "bank.c", 32, 19, "transfer", "from->balance", "r");
    uint32_t fw = sample_site(m, dir, "bank.c", 32, 19, "transfer", "from->balance", "w");
    uint32_t or = sample_site(m, dir, "bank.c", 33, 17, "transfer", "to->balance", "r");
    uint32_t ow = sample_site(m, dir, "bank.c", 33, 17, "transfer", "to->balance", "w");
    uint32_t cw = sample_site(m, dir, "queue.c", 18, 13, "producer", "q->count", "rwa");
    uint32_t cr = sample_site(m, dir, "queue.c", 28, 15, "consumer", "q->count", "r");
    const uint32_t of_total[] = { tr, tw };
    const uint32_t of_balance[] = { fr, fw, or, ow };
    const uint32_t of_count[] = { cw, cr };

    for (size_t i = 0; i < 2; i++)
        BURL_VEC_PUSH(&m->variables.v[total].sites, of_total[i]);
    for (size_t i = 0; i < 4; i++)
        BURL_VEC_PUSH(&m->variables.v[balance].sites, of_balance[i]);
    for (size_t i = 0; i < 2; i++)
        BURL_VEC_PUSH(&m->variables.v[count].sites, of_count[i]);

    sample_covered(sample_pair(m, tr, tw, total, BURL_COVER_COVERED), 14, 0x2f, "pct", "", true);
    sample_covered(sample_pair(m, tw, tr, total, BURL_COVER_COVERED), 1, 0x1, "random", "", false);
    sample_covered(sample_pair(m, tw, tw, total, BURL_COVER_COVERED), 1702, 0xfedcba9876543210,
                   "directed", ".burl/pairs/3.sched", true);
    sample_covered(sample_pair(m, fw, fr, balance, BURL_COVER_COVERED), 3, 0x3, "random", "",
                   false);
    sample_covered(sample_pair(m, ow, fr, balance, BURL_COVER_COVERED), 40, 0x77, "pos", "", false);
    sample_covered(sample_pair(m, ow, or, balance, BURL_COVER_COVERED), 41, 0x78, "pos", "", false);
    sample_covered(sample_pair(m, cw, cr, count, BURL_COVER_COVERED), 2, 0x2, "random", "", false);
    sample_gap(sample_pair(m, cr, cw, count, BURL_COVER_UNCOVERED), 1,
               "the reverse order is covered; read then write", 20);
    sample_gap(sample_pair(m, fw, or, balance, BURL_COVER_UNCOVERED), 2,
               "write then read; same function", 0);
    sample_gap(sample_pair(m, fw, fw, balance, BURL_COVER_UNCOVERED), 3,
               "write then write; same function", 0);
    sample_set(&sample_pair(m, fr, fw, balance, BURL_COVER_PROPOSED)->reason,
               "both hold from->lock, and the write at bank.c:32 follows in every section");
    sample_set(&sample_pair(m, or, ow, balance, BURL_COVER_PROPOSED)->reason,
               "both hold to->lock, and the write at bank.c:33 follows in every section");
    sample_gap(sample_pair(m, cw, cw, count, BURL_COVER_UNCOVERED), 4,
               "write then write; same function", 5);
    sample_set(&sample_pair(m, fr, ow, balance, BURL_COVER_PRUNED)->reason,
               "accounts are locked in pairs");
    sample_pair(m, or, fw, balance, BURL_COVER_IMPOSSIBLE)->tries = 250;
    sample_covered(sample_pair(m, tw, cr, UINT32_MAX, BURL_COVER_OUTSIDE), 99, 0x99, "surw", "",
                   false);
}

static inline void
sample_small(struct burl_cover_model *m, const char *dir)
{
    static const uint32_t bank_hit[] = { 15, 16, 17, 18, 22, 23, 24, 29, 30, 31, 32,
                                         33, 34, 35, 36, 48, 52, 53, 54, 55, 57 };
    static const uint32_t bank_missed[] = { 40, 41, 42, 43 };
    static const uint32_t queue_hit[] = { 17, 18, 19, 20, 21 };
    static const uint32_t queue_missed[] = { 29 };
    struct burl_cover_file *f;

    burl_cover_model_init(m);
    sample_head(m, "./bank", "./bank --threads 2");
    sample_small_metrics(m);
    sample_small_pairs(m, dir);
    f = sample_file(m, dir, "bank.c");
    sample_lines(f, bank_hit, 21, bank_missed, 4);
    f->pairs_target = 10;
    f->pairs_covered = 6;
    f = sample_file(m, dir, "queue.c");
    sample_lines(f, queue_hit, 5, queue_missed, 1);
    f->pairs_target = 3;
    f->pairs_covered = 1;
    sample_stale(m, "burl.prune", 7, "bank.c:31:5 withdraw read total -> bank.c:17:11 deposit "
                                     "write total: the function is gone");
    m->untyped_pairs = 4;
    m->untyped_covered = 3;
    m->has_blocks = true;
}

/* Every name tries to be something else. */
static inline void
sample_hostile(struct burl_cover_model *m, const char *dir)
{
    static const char *const bad = "</script><script>alert(1)</script>&\"'`";
    static const char *const odd = "m\xc3\xa9moire \xe2\x86\x92 \xf0\x9f\xa7\xb5 \xff\xfe";
    static const uint32_t hit[] = { 1, 2 };
    uint32_t a;
    uint32_t b;
    uint32_t v;
    struct burl_cover_pair *p;

    burl_cover_model_init(m);
    sample_head(m, bad, bad);
    sample_set(&m->mode, odd);
    sample_set(&m->target_problem, bad);
    sample_metric(m, BURL_METRIC_LOCPAIRS, 1, 10, 3)->target = 2;
    v = sample_variable(m, bad, odd);
    a = sample_site(m, dir, "h<i>\"'&.c", 1, 1, bad, bad, "r");
    b = sample_site(m, NULL, "not/there\nSF:fake.c", 7, 2, odd, odd, "w");
    BURL_VEC_PUSH(&m->variables.v[v].sites, a);
    BURL_VEC_PUSH(&m->variables.v[v].sites, b);
    BURL_VEC_PUSH(&m->variables.v[v].sites, 12345u); /* no such site */
    sample_covered(sample_pair(m, a, b, v, BURL_COVER_COVERED), 1, UINT64_MAX, bad, bad, true);
    p = sample_pair(m, b, a, v, BURL_COVER_UNCOVERED);
    sample_gap(p, 1, bad, 1);
    sample_set(&sample_pair(m, b, b, v, BURL_COVER_PRUNED)->reason, odd);
    sample_pair(m, 777, 778, 779, BURL_COVER_OUTSIDE); /* nothing of it exists */
    sample_lines(sample_file(m, dir, "h<i>\"'&.c"), hit, 2, NULL, 0);
    sample_file(m, NULL, "not/there\nSF:fake.c");
    sample_stale(m, bad, 1, bad);
}

/* `n_files` sources of 300 lines in `dir`, `n_pairs` pairs, one variable with very many sites. */
static inline void
sample_large(struct burl_cover_model *m, const char *dir, unsigned n_files, unsigned n_pairs)
{
    enum { PER_FILE = 24, BIG = 200 };
    struct burl_err err = { 0 };
    uint32_t rank = 0;
    uint64_t rng = 88172645463325252u;
    char name[64];
    char object[64];

    burl_cover_model_init(m);
    sample_head(m, "./server", "./server --port 0 --workers 8");
    for (uint8_t i = 0; i < BURL_METRIC__N; i++)
        sample_metric(m, i, 100u * i + n_pairs / 2, 200000, 200);
    m->metrics.v[0].target = n_pairs;
    for (unsigned f = 0; f < n_files; f++) {
        struct burl_buf text = BURL_BUF_INIT;
        struct burl_cover_file *file;
        char *path;

        snprintf(name, sizeof name, "src/module%03u/part%u.c", f / 10, f);
        path = burl_path_join(dir, name);
        for (unsigned i = 1; i <= 300; i++)
            burl_buf_printf(&text, i % 12 ? "    if (state[%u].flag%u != 0)\n" :
                                            "    state[%u].count%u++;\n", f, i);
        *strrchr(path, '/') = '\0';
        if (burl_fs_mkdir_p(path, &err) != BURL_OK)
            abort();
        path[strlen(path)] = '/';
        if (burl_fs_write_atomic(path, text.p, text.n, &err) != BURL_OK)
            abort();
        free(path);
        burl_buf_deinit(&text);
        file = sample_file(m, dir, name);
        for (uint32_t i = 1; i <= 300; i++) {
            if (i % 5 == 0)
                BURL_VEC_PUSH(&file->missed, i);
            else
                BURL_VEC_PUSH(&file->hit, i);
        }
        file->lines_found = 300;
        file->lines_hit = 240;
        file->pairs_target = 40;
        file->pairs_covered = 20 + f % 20;
        snprintf(object, sizeof object, "struct state%u.count", f);
        sample_variable(m, object, "global state");
        for (unsigned i = 1; i <= PER_FILE; i++) {
            uint32_t s = sample_site(m, dir, name, i * 12, 5, i % 3 ? "refresh" : "report",
                                     "state[i].count", i % 2 ? "r" : "w");

            BURL_VEC_PUSH(&m->variables.v[i * 12 == 288 && f < BIG ? 0 : f].sites, s);
        }
    }
    for (unsigned i = 0; i < n_pairs; i++) {
        uint32_t v;
        uint32_t n;
        struct burl_cover_pair *p;
        unsigned state;

        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        v = i % 4 == 0 ? 0 : (uint32_t)(rng % n_files);
        n = (uint32_t)m->variables.v[v].sites.n;
        state = (unsigned)(rng >> 40) % 16;
        p = sample_pair(m, m->variables.v[v].sites.v[(rng >> 20) % n],
                        m->variables.v[v].sites.v[(rng >> 32) % n], v,
                        state < 8    ? BURL_COVER_COVERED
                        : state < 12 ? BURL_COVER_UNCOVERED
                        : state < 14 ? BURL_COVER_PROPOSED
                        : state < 15 ? BURL_COVER_PRUNED
                                     : BURL_COVER_IMPOSSIBLE);
        if (p->state == BURL_COVER_COVERED)
            sample_covered(p, i + 1, rng, i % 2 ? "pct" : "surw", "", state == 0);
        else if (p->state == BURL_COVER_UNCOVERED)
            sample_gap(p, ++rank, i % 2 ? "the reverse order is covered; read then write"
                                        : "write then write; same function", i % 7);
        else
            sample_set(&p->reason, "both hold state.lock");
    }
}

#endif
