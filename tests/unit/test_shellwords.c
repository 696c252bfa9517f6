/* SPDX-License-Identifier: Apache-2.0 */
/* base/shellwords: the words that a shell would make of a text. */
#include "base/shellwords.h"

#include "base/buf.h"
#include "unit.h"

/* The words of `text`, each in brackets. */
static void
expect(const char *text, const char *words, bool is_closed)
{
    struct burl_shellwords w = { 0 };
    struct burl_buf b = BURL_BUF_INIT;

    assert_int_equal(burl_shellwords_split(&w, text), is_closed);
    for (size_t i = 0; i < w.n; i++)
        burl_buf_printf(&b, "[%s]", w.v[i]);
    assert_string_equal(burl_buf_str(&b), words);
    burl_buf_deinit(&b);
    burl_shellwords_deinit(&w);
}

static void
blanks_separate(void **state)
{
    (void)state;
    expect("", "", true);
    expect(" \t\n", "", true);
    expect("a", "[a]", true);
    expect("  a\tb\nc  ", "[a][b][c]", true);
}

static void
quotes_join(void **state)
{
    (void)state;
    expect("a 'b c' \"d e\"", "[a][b c][d e]", true);
    expect("'' \"\"", "[][]", true);
    expect("x'y z'w", "[xy zw]", true);
    expect("'\"' \"'\"", "[\"][']", true);
}

static void
backslashes_quote(void **state)
{
    (void)state;
    expect("a\\ b \\\\ \\'", "[a b][\\][']", true);
    expect("\"a\\\"b\\\\c\\d\"", "[a\"b\\c\\d]", true);
    expect("'a\\'", "[a\\]", true);
    expect("a\\", "[a\\]", true);
}

static void
open_quotes_are_noticed(void **state)
{
    (void)state;
    expect("a 'b c", "[a][b c]", false);
    expect("\"", "[]", false);
    expect("\"a\\\"", "[a\"]", false);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate),
        cmocka_unit_test(quotes_join),
        cmocka_unit_test(backslashes_quote),
        cmocka_unit_test(open_quotes_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
