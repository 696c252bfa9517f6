/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_noise.c - noise settings: what is written is read back as the same setting, and
 * what is wrong is refused with the word that is wrong.
 */
#include "unit.h"

#include <unistd.h>

#include "base/fs.h"
#include "base/noise.h"
#include "base/rng.h"

static void
expect_same(const struct burl_wire_noise *a, const struct burl_wire_noise *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static struct burl_wire_noise
parse(const char *text)
{
    struct burl_wire_noise n;
    struct burl_err err = { 0 };

    EXPECT_OK(burl_noise_parse(&n, text, &err), &err);
    return n;
}

static void
default_is_quiet_yield(void **state)
{
    struct burl_wire_noise n;
    const struct burl_wire_noise want = { .seed = 1, .freq = 100, .strength = 5 };

    (void)state;
    burl_noise_default(&n);
    expect_same(&n, &want);
    n = parse("yield");
    expect_same(&n, &want);
}

static void
line_has_every_key(void **state)
{
    const struct burl_wire_noise want = { .seed = 77,
                                          .freq = 1000,
                                          .strength = 100,
                                          .seeding = BURL_NOISE_BUSY_WAIT,
                                          .shared = BURL_NOISE_SHARED_ONE_RANDOM,
                                          .cover = BURL_NOISE_COVER_ADAPTED,
                                          .marks = BURL_NOISE_MARK_SUSPECT | BURL_NOISE_MARK_PAIR,
                                          .halt = 1,
                                          .tamper = 1,
                                          .variable = 9 };
    struct burl_wire_noise n = parse("busyWait: freq=1000 ,strength=100,"
                                     "place=one + random+adaptive+suspects+pairs,halt,tamper=on,"
                                     "seed=77,variable=9");

    (void)state;
    expect_same(&n, &want);
    n = parse("seeding=busyWait,freq=1000,strength=100,place=pairs+suspects+adaptive+random+one,"
              "halt=on,tamper,variable=9,seed=77");
    expect_same(&n, &want);
}

/* Which setting a list of places stands for. */
static void
places_are_combinations(void **state)
{
    static const struct {
        const char *text;
        uint32_t shared;
        uint32_t cover;
        uint32_t marks;
    } all[] = {
        { "random", BURL_NOISE_SHARED_OFF, BURL_NOISE_COVER_OFF, 0 },
        { "shared+random", BURL_NOISE_SHARED_ALL_RANDOM, BURL_NOISE_COVER_OFF, 0 },
        { "random+shared", BURL_NOISE_SHARED_ALL_RANDOM, BURL_NOISE_COVER_OFF, 0 },
        { "shared", BURL_NOISE_SHARED_ALL, BURL_NOISE_COVER_OFF, 0 },
        { "one+random", BURL_NOISE_SHARED_ONE_RANDOM, BURL_NOISE_COVER_OFF, 0 },
        { "one", BURL_NOISE_SHARED_ONE, BURL_NOISE_COVER_OFF, 0 },
        { "coverage", BURL_NOISE_SHARED_NONE, BURL_NOISE_COVER_ON, 0 },
        { "adaptive", BURL_NOISE_SHARED_NONE, BURL_NOISE_COVER_ADAPTED, 0 },
        { "random+coverage", BURL_NOISE_SHARED_OFF, BURL_NOISE_COVER_ON, 0 },
        { "shared+adaptive", BURL_NOISE_SHARED_ALL, BURL_NOISE_COVER_ADAPTED, 0 },
        { "suspects", BURL_NOISE_SHARED_OFF, BURL_NOISE_COVER_OFF, BURL_NOISE_MARK_SUSPECT },
        { "pairs", BURL_NOISE_SHARED_OFF, BURL_NOISE_COVER_OFF, BURL_NOISE_MARK_PAIR },
        { "random+suspects", BURL_NOISE_SHARED_OFF, BURL_NOISE_COVER_OFF, BURL_NOISE_MARK_SUSPECT },
        { "shared+pairs", BURL_NOISE_SHARED_ALL, BURL_NOISE_COVER_OFF, BURL_NOISE_MARK_PAIR },
        { "coverage+pairs", BURL_NOISE_SHARED_NONE, BURL_NOISE_COVER_ON, BURL_NOISE_MARK_PAIR },
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[64];
        struct burl_wire_noise n;

        snprintf(text, sizeof text, "place=%s", all[i].text);
        n = parse(text);
        assert_int_equal(n.shared, all[i].shared);
        assert_int_equal(n.cover, all[i].cover);
        assert_int_equal(n.marks, all[i].marks);
    }
}

static struct burl_wire_noise
random_setting(struct burl_rng *rng)
{
    struct burl_wire_noise n = {
        .seed = burl_rng_next(rng) >> burl_rng_below(rng, 64),
        .freq = (uint32_t)burl_rng_below(rng, BURL_NOISE_MAX_FREQ + 1),
        .strength = 1 + (uint32_t)burl_rng_below(rng, BURL_NOISE_MAX_STRENGTH),
        .seeding = (uint32_t)burl_rng_below(rng, BURL_NOISE_SEEDING__N),
        .shared = (uint32_t)burl_rng_below(rng, BURL_NOISE_SHARED__N),
        .cover = (uint32_t)burl_rng_below(rng, BURL_NOISE_COVER__N),
        .marks = (uint32_t)burl_rng_below(rng, 4) * BURL_NOISE_MARK_SUSPECT,
        .halt = (uint32_t)burl_rng_below(rng, 2),
        .tamper = (uint32_t)burl_rng_below(rng, 2),
        .variable = (uint32_t)burl_rng_next(rng),
    };

    if (burl_rng_below(rng, 3) == 0)
        n.variable = 0;
    if (n.cover != BURL_NOISE_COVER_OFF && burl_rng_below(rng, 4) == 0)
        n.shared = BURL_NOISE_SHARED_NONE;
    return n;
}

static void
what_is_written_is_read_back(void **state)
{
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int i = 0; i < 5000; i++) {
        const struct burl_wire_noise want = random_setting(&rng);
        struct burl_buf text = BURL_BUF_INIT;
        struct burl_wire_noise got;
        struct burl_err err = { 0 };

        burl_noise_write_line(&text, &want);
        EXPECT_OK(burl_noise_parse(&got, burl_buf_str(&text), &err), &err);
        expect_same(&got, &want);
        burl_buf_clear(&text);
        burl_noise_write_file(&text, &want);
        EXPECT_OK(burl_noise_parse_file(&got, "x", text.p, text.n, &err), &err);
        expect_same(&got, &want);
        burl_buf_deinit(&text);
    }
}

static void
bad_lines_name_the_word(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } all[] = {
        { "", "a noise setting is empty; give for example sleep:freq=200,place=shared" },
        { "  ", "a noise setting is empty; give for example sleep:freq=200,place=shared" },
        { "slep", "\"slep\" is no kind of noise; allowed are yield sleep wait busyWait synchYield "
                  "mixed" },
        { ":freq=1", "\"\" is no kind of noise; allowed are yield sleep wait busyWait synchYield "
                     "mixed" },
        { "sleep:",
          "\"\" is no key of a noise setting; allowed are seeding, freq, strength, place, "
          "halt, tamper, seed, variable" },
        { "sleep:frq=1", "\"frq\" is no key of a noise setting; allowed are seeding, freq, "
                         "strength, place, halt, tamper, seed, variable" },
        { "sleep:freq=1,",
          "\"\" is no key of a noise setting; allowed are seeding, freq, strength, "
          "place, halt, tamper, seed, variable" },
        { "sleep:freq", "freq needs a value: freq=..." },
        { "sleep:freq=", "freq must be a number from 0 to 1000, not \"\"" },
        { "sleep:freq=1001", "freq must be a number from 0 to 1000, not \"1001\"" },
        { "sleep:freq=-1", "freq must be a number from 0 to 1000, not \"-1\"" },
        { "sleep:freq=1e2", "freq must be a number from 0 to 1000, not \"1e2\"" },
        { "sleep:strength=0", "strength must be a number from 1 to 100, not \"0\"" },
        { "sleep:strength=101", "strength must be a number from 1 to 100, not \"101\"" },
        { "sleep:seed=18446744073709551616",
          "seed must be a number from 0 to 18446744073709551615, not \"18446744073709551616\"" },
        { "sleep:variable=4294967296",
          "variable must be a number from 0 to 4294967295, not \"4294967296\"" },
        { "sleep:halt=maybe", "halt is on or off, not \"maybe\"" },
        { "sleep:tamper=1", "tamper is on or off, not \"1\"" },
        { "sleep:place=here", "\"here\" is no place; allowed are random, shared, one, coverage, "
                              "adaptive, suspects and pairs, joined by +" },
        { "sleep:place=shared+", "\"\" is no place; allowed are random, shared, one, coverage, "
                                 "adaptive, suspects and pairs, joined by +" },
        { "sleep:place=", "\"\" is no place; allowed are random, shared, one, coverage, adaptive, "
                          "suspects and pairs, joined by +" },
        { "sleep:place=one+one", "the place one is given twice" },
        { "sleep:place=one+shared", "the places shared and one exclude each other" },
        { "sleep:place=coverage+adaptive",
          "the places coverage and adaptive exclude each other; adaptive is coverage with a chance "
          "that falls" },
        { "sleep:freq=1,freq=1", "freq is given twice" },
        { "sleep:seeding=wait", "seeding is given twice" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct burl_wire_noise n;
        struct burl_err err = { 0 };

        assert_int_equal(burl_noise_parse(&n, all[i].text, &err), BURL_E_USAGE);
        assert_string_equal(err.msg, all[i].message);
    }
}

static void
expect_file(const char *text, const char *message)
{
    struct burl_wire_noise n;
    struct burl_err err = { 0 };

    assert_int_equal(burl_noise_parse_file(&n, "a.noise", text, strlen(text), &err), BURL_E_USAGE);
    assert_string_equal(err.msg, message);
}

static void
files_name_the_line(void **state)
{
    static const char good[] = "# found for server\r\n\r\n  seeding = sleep # as ever\r\n"
                               "\tfreq=200\nplace = shared + random\nhalt\n";
    const struct burl_wire_noise want = { .seed = 1,
                                          .freq = 200,
                                          .strength = BURL_NOISE_STRENGTH,
                                          .seeding = BURL_NOISE_SLEEP,
                                          .shared = BURL_NOISE_SHARED_ALL_RANDOM,
                                          .halt = 1 };
    struct burl_wire_noise n;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_noise_parse_file(&n, "a.noise", good, strlen(good), &err), &err);
    expect_same(&n, &want);
    expect_file("freq = 1\n\nspeed = 3\n",
                "a.noise:3: \"speed\" is no key of a noise setting; allowed are seeding, freq, "
                "strength, place, halt, tamper, seed, variable");
    expect_file("freq = 1\nfreq = 2\n", "a.noise:2: freq is given twice");
    expect_file("# nothing\n", "a.noise has no noise setting; keys are seeding, freq, strength, "
                               "place, halt, tamper, seed, variable");
    expect_file("", "a.noise has no noise setting; keys are seeding, freq, strength, place, halt, "
                    "tamper, seed, variable");
    assert_int_equal(burl_noise_parse_file(&n, "a.noise", "freq = 1\0\n", 10, &err), BURL_E_USAGE);
}

static void
value_is_a_file_if_there_is_one(void **state)
{
    char dir[] = "/tmp/burl-noise-XXXXXX";
    struct burl_wire_noise n;
    struct burl_err err = { 0 };
    char path[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/yield", dir);
    EXPECT_OK(burl_fs_write_atomic(path, "seeding = wait\n", 15, &err), &err);
    EXPECT_OK(burl_noise_read(&n, "--start", path, &err), &err);
    assert_int_equal(n.seeding, BURL_NOISE_WAIT);
    unlink(path);
    assert_int_equal(burl_noise_read(&n, "--start", path, &err), BURL_E_USAGE);
    assert_non_null(strstr(err.msg, "there is no noise file "));
    assert_int_equal(burl_noise_read(&n, "--start", dir, &err), BURL_E_USAGE);
    assert_int_equal(err.code, BURL_E_USAGE);
    EXPECT_CONTAINS(err.msg, "as a noise file");
    assert_int_equal(burl_noise_read(&n, "--start", "/proc/self/mem", &err), BURL_E_USAGE);
    assert_int_equal(err.code, BURL_E_USAGE);
    EXPECT_CONTAINS(err.msg, "cannot read /proc/self/mem as a noise file");
    EXPECT_OK(burl_fs_write_atomic(path, "", 0, &err), &err);
    assert_int_equal(truncate(path, (1 << 20) + 1), 0);
    assert_int_equal(burl_noise_read(&n, "--start", path, &err), BURL_E_USAGE);
    assert_int_equal(err.code, BURL_E_USAGE);
    EXPECT_CONTAINS(err.msg, "as a noise file");
    EXPECT_CONTAINS(err.msg, "larger than the limit");
    /* A byte order mark. */
    EXPECT_OK(burl_fs_write_atomic(path, "\xef\xbb\xbfseeding = wait\n", 18, &err), &err);
    EXPECT_OK(burl_noise_read(&n, "--start", path, &err), &err);
    assert_int_equal(n.seeding, BURL_NOISE_WAIT);
    unlink(path);
    rmdir(dir);
    assert_int_equal(burl_noise_read(&n, "--start", "missing.noise", &err), BURL_E_USAGE);
    assert_string_equal(err.msg, "--start: there is no noise file missing.noise");
    EXPECT_OK(burl_noise_read(&n, "--start", "sleep:freq=3", &err), &err);
    assert_int_equal(n.freq, 3);
    assert_int_equal(burl_noise_read(&n, "--start", "sleep:freq=x", &err), BURL_E_USAGE);
    assert_string_equal(err.msg,
                        "--start=sleep:freq=x: freq must be a number from 0 to 1000, not \"x\"");
}

static void
words_follow_the_genes(void **state)
{
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_wire_noise n = parse("sleep:freq=205,strength=1,place=shared+adaptive+suspects,"
                                     "halt,tamper");

    (void)state;
    burl_noise_write_words(&text, &n);
    assert_string_equal(
        burl_buf_str(&text),
        "Frequency: noise is injected at 20.5% of its places.\n"
        "Places: before accesses to shared variables only.\n"
        "Coverage: with a draw of its own before accesses that were followed by a conflicting "
        "access of another thread; the more often a place is executed, the lower its chance.\n"
        "Restriction: only at the sites of suspects of earlier runs.\n"
        "Noise: the thread sleeps 1 millisecond.\n"
        "Halts: one injection in 16 halts the thread until no other thread runs, at most 100 ms.\n"
        "Sleeps: the program's own sleeps are shortened at random.\n");
    burl_buf_clear(&text);
    n = parse("freq=0");
    burl_noise_write_words(&text, &n);
    assert_string_equal(burl_buf_str(&text), "No noise: the frequency is 0.\n");
    burl_buf_deinit(&text);
}

int
main(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(default_is_quiet_yield),
        cmocka_unit_test(line_has_every_key),
        cmocka_unit_test(places_are_combinations),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(bad_lines_name_the_word),
        cmocka_unit_test(files_name_the_line),
        cmocka_unit_test(value_is_a_file_if_there_is_one),
        cmocka_unit_test(words_follow_the_genes),
    };

    return cmocka_run_group_tests(laws, NULL, NULL);
}
