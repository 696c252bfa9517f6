/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_nametab.c - members of globals and damaged records of .burl.names.
 */
#include "base/nametab.h"
#include "unit.h"
#include "wire/version.h"

/* struct account { long id; lock m; int balance; } accounts[2], whole; of 16 bytes each */
enum { INT, LONG, ACCOUNT, ACCOUNTS, N_TYPES };

static const char strings[] = "\0accounts\0whole\0id\0balance\0to.id";
enum { S_ACCOUNTS = 1, S_WHOLE = 10, S_ID = 16, S_BALANCE = 19, S_TO_ID = 27 };

static void
make_record(struct burl_buf *out)
{
    const struct burl_wire_type types[N_TYPES] = {
        [INT] = { .size_b = 4 },
        [LONG] = { .size_b = 8 },
        [ACCOUNT] = { .size_b = 16, .kind = BURL_TYPE_RECORD, .first = 0, .n = 2 },
        [ACCOUNTS] = { .size_b = 32, .kind = BURL_TYPE_ARRAY, .first = ACCOUNT, .n = 2 },
    };
    const struct burl_wire_member members[2] = { { 0, S_ID, LONG }, { 8, S_BALANCE, INT } };
    const struct burl_wire_place places[2] = { { .text = S_TO_ID, .site = 7, .param = 1 },
                                               { .text = S_WHOLE, .site = 0 } };
    const struct burl_wire_call call = {
        .func = 3, .site = 9, .callee = S_WHOLE, .first = 1, .n = 1
    };
    const struct burl_wire_function function = { 3, S_ACCOUNTS };
    const struct burl_wire_global globals[2] = { { S_ACCOUNTS, ACCOUNTS }, { S_WHOLE, ACCOUNT } };
    static const char zeros[16];
    struct burl_wire_namefile_head head = { .magic = BURL_WIRE_NAMES_MAGIC,
                                            .version = BURL_WIRE_VERSION,
                                            .strings_b = sizeof strings,
                                            .hash = 42,
                                            .n_places = 2,
                                            .n_accesses = 1,
                                            .n_calls = 1,
                                            .n_functions = 1,
                                            .n_globals = 2,
                                            .n_types = N_TYPES,
                                            .n_members = 2 };
    size_t used = sizeof head + sizeof types + sizeof members + sizeof places + sizeof call +
                  sizeof function + sizeof globals + sizeof strings;

    head.record_b = (used + 15) / 16 * 16;
    burl_buf_init(out, BURL_BUF_NO_LIMIT);
    burl_buf_append(out, &head, sizeof head);
    burl_buf_append(out, types, sizeof types);
    burl_buf_append(out, members, sizeof members);
    burl_buf_append(out, places, sizeof places);
    burl_buf_append(out, &call, sizeof call);
    burl_buf_append(out, &function, sizeof function);
    burl_buf_append(out, globals, sizeof globals);
    burl_buf_append(out, strings, sizeof strings);
    burl_buf_append(out, zeros, head.record_b - used);
}

static struct burl_nametab *
open_record(const struct burl_buf *record)
{
    struct burl_nametab *t = burl_nametab_new();
    struct burl_err err;
    uint64_t used = 0;

    EXPECT_OK(burl_nametab_add_record(t, (const uint8_t *)record->p, record->n, &used, "x", &err),
              &err);
    assert_int_equal(used, record->n);
    return t;
}

static void
an_offset_of_a_global_is_a_path_of_members(void **state)
{
    static const struct {
        const char *symbol;
        uint64_t size_b, offset, want_b;
        const char *path; /* NULL: none */
    } rows[] = {
        { "accounts", 32, 0, 0, "" },
        { "accounts", 32, 0, 1, "[0].id" },
        { "accounts", 32, 24, 4, "[1].balance" },
        { "accounts", 32, 16, 16, "[1]" },
        { "accounts", 32, 8, 16, "" },
        { "whole", 16, 0, 8, ".id" },
        { "whole", 16, 10, 1, ".balance" },
        { "whole", 16, 0, 12, "" },
        { "whole", 16, 12, 4, "" },
        { "whole", 16, 12, 8, NULL },
        { "whole", 24, 0, 8, NULL },
        { "other", 16, 0, 8, NULL },
    };
    struct burl_buf record;
    struct burl_nametab *t;

    (void)state;
    make_record(&record);
    t = open_record(&record);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct burl_buf path = BURL_BUF_INIT;
        bool found = burl_nametab_member(t, rows[i].symbol, rows[i].size_b, rows[i].offset,
                                         rows[i].want_b, &path);

        assert_int_equal(found, rows[i].path != NULL);
        assert_string_equal(burl_buf_str(&path), rows[i].path != NULL ? rows[i].path : "");
        burl_buf_deinit(&path);
    }
    burl_nametab_free(t);
    burl_buf_deinit(&record);
}

static void
places_calls_and_functions_are_found_by_their_sites(void **state)
{
    struct burl_buf record;
    struct burl_nametab *t;
    struct burl_place p;
    struct burl_call call;

    (void)state;
    make_record(&record);
    t = open_record(&record);
    assert_true(burl_nametab_access(t, 42, 7, &p));
    assert_string_equal(p.text, "to.id");
    assert_false(burl_nametab_access(t, 42, 0, &p)); /* an argument is no access */
    assert_false(burl_nametab_access(t, 43, 7, &p));
    assert_true(burl_nametab_call(t, 42, 3, 0, &call));
    assert_string_equal(call.callee, "whole");
    assert_true(burl_nametab_argument(t, &call, 0, &p));
    assert_false(burl_nametab_argument(t, &call, 1, &p));
    assert_false(burl_nametab_call(t, 42, 3, 1, &call));
    assert_string_equal(burl_nametab_symbol(t, 42, 3), "accounts");
    assert_string_equal(burl_nametab_symbol(t, 42, 4), "");
    burl_nametab_free(t);
    burl_buf_deinit(&record);
}

/* Any byte of the record may be anything: an error or a table, never a fault. */
static void
damaged_records_are_refused_or_harmless(void **state)
{
    struct burl_buf record;

    (void)state;
    make_record(&record);
    for (size_t i = 0; i < record.n; i++) {
        uint8_t *bytes = burl_xmemdup(record.p, record.n);
        struct burl_nametab *t = burl_nametab_new();
        struct burl_buf path = BURL_BUF_INIT;
        uint64_t used = 0;

        bytes[i] = 0xff;
        if (burl_nametab_add_record(t, bytes, record.n, &used, "x", NULL) == BURL_OK)
            (void)burl_nametab_member(t, "accounts", 32, 24, 4, &path);
        burl_buf_deinit(&path);
        burl_nametab_free(t);
        free(bytes);
    }
    for (size_t n = 0; n < record.n; n += 8) {
        struct burl_nametab *t = burl_nametab_new();
        uint64_t used = 0;

        assert_int_not_equal(
            burl_nametab_add_record(t, (const uint8_t *)record.p, n, &used, "x", NULL), BURL_OK);
        burl_nametab_free(t);
    }
    burl_buf_deinit(&record);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offset_of_a_global_is_a_path_of_members),
        cmocka_unit_test(places_calls_and_functions_are_found_by_their_sites),
        cmocka_unit_test(damaged_records_are_refused_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
