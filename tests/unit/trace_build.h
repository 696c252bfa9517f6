/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/trace_build.h - executions made by hand, for the tests of the reports.
 *
 * A test names source lines by a piece of their text (tests/golden/src), so that
 * sites have true lines and columns, then writes the events and switches as the
 * runtime would: the builder counts steps and operations per thread.
 */
#ifndef BURL_TESTS_TRACE_BUILD_H
#define BURL_TESTS_TRACE_BUILD_H

#include "base/buf.h"
#include "base/run.h"
#include "base/sites.h"
#include "base/vec.h"
#include "report/report.h"
#include "unit.h"
#include "wire/site.h"

#define TB_THREADS 64

struct tb {
    const char *file;
    char *dir;
    char *text;
    BURL_VEC(struct burl_site_info) sites;
    BURL_VEC(struct burl_wire_event) events;
    BURL_VEC(struct burl_wire_switch) switches;
    uint32_t n_ops[TB_THREADS];
    uint32_t depth[TB_THREADS];
    uint32_t step;
    struct burl_run run;
    struct burl_sites *table;
};

static inline const char *
tb_root(void)
{
    const char *root = getenv("BURL_TEST_ROOT");

    return root != NULL ? root : ".";
}

static inline void
tb_init(struct tb *b, const char *file)
{
    struct burl_err err;
    char *path;

    memset(b, 0, sizeof *b);
    b->file = file;
    b->dir = burl_path_join(tb_root(), "tests/golden/src");
    path = burl_path_join(b->dir, file);
    EXPECT_OK(burl_fs_read_file(path, 1u << 20, &b->text, NULL, &err), &err);
    free(path);
    b->run.verdict.tid = BURL_TID_NONE;
    b->run.diverged_at = ~0u;
}

/* A site at `token` on the first line that has `line`; both must be there. */
static inline uint32_t
tb_site(struct tb *b, uint8_t kind, const char *func, const char *line, const char *token,
        const char *variable)
{
    const char *at = strstr(b->text, line);
    const char *start = at;
    const char *tok;
    uint32_t n = 1;
    struct burl_site_info info;

    if (at == NULL)
        fail_msg("%s has no line with '%s'", b->file, line);
    while (start > b->text && start[-1] != '\n')
        start--;
    tok = strstr(start, token);
    assert_non_null(tok);
    for (const char *p = b->text; p < start; p++)
        n += *p == '\n';
    info = (struct burl_site_info){ .id = 1000 + (uint32_t)b->sites.n,
                                    .index = 7 + (uint32_t)b->sites.n,
                                    .module_hash = 0x5f2a31c0aabbccddull,
                                    .file = b->file,
                                    .dir = b->dir,
                                    .func = func,
                                    .variable = variable,
                                    .module = b->file,
                                    .line = n,
                                    .column = (uint32_t)(tok - start) + 1,
                                    .kind = kind,
                                    .size_b = 4,
                                    .order = BURL_MO_NONE };
    BURL_VEC_PUSH(&b->sites, info);
    return info.id;
}

static inline uint32_t
tb_call(struct tb *b, const char *func, const char *line, const char *callee)
{
    return tb_site(b, BURL_SITE_CALL, func, line, callee, callee);
}

static inline uint32_t
tb_func(struct tb *b, const char *func, const char *line)
{
    return tb_site(b, BURL_SITE_FUNC, func, line, line, "");
}

static inline struct burl_wire_event *
tb_event(struct tb *b, uint16_t tid, uint8_t kind, uint32_t site, uint64_t addr, uint64_t aux)
{
    struct burl_wire_event *ev = BURL_VEC_ADD(&b->events);

    ev->tid = tid;
    ev->kind = kind;
    ev->site = site;
    ev->addr = addr;
    ev->aux = aux;
    ev->step = b->step;
    if (kind == BURL_OP_ENTER || kind == BURL_OP_LEAVE || kind == BURL_OP_ALLOC) {
        ev->op = b->n_ops[tid];
    } else {
        ev->op = b->n_ops[tid]++;
        ev->step = b->step++;
    }
    return ev;
}

static inline void
tb_enter(struct tb *b, uint16_t tid, uint32_t func)
{
    b->depth[tid]++;
    tb_event(b, tid, BURL_OP_ENTER, func, 0, func);
}

static inline void
tb_leave(struct tb *b, uint16_t tid)
{
    tb_event(b, tid, BURL_OP_LEAVE, 0, 0, --b->depth[tid]);
}

static inline void
tb_read(struct tb *b, uint16_t tid, uint32_t site, uint64_t addr, uint64_t value)
{
    struct burl_wire_event *ev = tb_event(b, tid, BURL_OP_READ, site, addr, 0);

    ev->size_b = 4;
    ev->value = value;
    ev->flags = BURL_EV_F_VALUE;
}

static inline void
tb_write(struct tb *b, uint16_t tid, uint32_t site, uint64_t addr, uint64_t value, uint64_t after)
{
    struct burl_wire_event *ev = tb_event(b, tid, BURL_OP_WRITE, site, addr, 0);

    ev->size_b = 4;
    ev->value = value;
    ev->after = after;
    ev->flags = BURL_EV_F_VALUE | BURL_EV_F_AFTER;
}

static inline void
tb_switch(struct tb *b, uint16_t tid, uint8_t kind, uint32_t site, uint16_t next, uint8_t why)
{
    BURL_VEC_PUSH(&b->switches, (struct burl_wire_switch){ .op = b->n_ops[tid],
                                                           .site = site,
                                                           .tid = tid,
                                                           .next = next,
                                                           .why = why,
                                                           .kind = kind });
}

/* The run, borrowed from the builder. */
static inline const struct burl_run *
tb_run(struct tb *b)
{
    b->run.events = b->events.v;
    b->run.n_events = b->events.n;
    b->run.switches = b->switches.v;
    b->run.n_switches = b->switches.n;
    b->run.steps = b->step;
    b->run.trace_hash = 0x0123456789abcdefull;
    burl_sites_free(b->table);
    b->table = burl_sites_new_fixed(b->sites.v, b->sites.n);
    return &b->run;
}

/* Whatever is moved, the failure is gone: the sentence may be said. */
static inline enum burl_run_moved
tb_moved(void *arg, const struct burl_run_move *move)
{
    (void)arg;
    (void)move;
    return BURL_MOVED_PASSES;
}

static inline struct burl_finding *
tb_finding(struct tb *b, const struct burl_report_facts *facts)
{
    struct burl_report_facts with = { 0 };
    const struct burl_run *run = tb_run(b);

    if (facts)
        with = *facts;
    if (!with.moved)
        with.moved = tb_moved;
    return burl_report_finding_new(run, b->table, &with);
}

static inline void
tb_deinit(struct tb *b)
{
    BURL_VEC_FREE(&b->sites);
    BURL_VEC_FREE(&b->events);
    BURL_VEC_FREE(&b->switches);
    burl_sites_free(b->table);
    free(b->dir);
    free(b->text);
    memset(b, 0, sizeof *b);
}

/* finding.json has all of it: read back, the finding renders the same. */
static inline void
tb_check_read(const struct burl_finding *f)
{
    struct burl_buf json[2] = { BURL_BUF_INIT, BURL_BUF_INIT };
    struct burl_buf text[2] = { BURL_BUF_INIT, BURL_BUF_INIT };
    struct burl_finding *again = NULL;
    struct burl_err err;

    burl_report_json(f, &json[0]);
    burl_report_text(f, NULL, &text[0]);
    EXPECT_OK(burl_report_finding_read(&again, burl_buf_str(&json[0]), json[0].n, &err), &err);
    burl_report_json(again, &json[1]);
    burl_report_text(again, NULL, &text[1]);
    assert_string_equal(burl_buf_str(&json[0]), burl_buf_str(&json[1]));
    assert_string_equal(burl_buf_str(&text[0]), burl_buf_str(&text[1]));
    burl_report_finding_free(again);
    for (unsigned i = 0; i < 2; i++) {
        burl_buf_deinit(&json[i]);
        burl_buf_deinit(&text[i]);
    }
}

/* Compares with tests/golden/<name>; BURL_GOLDEN_REFRESH=1 rewrites it instead. */
static inline void
tb_golden(const char *name, const char *got)
{
    char *rel = burl_xasprintf("tests/golden/%s", name);
    char *path = burl_path_join(tb_root(), rel);
    struct burl_err err;
    char *want = NULL;

    if (getenv("BURL_GOLDEN_REFRESH") != NULL) {
        EXPECT_OK(burl_fs_write_atomic(path, got, strlen(got), &err), &err);
    } else {
        EXPECT_OK(burl_fs_read_file(path, 1u << 20, &want, NULL, &err), &err);
        if (strcmp(want, got) != 0)
            fail_msg("%s differs (BURL_GOLDEN_REFRESH=1 rewrites it); now:\n%s", rel, got);
    }
    free(want);
    free(path);
    free(rel);
}

#endif
