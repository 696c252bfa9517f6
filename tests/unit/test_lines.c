/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lines.c - source lines and functions of code, by debug information and symbols.
 */
#include "base/lines.h"

#include "base/code.h"
#include "line_programs.h"
#include "unit.h"

extern const char __executable_start[];

static void
expect_lines(const uint8_t *section, size_t n)
{
    const struct burl_lines_input in = { .line = section, .line_b = n };
    static const struct {
        uint64_t addr;
        uint32_t line;
        uint32_t column;
    } rows[] = {
        { 0x0fff, 0, 0 },  { 0x1000, 10, 0 }, { 0x1003, 10, 0 }, { 0x1004, 12, 3 },
        { 0x1007, 12, 3 }, { 0x1008, 12, 3 }, { 0x100f, 12, 3 }, { 0x1010, 0, 0 },
    };
    struct burl_line_place place;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(burl_lines_find(&in, rows[i].addr, &place), rows[i].line != 0);
        assert_int_equal(place.line, rows[i].line);
        assert_int_equal(place.column, rows[i].column);
        assert_string_equal(place.file, rows[i].line != 0 ? "a.c" : "");
        assert_string_equal(place.dir, rows[i].line != 0 ? "sub" : "");
    }
    /* Cut anywhere it is refused, or says the same. */
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut + 1);
        const struct burl_lines_input less = { .line = copy, .line_b = cut };

        memcpy(copy, section, cut);
        if (burl_lines_find(&less, 0x1004, &place))
            assert_int_equal(place.line, 12);
        free(copy);
    }
}

static void
lines_of_both_formats_are_found(void **state)
{
    (void)state;
    expect_lines(line_program_4, sizeof line_program_4);
    expect_lines(line_program_5, sizeof line_program_5);
}

static void
units_are_searched_one_after_the_other(void **state)
{
    uint8_t both[sizeof line_program_5 + sizeof line_program_4];
    const struct burl_lines_input in = { .line = both, .line_b = sizeof both };
    struct burl_line_place place;

    (void)state;
    memcpy(both, line_program_5, sizeof line_program_5);
    memcpy(both + sizeof line_program_5, line_program_4, sizeof line_program_4);
    both[4] = 77; /* an unknown version is skipped */
    assert_true(burl_lines_find(&in, 0x1004, &place));
    assert_int_equal(place.line, 12);
}

__attribute__((noinline)) static int
probe(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

static void
code_of_this_program_has_its_name_and_line(void **state)
{
    const uint64_t at = (uint64_t)(uintptr_t)probe - (uint64_t)(uintptr_t)__executable_start;
    struct burl_code code;

    (void)state;
    assert_int_equal(probe(1), 1);
    burl_code_look(&code, "/proc/self/exe", at);
    assert_string_equal(code.function, "probe");
    assert_non_null(strstr(code.file, "test_lines.c"));
    assert_true(code.line > 60 && code.line < 90);
    burl_code_deinit(&code);
    burl_code_look(&code, "/no/such/libx.so", 16);
    assert_string_equal(code.object, "libx.so");
    assert_string_equal(code.function, "");
    assert_int_equal(code.line, 0);
    burl_code_deinit(&code);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_both_formats_are_found),
        cmocka_unit_test(units_are_searched_one_after_the_other),
        cmocka_unit_test(code_of_this_program_has_its_name_and_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
