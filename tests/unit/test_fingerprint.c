/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fingerprint.c - the same bug has the same fingerprint, another bug another.
 */
#include "base/buf.h"
#include "base/sites.h"
#include "report/report.h"
#include "unit.h"
#include "wire/site.h"

enum { READ_HEAD = 10, WRITE_HEAD, READ_TAIL, LOCK_A, LOCK_B, JOIN, WAIT, HEADER, FUNC_POP };

static struct burl_site_info infos[] = {
    { .id = READ_HEAD,
      .file = "q.c",
      .func = "pop",
      .variable = "q->head",
      .line = 10,
      .column = 5,
      .kind = BURL_SITE_READ },
    { .id = WRITE_HEAD,
      .file = "q.c",
      .func = "pop",
      .variable = "q->head",
      .line = 11,
      .column = 5,
      .kind = BURL_SITE_WRITE },
    { .id = READ_TAIL,
      .file = "q.c",
      .func = "push",
      .variable = "q->tail",
      .line = 30,
      .column = 5,
      .kind = BURL_SITE_READ },
    { .id = LOCK_A,
      .file = "q.c",
      .func = "move",
      .variable = "pthread_mutex_lock",
      .line = 50,
      .column = 5,
      .kind = BURL_SITE_CALL },
    { .id = LOCK_B,
      .file = "q.c",
      .func = "swap",
      .variable = "pthread_mutex_lock",
      .line = 60,
      .column = 5,
      .kind = BURL_SITE_CALL },
    { .id = JOIN,
      .file = "q.c",
      .func = "main",
      .variable = "pthread_join",
      .line = 70,
      .column = 5,
      .kind = BURL_SITE_CALL },
    { .id = WAIT,
      .file = "q.c",
      .func = "take",
      .variable = "pthread_cond_wait",
      .line = 80,
      .column = 5,
      .kind = BURL_SITE_CALL },
    { .id = HEADER,
      .file = "/usr/include/c++/12/mutex",
      .func = "lock",
      .variable = "x",
      .line = 1,
      .column = 1,
      .kind = BURL_SITE_READ },
    { .id = FUNC_POP,
      .file = "q.c",
      .func = "pop",
      .variable = "",
      .line = 8,
      .column = 1,
      .kind = BURL_SITE_FUNC },
};

static uint64_t
fingerprint(const struct burl_wire_verdict *v)
{
    struct burl_sites *sites = burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
    uint64_t h = burl_fingerprint(v, sites, NULL);

    burl_sites_free(sites);
    return h;
}

static struct burl_wire_verdict
at(uint8_t kind, uint32_t site, uint8_t op)
{
    struct burl_wire_verdict v = { .kind = kind, .op = op, .tid = 1, .site = site };

    return v;
}

static void
threads_addresses_and_lines_do_not_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_USE_AFTER_FREE, READ_HEAD, BURL_OP_READ);
    struct burl_wire_verdict b = a;
    uint64_t before = fingerprint(&a);

    (void)state;
    b.tid = 7;
    b.addr = 0x1234;
    b.pc = 0x99;
    assert_true(fingerprint(&b) == before);
    infos[0].line += 40; /* the file was edited above */
    infos[0].column += 4;
    assert_true(fingerprint(&a) == before);
    infos[0].line -= 40;
    infos[0].column -= 4;
}

static void
kind_function_and_variable_do_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_USE_AFTER_FREE, READ_HEAD, BURL_OP_READ);
    struct burl_wire_verdict kind = at(BURL_VERDICT_OVERFLOW, READ_HEAD, BURL_OP_READ);
    struct burl_wire_verdict op = at(BURL_VERDICT_USE_AFTER_FREE, WRITE_HEAD, BURL_OP_WRITE);
    struct burl_wire_verdict place = at(BURL_VERDICT_USE_AFTER_FREE, READ_TAIL, BURL_OP_READ);

    (void)state;
    assert_true(fingerprint(&a) != fingerprint(&kind));
    assert_true(fingerprint(&a) != fingerprint(&op));
    assert_true(fingerprint(&a) != fingerprint(&place));
}

static void
a_library_frame_is_passed_over(void **state)
{
    struct burl_wire_verdict v = at(BURL_VERDICT_CRASH_SIGNAL, HEADER, BURL_OP_READ);
    struct burl_sites *sites = burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
    struct burl_buf cause = BURL_BUF_INIT;

    (void)state;
    v.code = 11;
    v.stack[0] = HEADER;
    v.stack[1] = FUNC_POP;
    burl_fingerprint(&v, sites, &cause);
    EXPECT_CONTAINS(burl_buf_str(&cause), "in pop");
    burl_buf_deinit(&cause);
    burl_sites_free(sites);
}

static struct burl_wire_wait
wait_at(uint16_t tid, uint32_t site, uint8_t kind, uint16_t owner)
{
    return (struct burl_wire_wait){
        .addr = 0x100u + owner, .site = site, .tid = tid, .owner = owner, .kind = kind
    };
}

static void
the_order_of_a_cycle_does_not_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_DEADLOCK_CYCLE, 0, 0);
    struct burl_wire_verdict b = a;
    struct burl_wire_verdict other = a;

    (void)state;
    a.n_waits = b.n_waits = other.n_waits = 2;
    a.waits[0] = wait_at(1, LOCK_A, BURL_OP_LOCK, 2);
    a.waits[1] = wait_at(2, LOCK_B, BURL_OP_LOCK, 1);
    b.waits[0] = wait_at(5, LOCK_B, BURL_OP_LOCK, 9);
    b.waits[1] = wait_at(9, LOCK_A, BURL_OP_LOCK, 5);
    other.waits[0] = wait_at(1, LOCK_A, BURL_OP_LOCK, 2);
    other.waits[1] = wait_at(2, LOCK_A, BURL_OP_LOCK, 1);
    assert_true(fingerprint(&a) == fingerprint(&b));
    assert_true(fingerprint(&a) != fingerprint(&other));
}

static void
threads_beside_the_cycle_do_not_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_DEADLOCK_CYCLE, 0, 0);
    struct burl_wire_verdict b;

    (void)state;
    a.n_waits = 2;
    a.waits[0] = wait_at(1, LOCK_A, BURL_OP_LOCK, 2);
    a.waits[1] = wait_at(2, LOCK_B, BURL_OP_LOCK, 1);
    b = a;
    b.n_waits = 3;
    b.waits[2] = wait_at(0, JOIN, BURL_OP_JOIN, 1);
    assert_true(fingerprint(&a) == fingerprint(&b));
}

static void
the_number_of_stuck_workers_and_the_join_do_not_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_DEADLOCK_STUCK, 0, 0);
    struct burl_wire_verdict b = a;
    struct burl_wire_verdict joins = a;

    (void)state;
    a.n_waits = 2;
    a.waits[0] = wait_at(0, JOIN, BURL_OP_JOIN, 1);
    a.waits[1] = wait_at(1, WAIT, BURL_OP_COND_WAIT, BURL_TID_NONE);
    b.n_waits = 3;
    b.waits[0] = wait_at(3, WAIT, BURL_OP_COND_WAIT, BURL_TID_NONE);
    b.waits[1] = wait_at(1, WAIT, BURL_OP_COND_WAIT, BURL_TID_NONE);
    b.waits[2] = wait_at(2, WAIT, BURL_OP_COND_WAIT, BURL_TID_NONE);
    assert_true(fingerprint(&a) == fingerprint(&b));
    joins.n_waits = 1;
    joins.waits[0] = wait_at(0, JOIN, BURL_OP_JOIN, 1);
    assert_true(fingerprint(&joins) != fingerprint(&a));
}

static void
where_in_its_loop_a_thread_is_does_not_matter(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_LIVELOCK, 0, 0);
    struct burl_wire_verdict b = a;
    struct burl_wire_verdict other = a;

    (void)state;
    a.n_waits = b.n_waits = other.n_waits = 1;
    a.waits[0] = wait_at(1, READ_HEAD, BURL_OP_READ, BURL_TID_NONE);
    b.waits[0] = wait_at(1, WRITE_HEAD, BURL_OP_WRITE, BURL_TID_NONE);
    other.waits[0] = wait_at(1, READ_TAIL, BURL_OP_READ, BURL_TID_NONE);
    assert_true(fingerprint(&a) == fingerprint(&b));
    assert_true(fingerprint(&a) != fingerprint(&other));
}

static void
assertions_are_told_apart_by_their_text_without_lines(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_CRASH_ABORT, READ_HEAD, BURL_OP_READ);
    struct burl_wire_verdict b = a;
    struct burl_wire_verdict c = a;

    (void)state;
    snprintf(a.text, sizeof a.text, "%s", "/home/x/q.c:54: pop: Assertion `n == 1' failed");
    snprintf(b.text, sizeof b.text, "%s", "src/q.c:99: pop: Assertion `n == 1' failed");
    snprintf(c.text, sizeof c.text, "%s", "src/q.c:99: pop: Assertion `n == 2' failed");
    b.site = READ_TAIL;
    assert_true(fingerprint(&a) == fingerprint(&b));
    assert_true(fingerprint(&a) != fingerprint(&c));
}

static void
exit_codes_are_told_apart(void **state)
{
    struct burl_wire_verdict a = at(BURL_VERDICT_EXIT_NONZERO, READ_HEAD, BURL_OP_EXIT_PROCESS);
    struct burl_wire_verdict b = a;

    (void)state;
    a.code = 1;
    b.code = 2;
    assert_true(fingerprint(&a) != fingerprint(&b));
}

static void
a_text_without_an_end_is_read_within_bounds(void **state)
{
    struct burl_wire_verdict v = at(BURL_VERDICT_CRASH_ABORT, 0, 0);

    (void)state;
    memset(v.text, 'x', sizeof v.text);
    v.n_waits = 0xffffffff;
    assert_true(fingerprint(&v) != 0);
    v.kind = BURL_VERDICT_DEADLOCK_CYCLE;
    assert_true(fingerprint(&v) != 0);
    v.kind = 200;
    assert_true(fingerprint(&v) != 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_addresses_and_lines_do_not_matter),
        cmocka_unit_test(kind_function_and_variable_do_matter),
        cmocka_unit_test(a_library_frame_is_passed_over),
        cmocka_unit_test(the_order_of_a_cycle_does_not_matter),
        cmocka_unit_test(threads_beside_the_cycle_do_not_matter),
        cmocka_unit_test(the_number_of_stuck_workers_and_the_join_do_not_matter),
        cmocka_unit_test(where_in_its_loop_a_thread_is_does_not_matter),
        cmocka_unit_test(assertions_are_told_apart_by_their_text_without_lines),
        cmocka_unit_test(exit_codes_are_told_apart),
        cmocka_unit_test(a_text_without_an_end_is_read_within_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
