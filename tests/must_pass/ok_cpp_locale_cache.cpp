// SPDX-License-Identifier: Apache-2.0
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: two threads build regular expressions and convert characters: the facet of the classic
 *   locale keeps what it has converted in a table, without a lock.
 */
#include <locale>
#include <regex>
#include <string>
#include <thread>

static bool
matches(const std::string &text, const char *pattern)
{
    return std::regex_match(text, std::regex(pattern));
}

static bool
converts(char c)
{
    const auto &facet = std::use_facet<std::ctype<char>>(std::locale::classic());
    const char from[] = { c, 'z' };
    char to[2];

    facet.narrow(from, from + 2, '?', to);
    return facet.widen(c) == c && facet.narrow(c, '?') == c && to[0] == c && to[1] == 'z';
}

int
main()
{
    bool a = false;
    bool b = false;
    std::thread t([&] { a = converts('a') && matches("aab", "a+b"); });
    std::thread u([&] { b = converts('b') && matches("b1", "b[0-9]"); });

    t.join();
    u.join();
    return !(a && b);
}
