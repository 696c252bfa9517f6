/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_schedfile.c - the schedule file: what is written is read, and nothing else is.
 */
#include "schedfile_sample.h"

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
    f.seed = burl_rng_next(r) >> burl_rng_below(r, 64) & ~(1ull << 52);
    if (burl_rng_below(r, 2))
        f.order_flags |= BURL_ORDER_F_ALL_POINTS;
    if (burl_rng_below(r, 2))
        f.order_flags |= BURL_ORDER_F_STRICT_TIME;
    if (burl_rng_below(r, 2))
        f.order_flags |= BURL_ORDER_F_PATIENT;
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
        { "engine fibers", "engine fibers fibers", "unexpected words at the end" },
        { "engine fibers", "engine fibers\nengine fibers", "twice" },
        { "engine fibers", "engines fibers", "unknown kind of line" },
        { "seed 42", "seed -1", "'-1'" },
        { "seed 42", "seed 18446744073709551616", "line 7" },
        { "seed 42\n", "", "a header is missing: 'seed'" },
        { "order strict-time", "order lax", "'lax'" },
        { "verdict crash.abort", "verdict crash", "'crash'" },
        { "fingerprint 8c", "fingerprint 8", "line 11" },
        { "switches 2", "switches 3", "does not match the switch lines" },
        { "end 2", "end 1", "does not match the switch lines" },
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
        { "preempt", "preempt now", "unexpected words at the end" },
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
the_same_build_is_recognized(void **state)
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
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;

    (void)state;
    free(f.switches);
    f.n_switches = BURL_SCHEDFILE_MAX_SWITCHES + 1;
    f.switches = burl_xcalloc(f.n_switches, sizeof *f.switches);
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
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;

    (void)state;
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

/* Tests of a suite have a directory and an environment of their own. */
static void
directory_and_environment_are_kept(void **state)
{
    struct burl_schedfile f = sample();
    struct burl_schedfile g;
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;
    size_t n;
    char *text;

    (void)state;
    f.dir = burl_xstrdup("/home/my dir");
    f.n_env = 2;
    f.env = burl_xcalloc(2, sizeof *f.env);
    f.env[0] = burl_xstrdup("A=1");
    f.env[1] = burl_xstrdup("B=two words");
    EXPECT_OK(burl_schedfile_encode(&f, NULL, &out, &err), &err);
    EXPECT_CONTAINS(burl_buf_str(&out), "directory \"/home/my dir\"\n");
    EXPECT_OK(burl_schedfile_decode(&g, out.p, out.n, NULL, NULL, &err), &err);
    assert_string_equal(g.dir, "/home/my dir");
    assert_int_equal(g.n_env, 2);
    assert_string_equal(g.env[0], "A=1");
    assert_string_equal(g.env[1], "B=two words");
    burl_schedfile_deinit(&g);
    burl_buf_deinit(&out);
    burl_schedfile_deinit(&f);
    text = sample_text(&n);
    EXPECT_OK(burl_schedfile_decode(&g, text, n, NULL, NULL, &err), &err);
    assert_null(g.dir);
    assert_int_equal(g.n_env, 0);
    burl_schedfile_deinit(&g);
    free(text);
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
        cmocka_unit_test(an_edited_file_is_accepted_when_it_says_so),
        cmocka_unit_test(each_bad_line_is_named),
        cmocka_unit_test(comments_blank_lines_and_spaces_are_allowed),
        cmocka_unit_test(a_rebuilt_program_is_followed_as_far_as_it_goes),
        cmocka_unit_test(the_same_build_is_recognized),
        cmocka_unit_test(files_are_written_and_read),
        cmocka_unit_test(too_many_switches_are_refused_by_both_sides),
        cmocka_unit_test(bad_values_are_not_written),
        cmocka_unit_test(directory_and_environment_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
