/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/pattern_rig.h - an execution of four threads to be filled in, and what is said of it.
 *
 * Shared by test_pattern.c and test_slice.c. The lines are those of tests/golden/src/pattern.c.
 */
#ifndef BURL_TESTS_PATTERN_RIG_H
#define BURL_TESTS_PATTERN_RIG_H

#include "trace_build.h"

enum { LEN = 0x4000, COUNT = 0x4010, A = 0x4020, B = 0x4030, P = 0x4040, TOP = 0x4050 };
enum { FULL = 0x4060, COND = 0x5000, MUTEX = 0x5100, M1 = 0x5200, M2 = 0x5300, BLOCK = 0x8000 };

struct sites {
    uint32_t func, create, join;
    uint32_t check_len, use_len, set_len, read_count, write_count;
    uint32_t set_a, set_b, read_a, read_b, set_p, read_p;
    uint32_t load_top, cas_top, set_top, reset_top;
    uint32_t check_full, wait, take_full, fill, signal, steal, lock1, lock2, release, copy, later;
};

static inline struct sites
begin(struct tb *b)
{
    struct sites s = { 0 };

    tb_init(b, "pattern.c");
    s.func = tb_func(b, "worker", "void worker(void)");
    s.create = tb_call(b, "worker", "void worker(void)", "worker");
    s.join = tb_call(b, "worker", "void worker(void)", "worker");
#define ACCESS(name, kind, line, token, var) \
    s.name = tb_site(b, BURL_SITE_##kind, "worker", line, token, var)
    ACCESS(check_len, READ, "if (len > 0)", "len", "len");
    ACCESS(use_len, READ, "use(buf[len])", "len", "len");
    ACCESS(set_len, WRITE, "len = 0", "len", "len");
    ACCESS(read_count, READ, "count = count + 1", "count +", "count");
    ACCESS(write_count, WRITE, "count = count + 1", "count =", "count");
    ACCESS(set_a, WRITE, "    a = 1", "a", "a");
    ACCESS(set_b, WRITE, "    b = 1", "b", "b");
    ACCESS(read_a, READ, "sum(a, b)", "a,", "a");
    ACCESS(read_b, READ, "sum(a, b)", "b)", "b");
    ACCESS(set_p, WRITE, "p = make()", "p", "p");
    ACCESS(read_p, READ, "p->x = 1", "p", "p");
    ACCESS(load_top, READ, "old = atomic_load", "top", "top");
    ACCESS(cas_top, WRITE, "compare_exchange(", "top", "top");
    ACCESS(set_top, WRITE, "atomic_store(&top, other)", "top", "top");
    ACCESS(reset_top, WRITE, "atomic_store(&top, again)", "top", "top");
    ACCESS(check_full, READ, "if (full == 0)", "full", "full");
    ACCESS(take_full, READ, "full--", "full", "full");
    ACCESS(fill, WRITE, "full = 1", "full", "full");
    ACCESS(steal, WRITE, "full = 0", "full", "full");
    ACCESS(copy, READ, "copy = len", "len", "len");
    ACCESS(later, READ, "later = len", "len", "len");
#undef ACCESS
    s.wait = tb_call(b, "worker", "wait_on(&c)", "wait_on");
    s.signal = tb_call(b, "worker", "signal_it(&c)", "signal_it");
    s.lock1 = tb_call(b, "worker", "lock(&m1)", "lock");
    s.lock2 = tb_call(b, "worker", "lock(&m2)", "lock");
    s.release = tb_call(b, "worker", "free(p)", "free");
    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, s.func);
    for (uint16_t t = 1; t <= 3; t++)
        tb_event(b, 0, BURL_OP_CREATE, s.create, 0, t);
    tb_switch(b, 0, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    for (uint16_t t = 1; t <= 3; t++) {
        tb_event(b, t, BURL_OP_START, 0, 0, 0);
        tb_enter(b, t, s.func);
    }
    return s;
}

static inline void
stop_before(struct tb *b, uint16_t tid, uint8_t kind, uint32_t site, uint16_t next)
{
    tb_switch(b, tid, kind, site, next, BURL_SWITCH_PREEMPT);
}

/* Ends the execution with a failure of `tid` and looks at what is said. NULL: nothing. */
static inline void
expect(struct tb *b, uint8_t verdict, uint16_t tid, const char *kind, const char *sentence)
{
    struct burl_finding *f;

    b->run.verdict.kind = verdict;
    b->run.verdict.tid = tid;
    f = tb_finding(b, NULL);
    assert_string_equal(f->pattern.kind, kind != NULL ? kind : "");
    assert_string_equal(f->pattern.sentence, sentence != NULL ? sentence : "");
    for (size_t i = 0; i < f->pattern.n_steps; i++)
        assert_true(f->pattern.steps[i] < b->step);
    burl_report_finding_free(f);
    tb_deinit(b);
}

static inline void
abort_in(struct tb *b, uint16_t tid, const char *kind, const char *sentence)
{
    expect(b, BURL_VERDICT_CRASH_ABORT, tid, kind, sentence);
}

#endif
