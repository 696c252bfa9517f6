/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_libfn.c - facts about library functions: rows, forms of a name, prefixes, and functions that
 * must have the same facts as their sibling.
 */
#include "base/libfn.h"
#include "unit.h"
#include "wire/site.h"

static void
a_row_has_its_facts(void **state)
{
    const struct burl_libfn f = burl_libfn("memcpy");

    (void)state;
    assert_string_equal(f.name, "memcpy");
    assert_int_equal(f.n_args, 3);
    assert_int_equal(f.access[0].kind, BURL_SITE_RANGE_READ);
    assert_int_equal(f.access[0].arg, 1);
    assert_int_equal(f.access[0].extent, BURL_EXT_ARG2);
    assert_int_equal(f.access[1].kind, BURL_SITE_RANGE_WRITE);
    assert_int_equal(f.access[2].kind, 0);
    assert_string_equal(f.pointers, "m01 r0");
    assert_int_equal(f.is, BURL_FN_INERT);
    assert_int_equal(burl_libfn("strtok").state,
                     BURL_HIDDEN_STRTOK | BURL_HIDDEN_UNSAFE | BURL_HIDDEN_CHANGES);
    assert_int_equal(burl_libfn("pthread_cond_wait").lock, BURL_FN_LOCK_WAIT);
    assert_int_equal(burl_libfn("pthread_cond_wait").lock_arg, 1);
    assert_int_equal(burl_libfn("_ZNSt7jthread4joinEv").thread, BURL_FN_STD_JOIN);
}

static void
an_unknown_function_has_none(void **state)
{
    const struct burl_libfn none = { 0 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct burl_libfn f =
            burl_libfn(((const char *const[]){ "", "no_such_function", "memcpy2" })[i]);

        assert_memory_equal(&f, &none, sizeof f);
    }
}

/* Fortified and renamed forms have the facts of the plain function. */
static void
forms_of_a_name_share_a_row(void **state)
{
    (void)state;
    assert_string_equal(burl_libfn("__memcpy_chk").name, "memcpy");
    assert_string_equal(burl_libfn("__isoc99_sscanf").name, "sscanf");
    assert_string_equal(burl_libfn("__isoc23_strtol").pointers, "e10");
    assert_string_equal(burl_libfn("__recv_chk").pointers, "d1");
    assert_true(burl_libfn("__longjmp_chk").is & BURL_FN_JUMPS);
    assert_true(burl_libfn("__vsyslog_chk").is & BURL_FN_VA_LIST);
    /* What fgets keeps, every form of it keeps. */
    assert_int_equal(burl_libfn("fgets").state, BURL_HIDDEN_FILES | BURL_HIDDEN_CHANGES);
    assert_int_equal(burl_libfn("__fgets_chk").state, burl_libfn("fgets").state);
    assert_int_equal(burl_libfn("fgets_unlocked").state, burl_libfn("fgets").state);
}

/* Two threads in fputc are serialized by the lock of the stream, in fputc_unlocked they are not. */
static void
an_unlocked_form_is_not_trusted(void **state)
{
    (void)state;
    assert_true(burl_libfn("fputc").is & BURL_FN_SEEN);
    assert_false(burl_libfn("fputc_unlocked").is & BURL_FN_SEEN);
    /* A program's own function: only streams have such forms. */
    assert_int_equal(burl_libfn("write_unlocked").n_args, 0);
    assert_int_equal(burl_libfn("open_unlocked").state, 0);
}

static void
prefixes_add_facts(void **state)
{
    (void)state;
    assert_string_equal(burl_libfn("pthread_something_new").pointers, "-");
    assert_true(burl_libfn("pthread_create").is & BURL_FN_SEEN);
    assert_string_equal(burl_libfn("pthread_create").pointers, "T2(3)");
    assert_string_equal(burl_libfn("_ZnwmSt11align_val_t").pointers, "H");
    assert_int_equal(burl_libfn("_ZNSt6threadC1IRFvvEJEvEEOT_DpOT0_").thread, BURL_FN_STD_CREATE);
    assert_true(burl_libfn("_Zanything").is & BURL_FN_THROWS);
    assert_true(burl_libfn("_ZSt17__throw_bad_allocv").is & BURL_FN_SEEN);
    /* "free" is a function and no prefix: what freeaddrinfo or free_list write is not known. */
    assert_true(burl_libfn("free").is & BURL_FN_WRITES_NOTHING);
    assert_false(burl_libfn("freeaddrinfo").is & BURL_FN_WRITES_NOTHING);
}

static void
siblings_have_the_same_facts(void **state)
{
    (void)state;
    assert_true(burl_libfn("__sysv_signal").is & burl_libfn("signal").is & BURL_FN_HANDLER);
    assert_true(burl_libfn("__pthread_key_create").is & BURL_FN_HANDLER);
    assert_true(burl_libfn("__register_atfork").is & burl_libfn("pthread_atfork").is &
                BURL_FN_HANDLER);
    assert_true(burl_libfn("pthread_sigqueue").is & burl_libfn("sigqueue").is & BURL_FN_SHARES);
    assert_int_equal(burl_libfn("pthread_rwlock_clockwrlock").lock,
                     burl_libfn("pthread_rwlock_timedwrlock").lock);
    assert_string_equal(burl_libfn("strtoimax").pointers, burl_libfn("strtol").pointers);
}

static void
names_of_the_cxx_library(void **state)
{
    static const char *const yes[] = { "_ZSt9terminatev", "_ZNKRSt8optionalIiE5valueEv",
                                       "_ZNSs6appendEPKc", "_ZN9__gnu_cxx5fooE",
                                       "_ZTVNSt6thread6_StateE" };
    static const char *const no[] = { "", "_Z", "_ZN", "_Z4mainv", "_ZN3foo3barEv", "strlen" };

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        assert_true(burl_libfn_is_cxx(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        assert_false(burl_libfn_is_cxx(no[i]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_its_facts),
        cmocka_unit_test(an_unknown_function_has_none),
        cmocka_unit_test(forms_of_a_name_share_a_row),
        cmocka_unit_test(an_unlocked_form_is_not_trusted),
        cmocka_unit_test(prefixes_add_facts),
        cmocka_unit_test(siblings_have_the_same_facts),
        cmocka_unit_test(names_of_the_cxx_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
