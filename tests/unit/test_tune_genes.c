/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_genes.c - vectors, settings and parameters of the test.
 */
#include "unit.h"

#include "tune/genes.h"
#include "tune/params.h"

static struct burl_genome
paper(void)
{
    struct burl_genome g;

    burl_genome_init(&g);
    return g;
}

/* The counts of the paper's prose: five, three, six, two, two. */
static void
entries_have_as_many_values_as_the_paper_has_combinations(void **state)
{
    static const int32_t max[] = { 1000, 4, 2, 5, 1, 1 };
    const struct burl_genome g = paper();

    (void)state;
    assert_int_equal(g.n, BURL_GENE_PAPER);
    for (size_t i = 0; i < g.n; i++) {
        assert_int_equal(g.v[i].min, 0);
        assert_int_equal(g.v[i].max, max[i]);
        assert_int_equal(g.v[i].ordinal, i == 0);
    }
}

static void
a_vector_with_inclusive_bounds_is_clamped(void **state)
{
    const struct burl_genome g = paper();
    struct burl_genes x;
    char text[64];

    (void)state;
    assert_true(burl_genes_read(&g, "1000,5,3,6,2,2", &x));
    burl_genes_write(&g, &x, text, sizeof text);
    assert_string_equal(text, "1000,4,2,5,1,1");
    assert_true(burl_genes_read(&g, "-3,0,0,0,0,0", &x));
    assert_int_equal(x.v[0], 0);
}

static void
a_text_that_is_no_vector_is_refused(void **state)
{
    static const char *const bad[] = { "",
                                       "1,2,3",
                                       "1,2,3,4,5,6,7",
                                       "1,2,x,4,5,6",
                                       "1,2,3,4,5,",
                                       "1,2,3,4,5,6 ",
                                       "1,2,3,4,5,99999999999999999999" };
    const struct burl_genome g = paper();
    struct burl_genes x;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (burl_genes_read(&g, bad[i], &x))
            fail_msg("accepted \"%s\"", bad[i]);
    }
}

static void
every_vector_is_a_setting_and_comes_back(void **state)
{
    struct burl_genome g = paper();
    struct burl_rng rng;

    (void)state;
    burl_genome_add_strength(&g, 1, 100);
    burl_rng_init(&rng, unit_seed());
    for (int i = 0; i < 1000; i++) {
        struct burl_genes x;
        struct burl_genes back;
        struct burl_wire_noise n;

        burl_genes_random(&g, &x, &rng);
        burl_genes_to_noise(&g, &x, &n);
        assert_true(n.freq <= BURL_NOISE_MAX_FREQ);
        assert_in_range(n.strength, 1, 100);
        assert_true(n.shared < BURL_NOISE_SHARED__N && n.cover < BURL_NOISE_COVER__N);
        assert_true(n.seeding < BURL_NOISE_SEEDING__N);
        burl_genes_from_noise(&g, &n, &back);
        assert_true(burl_genes_equal(&g, &x, &back));
    }
}

static void
strength_is_fixed_without_its_gene(void **state)
{
    struct burl_genome g = paper();
    struct burl_wire_noise n;
    struct burl_genes x;

    (void)state;
    assert_true(burl_genes_read(&g, "200,0,0,1,0,0", &x));
    burl_genes_to_noise(&g, &x, &n);
    assert_int_equal(n.strength, BURL_NOISE_STRENGTH);
    g.strength = 7;
    burl_genes_to_noise(&g, &x, &n);
    assert_int_equal(n.strength, 7);
}

/* Known places replace the other placements; a value without its marks does not exist. */
static void
known_places_are_a_gene_only_when_there_are_some(void **state)
{
    struct burl_genome g = paper();
    struct burl_wire_noise n;
    struct burl_genes x;

    (void)state;
    burl_genome_add_known(&g, false, false);
    assert_int_equal(g.n, BURL_GENE_PAPER);
    burl_genome_add_known(&g, false, true);
    assert_int_equal(g.v[BURL_GENE_PAPER].max, 1);
    assert_true(burl_genes_read(&g, "200,2,1,1,0,0,1", &x));
    burl_genes_to_noise(&g, &x, &n);
    assert_int_equal(n.marks, BURL_NOISE_MARK_PAIR);
    assert_int_equal(n.shared, BURL_NOISE_SHARED_OFF);
    assert_int_equal(n.cover, BURL_NOISE_COVER_OFF);

    g = paper();
    burl_genome_add_known(&g, true, true);
    assert_int_equal(g.v[BURL_GENE_PAPER].max, 2);
    for (int32_t v = 0; v <= 2; v++) {
        static const uint32_t marks[] = { 0, BURL_NOISE_MARK_SUSPECT, BURL_NOISE_MARK_PAIR };
        struct burl_genes back;

        x.v[BURL_GENE_PAPER] = v;
        burl_genes_to_noise(&g, &x, &n);
        assert_int_equal(n.marks, marks[v]);
        burl_genes_from_noise(&g, &n, &back);
        assert_int_equal(back.v[BURL_GENE_PAPER], v);
    }
}

static void
a_program_without_shared_variables_keeps_random_placement(void **state)
{
    struct burl_genome g = paper();
    struct burl_rng rng;
    struct burl_genes x;

    (void)state;
    burl_genome_drop_shared(&g);
    burl_rng_init(&rng, 1);
    for (int i = 0; i < 100; i++) {
        burl_genes_random(&g, &x, &rng);
        assert_int_equal(x.v[BURL_GENE_SHARED], 0);
        assert_int_equal(x.v[BURL_GENE_COVER], 0);
    }
}

/* ---- parameters -------------------------------------------------------------------- */

static void
parameters_are_genes_and_fill_the_command(void **state)
{
    const char *const argv[] = { "./t", "--threads={threads}", "{size}{mode}", "{{x}}", NULL };
    struct burl_genome g = paper();
    struct burl_params p = { 0 };
    struct burl_err err;
    struct burl_genes x = { { 0 } };
    char **command;

    (void)state;
    EXPECT_OK(burl_params_parse(&p, "threads=1..16,size=10,100,1000,mode=fast,slow", &err), &err);
    assert_int_equal(p.n, 3);
    EXPECT_OK(burl_params_genes(&p, &g, &err), &err);
    assert_int_equal(g.n, 9);
    assert_true(g.v[6].ordinal && g.v[6].min == 1 && g.v[6].max == 16);
    assert_true(g.v[7].ordinal && g.v[7].min == 0 && g.v[7].max == 2);
    assert_false(g.v[8].ordinal);
    EXPECT_OK(burl_params_check(&p, argv, &err), &err);
    x.v[6] = 12;
    x.v[7] = 1;
    x.v[8] = 1;
    command = burl_params_command(&p, &g, &x, argv);
    assert_string_equal(command[1], "--threads=12");
    assert_string_equal(command[2], "100slow");
    assert_string_equal(command[3], "{x}}");
    burl_params_free_command(command);
    burl_params_deinit(&p);
}

static void
wrong_parameters_are_usage_errors(void **state)
{
    static const struct {
        const char *text;
        const char *says;
    } bad[] = {
        { "5", "has no name" },
        { "a=", "empty value" },
        { "a=1..", "no range" },
        { "a=5..1", "is empty" },
        { "a=1,2,a=3", "given twice" },
        { "a=1..5,7", "is a range" },
        { "a=0,4..8", "is a list" },
        { "a=x..y", "no range" },
        { "a=1..99999999999", "no range" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct burl_params p = { 0 };
        struct burl_err err = { 0 };

        EXPECT_STATUS(burl_params_parse(&p, bad[i].text, &err), BURL_E_USAGE, &err);
        EXPECT_CONTAINS(err.msg, bad[i].says);
        burl_params_deinit(&p);
    }
}

static void
unused_and_unknown_parameters_are_usage_errors(void **state)
{
    const char *const without[] = { "./t", "x", NULL };
    const char *const other[] = { "./t", "{a}", "{b}", NULL };
    const char *const code[] = { "awk", "{print $1}", "{a}", NULL };
    struct burl_params none = { 0 };
    struct burl_params p = { 0 };
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_params_parse(&p, "a=1..2", &err), &err);
    EXPECT_STATUS(burl_params_check(&p, without, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "a is not used");
    EXPECT_STATUS(burl_params_check(&p, other, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "{b}");
    EXPECT_OK(burl_params_check(&p, code, &err), &err);
    EXPECT_OK(burl_params_check(&none, other, &err), &err);
    burl_params_deinit(&p);
}

static void
names_of_files_are_no_ranges(void **state)
{
    struct burl_params p = { 0 };
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_params_parse(&p, "f=../a,../b,dir=..,.,n=-3..4", &err), &err);
    assert_int_equal(p.n, 3);
    assert_false(p.v[0].is_range);
    assert_string_equal(p.v[0].words.v[0], "../a");
    assert_string_equal(p.v[0].words.v[1], "../b");
    assert_false(p.v[1].is_range);
    assert_string_equal(p.v[1].words.v[0], "..");
    assert_true(p.v[2].is_range);
    assert_int_equal(p.v[2].min, -3);
    burl_params_deinit(&p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_as_many_values_as_the_paper_has_combinations),
        cmocka_unit_test(a_vector_with_inclusive_bounds_is_clamped),
        cmocka_unit_test(a_text_that_is_no_vector_is_refused),
        cmocka_unit_test(every_vector_is_a_setting_and_comes_back),
        cmocka_unit_test(strength_is_fixed_without_its_gene),
        cmocka_unit_test(known_places_are_a_gene_only_when_there_are_some),
        cmocka_unit_test(a_program_without_shared_variables_keeps_random_placement),
        cmocka_unit_test(parameters_are_genes_and_fill_the_command),
        cmocka_unit_test(wrong_parameters_are_usage_errors),
        cmocka_unit_test(unused_and_unknown_parameters_are_usage_errors),
        cmocka_unit_test(names_of_files_are_no_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
