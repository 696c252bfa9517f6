/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_history.c - histories: merging is the union by identity, bytes survive the round trip and
 * damage is refused; files of recording processes decode, and nothing in them is trusted.
 */
#include "base/history.h"
#include "base/history_file.h"
#include "base/rng.h"
#include "history_bytes.h"
#include "unit.h"

static uint32_t
role(struct burl_history *h, const char *start, uint32_t site, uint32_t ordinal, bool many)
{
    const struct burl_history_role r = {
        .start = (char *)start,
        .create_module = site != UINT32_MAX ? 5 : 0,
        .create_site = site,
        .ordinal = ordinal,
        .many = many,
    };

    return burl_history_role(h, &r);
}

static void
see(struct burl_history *h, uint32_t r, uint32_t module, bool alone, uint32_t site)
{
    burl_history_set_bit(burl_history_bits(h, r, module, alone), site);
}

static bool
seen(const struct burl_history *h, uint32_t r, uint32_t module, bool alone, uint32_t site)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        const struct burl_history_set *s = &h->sets.v[i];

        if (s->role == r && s->module == module && s->alone == alone)
            return burl_history_bit(s->bits, site);
    }
    return false;
}

static void
begin(struct burl_history *h)
{
    burl_history_init(h);
    h->program = burl_xstrdup("/p");
    assert_int_equal(role(h, "main", UINT32_MAX, 0, false), 0);
}

static void
merging_is_the_union_by_identity(void **state)
{
    struct burl_history a, b;
    uint32_t m, x, y;

    (void)state;
    begin(&a);
    m = burl_history_module(&a, 77, 20, "m.c", "/p");
    x = role(&a, "worker", 3, 0, false);
    see(&a, x, m, false, 4);
    see(&a, 0, m, true, 1);
    burl_history_add_overlap(&a, x, 0);

    begin(&b);
    y = role(&b, "reader", 9, 0, true);
    (void)burl_history_module(&b, 66, 5, "n.c", "/lib.so");
    m = burl_history_module(&b, 77, 20, "m.c", "/p");
    x = role(&b, "worker", 3, 0, false);
    see(&b, x, m, false, 19);
    see(&b, 0, m, false, 1);
    see(&b, y, 0, false, 2);
    burl_history_add_overlap(&b, y, x);
    b.partial = true;

    burl_history_merge(&a, &b);
    assert_int_equal(a.roles.n, 3);
    assert_int_equal(a.modules.n, 2);
    assert_string_equal(a.roles.v[1].start, "worker");
    assert_string_equal(a.roles.v[2].start, "reader");
    assert_true(a.partial);
    assert_true(seen(&a, 1, 0, false, 4) && seen(&a, 1, 0, false, 19));
    assert_true(seen(&a, 0, 0, true, 1) && seen(&a, 0, 0, false, 1));
    assert_false(seen(&a, 0, 0, false, 4));
    assert_true(seen(&a, 2, 1, false, 2));
    assert_int_equal(a.sets.n, 4);
    assert_true(burl_history_overlaps(&a, 0, 1) && burl_history_overlaps(&a, 2, 1));
    assert_false(burl_history_overlaps(&a, 0, 2));
    assert_true(burl_history_overlaps(&a, 2, 2));
    assert_false(burl_history_overlaps(&a, 1, 1));

    /* Once more changes nothing. */
    burl_history_merge(&a, &b);
    assert_int_equal(a.roles.n, 3);
    assert_int_equal(a.sets.n, 4);
    assert_int_equal(a.overlaps.n, 2);
    burl_history_deinit(&a);
    burl_history_deinit(&b);
}

static void
roles_differ_by_routine_site_or_ordinal(void **state)
{
    struct burl_history h;

    (void)state;
    begin(&h);
    assert_int_equal(role(&h, "w", 3, 0, false), 1);
    assert_int_equal(role(&h, "v", 3, 0, false), 2);
    assert_int_equal(role(&h, "w", 4, 0, false), 3);
    assert_int_equal(role(&h, "w", 3, 1, false), 4);
    assert_int_equal(role(&h, "w", 3, 0, true), 1);
    assert_true(h.roles.v[1].many);
    assert_int_equal(role(&h, "w", 3, 0, false), 1);
    assert_true(h.roles.v[1].many); /* it has been */
    burl_history_deinit(&h);
}

static void
a_module_with_more_sites_keeps_the_bits_it_has(void **state)
{
    struct burl_history a, b;

    (void)state;
    begin(&a);
    see(&a, 0, burl_history_module(&a, 1, 3, "m.c", "/p"), true, 2);
    begin(&b);
    see(&b, 0, burl_history_module(&b, 1, 100, "m.c", "/p"), true, 99);
    burl_history_merge(&a, &b);
    assert_int_equal(a.modules.v[0].n_sites, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(seen(&a, 0, 0, true, i), i == 2 || i == 99);
    /* The other way round. */
    burl_history_deinit(&a);
    begin(&a);
    see(&a, 0, burl_history_module(&a, 1, 3, "m.c", "/p"), true, 2);
    burl_history_merge(&b, &a);
    assert_true(seen(&b, 0, 0, true, 2) && seen(&b, 0, 0, true, 99));
    burl_history_deinit(&a);
    burl_history_deinit(&b);
}

/* ---- bytes -------------------------------------------------------------------------------- */

static void
make_random(struct burl_history *h, struct burl_rng *rng)
{
    uint32_t n_roles = 1 + (uint32_t)burl_rng_below(rng, 5);
    uint32_t n_modules = (uint32_t)burl_rng_below(rng, 4);

    begin(h);
    h->partial = burl_rng_below(rng, 2) == 0;
    for (uint32_t i = 1; i < n_roles; i++)
        (void)role(h, i % 2 ? "worker" : "", (uint32_t)burl_rng_below(rng, 3), i,
                   burl_rng_below(rng, 2) == 0);
    n_roles = (uint32_t)h->roles.n;
    for (uint32_t i = 0; i < n_modules; i++)
        (void)burl_history_module(h, i == 0 ? UINT64_MAX : i,
                                  (uint32_t)burl_rng_below(rng, i == 1 ? 5000 : 40), "m.c", "/o");
    for (int i = 0; n_modules > 0 && i < 60; i++) {
        uint32_t m = (uint32_t)burl_rng_below(rng, n_modules);
        uint32_t n = h->modules.v[m].n_sites;

        if (n > 0)
            see(h, (uint32_t)burl_rng_below(rng, n_roles), m, burl_rng_below(rng, 2) == 0,
                (uint32_t)burl_rng_below(rng, n));
    }
    for (int i = 0; i < 6; i++)
        burl_history_add_overlap(h, (uint32_t)burl_rng_below(rng, n_roles),
                                 (uint32_t)burl_rng_below(rng, n_roles));
}

static void
the_bytes_survive_the_round_trip(void **state)
{
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 300; round++) {
        struct burl_buf one = BURL_BUF_INIT, two = BURL_BUF_INIT;
        struct burl_history h, again;
        struct burl_err err;

        make_random(&h, &rng);
        burl_history_write(&h, &one);
        EXPECT_OK(burl_history_read(&again, one.p, one.n, &err), &err);
        burl_history_write(&again, &two);
        assert_int_equal(one.n, two.n);
        assert_memory_equal(one.p, two.p, one.n);
        assert_int_equal(h.partial, again.partial);
        for (size_t i = 0; i < h.sets.n; i++)
            assert_memory_equal(h.sets.v[i].bits, again.sets.v[i].bits,
                                (h.modules.v[h.sets.v[i].module].n_sites + 7) / 8);
        burl_history_deinit(&h);
        burl_history_deinit(&again);
        burl_buf_deinit(&one);
        burl_buf_deinit(&two);
    }
}

static void
damaged_bytes_are_refused_or_harmless(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_history h, again;
    struct burl_rng rng;
    struct burl_err err;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    make_random(&h, &rng);
    see(&h, 0, burl_history_module(&h, 4711, 9, "x.c", "/o"), true, 8);
    burl_history_write(&h, &b);
    for (size_t n = 0; n < b.n; n++) {
        char *cut = burl_xmemdup(b.p, n);

        EXPECT_STATUS(burl_history_read(&again, cut, n, &err), BURL_E_FORMAT, &err);
        assert_null(again.program);
        free(cut);
    }
    for (int round = 0; round < 3000; round++) {
        char *copy = burl_xmemdup(b.p, b.n);

        copy[burl_rng_below(&rng, b.n)] = (char)burl_rng_below(&rng, 256);
        if (burl_history_read(&again, copy, b.n, &err) == BURL_OK)
            burl_history_deinit(&again);
        free(copy);
    }
    burl_buf_char(&b, 0);
    EXPECT_STATUS(burl_history_read(&again, b.p, b.n, &err), BURL_E_FORMAT, &err);
    b.p[8] = BURL_HISTORY_VERSION + 1;
    EXPECT_STATUS(burl_history_read(&again, b.p, b.n, &err), BURL_E_FORMAT, &err);
    assert_non_null(strstr(err.msg, "record it again"));
    burl_history_deinit(&h);
    burl_buf_deinit(&b);
}

static void
zeros_cost_little(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_history h;

    (void)state;
    begin(&h);
    see(&h, 0, burl_history_module(&h, 1, 1000000, "m.c", "/p"), true, 999999);
    burl_history_write(&h, &b);
    assert_true(b.n < 100);
    burl_history_deinit(&h);
    burl_buf_deinit(&b);
}

/* ---- files of processes ------------------------------------------------------------------- */

static void
records_of_a_file_are_decoded(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_hist_file f;
    struct burl_err err;

    (void)state;
    put_sample(&b);
    EXPECT_OK(burl_hist_file_decode(&f, b.p, b.n, "x.hist", &err), &err);
    assert_string_equal(f.program, "/no/such/program");
    assert_int_equal(f.roles.n, 2);
    assert_int_equal(f.modules.n, 2);
    assert_int_equal(f.modules.v[1].segment, 0);
    assert_string_equal(f.segments.v[0].path, "/no/such/file.so");
    assert_int_equal(f.overlaps.n, 1);
    assert_true(f.overlaps.v[0].a == 0 && f.overlaps.v[0].b == 1);
    assert_int_equal(f.chunks.n, 1);
    assert_true(f.chunks.v[0].alone);
    assert_int_equal(f.chunks.v[0].seen[1], 1);
    assert_false(f.partial);
    burl_hist_file_deinit(&f);
    burl_buf_deinit(&b);
}

static void
room_that_was_reserved_and_not_used_is_skipped(void **state)
{
    struct burl_wire_hist_role r = { .create_site = UINT32_MAX };
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_hist_file f;
    struct burl_err err;
    uint32_t off, kind = 0;

    (void)state;
    put_head(&b, "/p");
    burl_buf_append(&b, (char[24]){ 0 }, 24);
    off = put_record(&b, BURL_HIST_ROLE, &r, sizeof r, "", 0);
    memcpy(b.p + off, &kind, sizeof kind); /* its length, and not yet its kind */
    (void)put_record(&b, BURL_HIST_ROLE, &r, sizeof r, "", 0);
    put_used(&b);
    EXPECT_OK(burl_hist_file_decode(&f, b.p, b.n, "x.hist", &err), &err);
    assert_int_equal(f.roles.n, 1);
    burl_hist_file_deinit(&f);
    burl_buf_deinit(&b);
}

static void
a_file_without_a_head_has_nothing(void **state)
{
    struct burl_hist_file f;
    struct burl_err err;
    char zeros[100] = { 0 };

    (void)state;
    EXPECT_OK(burl_hist_file_decode(&f, zeros, 0, "x.hist", &err), &err);
    assert_int_equal(f.roles.n, 0);
    EXPECT_OK(burl_hist_file_decode(&f, zeros, sizeof zeros, "x.hist", &err), &err);
    assert_int_equal(f.roles.n, 0);
}

static void
expect_refused(const struct burl_buf *b, const char *what)
{
    struct burl_hist_file f;
    struct burl_err err = { 0 };

    EXPECT_STATUS(burl_hist_file_decode(&f, b->p, b->n, "x.hist", &err), BURL_E_FORMAT, &err);
    if (strncmp(err.msg, "x.hist", 6) != 0 || !strstr(err.msg, what))
        fail_msg("\"%s\" does not say \"%s\"", err.msg, what);
}

static void
damage_names_the_file(void **state)
{
    const struct {
        size_t at; /* behind the head */
        uint32_t value;
        const char *what;
    } damages[] = {
        { 0, 99, "unknown record" },
        { 4, 12, "wrong length" },
        { 4, 1u << 30, "wrong length" },
        { 4, 8, "damaged record" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        struct burl_buf b = BURL_BUF_INIT;

        put_sample(&b);
        memcpy(b.p + sizeof(struct burl_wire_hist_head) + damages[i].at, &damages[i].value, 4);
        expect_refused(&b, damages[i].what);
        burl_buf_deinit(&b);
    }
    for (uint32_t bad = 0; bad < 3; bad++) {
        struct burl_wire_hist_chunk chunk = { .n_sites = 4 };
        struct burl_wire_hist_overlap over = { 0 };
        struct burl_buf b = BURL_BUF_INIT;

        put_sample(&b);
        if (bad == 0)
            over.a = over.b = (uint32_t)b.n + 8; /* no role begins there */
        chunk.role = chunk.segment = sizeof(struct burl_wire_hist_head);
        if (bad == 0)
            (void)put_record(&b, BURL_HIST_OVERLAP, &over, sizeof over, NULL, 0);
        else if (bad == 1) /* the segment is a role */
            (void)put_record(&b, BURL_HIST_CHUNK, &chunk, sizeof chunk, NULL, 4);
        else { /* more sites than bytes */
            chunk.n_sites = 400;
            (void)put_record(&b, BURL_HIST_CHUNK, &chunk, sizeof chunk, NULL, 4);
        }
        put_used(&b);
        expect_refused(&b, "damaged record");
        burl_buf_deinit(&b);
    }
}

static void
other_versions_say_what_to_do(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;

    (void)state;
    put_sample(&b);
    b.p[offsetof(struct burl_wire_hist_head, wire_version)]++;
    expect_refused(&b, "build it again");
    burl_buf_deinit(&b);
}

static void
programs_that_are_gone_make_it_partial(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_histories all;
    struct burl_err err;
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "7-0.hist");

    (void)state;
    put_sample(&b);
    EXPECT_OK(burl_fs_write_atomic(path, b.p, b.n, &err), &err);
    EXPECT_OK(burl_history_load_dir(&all, dir, &err), &err);
    assert_int_equal(all.n, 1);
    assert_true(all.v[0].partial);
    assert_int_equal(all.v[0].roles.n, 2);
    assert_string_equal(all.v[0].roles.v[0].start, "main");
    assert_true(burl_history_overlaps(&all.v[0], 0, 1));
    assert_true(all.notes.n > 0);
    burl_histories_deinit(&all);
    EXPECT_STATUS(burl_history_load_dir(&all, "/no/such/dir", &err), BURL_E_IO, &err);
    b.p[0] = 'x';
    EXPECT_OK(burl_fs_write_atomic(path, b.p, b.n, &err), &err);
    EXPECT_STATUS(burl_history_load_dir(&all, dir, &err), BURL_E_FORMAT, &err);
    assert_non_null(strstr(err.msg, "7-0.hist"));
    burl_buf_deinit(&b);
    free(path);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_is_the_union_by_identity),
        cmocka_unit_test(roles_differ_by_routine_site_or_ordinal),
        cmocka_unit_test(a_module_with_more_sites_keeps_the_bits_it_has),
        cmocka_unit_test(the_bytes_survive_the_round_trip),
        cmocka_unit_test(damaged_bytes_are_refused_or_harmless),
        cmocka_unit_test(zeros_cost_little),
        cmocka_unit_test(records_of_a_file_are_decoded),
        cmocka_unit_test(room_that_was_reserved_and_not_used_is_skipped),
        cmocka_unit_test(a_file_without_a_head_has_nothing),
        cmocka_unit_test(damage_names_the_file),
        cmocka_unit_test(other_versions_say_what_to_do),
        cmocka_unit_test(programs_that_are_gone_make_it_partial),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
