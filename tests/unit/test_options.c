/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_options.c - the parser that follows from options.def.
 */
#include "unit.h"

#include "cli/command.h"
#include "cli/detect.h"
#include "cli/options.h"
#include "wire/control.h"

/* Parses words up to NULL as options of `on`. */
static enum burl_status
parse(struct burl_options *o, unsigned on, int *used, struct burl_err *err,
      const char *const *words)
{
    char *argv[16];
    int n = 0;

    for (; words[n]; n++)
        argv[n] = (char *)words[n];
    argv[n] = NULL;
    burl_options_init(o);
    return burl_options_parse(o, on, 0, n, argv, used, err);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
defaults_hold_without_words(void **state)
{
    struct burl_options o;

    (void)state;
    burl_options_init(&o);
    assert_string_equal(o.strategy, "mix");
    assert_string_equal(o.dir, ".burl");
    assert_int_equal(o.times, 1);
    assert_null(o.schedule);
    assert_false(o.json);
    for (int i = 0; i < BURL_OPT__N; i++)
        assert_false(o.given[i]);
}

static void
a_command_may_have_defaults_of_its_own(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    struct burl_buf help = BURL_BUF_INIT;
    int used;

    (void)state;
    EXPECT_OK(parse(&o, BURL_ON_RUN, &used, &err, WORDS("./prog")), &err);
    assert_int_equal(o.time, 0);
    assert_string_equal(o.detect, "race");
    assert_false(o.given[BURL_OPT_time]);
    assert_false(o.given[BURL_OPT_detect]);
    EXPECT_OK(parse(&o, BURL_ON_RUN, &used, &err, WORDS("--time=5s", "./prog")), &err);
    assert_int_equal(o.time, 5000);
    assert_true(o.given[BURL_OPT_time]);
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("./prog")), &err);
    assert_int_equal(o.time, 10000);
    burl_cli_describe_options(&help, BURL_ON_RUN);
    EXPECT_CONTAINS(burl_buf_str(&help), "[race]");
    assert_null(strstr(burl_buf_str(&help), "[10s]"));
    burl_buf_deinit(&help);
}

static void
detectors_are_listed_by_their_words(void **state)
{
    struct burl_err err = { 0 };
    struct burl_buf words = BURL_BUF_INIT;
    uint32_t mask;

    (void)state;
    EXPECT_OK(burl_detect_parse("race,lockorder", &mask, &err), &err);
    assert_int_equal(mask, BURL_OB(RACE) | BURL_OB(LOCKORDER));
    EXPECT_OK(burl_detect_parse("signals, race", &mask, &err), &err);
    assert_int_equal(mask, BURL_OB(RACE) | BURL_OB(SIGNALS));
    EXPECT_OK(burl_detect_parse("none", &mask, &err), &err);
    assert_int_equal(mask, 0);
    EXPECT_STATUS(burl_detect_parse("race,tripel", &mask, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "did you mean triple?");
    EXPECT_STATUS(burl_detect_parse("race,,triple", &mask, &err), BURL_E_USAGE, &err);
    EXPECT_STATUS(burl_detect_parse("race,none", &mask, &err), BURL_E_USAGE, &err);
    /* Coverage is not something to detect. */
    EXPECT_STATUS(burl_detect_parse("locpairs", &mask, &err), BURL_E_USAGE, &err);
    burl_detect_words(BURL_OB(LOCKORDER) | BURL_OB(RACE), &words);
    assert_string_equal(burl_buf_str(&words), "race,lockorder");
    burl_buf_deinit(&words);
}

static void
all_spellings_of_a_value_work(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    int used;

    (void)state;
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err,
                    WORDS("--runs=2k", "--seed", "0x10", "-t", "1.5m", "-j3", "-vq",
                          "--strategy=pct", "--stop-at-first", "--json=no", "./prog", "--runs=5")),
              &err);
    assert_int_equal(o.runs, 2000);
    assert_int_equal(o.seed, 16);
    assert_int_equal(o.time, 90000);
    assert_int_equal(o.jobs, 3);
    assert_true(o.verbose && o.quiet && o.stop_at_first);
    assert_false(o.json);
    assert_string_equal(o.strategy, "pct");
    assert_true(o.given[BURL_OPT_seed]);
    assert_false(o.given[BURL_OPT_dir]);
    assert_int_equal(used, 10); /* "./prog" and what follows are not ours */
}

static void
a_value_that_may_be_left_out_never_takes_the_next_word(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    struct burl_buf help = BURL_BUF_INIT;
    int used;

    (void)state;
    EXPECT_OK(parse(&o, BURL_ON_SYNTH, &used, &err, WORDS("--quiet", "api.h")), &err);
    assert_null(o.explain);
    EXPECT_OK(parse(&o, BURL_ON_SYNTH, &used, &err, WORDS("--explain", "api.h")), &err);
    assert_string_equal(o.explain, BURL_OPTION_ALL);
    assert_int_equal(used, 1);
    EXPECT_OK(parse(&o, BURL_ON_SYNTH, &used, &err, WORDS("--explain=3,4", "api.h")), &err);
    assert_string_equal(o.explain, "3,4");
    EXPECT_STATUS(parse(&o, BURL_ON_SYNTH, &used, &err, WORDS("--explain=", "api.h")), BURL_E_USAGE,
                  &err);
    burl_cli_describe_options(&help, BURL_ON_SYNTH);
    EXPECT_CONTAINS(burl_buf_str(&help), "--explain[=LIST]\n");
    burl_buf_deinit(&help);
}

static void
double_dash_ends_options(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    int used;

    (void)state;
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("-v", "--", "--runs=3")), &err);
    assert_int_equal(used, 2);
    assert_int_equal(o.runs, 0);
}

static void
wrong_words_are_refused_with_the_nearest(void **state)
{
    static const struct {
        const char *word;
        const char *want;
    } cases[] = {
        { "--sed=3", "did you mean --seed?" },
        { "--stop-at-frist", "did you mean --stop-at-first?" },
        { "--trace", "unknown option --trace here; it belongs to burl replay" },
        { "--xyzzy", "unknown option --xyzzy" },
        { "-Z", "unknown option -Z" },
        { "--runs=many", "18,446,744,073,709,551,615, not \"many\"" },
        { "--runs=-1", "expects a number" },
        { "--runs=", "expects a number" },
        { "--runs=99999999999999999999", "expects a number" },
        { "--jobs=5000000000", "expects a number" },
        { "--time=5x", "expects a time" },
        { "--engine=fiber", "did you mean fibers?" },
        { "--engine=", "expects one of auto|fibers|threads" },
        { "--seed", "--seed expects a value" },
        { "--json=perhaps", "expects yes or no" },
        { "--dir=", "expects a text" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct burl_err err = { 0 };
        struct burl_options o;
        int used;

        EXPECT_STATUS(parse(&o, BURL_ON_TEST, &used, &err, WORDS(cases[i].word)), BURL_E_USAGE,
                      &err);
        EXPECT_CONTAINS(err.msg, cases[i].want);
    }
}

static void
a_forgotten_value_does_not_eat_the_next_option(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    int used;

    (void)state;
    EXPECT_STATUS(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--html", "--runs=5", "./prog")),
                  BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "--html expects a value");
    EXPECT_CONTAINS(err.msg, "--html=--runs=5"); /* how to say that it is meant */
    EXPECT_STATUS(parse(&o, BURL_ON_COVER, &used, &err, WORDS("-d", "-v", "./prog")), BURL_E_USAGE,
                  &err);
    EXPECT_CONTAINS(err.msg, "-d=-v");
    EXPECT_STATUS(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--fail-under", "-q")), BURL_E_USAGE,
                  &err);
    EXPECT_OK(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--html=--runs=5", "-d=-v", "./prog")),
              &err);
    assert_string_equal(o.html, "--runs=5");
    assert_string_equal(o.dir, "-v");
    /* A single dash is a name as any other. */
    EXPECT_OK(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--lcov", "-", "./prog")), &err);
    assert_string_equal(o.lcov, "-");
}

static void
what_was_typed_is_told_from_the_environment(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    int used;

    (void)state;
    setenv("BURL_TRIES", "7", 1);
    EXPECT_OK(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--seed=1", "-j2", "./prog")), &err);
    assert_true(o.given[BURL_OPT_tries] && !o.typed[BURL_OPT_tries]);
    assert_true(o.given[BURL_OPT_seed] && o.typed[BURL_OPT_seed] && o.typed[BURL_OPT_jobs]);
    EXPECT_OK(parse(&o, BURL_ON_COVER, &used, &err, WORDS("--tries=3", "./prog")), &err);
    assert_true(o.typed[BURL_OPT_tries]);
    assert_string_equal(burl_options_name(BURL_OPT_max_steps), "--max-steps");
    unsetenv("BURL_TRIES");
}

static void
environment_gives_way_to_the_command_line(void **state)
{
    struct burl_err err = { 0 };
    struct burl_options o;
    int used;

    (void)state;
    setenv("BURL_PCT_DEPTH", "5", 1);
    setenv("BURL_SEED", "9", 1);
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("--seed=1")), &err);
    assert_int_equal(o.pct_depth, 5);
    assert_int_equal(o.seed, 1);
    /* Not an option of replay: not read there. */
    EXPECT_OK(parse(&o, BURL_ON_REPLAY, &used, &err, WORDS("1")), &err);
    assert_int_equal(o.pct_depth, 3);
    setenv("BURL_PCT_DEPTH", "deep", 1);
    EXPECT_STATUS(parse(&o, BURL_ON_TEST, &used, &err, WORDS("x")), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "BURL_PCT_DEPTH");
    unsetenv("BURL_PCT_DEPTH");
    unsetenv("BURL_SEED");
}

static void
old_spellings_stay_valid(void **state)
{
    struct burl_options o;
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_err err = { 0 };
    int used;

    (void)state;
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("--no-minimize")), &err);
    assert_true(o.no_minimize);
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("--no-minimise")), &err);
    assert_true(o.no_minimize);
    setenv("BURL_NO_MINIMISE", "1", 1);
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("x")), &err);
    assert_true(o.no_minimize);
    setenv("BURL_NO_MINIMIZE", "0", 1); /* the new one wins */
    EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS("x")), &err);
    assert_false(o.no_minimize);
    unsetenv("BURL_NO_MINIMISE");
    unsetenv("BURL_NO_MINIMIZE");
    burl_cli_describe_options(&b, BURL_ON_TEST);
    EXPECT_CONTAINS(burl_buf_str(&b), "--no-minimize");
    assert_null(strstr(burl_buf_str(&b), "minimise"));
    burl_buf_deinit(&b);
}

static void
times_of_every_unit(void **state)
{
    static const struct {
        const char *word;
        uint64_t ms;
    } cases[] = {
        { "--time=0", 0 },       { "--time=7", 7000 },     { "--time=7s", 7000 },
        { "--time=250ms", 250 }, { "--time=2h", 7200000 }, { "--time=0.0001ms", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct burl_err err = { 0 };
        struct burl_options o;
        int used;

        EXPECT_OK(parse(&o, BURL_ON_TEST, &used, &err, WORDS(cases[i].word)), &err);
        assert_int_equal(o.time, cases[i].ms);
    }
}

static void
record_names_every_option_of_the_command(void **state)
{
    struct burl_json_writer w;
    struct burl_json_value *v;
    struct burl_options o;
    struct burl_err err = { 0 };
    struct burl_buf b = BURL_BUF_INIT;
    uint64_t x;

    (void)state;
    burl_options_init(&o);
    o.seed = UINT64_MAX;
    burl_json_writer_init(&w, &b, 0);
    burl_options_record(&o, BURL_ON_TEST, &w);
    burl_json_writer_finish(&w);
    EXPECT_OK(burl_json_parse(&v, b.p, b.n, &err), &err);
    assert_true(burl_json_as_u64(burl_json_get(v, "seed"), &x));
    assert_int_equal(x, UINT64_MAX);
    assert_string_equal(burl_json_as_str(burl_json_get(v, "engine"), ""), "auto");
    assert_non_null(burl_json_get(v, "no-minimise"));
    assert_null(burl_json_get(v, "trace"));
    burl_json_free(v);
    burl_buf_deinit(&b);
}

static void
nearest_does_not_guess_wildly(void **state)
{
    static const char *const words[] = { "test", "replay", "doctor", "cc", NULL };

    (void)state;
    assert_string_equal(burl_options_nearest("tset", words), "test");
    assert_string_equal(burl_options_nearest("docter", words), "doctor");
    assert_string_equal(burl_options_nearest("rep", words), "replay");
    assert_null(burl_options_nearest("banana", words));
    assert_null(burl_options_nearest("", words));
}

static void
options_may_follow_the_words_of_a_command(void **state)
{
    struct burl_options o;
    struct burl_err err;
    char *argv[] = { (char *)"7",   (char *)"--dir", (char *)"d", (char *)"--trace",
                     (char *)"./p", (char *)"--gdb", NULL };
    int used;

    (void)state;
    burl_options_init(&o);
    assert_int_equal(burl_options_parse(&o, BURL_ON_REPLAY, 1, 6, argv, &used, &err), BURL_OK);
    assert_int_equal(used, 3);
    assert_true(o.trace);
    assert_string_equal(o.dir, "d");
    assert_string_equal(argv[3], "7");
    assert_string_equal(argv[4], "./p");
    assert_string_equal(argv[5], "--gdb");
    assert_false(o.gdb);
}

static void
all_words_of_a_command_keep_their_order(void **state)
{
    struct burl_options o;
    struct burl_err err;
    char *argv[] = { (char *)"a",  (char *)"-q", (char *)"b", (char *)"--json",
                     (char *)"--", (char *)"-c", NULL };
    int used;

    (void)state;
    burl_options_init(&o);
    assert_int_equal(burl_options_parse(&o, BURL_ON_SHOW, 9, 6, argv, &used, &err), BURL_OK);
    assert_int_equal(used, 3);
    assert_true(o.quiet && o.json);
    assert_string_equal(argv[3], "a");
    assert_string_equal(argv[4], "b");
    assert_string_equal(argv[5], "-c");
}

static void
with_a_schedule_file_the_first_word_is_the_program(void **state)
{
    struct burl_options o;
    struct burl_err err;
    char *argv[] = { (char *)"--schedule=f", (char *)"./p", (char *)"--trace", NULL };
    int used;

    (void)state;
    burl_options_init(&o);
    assert_int_equal(burl_options_parse(&o, BURL_ON_REPLAY, 1, 3, argv, &used, &err), BURL_OK);
    assert_int_equal(used, 1);
    assert_false(o.trace);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_hold_without_words),
        cmocka_unit_test(a_command_may_have_defaults_of_its_own),
        cmocka_unit_test(detectors_are_listed_by_their_words),
        cmocka_unit_test(all_spellings_of_a_value_work),
        cmocka_unit_test(a_value_that_may_be_left_out_never_takes_the_next_word),
        cmocka_unit_test(double_dash_ends_options),
        cmocka_unit_test(wrong_words_are_refused_with_the_nearest),
        cmocka_unit_test(a_forgotten_value_does_not_eat_the_next_option),
        cmocka_unit_test(what_was_typed_is_told_from_the_environment),
        cmocka_unit_test(environment_gives_way_to_the_command_line),
        cmocka_unit_test(old_spellings_stay_valid),
        cmocka_unit_test(times_of_every_unit),
        cmocka_unit_test(record_names_every_option_of_the_command),
        cmocka_unit_test(nearest_does_not_guess_wildly),
        cmocka_unit_test(options_may_follow_the_words_of_a_command),
        cmocka_unit_test(all_words_of_a_command_keep_their_order),
        cmocka_unit_test(with_a_schedule_file_the_first_word_is_the_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
