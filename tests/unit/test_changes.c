/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_changes.c - the file of changes between two versions survives the round trip, and damage is
 * refused with its line.
 */
#include "base/buf.h"
#include "base/changes.h"
#include "base/fs.h"
#include "base/rng.h"
#include "unit.h"

static const char *const names[] = {
    "put", "", "a \"b\"", "back\\slash", "two\nlines", "-", "end"
};

static char *
any_name(struct burl_rng *rng)
{
    return burl_xstrdup(names[burl_rng_below(rng, sizeof names / sizeof *names)]);
}

/* Any changes that the format allows. */
static void
make_random(struct burl_changes *c, struct burl_rng *rng)
{
    uint64_t module = 1;
    uint32_t index = 0;

    burl_changes_init(c);
    c->program = burl_rng_next(rng);
    c->base = burl_rng_next(rng);
    for (uint64_t n = burl_rng_below(rng, 5); n; n--)
        BURL_VEC_PUSH(&c->functions,
                      (struct burl_changes_function){ .state = (uint8_t)burl_rng_below(rng, 4),
                                                      .module_hash = burl_rng_next(rng),
                                                      .site = (uint32_t)burl_rng_next(rng),
                                                      .name = any_name(rng),
                                                      .file = any_name(rng),
                                                      .line = (uint32_t)burl_rng_below(rng, 900),
                                                      .what = any_name(rng) });
    for (uint64_t n = burl_rng_below(rng, 30); n; n--) {
        struct burl_changes_site *s = BURL_VEC_ADD(&c->sites);
        if (burl_rng_below(rng, 10) == 0) {
            module += 1 + burl_rng_below(rng, UINT64_MAX / 64);
            index = 0;
        }
        index += 1 + (uint32_t)burl_rng_below(rng, 3);
        s->module_hash = module;
        s->index = index;
        s->rules = burl_rng_below(rng, 2) ? (uint32_t)burl_rng_below(rng, 256) : 0;
        s->why = s->rules ? any_name(rng) : NULL;
        s->exact = burl_rng_below(rng, 2);
        s->function = c->functions.n && burl_rng_below(rng, 2)
                          ? (uint32_t)burl_rng_below(rng, c->functions.n)
                          : UINT32_MAX;
        for (uint64_t k = burl_rng_below(rng, 4); k; k--)
            BURL_VEC_PUSH(&s->blocks, (struct burl_changes_block){ burl_rng_next(rng),
                                                                   (uint32_t)burl_rng_next(rng),
                                                                   burl_rng_below(rng, 3) == 0 });
    }
    for (uint64_t n = c->sites.n ? burl_rng_below(rng, 3) : 0; n; n--) {
        struct burl_changes_cycle *y = BURL_VEC_ADD(&c->cycles);
        y->n = 2 + (uint32_t)burl_rng_below(rng, 3);
        for (uint32_t k = 0; k < y->n; k++)
            y->sites[k] = (uint32_t)burl_rng_below(rng, c->sites.n);
        y->locks = any_name(rng);
    }
    for (uint64_t n = burl_rng_below(rng, 4); n; n--)
        BURL_VEC_PUSH(&c->dangerous, (struct burl_changes_block){
                                         burl_rng_next(rng), (uint32_t)burl_rng_next(rng), false });
    for (uint64_t n = burl_rng_below(rng, 3); n; n--)
        BURL_VEC_PUSH(&c->notes, any_name(rng));
}

static char *
text_of(const struct burl_changes *c, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_changes_write(c, &b);
    return burl_buf_take(&b, n);
}

static void
what_is_written_is_read_back(void **state)
{
    struct burl_rng rng;
    struct burl_err err;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 500; round++) {
        struct burl_changes a, b;
        size_t n, m;
        make_random(&a, &rng);
        char *text = text_of(&a, &n);
        EXPECT_OK(burl_changes_read(&b, text, n, "x", &err), &err);
        char *again = text_of(&b, &m);
        assert_int_equal(n, m);
        assert_memory_equal(text, again, n);
        assert_int_equal(a.sites.n, b.sites.n);
        for (size_t i = 0; i < a.sites.n; i++) {
            assert_int_equal(a.sites.v[i].rules, b.sites.v[i].rules);
            assert_int_equal(a.sites.v[i].function, b.sites.v[i].function);
            assert_int_equal(a.sites.v[i].blocks.n, b.sites.v[i].blocks.n);
            assert_int_equal(burl_changes_find(&b, a.sites.v[i].module_hash, a.sites.v[i].index),
                             i);
        }
        assert_int_equal(burl_changes_find(&b, 0, 0), UINT32_MAX);
        free(text);
        free(again);
        burl_changes_deinit(&a);
        burl_changes_deinit(&b);
    }
}

static void
refused(const char *text, const char *why)
{
    struct burl_changes c;
    struct burl_err err;

    EXPECT_STATUS(burl_changes_read(&c, text, strlen(text), "the-file", &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, why);
    assert_int_equal(c.sites.n, 0);
    assert_null(c.functions.v);
}

#define HEAD "burl-changes 1\nprogram ab\nbase cd\n"
#define FN "function changed ab 1 \"put\" \"q.c\" 10 \"x\"\n"

static void
damage_is_refused_with_its_line(void **state)
{
    (void)state;
    refused("", "line 0: the file is cut short");
    refused("burl-target 1\n", "line 1: this is not a file of changes");
    refused("burl-changes 9\n", "line 1: the file is of another version");
    refused(HEAD, "line 3: the file is cut short");
    refused(HEAD "end 2", "line 4: the file ends in the middle of a line");
    refused(HEAD "end 3\n", "line 4: lines are missing or too many");
    refused(HEAD "end 2\nnote \"x\"\n", "line 5: something follows the end");
    refused("burl-changes 1\nprogram ab\nend 1\n", "line 3: program and base are missing");
    refused("burl-changes 1\nbase ab\n", "line 2: program and base are missing");
    refused("burl-changes 1\nprogram ab\nsite ab 1 - near - - -\n", "program and base are missing");
    refused(HEAD "program ab\n", "line 4: this line comes too late or twice");
    refused(HEAD "note \"x\"\n" FN, "line 5: this line comes too late or twice");
    refused(HEAD "function gone ab 1 \"put\" \"q.c\" 1 \"x\"\n", "state of a function");
    refused(HEAD FN "site ab 1 region exact 1 \"x\" -\n", "line 5: a number is missing");
    refused(HEAD "site ab 1 region exact 0 \"x\" -\n", "a number is out of range");
    refused(HEAD "site ab 1 region exact - - -\n", "needs a reason");
    refused(HEAD "site ab 1 - exact - \"x\" -\n", "needs a reason");
    refused(HEAD "site ab 1 region,access exact - \"x\" -\n", "out of order");
    refused(HEAD "site ab 1 access,access exact - \"x\" -\n", "out of order");
    refused(HEAD "site ab 1 access, exact - \"x\" -\n", "rules are missing");
    refused(HEAD "site ab 1 - far - - -\n", "neither exact nor near");
    refused(HEAD "site ab 1 - near - - cd\n", "a block is malformed");
    refused(HEAD "site ab 1 - near - - cd:1++\n", "a block is malformed");
    refused(HEAD "site ab 1 - near - - cd:1,\n", "blocks are missing");
    refused(HEAD "site ab 1 - near - - cd:1 x\n", "something follows where the line should end");
    refused(HEAD "site ab 1 - near - - -\nsite ab 1 - near - - -\n", "line 5: sites are not in");
    refused(HEAD "cycle 0 0 \"x\"\n", "a number is out of range");
    refused(HEAD "site ab 1 - near - - -\ncycle 0 \"x\"\n", "line 5: a number is missing");
    refused(HEAD "site ab 1 - near - - -\ncycle 0 0 0 0 0 \"x\"\n", "more than four sites");
    refused(HEAD "site ab 1 - near - - -\ncycle 0 0 0\n", "a quoted text is missing");
    refused(HEAD "note \"x\n", "line 4: a text has no closing quote");
    refused(HEAD "\n", "line 4: an empty line");
    refused(HEAD "what 1\n", "line 4: a line of no known kind");
}

/* Every file that lost its end or a line is refused. */
static void
a_file_that_lost_something_is_refused(void **state)
{
    struct burl_rng rng;
    struct burl_changes a, b;
    struct burl_err err;
    size_t n;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 20; round++) {
        make_random(&a, &rng);
        char *text = text_of(&a, &n);
        for (size_t i = 0; i < n; i++)
            EXPECT_STATUS(burl_changes_read(&b, text, i, "x", &err), BURL_E_FORMAT, &err);
        for (char *p = strchr(text, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
            size_t at = (size_t)(p - text), gone = (size_t)(strchr(p, '\n') + 1 - p);
            char *less = burl_xmemdup(text, n);
            memmove(less + at, less + at + gone, n - at - gone);
            EXPECT_STATUS(burl_changes_read(&b, less, n - gone, "x", &err), BURL_E_FORMAT, &err);
            free(less);
        }
        free(text);
        burl_changes_deinit(&a);
    }
}

static void
a_file_is_loaded(void **state)
{
    struct burl_changes c;
    struct burl_err err;
    char *dir = unit_mkdir();
    char *path = burl_xasprintf("%s/c", dir);
    static const char text[] = HEAD FN "site ab 5 access,thread near 0 \"x\" cd:3,cd:4+\nend 4\n";

    (void)state;
    EXPECT_STATUS(burl_changes_load(&c, path, &err), BURL_E_IO, &err);
    EXPECT_OK(burl_fs_write_atomic(path, text, sizeof text - 1, &err), &err);
    EXPECT_OK(burl_changes_load(&c, path, &err), &err);
    assert_int_equal(c.sites.v[0].rules, BURL_RULE_ACCESS | BURL_RULE_THREAD);
    assert_false(c.sites.v[0].exact);
    assert_true(c.sites.v[0].blocks.v[1].spawned);
    assert_false(c.sites.v[0].blocks.v[0].spawned);
    assert_int_equal(c.sites.v[0].blocks.v[1].index, 4);
    assert_string_equal(burl_changes_rule_name(BURL_RULE_REGION), "lock region");
    burl_changes_deinit(&c);
    unit_rmdir(dir);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(damage_is_refused_with_its_line),
        cmocka_unit_test(a_file_that_lost_something_is_refused),
        cmocka_unit_test(a_file_is_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
