/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sites.c - site numbers to records and back, and the text of source lines.
 */
#include "base/sites.h"
#include "unit.h"

#define HASH 0x1122334455667788ull

static const struct burl_site_info infos[] = {
    { .id = 12,
      .index = 2,
      .module_hash = HASH,
      .file = "a.c",
      .dir = "/build/one",
      .func = "pop",
      .variable = "q->head",
      .line = 10,
      .column = 5,
      .kind = BURL_SITE_READ },
    { .id = 11,
      .index = 1,
      .module_hash = HASH,
      .file = "a.c",
      .func = "pop",
      .variable = "q->head",
      .line = 20,
      .column = 5,
      .kind = BURL_SITE_READ },
    { .id = 13,
      .index = 3,
      .module_hash = HASH,
      .file = "a.c",
      .func = "pop",
      .variable = "q->head",
      .line = 10,
      .column = 5,
      .kind = BURL_SITE_RANGE_WRITE },
    { .id = 90,
      .index = 0,
      .module_hash = HASH + 1,
      .file = "b.c",
      .func = "push",
      .variable = "",
      .line = 3,
      .column = 1,
      .kind = BURL_SITE_FUNC },
};

static struct burl_sites *
fixed(void)
{
    return burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
}

static void
numbers_and_indices_are_found_both_ways(void **state)
{
    struct burl_sites *s = fixed();

    (void)state;
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        const struct burl_site_info *got = burl_sites_get(s, infos[i].id);

        assert_int_equal(got->line, infos[i].line);
        assert_string_equal(got->func, infos[i].func);
        assert_int_equal(burl_sites_find_index(s, infos[i].module_hash, infos[i].index),
                         infos[i].id);
    }
    assert_int_equal(burl_sites_find_index(s, HASH, 77), 0);
    assert_int_equal(burl_sites_find_index(s, HASH + 9, 1), 0);
    burl_sites_free(s);
}

static void
unknown_numbers_give_an_empty_record(void **state)
{
    struct burl_sites *s = fixed();
    const uint32_t ids[] = { 0, 1, 14, 0xffffffffu };

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const struct burl_site_info *got = burl_sites_get(s, ids[i]);

        assert_int_equal(got->id, 0);
        assert_string_equal(got->file, "");
        assert_null(burl_sites_source_line(s, got, 0));
    }
    assert_int_equal(burl_sites_get(NULL, 12)->id, 0);
    burl_sites_free(s);
}

static void
a_key_finds_the_same_position_in_another_directory(void **state)
{
    struct burl_sites *s = fixed();
    struct burl_site_key key = { .file = "/elsewhere/a.c",
                                 .line = 10,
                                 .column = 5,
                                 .kind = BURL_SITE_READ,
                                 .func = "pop",
                                 .variable = "q->head" };
    uint32_t id;
    size_t n;

    (void)state;
    assert_int_equal(burl_sites_find_key(s, &key, &id, &n), BURL_SITE_MATCH_EXACT);
    assert_int_equal(id, 12);
    assert_int_equal(n, 1);
    key.kind = BURL_SITE_WRITE; /* the range write counts as a write */
    assert_int_equal(burl_sites_find_key(s, &key, &id, NULL), BURL_SITE_MATCH_EXACT);
    assert_int_equal(id, 13);
    burl_sites_free(s);
}

static void
a_key_that_moved_finds_the_nearest_line(void **state)
{
    struct burl_sites *s = fixed();
    struct burl_site_key key = { .file = "a.c",
                                 .line = 19,
                                 .column = 9,
                                 .kind = BURL_SITE_READ,
                                 .func = "pop",
                                 .variable = "q->head" };
    uint32_t id;
    size_t n;

    (void)state;
    assert_int_equal(burl_sites_find_key(s, &key, &id, &n), BURL_SITE_MATCH_MOVED);
    assert_int_equal(id, 11);
    key.line = 15; /* as far from both */
    assert_int_equal(burl_sites_find_key(s, &key, &id, &n), BURL_SITE_MATCH_MOVED);
    assert_int_equal(n, 2);
    burl_sites_free(s);
}

static void
a_key_of_another_function_or_variable_finds_nothing(void **state)
{
    struct burl_sites *s = fixed();
    struct burl_site_key key = { .file = "a.c",
                                 .line = 10,
                                 .column = 5,
                                 .kind = BURL_SITE_READ,
                                 .func = "pop",
                                 .variable = "q->tail" };
    uint32_t id = 5;

    (void)state;
    assert_int_equal(burl_sites_find_key(s, &key, &id, NULL), BURL_SITE_MATCH_NONE);
    assert_int_equal(id, 0);
    key.variable = "q->head";
    key.func = "push";
    assert_int_equal(burl_sites_find_key(s, &key, &id, NULL), BURL_SITE_MATCH_NONE);
    burl_sites_free(s);
}

static void
source_lines_are_read_against_the_compile_directory(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "a.c");
    struct burl_site_info here = infos[0];
    struct burl_sites *s;
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_fs_write_atomic(path, "one\r\ntwo\n\nlast", 14, &err), &err);
    here.dir = dir;
    here.line = 2;
    s = burl_sites_new_fixed(&here, 1);
    assert_string_equal(burl_sites_source_line(s, burl_sites_get(s, 12), 0), "two");
    assert_string_equal(burl_sites_source_line(s, burl_sites_get(s, 12), 1), "");
    assert_string_equal(burl_sites_source_line(s, burl_sites_get(s, 12), 2), "last");
    assert_null(burl_sites_source_line(s, burl_sites_get(s, 12), 3));
    assert_null(burl_sites_source_line(s, burl_sites_get(s, 12), 0xffffffffu));
    burl_sites_free(s);
    here.line = 1;
    s = burl_sites_new_fixed(&here, 1);
    assert_string_equal(burl_sites_source_line(s, burl_sites_get(s, 12), 0), "one");
    burl_sites_free(s);
    here.file = "missing.c";
    s = burl_sites_new_fixed(&here, 1);
    assert_null(burl_sites_source_line(s, burl_sites_get(s, 12), 0));
    burl_sites_free(s);
    free(path);
    unit_rmdir(dir);
}

static void
a_missing_object_costs_names_and_says_so(void **state)
{
    struct burl_wire_object object = { .path = "/nonexistent/prog" };
    struct burl_wire_module_entry module = { .hash = HASH, .base = 1, .n_sites = 5 };
    struct burl_sites *s;
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_sites_new(&s, &object, 1, &module, 1, &err), &err);
    assert_null(burl_sites_problem(s));
    assert_int_equal(burl_sites_get(s, 3)->id, 0);
    assert_non_null(burl_sites_problem(s));
    EXPECT_CONTAINS(burl_sites_problem(s), "/nonexistent/prog");
    /* The number itself is still good for a schedule. */
    assert_int_equal(burl_sites_find_index(s, HASH, 2), 3);
    burl_sites_free(s);
}

static void
a_module_list_that_contradicts_itself_is_refused(void **state)
{
    struct burl_wire_object object = { .path = "/nonexistent/prog" };
    struct burl_wire_module_entry modules[2] = {
        { .hash = HASH, .base = 1, .n_sites = 5 },
        { .hash = HASH + 1, .base = 4, .n_sites = 5 },
    };
    struct burl_sites *s;
    struct burl_err err;

    (void)state;
    EXPECT_STATUS(burl_sites_new(&s, &object, 1, modules, 2, &err), BURL_E_FORMAT, &err);
    assert_null(s);
    modules[1].base = 6;
    modules[1].object = 1;
    EXPECT_STATUS(burl_sites_new(&s, &object, 1, modules, 2, &err), BURL_E_FORMAT, &err);
    modules[1].object = 0;
    modules[1].n_sites = 0xffffffffu;
    EXPECT_STATUS(burl_sites_new(&s, &object, 1, modules, 2, &err), BURL_E_FORMAT, &err);
}

static void
system_headers_are_not_the_users_code(void **state)
{
    struct burl_site_info info = infos[0];

    (void)state;
    assert_false(burl_site_is_system(&info));
    info.file = "/usr/include/c++/12/bits/std_mutex.h";
    assert_true(burl_site_is_system(&info));
    info.file = "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/thread";
    assert_true(burl_site_is_system(&info));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_indices_are_found_both_ways),
        cmocka_unit_test(unknown_numbers_give_an_empty_record),
        cmocka_unit_test(a_key_finds_the_same_position_in_another_directory),
        cmocka_unit_test(a_key_that_moved_finds_the_nearest_line),
        cmocka_unit_test(a_key_of_another_function_or_variable_finds_nothing),
        cmocka_unit_test(source_lines_are_read_against_the_compile_directory),
        cmocka_unit_test(a_missing_object_costs_names_and_says_so),
        cmocka_unit_test(a_module_list_that_contradicts_itself_is_refused),
        cmocka_unit_test(system_headers_are_not_the_users_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
