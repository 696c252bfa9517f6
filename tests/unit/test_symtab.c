/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_symtab.c - variables by address, from our own executable and from damaged copies of it.
 */
#include "base/symtab.h"
#include "unit.h"

extern const char __executable_start[];

int symtab_probe[12] = { 1 };

static uint64_t
in_file(const void *p)
{
    return (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)__executable_start;
}

static void
a_global_is_found_by_every_byte_of_it(void **state)
{
    struct burl_symtab *t = NULL;
    struct burl_symbol sym;
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_symtab_open(&t, "/proc/self/exe", &err), &err);
    for (size_t i = 0; i < sizeof symtab_probe; i++) {
        assert_true(burl_symtab_find(t, in_file((char *)symtab_probe + i), &sym));
        assert_string_equal(sym.name, "symtab_probe");
        assert_int_equal(sym.size_b, sizeof symtab_probe);
        assert_true(sym.addr == in_file(symtab_probe));
    }
    if (burl_symtab_find(t, in_file(symtab_probe) + sizeof symtab_probe, &sym))
        assert_string_not_equal(sym.name, "symtab_probe");
    assert_false(burl_symtab_find(t, UINT64_MAX, &sym));
    burl_symtab_free(t);
}

static void
simple_names_of_cpp_are_written_out(void **state)
{
    static const struct {
        const char *linked;
        const char *want;
    } rows[] = {
        { "counter", "counter" },
        { "_ZL7counter", "counter" },
        { "_ZN2db5cacheE", "db::cache" },
        { "_ZN12_GLOBAL__N_14busyE", "(anonymous)::busy" },
        { "_ZN2dbL5cacheE", "db::cache" },
        { "_ZN2db3boxIiE4sizeE", "db::box::size" },
        { "_ZN2db", "_ZN2db" },
        { "_ZN99xE", "_ZN99xE" },
        { "_Z", "_Z" },
        { "_ZN", "_ZN" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct burl_symtab *t = burl_symtab_new();
        struct burl_symbol sym;

        burl_symtab_add(t, rows[i].linked, 0x100, 8);
        assert_true(burl_symtab_find(t, 0x104, &sym));
        assert_string_equal(sym.name, rows[i].want);
        burl_symtab_free(t);
    }
}

static void
aliases_always_have_the_same_name(void **state)
{
    struct burl_symbol sym;

    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        struct burl_symtab *t = burl_symtab_new();

        burl_symtab_add(t, order ? "environ" : "__environ", 0x100, 8);
        burl_symtab_add(t, order ? "__environ" : "environ", 0x100, 8);
        burl_symtab_add(t, "later", 0x108, 4);
        assert_true(burl_symtab_find(t, 0x107, &sym));
        assert_string_equal(sym.name, "__environ");
        assert_false(burl_symtab_find(t, 0x10c, &sym));
        assert_false(burl_symtab_find(t, 0xff, &sym));
        burl_symtab_free(t);
    }
}

static void
an_empty_table_has_nothing(void **state)
{
    struct burl_symtab *t = burl_symtab_new();
    struct burl_symbol sym;

    (void)state;
    assert_false(burl_symtab_find(t, 0, &sym));
    burl_symtab_free(t);
    burl_symtab_free(NULL);
}

/* Truncated and with random bytes overwritten: an error or fewer names, never a fault. */
static void
damaged_files_do_no_harm(void **state)
{
    uint64_t seed = unit_seed();
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "damaged");
    struct burl_err err;
    char *bytes = NULL;
    size_t n = 0;

    (void)state;
    EXPECT_OK(burl_fs_read_file("/proc/self/exe", 256u << 20, &bytes, &n, &err), &err);
    for (unsigned round = 0; round < 60; round++) {
        struct burl_symtab *t = NULL;
        struct burl_symbol sym;
        size_t keep = round < 20 ? n * round / 20 : n;
        char *copy = burl_xmalloc(n);

        memcpy(copy, bytes, n);
        for (unsigned k = 0; round >= 20 && k < 400; k++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            /* Half of it at the end, where headers and names are. */
            copy[k % 2 ? n - 1 - (seed >> 20) % (n / 4) : (seed >> 20) % n] = (char)(seed >> 56);
        }
        EXPECT_OK(burl_fs_write_atomic(path, copy, keep, &err), &err);
        free(copy);
        if (burl_symtab_open(&t, path, &err) == BURL_OK)
            (void)burl_symtab_find(t, in_file(symtab_probe), &sym);
        burl_symtab_free(t);
    }
    free(bytes);
    free(path);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_global_is_found_by_every_byte_of_it),
        cmocka_unit_test(simple_names_of_cpp_are_written_out),
        cmocka_unit_test(aliases_always_have_the_same_name),
        cmocka_unit_test(an_empty_table_has_nothing),
        cmocka_unit_test(damaged_files_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
