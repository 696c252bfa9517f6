/* SPDX-License-Identifier: Apache-2.0 */
/* Schedule files that say where an execution ends, and what was chosen in it. */
#include "schedfile_sample.h"

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
    EXPECT_CONTAINS(err.msg, "contradict each other");
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_comes_back),
        cmocka_unit_test(a_stop_at_a_misuse_comes_back),
        cmocka_unit_test(half_a_stop_is_refused),
        cmocka_unit_test(choices_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
