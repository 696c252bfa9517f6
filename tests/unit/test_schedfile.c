/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_schedfile.c - the schedule file: what is written is read, and nothing else is.
 */
#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "engine/schedfile.h"
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

static struct burl_schedfile
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

static char *
encoded(const struct burl_schedfile *f, const struct burl_sites *sites, size_t *n)
{
    struct burl_buf out;
    struct burl_err err;

    burl_buf_init(&out, BURL_SCHEDFILE_MAX_B);
    EXPECT_OK(burl_schedfile_encode(f, sites, &out, &err), &err);
    return burl_buf_take(&out, n);
}

static char *
sample_text(size_t *n)
{
    struct burl_schedfile f = sample();
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    char *text = encoded(&f, sites, n);

    burl_sites_free(sites);
    burl_schedfile_deinit(&f);
    return text;
}

static void
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

static void
the_text_is_as_documented(void **state)
{
    static const char want[] =
        "burl-schedule 3\n"
        "# One execution, as `burl replay` follows it. After a change by hand, end the file with: "
        "checksum none\n"
        "program ./bank 3\n"
        "build-id 8f3a5c0011223344\n"
        "engine fibers\n"
        "strategy pct 3\n"
        "seed 42\n"
        "order strict-time\n"
        "epoch-ns 1700000000000000000\n"
        "verdict crash.abort\n"
        "fingerprint 8cd72f523a3389d3\n"
        "trace-hash 0123456789abcdef\n"
        "steps 161\n"
        "switches 2\n"
        "switch  T1 op 37  read acct->balance  bank.c:40:12  in deposit  [5f2a31c0aabbccdd:117]"
        "  -> T2  preempt\n"
        "switch  T2 op 9  none ?  [-]  -> T1  finished\n"
        "end 2\n";
    size_t n;
    char *text = sample_text(&n);

    (void)state;
    assert_memory_equal(text, want, sizeof want - 1);
    EXPECT_CONTAINS(text + sizeof want - 1, "checksum ");
    free(text);
}

static char *
random_string(struct burl_rng *r, bool any)
{
    static const char chars[] = "ab-?[]:\"\\ #\t\x01\x7f\xc3\xa4/.->";
    size_t n = (size_t)burl_rng_below(r, 9);
    char *s = burl_xcalloc(n + 1, 1);

    for (size_t i = 0; i < n; i++)
        s[i] = any ? chars[burl_rng_below(r, sizeof chars - 1)] : 'x';
    return s;
}

static struct burl_schedfile
random_file(struct burl_rng *r)
{
    struct burl_schedfile f;

    burl_schedfile_init(&f);
    f.n_argv = (size_t)burl_rng_below(r, 5);
    f.argv = burl_xcalloc(f.n_argv + 1, sizeof *f.argv);
    for (size_t i = 0; i < f.n_argv; i++)
        f.argv[i] = random_string(r, true);
    f.build_id = random_string(r, true);
    f.engine = (uint32_t)burl_rng_below(r, 2);
    f.strategy = (uint32_t)burl_rng_below(r, BURL_STRATEGY__N);
    f.param = (uint32_t)burl_rng_next(r);
    f.seed = burl_rng_next(r) >> burl_rng_below(r, 64);
    if (burl_rng_below(r, 2))
        f.order_flags |= BURL_ORDER_F_ALL_POINTS;
    if (burl_rng_below(r, 2))
        f.order_flags |= BURL_ORDER_F_STRICT_TIME;
    f.epoch_ns = burl_rng_next(r);
    f.verdict = (uint8_t)burl_rng_below(r, BURL_VERDICT__N);
    f.fingerprint = burl_rng_next(r);
    f.trace_hash = burl_rng_next(r);
    f.steps = burl_rng_next(r);
    f.n_switches = (size_t)burl_rng_below(r, 20);
    f.switches = burl_xcalloc(f.n_switches + 1, sizeof *f.switches);
    for (size_t i = 0; i < f.n_switches; i++) {
        struct burl_wire_switch *sw = &f.switches[i];

        sw->op = (uint32_t)burl_rng_next(r);
        sw->site = burl_rng_below(r, 3) == 0 ? 0 : 101 + (uint32_t)burl_rng_below(r, N_INFOS);
        sw->tid = (uint16_t)burl_rng_below(r, BURL_TID_NONE);
        sw->next = (uint16_t)burl_rng_below(r, BURL_TID_NONE);
        sw->why = (uint8_t)burl_rng_below(r, BURL_SWITCH_WHY__N);
        if (burl_switch_is_choice(sw->why)) {
            sw->nth = (uint16_t)burl_rng_next(r);
            sw->next = (uint16_t)(1 + burl_rng_below(r, BURL_TID_NONE - 1));
        }
        sw->kind = (uint8_t)burl_rng_below(r, BURL_OP__N);
    }
    return f;
}

static void
what_is_written_is_read(void **state)
{
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    struct burl_schedfile_options opts = { .sites = sites };
    struct burl_rng r;

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (unsigned round = 0; round < 2000; round++) {
        struct burl_schedfile f = random_file(&r);
        struct burl_schedfile g;
        struct burl_err err;
        size_t n, m;
        char *text = encoded(&f, sites, &n);
        char *again;

        EXPECT_OK(burl_schedfile_decode(&g, text, n, &opts, NULL, &err), &err);
        assert_same(&f, &g);
        assert_int_equal(g.n_exact, f.n_switches);
        assert_int_equal(g.n_unresolved, 0);
        again = encoded(&g, sites, &m);
        assert_int_equal(n, m);
        assert_memory_equal(text, again, n);
        free(text);
        free(again);
        burl_schedfile_deinit(&f);
        burl_schedfile_deinit(&g);
    }
    burl_sites_free(sites);
}

static enum burl_schedfile_fault
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

static void
every_truncation_is_noticed(void **state)
{
    size_t n;
    char *text = sample_text(&n);
    struct burl_err err;

    (void)state;
    for (size_t i = 1; i < n; i++) {
        char *part = burl_xmemdup(text, i); /* without a NUL, for the sanitizer */

        assert_int_equal(fault_of(part, i, &err), BURL_SCHEDFILE_FAULT_TRUNCATED);
        EXPECT_CONTAINS(err.msg, "truncated");
        free(part);
    }
    assert_int_equal(fault_of(text, 0, &err), BURL_SCHEDFILE_FAULT_FOREIGN);
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_NONE);
    free(text);
}

static void
every_changed_byte_is_noticed(void **state)
{
    size_t n;
    char *text = sample_text(&n);
    struct burl_err err;

    (void)state;
    for (size_t i = 0; i < n; i++) {
        char old = text[i];

        for (unsigned k = 0; k < 3; k++) {
            text[i] = (char)(old ^ (1 << (k * 3)));
            assert_int_not_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_NONE);
        }
        text[i] = old;
    }
    free(text);
}

static struct burl_schedfile
sample_race(void)
{
    struct burl_schedfile f = sample();

    f.verdict = BURL_VERDICT_RACE_DATA;
    f.observers = BURL_OB(RACE) | BURL_OB(LOCKORDER);
    f.stop.kind = BURL_SUSPECT_RACE;
    f.stop.n_sites = 2;
    f.stop.sites[0] = 101;
    f.stop.sites[1] = 102;
    f.stop_ops[0] = BURL_OP_READ;
    f.stop_ops[1] = BURL_OP_WRITE;
    return f;
}

static void
a_stop_comes_back(void **state)
{
    struct burl_schedfile f = sample_race();
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    const struct burl_schedfile_options opts = { .sites = sites };
    struct burl_wire_order order = { 0 };
    struct burl_schedfile g;
    struct burl_err err;
    size_t n;
    char *text = encoded(&f, sites, &n);

    (void)state;
    assert_memory_equal(text, "burl-schedule 3\n", 16);
    EXPECT_CONTAINS(text, "\nobserve race lockorder\nstop race\nstop-site  read acct->balance");
    EXPECT_OK(burl_schedfile_decode(&g, text, n, &opts, NULL, &err), &err);
    assert_same(&f, &g);
    assert_int_equal(g.observers, f.observers);
    assert_memory_equal(&g.stop, &f.stop, sizeof g.stop);
    assert_memory_equal(g.stop_ops, f.stop_ops, sizeof g.stop_ops);
    assert_int_equal(g.n_stop_lost, 0);
    assert_int_equal(g.n_exact, 2); /* of switches */
    burl_schedfile_stop(&g, &order);
    assert_int_equal(order.observers, f.observers);
    assert_true(order.stop_key == burl_wire_suspect_key(BURL_SUSPECT_RACE, f.stop.sites, 2));
    assert_int_equal(order.aim.n_sites, 2);
    burl_schedfile_deinit(&g);

    /* Of another program: the places are gone, and that is said. */
    EXPECT_OK(burl_schedfile_decode(&g, text, n, NULL, NULL, &err), &err);
    assert_int_equal(g.n_stop_lost, 2);
    burl_schedfile_deinit(&g);

    /* What came from an older file is written as it was. */
    f.order_flags |= BURL_ORDER_F_SEED_CHOICES;
    free(text);
    text = encoded(&f, sites, &n);
    assert_memory_equal(text, "burl-schedule 2\n", 16);
    f.stop.n_sites = 0;
    free(text);
    text = encoded(&f, sites, &n);
    assert_memory_equal(text, "burl-schedule 1\n", 16);
    assert_null(strstr(text, "observe"));
    EXPECT_OK(burl_schedfile_decode(&g, text, n, NULL, NULL, &err), &err);
    assert_int_equal(g.order_flags, f.order_flags);
    burl_schedfile_deinit(&g);
    free(text);
    burl_sites_free(sites);
    burl_schedfile_deinit(&f);
}

static void
a_stop_at_a_misuse_comes_back(void **state)
{
    struct burl_schedfile f = sample_race();
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    const struct burl_schedfile_options opts = { .sites = sites };
    struct burl_wire_order order = { 0 };
    struct burl_schedfile g;
    struct burl_err err;
    size_t n;
    char *text;

    (void)state;
    f.verdict = BURL_VERDICT_MISUSE_RELOCK;
    f.observers = 0;
    f.stop.kind = BURL_SUSPECT_MISUSE;
    text = encoded(&f, sites, &n);
    assert_memory_equal(text, "burl-schedule 3\n", 16);
    EXPECT_CONTAINS(text, "\nobserve\nstop misuse\nstop-site  read acct->balance");
    EXPECT_OK(burl_schedfile_decode(&g, text, n, &opts, NULL, &err), &err);
    assert_memory_equal(&g.stop, &f.stop, sizeof g.stop);
    burl_schedfile_stop(&g, &order);
    assert_true(order.stop_key ==
                burl_wire_misuse_key(BURL_VERDICT_MISUSE_RELOCK, f.stop.sites, 2));
    assert_int_equal(order.flags, 0);
    burl_schedfile_deinit(&g);

    /* One of a time when executions ended at each. */
    order = (struct burl_wire_order){ 0 };
    f.stop.n_sites = 0;
    burl_schedfile_stop(&f, &order);
    assert_int_equal(order.flags, BURL_ORDER_F_STOP_AT_MISUSE);
    assert_true(order.stop_key == 0);
    free(text);
    burl_sites_free(sites);
    burl_schedfile_deinit(&f);
}

/* Decodes the text of sample_race() with `from` replaced by `to`, unverified. */
static enum burl_schedfile_fault
fault_of_edited(const char *from, const char *to, struct burl_err *err)
{
    struct burl_schedfile f = sample_race();
    struct burl_sites *sites = burl_sites_new_fixed(infos, N_INFOS);
    size_t n;
    char *text = encoded(&f, sites, &n);
    char *at = strstr(text, from);
    char *edited;
    enum burl_schedfile_fault fault;

    assert_non_null(at);
    strstr(text, "\nchecksum ")[1] = '\0';
    edited =
        burl_xasprintf("%.*s%s%schecksum none\n", (int)(at - text), text, to, at + strlen(from));
    fault = fault_of(edited, strlen(edited), err);
    free(edited);
    free(text);
    burl_sites_free(sites);
    burl_schedfile_deinit(&f);
    return fault;
}

static void
half_a_stop_is_refused(void **state)
{
    struct burl_err err;

    (void)state;
    assert_int_equal(fault_of_edited("stop race", "stop region", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
    EXPECT_CONTAINS(err.msg, "do not go together");
    assert_int_equal(fault_of_edited("stop race\n", "", &err), BURL_SCHEDFILE_FAULT_SYNTAX);
    assert_int_equal(fault_of_edited("observe race lockorder\n", "", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
    assert_int_equal(fault_of_edited("observe race", "observe rice", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
    EXPECT_CONTAINS(err.msg, "unknown observer");
    assert_int_equal(fault_of_edited("stop race", "stop nothing", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
    assert_int_equal(fault_of_edited("stop-site  read", "stop-site  reed", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
    /* Version 1 has no such lines. */
    assert_int_equal(fault_of_edited("burl-schedule 3", "burl-schedule 1", &err),
                     BURL_SCHEDFILE_FAULT_SYNTAX);
}

static void
damage_is_told_from_truncation_and_version(void **state)
{
    size_t n;
    char *text = sample_text(&n);
    char *at = strstr(text, "seed 42");
    struct burl_err err;

    (void)state;
    at[5] = '5';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_CORRUPT);
    EXPECT_CONTAINS(err.msg, "corrupt");
    EXPECT_CONTAINS(err.msg, "checksum none");
    at[5] = 'x';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_CORRUPT);
    EXPECT_CONTAINS(err.msg, "line 7");
    text[14] = '4';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_VERSION);
    EXPECT_CONTAINS(err.msg, "version '4'");
    text[14] = '0';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_VERSION);
    text[0] = 'B';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_FOREIGN);
    free(text);
    assert_int_equal(fault_of("\x7f"
                              "ELF...\n",
                              8, &err),
                     BURL_SCHEDFILE_FAULT_FOREIGN);
    EXPECT_CONTAINS(err.msg, "not a burl schedule");
}

static struct burl_schedfile
sample_choice(void)
{
    struct burl_schedfile f = sample();

    f.switches[1] = (struct burl_wire_switch){ .op = 4,
                                               .tid = 1,
                                               .next = 1,
                                               .why = BURL_CHOICE_SPURIOUS,
                                               .kind = BURL_OP_COND_WAIT,
                                               .nth = 2 };
    return f;
}

static void
choices_come_back(void **state)
{
    struct burl_schedfile f = sample_choice();
    struct burl_schedfile g;
    struct burl_buf out;
    struct burl_err err;
    size_t n;
    char *text = encoded(&f, NULL, &n);
    char *at;

    (void)state;
    EXPECT_CONTAINS(text, "\nchoice  T1 op 4.2  cond-wait ?  [-]  = 1  spurious\n");
    EXPECT_OK(burl_schedfile_decode(&g, text, n, NULL, NULL, &err), &err);
    assert_memory_equal(&f.switches[1], &g.switches[1], sizeof f.switches[1]);
    assert_int_equal(g.order_flags & BURL_ORDER_F_SEED_CHOICES, 0);
    burl_schedfile_deinit(&g);

    /* Older versions have no such lines, and the seed decides. */
    at = strstr(text, "\nchecksum ") + 10;
    memcpy(at, "none\n", 6);
    n = strlen(text);
    text[14] = '2';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_SYNTAX);
    text[14] = '3';
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_NONE);
    at = strstr(text, "= 1  spurious");
    at[2] = '0'; /* the default is no record */
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_SYNTAX);
    EXPECT_CONTAINS(err.msg, "not an outcome");
    at[2] = '1';
    memcpy(at + 5, "blocked \n", 9);
    assert_int_equal(fault_of(text, n, &err), BURL_SCHEDFILE_FAULT_SYNTAX);
    free(text);

    /* And what the seed decides has none. */
    f.order_flags |= BURL_ORDER_F_SEED_CHOICES;
    burl_buf_init(&out, BURL_SCHEDFILE_MAX_B);
    assert_int_equal(burl_schedfile_encode(&f, NULL, &out, &err), BURL_E_INTERNAL);
    burl_buf_deinit(&out);
    burl_schedfile_deinit(&f);
}

/* Replaces `from` by `to` and the checksum by "none". */
static char *
edited(const char *from, const char *to)
{
    size_t n;
    char *text = sample_text(&n);
    char *at = strstr(text, from);
    char *end = strstr(text, "\nchecksum ");
    char *out;

    assert_non_null(at);
    assert_non_null(end);
    end[1] = '\0';
    out = burl_xasprintf("%.*s%s%schecksum none\n", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return out;
}

static void
an_edited_file_is_accepted_when_it_says_so(void **state)
{
    struct burl_schedfile_options accept = { .accept_edited = true };
    struct burl_schedfile f;
    struct burl_err err;
    char *text = edited("seed 42", "seed 43");
    char *bare;

    (void)state;
    EXPECT_OK(burl_schedfile_decode(&f, text, strlen(text), NULL, NULL, &err), &err);
    assert_true(f.checksum_none);
    assert_int_equal(f.seed, 43);
    burl_schedfile_deinit(&f);
    /* Or when the caller does. */
    bare = burl_xasprintf("%.*schecksum 0123456789abcdef\n", (int)strlen(text) - 14, text);
    EXPECT_STATUS(burl_schedfile_decode(&f, bare, strlen(bare), NULL, NULL, &err), BURL_E_FORMAT,
                  &err);
    EXPECT_OK(burl_schedfile_decode(&f, bare, strlen(bare), &accept, NULL, &err), &err);
    assert_true(f.checksum_none);
    burl_schedfile_deinit(&f);
    free(bare);
    free(text);
}

static void
each_bad_line_is_named(void **state)
{
    static const struct {
        const char *from;
        const char *to;
        const char *message;
    } rows[] = {
        { "engine fibers", "engine rubber", "line 5" },
        { "engine fibers", "engine", "line 5" },
        { "engine fibers", "engine fibers fibers", "more on the line" },
        { "engine fibers", "engine fibers\nengine fibers", "twice" },
        { "engine fibers", "engines fibers", "unknown kind of line" },
        { "seed 42", "seed -1", "'-1'" },
        { "seed 42", "seed 18446744073709551616", "line 7" },
        { "seed 42\n", "", "a header is missing: 'seed'" },
        { "order strict-time", "order lax", "'lax'" },
        { "verdict crash.abort", "verdict crash", "'crash'" },
        { "fingerprint 8c", "fingerprint 8", "line 11" },
        { "switches 2", "switches 3", "number of switch lines" },
        { "end 2", "end 1", "number of switch lines" },
        { "end 2", "end 2\nseed 1", "nothing may follow" },
        { "T1 op 37", "1 op 37", "not a thread" },
        { "T1 op 37", "T65535 op 37", "not a thread" },
        { "T1 op 37", "T1 37", "'op'" },
        { "op 37", "op 4294967296", "count of operations" },
        { "read acct", "fly acct", "kind of operation" },
        { "bank.c:40:12", "bank.c", "not a position" },
        { "bank.c:40:12", "bank.c:x:12", "not a position" },
        { "in deposit", "deposit", "'in'" },
        { "[5f2a31c0aabbccdd:117]", "[5f2a:117]", "site key" },
        { "[5f2a31c0aabbccdd:117]", "[5f2a31c0aabbccdd:117:rope]", "site key" },
        { "[5f2a31c0aabbccdd:117]", "[0000000000000000:117]", "site key" },
        { "acct->balance", "\"acct", "variable" },
        { "acct->balance", "\"\\q\"", "variable" },
        { "acct->balance", "\"\\x00\"", "variable" },
        { "?  [-]", "?", "[-]" },
        { "-> T2", "T2", "'->'" },
        { "preempt", "because", "not a reason" },
        { "preempt", "preempt now", "more on the line" },
    };
    struct burl_err err;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = edited(rows[i].from, rows[i].to);

        if (fault_of(text, strlen(text), &err) != BURL_SCHEDFILE_FAULT_SYNTAX)
            fail_msg("'%s' was accepted", rows[i].to);
        EXPECT_CONTAINS(err.msg, rows[i].message);
        EXPECT_CONTAINS(err.msg, "line ");
        free(text);
    }
}

static void
comments_blank_lines_and_spaces_are_allowed(void **state)
{
    char *text = edited("seed 42\n", "\n  # a note\n  seed    42  \n");
    struct burl_schedfile f;
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_schedfile_decode(&f, text, strlen(text), NULL, NULL, &err), &err);
    assert_int_equal(f.seed, 42);
    burl_schedfile_deinit(&f);
    free(text);
}

static void
decode_with(const struct burl_site_info *have, size_t n_have, struct burl_schedfile *f)
{
    struct burl_sites *sites = burl_sites_new_fixed(have, n_have);
    struct burl_schedfile_options opts = { .sites = sites, .build_id = "other" };
    struct burl_err err;
    size_t n;
    char *text = sample_text(&n);

    EXPECT_OK(burl_schedfile_decode(f, text, n, &opts, NULL, &err), &err);
    assert_false(f->same_build);
    free(text);
    burl_sites_free(sites);
}

static void
a_rebuilt_program_is_followed_as_far_as_it_goes(void **state)
{
    struct burl_site_info now = infos[0];
    struct burl_schedfile f;

    (void)state;
    /* Another part of the program changed: same module. */
    now.id = 555;
    decode_with(&now, 1, &f);
    assert_int_equal(f.switches[0].site, 555);
    assert_int_equal(f.n_exact, 2);
    burl_schedfile_deinit(&f);
    /* The module changed, this line did not. */
    now.module_hash = 1;
    now.index = 3;
    decode_with(&now, 1, &f);
    assert_int_equal(f.switches[0].site, 555);
    assert_int_equal(f.n_position, 1);
    burl_schedfile_deinit(&f);
    /* Lines were inserted above. */
    now.line += 3;
    decode_with(&now, 1, &f);
    assert_int_equal(f.switches[0].site, 555);
    assert_int_equal(f.n_moved, 1);
    burl_schedfile_deinit(&f);
    /* The variable is gone. */
    now.variable = "acct->total";
    decode_with(&now, 1, &f);
    assert_int_equal(f.switches[0].site, 0);
    assert_int_equal(f.n_unresolved, 1);
    burl_schedfile_deinit(&f);
}

static void
the_same_build_is_recognised(void **state)
{
    struct burl_schedfile_options opts = { .build_id = "8f3a5c0011223344" };
    struct burl_schedfile f;
    struct burl_err err;
    size_t n;
    char *text = sample_text(&n);

    (void)state;
    EXPECT_OK(burl_schedfile_decode(&f, text, n, &opts, NULL, &err), &err);
    assert_true(f.same_build);
    burl_schedfile_deinit(&f);
    opts.build_id = "";
    EXPECT_OK(burl_schedfile_decode(&f, text, n, &opts, NULL, &err), &err);
    assert_false(f.same_build);
    burl_schedfile_deinit(&f);
    free(text);
}

static void
files_are_written_and_read(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "schedule.txt");
    struct burl_schedfile f = sample();
    struct burl_schedfile g;
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_schedfile_write(&f, NULL, path, &err), &err);
    EXPECT_OK(burl_schedfile_read(&g, path, NULL, NULL, &err), &err);
    f.switches[0].site = 0; /* without a table the names are not known */
    assert_same(&f, &g);
    burl_schedfile_deinit(&f);
    burl_schedfile_deinit(&g);
    EXPECT_OK(burl_fs_write_atomic(path, "x\n", 2, &err), &err);
    EXPECT_STATUS(burl_schedfile_read(&g, path, NULL, NULL, &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, path);
    free(path);
    path = burl_path_join(dir, "absent");
    EXPECT_STATUS(burl_schedfile_read(&g, path, NULL, NULL, &err), BURL_E_IO, &err);
    free(path);
    unit_rmdir(dir);
}

static void
too_many_switches_are_refused_by_both_sides(void **state)
{
    struct burl_schedfile f = sample();
    struct burl_buf out;
    struct burl_err err;

    (void)state;
    free(f.switches);
    f.n_switches = BURL_SCHEDFILE_MAX_SWITCHES + 1;
    f.switches = burl_xcalloc(f.n_switches, sizeof *f.switches);
    burl_buf_init(&out, BURL_BUF_NO_LIMIT);
    EXPECT_STATUS(burl_schedfile_encode(&f, NULL, &out, &err), BURL_E_LIMIT, &err);
    burl_buf_str_append(&out, "burl-schedule 1\n");
    for (size_t i = 0; i < f.n_switches; i++)
        burl_buf_str_append(&out, "switch T0 op 0 none ? [-] -> T1 yield\n");
    burl_buf_str_append(&out, "end 1048577\nchecksum none\n");
    assert_int_equal(fault_of(out.p, out.n, &err), BURL_SCHEDFILE_FAULT_BOUNDS);
    burl_buf_deinit(&out);
    burl_schedfile_deinit(&f);
}

static void
bad_values_are_not_written(void **state)
{
    struct burl_schedfile f = sample();
    struct burl_buf out;
    struct burl_err err;

    (void)state;
    burl_buf_init(&out, BURL_BUF_NO_LIMIT);
    f.switches[1].kind = BURL_OP__N;
    EXPECT_STATUS(burl_schedfile_encode(&f, NULL, &out, &err), BURL_E_INTERNAL, &err);
    f.switches[1].kind = 0;
    f.switches[1].next = BURL_TID_NONE;
    EXPECT_STATUS(burl_schedfile_encode(&f, NULL, &out, &err), BURL_E_INTERNAL, &err);
    f.switches[1].next = 0;
    f.verdict = BURL_VERDICT__N;
    EXPECT_STATUS(burl_schedfile_encode(&f, NULL, &out, &err), BURL_E_INTERNAL, &err);
    assert_int_equal(out.n, 0);
    burl_buf_deinit(&out);
    burl_schedfile_deinit(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_as_documented),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(damage_is_told_from_truncation_and_version),
        cmocka_unit_test(a_stop_comes_back),
        cmocka_unit_test(choices_come_back),
        cmocka_unit_test(a_stop_at_a_misuse_comes_back),
        cmocka_unit_test(half_a_stop_is_refused),
        cmocka_unit_test(an_edited_file_is_accepted_when_it_says_so),
        cmocka_unit_test(each_bad_line_is_named),
        cmocka_unit_test(comments_blank_lines_and_spaces_are_allowed),
        cmocka_unit_test(a_rebuilt_program_is_followed_as_far_as_it_goes),
        cmocka_unit_test(the_same_build_is_recognised),
        cmocka_unit_test(files_are_written_and_read),
        cmocka_unit_test(too_many_switches_are_refused_by_both_sides),
        cmocka_unit_test(bad_values_are_not_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
