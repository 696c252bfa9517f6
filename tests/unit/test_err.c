/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_err.c - laws of base/err.h and base/mem.h.
 */
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static void
set_returns_the_code_and_appends_the_reason(void **state)
{
    struct burl_err err;

    (void)state;
    assert_int_equal(burl_err_set(&err, BURL_E_IO, ENOENT, "cannot open %s", "x"), BURL_E_IO);
    assert_string_equal(err.msg, "cannot open x: No such file or directory");
    assert_int_equal(err.sys, ENOENT);
    assert_int_equal(burl_err_set(NULL, BURL_E_LIMIT, 0, "no detail wanted"), BURL_E_LIMIT);
}

static void
long_messages_are_cut_not_overrun(void **state)
{
    struct burl_err err;
    char text[2000];

    (void)state;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    burl_err_set(&err, BURL_E_IO, EIO, "%s", text);
    assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
    burl_err_prefix(&err, "%s", "before");
    assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
    assert_memory_equal(err.msg, "before: aaa", 11);
    burl_err_prefix(&err, "%s", text);
    assert_int_equal(strlen(err.msg), sizeof err.msg - 1);
}

static void
exit_codes_follow_the_status(void **state)
{
    (void)state;
    assert_int_equal(burl_err_exit_code(BURL_OK), 0);
    assert_int_equal(burl_err_exit_code(BURL_E_USAGE), 2);
    for (int st = BURL_E_IO; st <= BURL_E_INTERNAL; st++)
        assert_int_equal(burl_err_exit_code((enum burl_status)st), 3);
}

static void
assertion_ends_with_code_3(void **state)
{
    int raw;
    pid_t pid;

    (void)state;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        fclose(stderr);
        BURL_ASSERT(1 == 2);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &raw, 0), pid);
    assert_true(WIFEXITED(raw));
    assert_int_equal(WEXITSTATUS(raw), 3);
}

static void
strndup_stops_at_either_end(void **state)
{
    char *s = burl_xstrndup("hello", 3);

    (void)state;
    assert_string_equal(s, "hel");
    free(s);
    s = burl_xstrndup("he", 30);
    assert_string_equal(s, "he");
    free(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_returns_the_code_and_appends_the_reason),
        cmocka_unit_test(long_messages_are_cut_not_overrun),
        cmocka_unit_test(exit_codes_follow_the_status),
        cmocka_unit_test(assertion_ends_with_code_3),
        cmocka_unit_test(strndup_stops_at_either_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
