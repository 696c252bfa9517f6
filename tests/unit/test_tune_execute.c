/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_execute.c - checks: which hang, and which the shell cannot read.
 */
#include "unit.h"

#include "tune/execute.h"

static void
a_check_much_longer_than_all_before_hangs(void **state)
{
    (void)state;
    /* Two seconds are few, whatever the others took. */
    assert_true(burl_check_lacked_time(1, 0));
    assert_true(burl_check_lacked_time(2000, 5));
    assert_false(burl_check_lacked_time(2001, 5));
    assert_false(burl_check_lacked_time(20000, 5));
    /* A check that takes long may take ten times as long. */
    assert_true(burl_check_lacked_time(20000, 2000));
    assert_false(burl_check_lacked_time(20001, 2000));
}

static void
a_check_must_be_a_command_that_the_shell_can_read(void **state)
{
    static const char *const bad[][2] = {
        { " ", "--check is empty" },
        { "no-such-command-of-burl -q", "there is no command no-such-command-of-burl" },
        { "if true", "the shell cannot read the command" },
        { "test -s \"$BURL_OUTPUT", "the shell cannot read the command" },
        { "( true", "the shell cannot read the command" },
    };
    static const char *const good[] = { "true", "test -s \"$BURL_OUTPUT\"", "[ $BURL_EXIT = 0 ]",
                                        "if true; then exit 1; fi",
                                        "! grep -q x \"$BURL_OUTPUT\"" };
    struct burl_err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_STATUS(burl_check_exists(bad[i][0], &err), BURL_E_USAGE, &err);
        EXPECT_CONTAINS(err.msg, bad[i][1]);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        EXPECT_OK(burl_check_exists(good[i], &err), &err);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_much_longer_than_all_before_hangs),
        cmocka_unit_test(a_check_must_be_a_command_that_the_shell_can_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
