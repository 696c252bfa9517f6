/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_demangle.c - names of C++ symbols as a person writes them.
 */
#include "base/demangle.h"
#include "unit.h"

static void
expect_name(const char *symbol, const char *name)
{
    char *out = burl_demangle(symbol);

    assert_string_equal(out, name);
    free(out);
}

static void
scopes_and_name_are_left(void **state)
{
    (void)state;
    expect_name("_ZNSt6thread4joinEv", "std::thread::join");
    expect_name("_ZSt9terminatev", "std::terminate");
    expect_name("_ZNKSt9exception4whatEv", "std::exception::what");
    expect_name("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc",
                "std::string::append");
    expect_name("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEc",
                "std::string::operator+=");
    expect_name("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev",
                "std::string::~string");
    expect_name("_ZNSolsEi", "std::ostream::operator<<");
    expect_name("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<");
}

static void
expect_type(const char *name, const char *type)
{
    char *out = burl_demangle_type(name);

    assert_string_equal(out, type);
    free(out);
}

/* The runtime cuts a name that does not fit its text. */
static void
a_type_that_is_cut_has_no_arguments(void **state)
{
    (void)state;
    expect_type("St9bad_alloc", "std::bad_alloc");
    expect_type("5errorIJSt3mapIiSt8functionIFvS0_I", "error<...>");
    expect_type("N5boost16exception_detail10clone_implINS0_19error_info_inj",
                "boost::exception_detail::clone_impl<...>");
    expect_type("St6vectorISt3ma", "std::vector<...>");
    expect_type("40err", "40err");
    expect_type("N5boost40err", "N5boost40err");
    expect_type("99999999999999999999I", "99999999999999999999I");
    expect_type("", "");
}

/* What it does not understand it leaves as it is, however it ends. */
static void
other_names_stay(void **state)
{
    (void)state;
    expect_name("strtok", "strtok");
    expect_name("_Z", "_Z");
    expect_name("_ZN", "_ZN");
    expect_name("_ZNSt", "_ZNSt");
    expect_name("_ZN99shortE", "_ZN99shortE");
    expect_name("_ZNSt3fooIN", "_ZNSt3fooIN");
}

static void
all_kinds_of_names_are_written_out(void **state)
{
    (void)state;
    expect_name("_ZL5total", "total");
    expect_name("_Z5tableB5cxx11", "table");
    expect_name("_ZN12_GLOBAL__N_15totalE", "(anonymous)::total");
    expect_name("_ZN3FooIiE5countE", "Foo::count");
    expect_name("_ZZ4workiE5count", "work::count");
    expect_name("_ZZNK1A1fEvE1x", "A::f::x");
    expect_name("_ZZ4mainENKUlvE_clEv", "main::{lambda#1}::operator()");
    expect_name("_ZN1AcvbEv", "A::operator bool");
    expect_name("_ZNSt10shared_ptrIiEptEv", "std::shared_ptr::operator->");
    expect_name("_Znwm", "operator new");
    expect_name("_ZTVSt9basic_iosIcSt11char_traitsIcEE", "vtable for std::ios");
    expect_name("_ZNSt3_V215system_categoryEv", "std::system_category");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_and_name_are_left),
        cmocka_unit_test(a_type_that_is_cut_has_no_arguments),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(all_kinds_of_names_are_written_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
