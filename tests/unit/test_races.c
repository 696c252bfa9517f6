/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_races.c - what people and machines read about races and broken regions.
 *
 * Verdicts made by hand, with and without a trace. Beside the golden files stand the laws of the
 * fingerprint: one variable is one finding, whichever pair of places was met.
 */
#include "base/json.h"
#include "races_sample.h"

/* Locks on one side only, and memory of the heap. */
static void
make_heap(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_WRITE, p.push_write, COUNT);
    struct burl_wire_side second = side(2, BURL_OP_READ, p.poll, COUNT);

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, p.f_main);
    tb_enter(b, 0, p.f_make);
    tb_event(b, 0, BURL_OP_ALLOC, p.alloc, BLOCK, 48);
    tb_leave(b, 0);
    tb_event(b, 0, BURL_OP_CREATE, p.c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, p.c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, 0, 1, BURL_SWITCH_BLOCKED);
    tb_event(b, 1, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 1, p.f_pusher);
    tb_enter(b, 1, p.f_lock_it);
    tb_event(b, 1, BURL_OP_LOCK, p.lock_table, TABLE_LOCK, 0);
    tb_leave(b, 1);
    tb_event(b, 1, BURL_OP_LOCK, p.lock_q, BLOCK, 0);
    tb_read(b, 1, p.push_read, COUNT, 0);
    tb_write(b, 1, p.push_write, COUNT, 0, 1);
    tb_switch(b, 1, BURL_OP_UNLOCK, 0, 2, BURL_SWITCH_PREEMPT);
    tb_event(b, 2, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 2, p.f_poller);
    first.stack[0] = p.f_pusher;
    first.n_locks = 2;
    first.locks[0] = (struct burl_wire_lock){ .addr = TABLE_LOCK, .site = p.lock_table };
    first.locks[1] = (struct burl_wire_lock){ .addr = BLOCK, .site = p.lock_q };
    second.stack[0] = p.f_poller;
    set_race(b, first, second, BURL_ORIGIN_HEAP);
    b->run.verdict.origin.addr = BLOCK;
    b->run.verdict.origin.size_b = 48;
    b->run.verdict.origin.site = p.alloc;
}

/* As free mode tells it: no trace at all. */
static void
make_mixed(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_ATOMIC_STORE, p.store, READY);
    struct burl_wire_side second = side(0, BURL_OP_WRITE, p.reset, READY);

    first.flags = BURL_SIDE_F_ATOMIC;
    first.stack[0] = p.f_setter;
    second.stack[0] = p.f_reset;
    second.stack[1] = p.f_main;
    set_race(b, first, second, BURL_ORIGIN_GLOBAL);
}

static void
make_region(struct tb *b)
{
    struct places p = make_places(b);
    struct burl_wire_side first = side(1, BURL_OP_WRITE, p.from_write, FROM);
    struct burl_wire_side second = side(2, BURL_OP_READ, p.audit_from, FROM);

    start_two(b, &p, p.f_mover);
    tb_read(b, 1, p.from_read, FROM, 100);
    tb_write(b, 1, p.from_write, FROM, 100, 90);
    tb_switch(b, 1, BURL_OP_WRITE, p.to_write, 2, BURL_SWITCH_PREEMPT);
    tb_event(b, 2, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 2, p.f_auditor);
    tb_read(b, 2, p.audit_from, FROM, 90);
    tb_read(b, 2, p.audit_to, TO, 50);
    tb_switch(b, 2, BURL_OP_EXIT_THREAD, 0, 1, BURL_SWITCH_PREEMPT);
    tb_write(b, 1, p.to_write, TO, 50, 60);
    first.stack[0] = p.f_mover;
    second.stack[0] = p.f_auditor;
    set_race(b, first, second, BURL_ORIGIN_GLOBAL);
    b->run.verdict.kind = BURL_VERDICT_ATOMICITY_REGION;
    b->run.verdict.tid = 1;
    b->run.verdict.site = p.to_write;
    b->run.verdict.op = BURL_OP_WRITE;
    snprintf(b->run.verdict.text, sizeof b->run.verdict.text, "transfer");
}

/* ---- golden ------------------------------------------------------------------------ */

static void
check(struct tb *b, const char *golden, const struct burl_report_style *style,
      const struct burl_report_facts *with)
{
    struct burl_finding *f = finding_of(b, with);
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_line(f, style, &out);
    burl_buf_char(&out, '\n');
    burl_report_text(f, style, &out);
    tb_check_read(f);
    tb_golden(golden, burl_buf_str(&out));
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(b);
}

static void
a_race_on_a_global_reads_well(void **state)
{
    struct burl_report_facts with = facts;
    struct burl_wire_suspect pair = { .n_sites = 2, .count = 3, .kind = BURL_SUSPECT_RACE };
    struct tb b;

    (void)state;
    make_global(&b);
    with.outcome = BURL_FINDING_OUTCOME_DIFFERS;
    with.order_sites[0] = b.run.verdict.sides[1].site;
    with.order_sites[1] = b.run.verdict.sides[0].site;
    with.order_ends[0] = "exit 0";
    with.order_ends[1] = "crash.abort: assertion `hits == 0' failed";
    with.order_failure = 0x1234;
    pair.sites[0] = b.run.verdict.sides[0].site;
    pair.sites[1] = b.run.verdict.sides[0].site;
    pair.ops[0] = pair.ops[1] = BURL_OP_WRITE;
    with.pairs = &pair;
    with.n_pairs = 1;
    check(&b, "race-global.txt", &ascii, &with);
}

static void
a_race_on_the_heap_shows_locks_and_allocation(void **state)
{
    struct tb b;

    (void)state;
    make_heap(&b);
    check(&b, "race-heap.txt", &ascii, &facts);
}

static void
the_same_narrow_with_unicode_and_color(void **state)
{
    const struct burl_report_style style = { .width = 64, .color = true, .unicode = true };
    struct tb b;

    (void)state;
    make_heap(&b);
    check(&b, "race-heap-narrow.txt", &style, &facts);
}

static void
a_mixed_race_without_a_trace_is_complete(void **state)
{
    struct burl_report_facts with = { .number = 6, .engine = "free", .facts.count = 1 };
    struct tb b;

    (void)state;
    with.argv = argv_races;
    with.n_argv = 1;
    make_mixed(&b);
    check(&b, "race-mixed.txt", &ascii, &with);
}

static void
a_broken_region_says_what_came_in_between(void **state)
{
    struct tb b;

    (void)state;
    make_region(&b);
    check(&b, "region.txt", &ascii, &facts);
}

static void
json_has_both_sides(void **state)
{
    const struct burl_json_value *accesses;
    const struct burl_json_value *memory;
    struct burl_json_value *doc = NULL;
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;
    struct tb b;

    (void)state;
    make_heap(&b);
    f = finding_of(&b, &facts);
    burl_report_json(f, &out);
    tb_golden("race-heap.json", burl_buf_str(&out));
    EXPECT_OK(burl_json_parse(&doc, out.p, out.n, &err), &err);
    accesses = burl_json_get(doc, "accesses");
    assert_int_equal(burl_json_count(accesses), 2);
    assert_int_equal(burl_json_count(burl_json_get(burl_json_at(accesses, 0), "locks")), 2);
    assert_int_equal(burl_json_count(burl_json_get(burl_json_at(accesses, 1), "locks")), 0);
    memory = burl_json_get(doc, "memory");
    assert_string_equal(burl_json_as_str(burl_json_get(memory, "kind"), ""), "heap");
    assert_int_equal(burl_json_count(burl_json_get(memory, "allocated_stack")), 2);
    burl_json_free(doc);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* ---- laws of the fingerprint ------------------------------------------------------- */

static uint64_t
print_of(struct tb *b, char *cause, size_t max)
{
    struct burl_buf text = BURL_BUF_INIT;
    uint64_t h;

    h = burl_fingerprint(&b->run.verdict, b->table, &text);
    snprintf(cause, max, "%s", burl_buf_str(&text));
    burl_buf_deinit(&text);
    return h;
}

static void
all_pairs_on_a_variable_are_one_finding(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_global(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    assert_string_equal(cause, "race.data global hits");
    /* Both only know the pointer. */
    b.run.verdict.sides[1] = b.run.verdict.sides[0];
    b.run.verdict.sides[1].tid = 2;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    /* The other order, other threads, and where the runtime does not know it is a global. */
    b.run.verdict.sides[1] = side(7, BURL_OP_READ, b.run.verdict.site, HITS);
    b.run.verdict.tid = 9;
    b.run.verdict.origin.kind = BURL_ORIGIN_UNKNOWN;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    tb_deinit(&b);
}

static void
another_variable_is_another_finding(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_global(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    /* The same places, on what the pointer led to this time. */
    b.run.verdict.sides[0].addr = READY;
    b.run.verdict.sides[1].addr = READY;
    b.run.verdict.sides[1].site = b.run.verdict.sides[0].site;
    assert_true(print_of(&b, cause, sizeof cause) != first);
    assert_string_equal(cause, "race.data global ready");
    tb_deinit(&b);
}

static void
members_of_heap_blocks_go_by_allocation_and_name(void **state)
{
    char cause[256];
    struct tb b;
    uint64_t first;

    (void)state;
    make_heap(&b);
    give_symbols(&b);
    first = print_of(&b, cause, sizeof cause);
    assert_string_equal(cause, "race.data heap make_queue calloc#1 count");
    /* `q->count` and `mine->count` in either order, and the freeing of the block. */
    b.run.verdict.sides[0].site = b.run.verdict.sides[1].site;
    assert_true(print_of(&b, cause, sizeof cause) == first);
    b.run.verdict.sides[0].site = b.run.verdict.sides[1].site + 1; /* the calloc: a call */
    assert_true(print_of(&b, cause, sizeof cause) == first);
    /* Freeing a block races on all of it at once. */
    b.run.verdict.sides[0].flags = BURL_SIDE_F_FREE;
    assert_true(print_of(&b, cause, sizeof cause) != first);
    assert_string_equal(cause, "race.data heap make_queue calloc#1 freed");
    b.run.verdict.sides[0].flags = 0;
    b.run.verdict.origin.site = 0; /* its allocation is not known */
    assert_true(print_of(&b, cause, sizeof cause) != first);
    tb_deinit(&b);
}

static void
names_are_read_as_paths(void **state)
{
    static const struct {
        const char *a;
        const char *b;
        const char *want;
    } rows[] = {
        { "bank[].balance", "acct->balance", "race.data global bank.balance" },
        { "acct->balance", "acct->balance", "race.data global bank.balance" },
        { "*acct", "acct->balance", "race.data global bank.balance" },
        { "acct->owner[]", "acct->owner", "race.data global bank.owner" },
        { "acct->stats[].hits", "this->hits", "race.data global bank.hits" },
        { "bank[]", "p->x", "race.data global bank" },
        { "*p", "q[]", "race.data global bank" },
        { "arg->?", "q->id", "race.data global bank.id" },
        { "a->u.whole", "a->u.part", "race.data global bank.part,whole" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct burl_site_info infos[2] = {
            { .id = 1, .file = "f.c", .func = "f", .variable = rows[i].a, .kind = BURL_SITE_READ },
            { .id = 2, .file = "f.c", .func = "g", .variable = rows[i].b, .kind = BURL_SITE_WRITE },
        };
        struct burl_wire_verdict v = { .kind = BURL_VERDICT_RACE_DATA, .n_sides = 2 };
        struct burl_sites *sites = burl_sites_new_fixed(infos, 2);
        struct burl_buf cause = BURL_BUF_INIT;

        burl_sites_fix_symbol(sites, "bank", 0x1000, 640);
        v.sides[0] = side(1, BURL_OP_READ, 1, 0x1008);
        v.sides[1] = side(2, BURL_OP_WRITE, 2, 0x1008);
        v.origin.kind = BURL_ORIGIN_GLOBAL;
        burl_fingerprint(&v, sites, &cause);
        assert_string_equal(burl_buf_str(&cause), rows[i].want);
        burl_buf_deinit(&cause);
        burl_sites_free(sites);
    }
}

static void
the_inside_of_a_library_object_is_one_variable(void **state)
{
    static const char header[] = "/usr/include/c++/12/bits/stl_vector.h";
    const struct burl_site_info infos[2] = {
        { .id = 1,
          .file = header,
          .func = "push_back",
          .variable = "this->_M_finish",
          .kind = BURL_SITE_READ },
        { .id = 2,
          .file = header,
          .func = "push_back",
          .variable = "this->_M_start",
          .kind = BURL_SITE_WRITE },
    };
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_RACE_DATA, .n_sides = 2 };
    struct burl_sites *sites = burl_sites_new_fixed(infos, 2);
    uint64_t finish, start;

    (void)state;
    burl_sites_fix_symbol(sites, "_ZN2db5namesE", 0x1000, 24);
    v.origin.kind = BURL_ORIGIN_GLOBAL;
    v.sides[0] = side(1, BURL_OP_WRITE, 1, 0x1008);
    v.sides[1] = side(2, BURL_OP_WRITE, 1, 0x1008);
    finish = burl_fingerprint(&v, sites, NULL);
    v.sides[0] = side(1, BURL_OP_WRITE, 2, 0x1000);
    v.sides[1] = side(2, BURL_OP_WRITE, 2, 0x1000);
    start = burl_fingerprint(&v, sites, NULL);
    assert_true(finish == start);
    burl_sites_free(sites);
}

static void
wild_counts_from_the_program_are_bounded(void **state)
{
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct tb b;

    (void)state;
    make_mixed(&b);
    b.run.verdict.sides[0].n_locks = 4000000000u;
    b.run.verdict.sides[1].tid = BURL_TID_NONE;
    b.run.verdict.sides[1].size_b = 4000000000u;
    b.run.verdict.sides[1].op = 200;
    b.run.verdict.origin.kind = 77;
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK; i++)
        b.run.verdict.sides[0].stack[i] = 0xfffffff0u;
    f = finding_of(&b, &facts);
    burl_report_text(f, &ascii, &out);
    burl_report_json(f, &out);
    assert_true(out.n > 100);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_on_a_global_reads_well),
        cmocka_unit_test(a_race_on_the_heap_shows_locks_and_allocation),
        cmocka_unit_test(the_same_narrow_with_unicode_and_color),
        cmocka_unit_test(a_mixed_race_without_a_trace_is_complete),
        cmocka_unit_test(a_broken_region_says_what_came_in_between),
        cmocka_unit_test(json_has_both_sides),
        cmocka_unit_test(all_pairs_on_a_variable_are_one_finding),
        cmocka_unit_test(another_variable_is_another_finding),
        cmocka_unit_test(members_of_heap_blocks_go_by_allocation_and_name),
        cmocka_unit_test(names_are_read_as_paths),
        cmocka_unit_test(the_inside_of_a_library_object_is_one_variable),
        cmocka_unit_test(wild_counts_from_the_program_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
