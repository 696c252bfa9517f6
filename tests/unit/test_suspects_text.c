/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suspects_text.c - what people and machines read about suspects.
 */
#include "base/json.h"
#include "races_sample.h"
#include "report/finding/suspects.h"

static struct burl_wire_suspect
suspect(uint8_t kind, uint64_t addr, size_t n, const uint32_t *sites, const uint8_t *ops)
{
    struct burl_wire_suspect s = { .kind = kind, .addr = addr, .n_sites = (uint8_t)n, .count = 2 };

    for (size_t i = 0; i < n; i++) {
        s.sites[i] = sites[i];
        s.ops[i] = ops[i];
        s.tids[i] = (uint16_t)(1 + i / 2);
    }
    s.key = burl_wire_suspect_key(kind, sites, (uint32_t)n);
    return s;
}

struct sample {
    struct tb b;
    struct places p;
    struct burl_wire_suspect wire[6];
    struct burl_report_suspect list[6];
    struct burl_finding *finding;
    const struct burl_finding *findings[1];
    struct burl_report_suspects all;
};

static void
make_suspects(struct sample *s)
{
    struct places p = make_places(&s->b);
    static const uint8_t rw[] = { BURL_OP_READ, BURL_OP_WRITE };
    static const uint8_t rwr[] = { BURL_OP_READ, BURL_OP_WRITE, BURL_OP_WRITE };
    static const uint8_t locks[] = { BURL_OP_LOCK, BURL_OP_LOCK, BURL_OP_LOCK, BURL_OP_LOCK };
    const uint32_t count[] = { p.poll, p.push_write };
    const uint32_t hits[] = { p.read_hits, p.bump_write };
    const uint32_t triple[] = { p.from_read, p.audit_from, p.from_write };
    const uint32_t other[] = { p.push_read, p.poll, p.push_write };
    const uint32_t cycle[] = { p.lock_table, p.lock_q, p.lock_q, p.lock_table };
    const uint32_t signal[] = { p.c1, p.c2 };

    s->p = p;
    give_symbols(&s->b);
    s->wire[0] = suspect(BURL_SUSPECT_SIGNAL, 0x5000, 2, signal, rw);
    s->wire[1] = suspect(BURL_SUSPECT_TRIPLE, FROM, 3, triple, rwr);
    s->wire[1].rank = 9;
    s->wire[2] = suspect(BURL_SUSPECT_TRIPLE, COUNT, 3, other, rwr);
    s->wire[2].rank = 4;
    s->wire[3] = suspect(BURL_SUSPECT_CYCLE, TABLE_LOCK, 4, cycle, locks);
    s->wire[4] = suspect(BURL_SUSPECT_POTENTIAL, COUNT, 2, count, rw);
    s->wire[5] = suspect(BURL_SUSPECT_POTENTIAL, HITS, 2, hits, rw);
    for (size_t i = 0; i < 6; i++)
        s->list[i] = (struct burl_report_suspect){ .suspect = &s->wire[i] };
    s->list[1].state = BURL_REPORT_SUSPECT_HARMLESS;
    s->list[2].state = BURL_REPORT_SUSPECT_HARMLESS;
    s->list[3].state = BURL_REPORT_SUSPECT_UNCONFIRMED;
    s->list[3].tries = 10;
    s->list[4].state = BURL_REPORT_SUSPECT_UNCONFIRMED;
    s->list[4].tries = 1;
    s->all = (struct burl_report_suspects){ .v = s->list, .n = 6 };
}

static void
the_list_of_suspects_reads_well(void **state)
{
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    tb_golden("suspects.txt", burl_buf_str(&out));
    burl_buf_clear(&out);
    s.all.all = true;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    tb_golden("suspects-all.txt", burl_buf_str(&out));
    burl_buf_clear(&out);
    burl_json_writer_init(&w, &out, 2);
    burl_json_object_begin(&w);
    burl_report_suspects_json(&s.all, s.b.table, &w);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    tb_golden("suspects.json", burl_buf_str(&out));
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 3);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

static size_t
count_text(const char *text, const char *piece)
{
    size_t n = 0;

    for (const char *p = strstr(text, piece); p != NULL; p = strstr(p + 1, piece))
        n++;
    return n;
}

static void
no_two_suspects_read_alike(void **state)
{
    static const uint8_t rw[] = { BURL_OP_READ, BURL_OP_WRITE };
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_suspect_count n;
    struct sample s;

    (void)state;
    make_suspects(&s);
    s.all.n = 3;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t sites[] = { s.p.read_hits, i == 1 ? s.p.bump_read : s.p.bump_write };

        s.wire[i] =
            suspect(i == 2 ? BURL_SUSPECT_RACE : BURL_SUSPECT_POTENTIAL, HITS, 2, sites, rw);
        s.list[i].state = BURL_REPORT_SUSPECT_NOT_TRIED;
    }
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    /* The first two differ by a column; the third is the first, seen by another detector. */
    EXPECT_CONTAINS(burl_buf_str(&out), "potential data races (2)");
    EXPECT_CONTAINS(burl_buf_str(&out), "write at races.c:21:5 in bump");
    EXPECT_CONTAINS(burl_buf_str(&out), "write at races.c:21:10 in bump");
    assert_int_equal(count_text(burl_buf_str(&out), "hits: read"), 2);
    n = burl_report_suspects_count(&s.all, s.b.table);
    assert_int_equal(n.listed, 2);
    assert_int_equal(n.hidden, 0);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

static void
the_order_of_arrival_does_not_matter(void **state)
{
    struct burl_buf first, second;
    struct sample s;

    (void)state;
    make_suspects(&s);
    burl_buf_init(&first, BURL_BUF_NO_LIMIT);
    burl_buf_init(&second, BURL_BUF_NO_LIMIT);
    burl_report_suspects(&s.all, s.b.table, &ascii, &first);
    for (size_t i = 0; i < 3; i++) {
        struct burl_report_suspect swap = s.list[i];

        s.list[i] = s.list[5 - i];
        s.list[5 - i] = swap;
    }
    burl_report_suspects(&s.all, s.b.table, &ascii, &second);
    assert_string_equal(burl_buf_str(&first), burl_buf_str(&second));
    burl_buf_deinit(&first);
    burl_buf_deinit(&second);
    tb_deinit(&s.b);
}

static void
pairs_of_a_found_variable_are_only_counted(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;
    struct tb b;

    (void)state;
    make_suspects(&s);
    make_global(&b);
    s.finding = finding_of(&b, &facts);
    s.findings[0] = s.finding;
    s.all.findings = s.findings;
    s.all.n_findings = 1;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    EXPECT_CONTAINS(burl_buf_str(&out), "potential data races (1)");
    EXPECT_CONTAINS(burl_buf_str(&out), "and 1 pair on variables that have a finding");
    assert_null(strstr(burl_buf_str(&out), "hits:"));
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 2);
    /* Alone they are not mentioned: no heading with a zero, no empty list. */
    burl_buf_clear(&out);
    s.all.v = &s.list[5];
    s.all.n = 1;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_string_equal(burl_buf_str(&out), "");
    burl_buf_deinit(&out);
    burl_report_finding_free(s.finding);
    tb_deinit(&b);
    tb_deinit(&s.b);
}

static void
a_cycle_that_is_a_finding_is_not_listed(void **state)
{
    struct burl_finding_thread threads[2] = { { .tid = 1 }, { .tid = 2 } };
    struct burl_finding deadlock = {
        .verdict = BURL_VERDICT_DEADLOCK_CYCLE, .cause = "", .threads = threads, .n_threads = 2
    };
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    s.findings[0] = &deadlock;
    s.all.findings = s.findings;
    s.all.n_findings = 1;
    threads[0].wait.in_cycle = threads[1].wait.in_cycle = true;
    threads[0].wait.loc.site = s.wire[3].sites[1];
    threads[1].wait.loc.site = s.wire[3].sites[1]; /* another cycle */
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 3);
    threads[1].wait.loc.site = s.wire[3].sites[3];
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 2);
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_null(strstr(burl_buf_str(&out), "possible deadlocks"));
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

/* Names of templates fill screens; operators keep theirs. */
static void
functions_have_short_names(void **state)
{
    static const struct {
        const char *func;
        const char *want;
    } rows[] = {
        { "std::vector<int, std::allocator<int> >::push_back", "in std::vector<int>::push_back;" },
        { "box<int>::operator<<", "in box<int>::operator<<;" },
        { "box<a<b> >::operator->", "in box<a<b>>::operator->;" },
        { "main::(anonymous)::operator()", "in main::lambda:3;" },
        { "plain", "in plain;" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct burl_site_info info = { .id = 1,
                                             .file = "f.cc",
                                             .func = rows[i].func,
                                             .variable = "x",
                                             .line = 3,
                                             .kind = BURL_SITE_WRITE };
        static const uint32_t two[] = { 1, 1 };
        static const uint8_t ops[] = { BURL_OP_WRITE, BURL_OP_WRITE };
        struct burl_wire_suspect s = suspect(BURL_SUSPECT_POTENTIAL, 0x10, 2, two, ops);
        const struct burl_report_suspect r = { .suspect = &s };
        const struct burl_report_suspects list = { .v = &r, .n = 1 };
        const struct burl_report_style wide = { .width = 1000 };
        struct burl_sites *sites = burl_sites_new_fixed(&info, 1);
        struct burl_buf out = BURL_BUF_INIT;

        burl_report_suspects(&list, sites, &wide, &out);
        EXPECT_CONTAINS(burl_buf_str(&out), rows[i].want);
        burl_buf_deinit(&out);
        burl_sites_free(sites);
    }
}

static void
what_was_confirmed_is_not_listed(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct sample s;

    (void)state;
    make_suspects(&s);
    for (size_t i = 0; i < 6; i++)
        s.list[i].state = BURL_REPORT_SUSPECT_CONFIRMED;
    burl_report_suspects(&s.all, s.b.table, &ascii, &out);
    assert_int_equal(out.n, 0);
    assert_int_equal(burl_report_suspects_open(&s.all, s.b.table), 0);
    burl_buf_deinit(&out);
    tb_deinit(&s.b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_of_suspects_reads_well),
        cmocka_unit_test(no_two_suspects_read_alike),
        cmocka_unit_test(the_order_of_arrival_does_not_matter),
        cmocka_unit_test(pairs_of_a_found_variable_are_only_counted),
        cmocka_unit_test(a_cycle_that_is_a_finding_is_not_listed),
        cmocka_unit_test(functions_have_short_names),
        cmocka_unit_test(what_was_confirmed_is_not_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
