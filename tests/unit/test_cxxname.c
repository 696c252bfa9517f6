/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_cxxname.c - names of C++ functions as a person writes them.
 */
#include "engine/target/foreign.h"
#include "unit.h"

static void
expect_name(const char *symbol, const char *name)
{
    char out[80];

    burl__cxx_name(symbol, out, sizeof out);
    assert_string_equal(out, name);
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
                "std::string::operator");
    expect_name("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev",
                "std::string::~string");
    expect_name("_ZNSolsEi", "std::ostream::operator");
    expect_name("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator");
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
long_names_are_cut(void **state)
{
    char out[8];

    (void)state;
    burl__cxx_name("_ZNSt6thread4joinEv", out, sizeof out);
    assert_string_equal(out, "std::th");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_and_name_are_left),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(long_names_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
