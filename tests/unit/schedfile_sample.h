/* SPDX-License-Identifier: Apache-2.0 */
/* schedfile_sample.h - a schedule file and its sites, for the tests of schedfile*.c. */
#ifndef BURL_TESTS_SCHEDFILE_SAMPLE_H
#define BURL_TESTS_SCHEDFILE_SAMPLE_H

#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "engine/schedule/schedfile.h"
#include "unit.h"
#include "wire/site.h"

#define HASH 0x5f2a31c0aabbccddull

/* Names that need quotes in every way. */
static const struct burl_site_info infos[] = {
    { .id = 101,
      .index = 117,
      .module_hash = HASH,
      .file = "bank.c",
      .func = "deposit",
      .variable = "acct->balance",
      .line = 40,
      .column = 12,
      .kind = BURL_SITE_READ },
    { .id = 102,
      .index = 118,
      .module_hash = HASH,
      .file = "my dir/b\"q.c",
      .func = "ns::box<int, char>::operator()",
      .variable = "buf[i + 1]",
      .line = 7,
      .column = 1,
      .kind = BURL_SITE_WRITE },
    { .id = 103,
      .index = 0,
      .module_hash = HASH + 1,
      .file = "C:\\x.c",
      .func = "",
      .variable = "",
      .line = 0,
      .column = 0,
      .kind = BURL_SITE_CALL },
    { .id = 104,
      .index = 4,
      .module_hash = HASH + 1,
      .file = "\xc3\xa4.c",
      .func = "-",
      .variable = "?",
      .line = 1,
      .column = 2,
      .kind = BURL_SITE_FUNC },
    { .id = 105,
      .index = 5,
      .module_hash = HASH + 1,
      .file = "a:b:3",
      .func = "[f]",
      .variable = "tab\there",
      .line = 4294967295u,
      .column = 4294967295u,
      .kind = BURL_SITE_ATOMIC_CAS },
};

#define N_INFOS (sizeof infos / sizeof infos[0])

static inline struct burl_schedfile
sample(void)
{
    struct burl_schedfile f;

    burl_schedfile_init(&f);
    f.n_argv = 2;
    f.argv = burl_xcalloc(2, sizeof *f.argv);
    f.argv[0] = burl_xstrdup("./bank");
    f.argv[1] = burl_xstrdup("3");
    f.build_id = burl_xstrdup("8f3a5c0011223344");
    f.strategy = BURL_STRATEGY_PCT;
    f.param = 3;
    f.seed = 42;
    f.order_flags = BURL_ORDER_F_STRICT_TIME;
    f.epoch_ns = 1700000000000000000ull;
    f.verdict = BURL_VERDICT_CRASH_ABORT;
    f.fingerprint = 0x8cd72f523a3389d3ull;
    f.trace_hash = 0x0123456789abcdefull;
    f.steps = 161;
    f.n_switches = 2;
    f.switches = burl_xcalloc(2, sizeof *f.switches);
    f.switches[0] = (struct burl_wire_switch){
        .op = 37, .site = 101, .tid = 1, .next = 2, .why = BURL_SWITCH_PREEMPT, .kind = BURL_OP_READ
    };
    f.switches[1] =
        (struct burl_wire_switch){ .op = 9, .tid = 2, .next = 1, .why = BURL_SWITCH_FINISHED };
    return f;
}

static inline char *
encoded(const struct burl_schedfile *f, const struct burl_sites *sites, size_t *n)
{
    struct burl_buf out;
    struct burl_err err;

    burl_buf_init(&out, BURL_SCHEDFILE_MAX_B);
    EXPECT_OK(burl_schedfile_encode(f, sites, &out, &err), &err);
    return burl_buf_take(&out, n);
}

static inline char *
sample_text(size_t *n)
{
    struct burl_schedfile f = sample();
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    char *text = encoded(&f, sites, n);

    burl_sites_free(sites);
    burl_schedfile_deinit(&f);
    return text;
}

static inline void
assert_same(const struct burl_schedfile *a, const struct burl_schedfile *b)
{
    assert_int_equal(a->n_argv, b->n_argv);
    for (size_t i = 0; i < a->n_argv; i++)
        assert_string_equal(a->argv[i], b->argv[i]);
    assert_string_equal(a->build_id, b->build_id);
    assert_int_equal(a->engine, b->engine);
    assert_int_equal(a->strategy, b->strategy);
    assert_int_equal(a->param, b->param);
    assert_true(a->seed == b->seed);
    assert_int_equal(a->order_flags, b->order_flags);
    assert_true(a->epoch_ns == b->epoch_ns);
    assert_int_equal(a->verdict, b->verdict);
    assert_true(a->fingerprint == b->fingerprint);
    assert_true(a->trace_hash == b->trace_hash);
    assert_true(a->steps == b->steps);
    assert_int_equal(a->n_switches, b->n_switches);
    if (a->n_switches > 0)
        assert_memory_equal(a->switches, b->switches, a->n_switches * sizeof *a->switches);
}

static inline enum burl_schedfile_fault
fault_of(const char *text, size_t n, struct burl_err *err)
{
    struct burl_schedfile f;
    enum burl_schedfile_fault fault = BURL_SCHEDFILE_FAULT_NONE;
    enum burl_status st = burl_schedfile_decode(&f, text, n, NULL, &fault, err);

    assert_int_equal(st == BURL_OK, fault == BURL_SCHEDFILE_FAULT_NONE);
    if (st != BURL_OK) {
        assert_true(st == BURL_E_FORMAT || st == BURL_E_LIMIT);
        assert_null(f.switches);
        assert_null(f.argv);
        assert_true(err->msg[0] != '\0');
    }
    burl_schedfile_deinit(&f);
    return fault;
}

#endif
