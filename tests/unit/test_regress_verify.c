/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_regress_verify.c - regress/verify.c: suspects by place, what was confirmed, and which
 * findings are new.
 */
#include "unit.h"

#include "regress/verify.h"

/* Sites 1 and 2 are two places; 3 is the place of 1 in another program; 4 has no place. */
static struct burl_sites *
make_sites(void)
{
    static const struct burl_site_info infos[] = {
        { .id = 1,
          .index = 7,
          .module_hash = 10,
          .file = "put.c",
          .dir = "",
          .func = "put",
          .variable = "n",
          .module = "put.c",
          .line = 41,
          .column = 5 },
        { .id = 2,
          .index = 8,
          .module_hash = 11,
          .file = "take.c",
          .dir = "",
          .func = "take",
          .variable = "n",
          .module = "take.c",
          .line = 20,
          .column = 9 },
        { .id = 3,
          .index = 99,
          .module_hash = 77,
          .file = "put.c",
          .dir = "",
          .func = "put",
          .variable = "n",
          .module = "put.c",
          .line = 41,
          .column = 5 },
        { .id = 4, .file = "", .dir = "", .func = "", .variable = "", .module = "" },
        { .id = 5,
          .index = 3,
          .module_hash = 11,
          .file = "take.c",
          .dir = "",
          .func = "take",
          .variable = "n",
          .module = "take.c",
          .line = 25,
          .column = 9 },
    };

    return burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
}

static struct burl_wire_suspect
suspect(uint8_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    struct burl_wire_suspect s = { .kind = kind, .n_sites = c ? 3 : 2 };

    s.sites[0] = a;
    s.sites[1] = b;
    s.sites[2] = c;
    return s;
}

static uint64_t
key(const struct burl_sites *sites, uint8_t kind, uint32_t a, uint32_t b, uint32_t c)
{
    const struct burl_wire_suspect s = suspect(kind, a, b, c);

    return burl_regress_suspect_key(&s, sites);
}

static void
a_race_has_one_key_in_all_programs_and_orders(void **state)
{
    struct burl_sites *s = make_sites();
    const uint64_t k = key(s, BURL_SUSPECT_RACE, 1, 2, 0);

    (void)state;
    assert_int_not_equal(k, 0);
    assert_int_equal(k, key(s, BURL_SUSPECT_RACE, 2, 1, 0));
    assert_int_equal(k, key(s, BURL_SUSPECT_POTENTIAL, 1, 2, 0));
    assert_int_equal(k, key(s, BURL_SUSPECT_RACE, 3, 2, 0));
    assert_int_not_equal(k, key(s, BURL_SUSPECT_RACE, 1, 1, 0));
    assert_int_not_equal(k, key(s, BURL_SUSPECT_RACE, 1, 5, 0));
    assert_int_equal(key(s, BURL_SUSPECT_RACE, 1, 4, 0), 0);
    burl_sites_free(s);
}

static void
the_accesses_of_a_triple_have_an_order(void **state)
{
    struct burl_sites *s = make_sites();
    const uint64_t k = key(s, BURL_SUSPECT_TRIPLE, 1, 2, 5);

    (void)state;
    assert_int_equal(k, key(s, BURL_SUSPECT_REGION, 3, 2, 5));
    assert_int_not_equal(k, key(s, BURL_SUSPECT_TRIPLE, 5, 2, 1));
    assert_int_not_equal(k, key(s, BURL_SUSPECT_RACE, 1, 2, 0));
    burl_sites_free(s);
}

/* Held and requested sites alternate; the cycle may be entered at either lock. */
static void
a_cycle_has_one_key_wherever_it_is_entered(void **state)
{
    struct burl_sites *s = make_sites();
    struct burl_wire_suspect a = { .kind = BURL_SUSPECT_CYCLE,
                                   .n_sites = 4,
                                   .sites = { 1, 2, 5, 3 } };
    struct burl_wire_suspect b = { .kind = BURL_SUSPECT_CYCLE,
                                   .n_sites = 4,
                                   .sites = { 5, 3, 1, 2 } };
    struct burl_wire_suspect c = { .kind = BURL_SUSPECT_CYCLE,
                                   .n_sites = 4,
                                   .sites = { 1, 3, 5, 2 } };
    struct burl_buf text = BURL_BUF_INIT;

    (void)state;
    assert_int_equal(burl_regress_suspect_key(&a, s), burl_regress_suspect_key(&b, s));
    assert_int_not_equal(burl_regress_suspect_key(&a, s), burl_regress_suspect_key(&c, s));
    burl_regress_suspect_text(&a, s, &text);
    assert_string_equal(burl_buf_str(&text), "take.c:20 and put.c:41");
    burl_buf_deinit(&text);
    burl_sites_free(s);
}

static void
a_confirmed_pair_stays_confirmed_and_others_add_runs(void **state)
{
    struct burl_regress_ledger l = { 0 };
    const struct burl_regress_sighting open = { .key = 5, .kind = BURL_REGRESS_RACES, .runs = 10 };
    const struct burl_regress_sighting shown = {
        .key = 5, .kind = BURL_REGRESS_RACES, .runs = 2, .confirmed = true, .fingerprint = 99
    };
    const struct burl_regress_sighting again = { .key = 5, .kind = BURL_REGRESS_RACES };
    const struct burl_regress_sighting other = { .key = 6,
                                                 .kind = BURL_REGRESS_ATOMICITY,
                                                 .runs = 3 };

    (void)state;
    assert_int_equal(burl_regress_ledger_note(&l, &open, "a and b"), 0);
    assert_false(burl_regress_ledger_has_confirmed(&l, 5));
    assert_int_equal(burl_regress_ledger_note(&l, &other, "c"), 1);
    assert_int_equal(burl_regress_ledger_note(&l, &shown, "a and b"), 0);
    assert_int_equal(burl_regress_ledger_note(&l, &again, "a and b"), 0);
    assert_true(burl_regress_ledger_has_confirmed(&l, 5));
    assert_false(burl_regress_ledger_has_confirmed(&l, 6));
    assert_false(burl_regress_ledger_has_confirmed(&l, 0));
    assert_int_equal(l.all.v[0].n_tests, 3);
    assert_int_equal(l.all.v[0].fingerprint, 99);
    assert_int_equal(burl_regress_ledger_runs(&l), 15);
    assert_int_equal(burl_regress_ledger_count(&l, BURL_REGRESS_RACES, false), 1);
    assert_int_equal(burl_regress_ledger_count(&l, BURL_REGRESS_ALL, false), 2);
    assert_int_equal(burl_regress_ledger_count(&l, BURL_REGRESS_ALL, true), 1);
    burl_regress_ledger_deinit(&l);
}

static void
pairs_of_the_selection_are_found_in_either_order(void **state)
{
    struct burl_regress_selection s = { 0 };
    struct burl_regress_pairset p = { 0 };
    struct burl_changes c;

    (void)state;
    burl_changes_init(&c);
    BURL_VEC_PUSH(&c.sites, (struct burl_changes_site){
                                .module_hash = 10, .index = 7, .rules = BURL_RULE_REGION });
    BURL_VEC_PUSH(&c.sites, (struct burl_changes_site){ .module_hash = 11, .index = 3 });
    BURL_VEC_PUSH(&c.sites, (struct burl_changes_site){ .module_hash = 11, .index = 8 });
    BURL_VEC_PUSH(&s.pairs, (struct burl_regress_pair){ .subject = 0, .a = 0, .b = 2 });
    BURL_VEC_PUSH(&s.pairs, (struct burl_regress_pair){ .subject = 1, .a = 0, .b = 1 });
    burl_regress_pairset_fill(&p, &s, 0);
    assert_true(burl_regress_pairset_has(&p, &c, 10, 7, 11, 8));
    assert_true(burl_regress_pairset_has(&p, &c, 11, 8, 10, 7));
    assert_false(burl_regress_pairset_has(&p, &c, 10, 7, 11, 3)); /* of another program */
    assert_false(burl_regress_pairset_has(&p, &c, 10, 7, 12, 8)); /* not an access of the target */
    assert_true(burl_regress_is_impacted(&c, 10, 7));
    assert_false(burl_regress_is_impacted(&c, 11, 8));
    assert_false(burl_regress_is_impacted(&c, 11, 4));
    burl_regress_pairset_deinit(&p);
    BURL_VEC_FREE(&s.pairs);
    burl_changes_deinit(&c);
}

/* ---- classes ----------------------------------------------------------------------- */

static enum burl_regress_class
class_of(struct burl_regress_evidence e)
{
    return burl_regress_classify(&e);
}

#define RACE .on_accesses = true, .judged = true

static void
a_race_on_impacted_accesses_is_new(void **state)
{
    (void)state;
    assert_int_equal(class_of((struct burl_regress_evidence){ RACE, .impacted = true }),
                     BURL_REGRESS_NEW);
    assert_int_equal(class_of((struct burl_regress_evidence){ RACE }), BURL_REGRESS_UNRELATED);
    /* Nothing is known about the change. */
    assert_int_equal(class_of((struct burl_regress_evidence){ .on_accesses = true }),
                     BURL_REGRESS_NEW);
}

static void
what_the_base_showed_is_known(void **state)
{
    (void)state;
    assert_int_equal(
        class_of((struct burl_regress_evidence){ RACE, .impacted = true, .shown_base = true }),
        BURL_REGRESS_KNOWN);
    assert_int_equal(class_of((struct burl_regress_evidence){ RACE, .older = true }),
                     BURL_REGRESS_KNOWN);
    /* It may have been repaired before the base was recorded. */
    assert_int_equal(
        class_of((struct burl_regress_evidence){ RACE, .impacted = true, .older = true }),
        BURL_REGRESS_NEW);
    assert_int_equal(class_of((struct burl_regress_evidence){ .judged = true, .older = true }),
                     BURL_REGRESS_KNOWN);
}

static void
an_unchanged_program_has_nothing_new(void **state)
{
    (void)state;
    assert_int_equal(class_of((struct burl_regress_evidence){ .unchanged = true }),
                     BURL_REGRESS_UNRELATED);
    /* Its surroundings may have changed: a test that fails must be looked at. */
    assert_int_equal(class_of((struct burl_regress_evidence){ .unchanged = true, .alone = true }),
                     BURL_REGRESS_FAILS);
}

static void
a_test_that_fails_alone_is_set_apart(void **state)
{
    (void)state;
    assert_int_equal(class_of((struct burl_regress_evidence){ .judged = true, .alone = true }),
                     BURL_REGRESS_FAILS);
    assert_int_equal(class_of((struct burl_regress_evidence){ .alone = true, .failed_base = true }),
                     BURL_REGRESS_KNOWN);
    /* That the test failed before says nothing about a race. */
    assert_int_equal(
        class_of((struct burl_regress_evidence){ RACE, .impacted = true, .failed_base = true }),
        BURL_REGRESS_NEW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_has_one_key_in_all_programs_and_orders),
        cmocka_unit_test(the_accesses_of_a_triple_have_an_order),
        cmocka_unit_test(a_cycle_has_one_key_wherever_it_is_entered),
        cmocka_unit_test(a_confirmed_pair_stays_confirmed_and_others_add_runs),
        cmocka_unit_test(pairs_of_the_selection_are_found_in_either_order),
        cmocka_unit_test(a_race_on_impacted_accesses_is_new),
        cmocka_unit_test(what_the_base_showed_is_known),
        cmocka_unit_test(an_unchanged_program_has_nothing_new),
        cmocka_unit_test(a_test_that_fails_alone_is_set_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
