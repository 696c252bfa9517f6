/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_shortname.c - names of functions and types as a report shows them.
 */
#include "base/demangle.h"
#include "base/shortname.h"
#include "unit.h"

static const struct {
    const char *name;
    const char *shown;
} names[] = {
    { "", "" },
    { "main", "main" },
    { "Account::pay", "Account::pay" },
    { "app::(anonymous)::total", "app::(anonymous)::total" },
    { "app::(anonymous namespace)::total", "app::(anonymous)::total" },
    /* defaults of the library */
    { "std::vector<int, std::allocator<int> >::push_back", "std::vector<int>::push_back" },
    { "std::vector<int, std::allocator<int>>::push_back", "std::vector<int>::push_back" },
    { "std::unique_ptr<A, std::default_delete<A> >::~unique_ptr",
      "std::unique_ptr<A>::~unique_ptr" },
    { "std::set<int, std::less<int>, std::allocator<int> >::insert", "std::set<int>::insert" },
    { "std::unordered_map<int, A, std::hash<int>, std::equal_to<int>, "
      "std::allocator<std::pair<const int, A> > >::at",
      "std::unordered_map<int, A>::at" },
    { "std::set<int, Order, std::allocator<int> >::find", "std::set<int, Order>::find" },
    { "std::allocator<int>::allocate", "std::allocator<int>::allocate" },
    { "std::vector<std::allocator<int>>::size", "std::vector<std::allocator<int>>::size" },
    /* strings and streams */
    { "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append",
      "std::string::append" },
    { "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::size",
      "std::wstring::size" },
    { "std::basic_ostream<char, std::char_traits<char> >::flush", "std::ostream::flush" },
    { "std::basic_string<char8_t, std::char_traits<char8_t> >::size",
      "std::basic_string<char8_t>::size" },
    { "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, "
      "std::vector<int, std::allocator<int> >, std::less<std::__cxx11::basic_string<char> >, "
      "std::allocator<std::pair<const std::__cxx11::basic_string<char>, std::vector<int> > > "
      ">::operator[]",
      "std::map<std::string, std::vector<int>>::operator[]" },
    { "std::__1::vector<int, std::__1::allocator<int> >::size", "std::vector<int>::size" },
    { "std::_V2::condition_variable_any::wait", "std::condition_variable_any::wait" },
    { "app::__cxx11::f", "app::__cxx11::f" },
    /* tags, operators, constructors */
    { "table[abi:cxx11]", "table" },
    { "std::to_string[abi:cxx11](int)", "std::to_string(int)" },
    { "A::operator<", "A::operator<" },
    { "A::operator<<<int>", "A::operator<<<int>" },
    { "A::operator->", "A::operator->" },
    { "A::operator->*", "A::operator->*" },
    { "A::operator()", "A::operator()" },
    { "A::operator bool", "A::operator bool" },
    { "A::operator std::vector<int, std::allocator<int> >", "A::operator std::vector<int>" },
    { "operator new[]", "operator new[]" },
    { "my_operator<int>", "my_operator<int>" },
    { "Stack<int>::Stack", "Stack<int>::Stack" },
    { "Stack<int>::~Stack", "Stack<int>::~Stack" },
    { "apply<void (*)(int, char)>", "apply<void (*)(int, char)>" },
    { "apply<std::function<void (std::vector<int, std::allocator<int> >)> >",
      "apply<std::function<void (std::vector<int>)>>" },
    { "Matrix<double, 3, 4>::at", "Matrix<double, 3, 4>::at" },
    /* lists too long to read */
    { "std::_Rb_tree<std::string, std::pair<const std::string, int>, "
      "std::_Select1st<std::pair<const std::string, int> >, std::less<std::string> >::size",
      "std::_Rb_tree<...>::size" },
    /* lambdas, of line 37 */
    { "main::(anonymous)::operator()", "main::lambda:37" },
    { "(anonymous)::operator()", "lambda:37" },
    { "A::f::(anonymous)::operator()", "A::f::lambda:37" },
    { "Functor::operator()", "Functor::operator()" },
    /* broken ones */
    { "f<", "f<" },
    { "f<int", "f<int" },
    { "f>", "f>" },
    { "f<<<<", "f<<<<" },
    { "f(int", "f(int" },
    { "f[abi:", "f" },
    { "operator", "operator" },
};

static void
names_are_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *out = burl_name_shorten(names[i].name, 37);

        assert_string_equal(out, names[i].shown);
        free(out);
    }
}

/* However deep, it ends. */
static void
deep_nesting_is_copied(void **state)
{
    char name[4096];
    char *out;

    (void)state;
    memset(name, '<', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    out = burl_name_shorten(name, 0);
    assert_non_null(out);
    free(out);
    memset(name, '(', sizeof name - 1);
    out = burl_name_shorten(name, 0);
    assert_string_equal(out, name);
    free(out);
}

static void
types_of_exceptions_are_named(void **state)
{
    static const char *const types[][2] = {
        { "St9bad_alloc", "std::bad_alloc" },
        { "N3app5ErrorE", "app::Error" },
        { "11MyException", "MyException" },
        { "i", "int" },
        { "PKc", "char const*" },
        { "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "std::string" },
        { "St6vectorIiSaIiEE", "std::vector<int>" },
        { "?", "?" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char *out = burl_demangle_type(types[i][0]);

        assert_string_equal(out, types[i][1]);
        free(out);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_written),
        cmocka_unit_test(deep_nesting_is_copied),
        cmocka_unit_test(types_of_exceptions_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
