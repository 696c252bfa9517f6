/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_prune.c - the prune file: what is read and refused, what is kept, which pairs an entry takes
 * out, when it is stale, and what lock facts propose.
 */
#include <unistd.h>

#include "base/sp.h"
#include "cover/prune_int.h"
#include "unit.h"

static char path[64];

static int
setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "prune-test-%d.prune", (int)getpid());
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* ---- a model ----------------------------------------------------------------------- */

static void
add_site(struct burl_cover_model *m, const char *file, uint32_t line, uint32_t column,
         const char *func, const char *variable, bool reads, bool writes)
{
    struct burl_cover_site *s = BURL_VEC_ADD(&m->sites);

    s->file = burl_xstrdup(file);
    s->line = line;
    s->column = column;
    s->func = burl_xstrdup(func);
    s->variable = burl_xstrdup(variable);
    s->reads = reads;
    s->writes = writes;
}

static void
add_pair(struct burl_cover_model *m, uint32_t a, uint32_t b, enum burl_cover_state state)
{
    struct burl_cover_pair *p = BURL_VEC_ADD(&m->pairs);

    p->a = a;
    p->b = b;
    p->variable = UINT32_MAX;
    p->state = state;
}

/* 0 and 1: a section that reads, then writes. 2: a writer. 3, 4: two reads in one function. */
static void
make_model(struct burl_cover_model *m)
{
    burl_cover_model_init(m);
    add_site(m, "src/acct.c", 10, 5, "deposit", "a->sum", true, false);
    add_site(m, "src/acct.c", 11, 5, "deposit", "a->sum", false, true);
    add_site(m, "src/acct.c", 20, 9, "reset it", "a->sum", false, true);
    add_site(m, "src/acct.c", 30, 9, "show", "a->sum", true, false);
    add_site(m, "src/acct.c", 34, 9, "show", "a->sum", true, false);
    add_pair(m, 0, 2, BURL_COVER_UNCOVERED);
    add_pair(m, 2, 0, BURL_COVER_COVERED);
    add_pair(m, 3, 2, BURL_COVER_UNCOVERED);
    add_pair(m, 4, 2, BURL_COVER_UNCOVERED);
    add_pair(m, 1, 2, BURL_COVER_UNCOVERED);
}

static struct burl_prune *
read_text(const char *text)
{
    struct burl_prune *p = NULL;
    struct burl_err err = { 0 };

    assert_int_equal(burl_fs_write_atomic(path, text, strlen(text), &err), BURL_OK);
    if (burl_prune_read(&p, path, &err) != BURL_OK)
        fail_msg("%s", err.msg);
    return p;
}

static void
expect_refused(const char *text, const char *message)
{
    struct burl_prune *p;
    struct burl_err err = { 0 };

    assert_int_equal(burl_fs_write_atomic(path, text, strlen(text), &err), BURL_OK);
    assert_int_equal(burl_prune_read(&p, path, &err), BURL_E_FORMAT);
    assert_null(p);
    if (!strstr(err.msg, message))
        fail_msg("'%s' does not say '%s'", err.msg, message);
}

#define THEN_WRITE "then src/acct.c:20:9 write a->sum in \"reset it\"\nbecause it is so\n"

static const struct burl_cover_pair *
apply_to(struct burl_cover_model *m, const char *text)
{
    struct burl_prune *p = read_text(text);

    make_model(m);
    burl_prune_apply(p, m);
    burl_prune_free(p);
    return m->pairs.v;
}

/* ---- matching ---------------------------------------------------------------------- */

static void
an_exact_entry_prunes_its_pair_only(void **state)
{
    struct burl_cover_model m;
    const struct burl_cover_pair *p =
        apply_to(&m, "# why\nfirst src/acct.c:10:5 read a->sum in deposit\n" THEN_WRITE);

    (void)state;
    assert_int_equal(p[0].state, BURL_COVER_PRUNED);
    assert_string_equal(p[0].reason, "it is so");
    for (int i = 2; i < 5; i++)
        assert_int_equal(p[i].state, BURL_COVER_UNCOVERED);
    assert_int_equal(p[1].state, BURL_COVER_COVERED);
    assert_int_equal(m.stale.n, 0);
    burl_cover_model_deinit(&m);
}

static void
a_column_may_be_left_out_and_paths_may_be_longer(void **state)
{
    struct burl_cover_model m;
    const struct burl_cover_pair *p =
        apply_to(&m, "first /home/u/src/acct.c:10 read a->sum in deposit\n"
                     "then ./acct.c:20 write a->sum in \"reset it\"\nbecause x\n");

    (void)state;
    assert_int_equal(p[0].state, BURL_COVER_PRUNED);
    burl_cover_model_deinit(&m);
    p = apply_to(&m, "first other.c:10 read a->sum in deposit\n" THEN_WRITE);
    assert_int_equal(p[0].state, BURL_COVER_UNCOVERED);
    burl_cover_model_deinit(&m);
    p = apply_to(&m, "first cct.c:10 read a->sum in deposit\n" THEN_WRITE);
    assert_int_equal(p[0].state, BURL_COVER_UNCOVERED);
    burl_cover_model_deinit(&m);
}

static void
a_place_that_moved_is_found_by_its_names(void **state)
{
    struct burl_cover_model m;
    const struct burl_cover_pair *p =
        apply_to(&m, "first src/acct.c:7:5 read a->sum in deposit\n" THEN_WRITE);

    (void)state;
    assert_int_equal(p[0].state, BURL_COVER_PRUNED);
    assert_int_equal(m.stale.n, 0);
    burl_cover_model_deinit(&m);
}

static void
a_place_that_moved_to_one_of_two_is_stale(void **state)
{
    struct burl_cover_model m;
    const struct burl_cover_pair *p =
        apply_to(&m, "\n\nfirst src/acct.c:33:9 read a->sum in show\n" THEN_WRITE);

    (void)state;
    assert_int_equal(p[2].state, BURL_COVER_UNCOVERED);
    assert_int_equal(p[3].state, BURL_COVER_UNCOVERED);
    assert_int_equal(m.stale.n, 1);
    assert_int_equal(m.stale.v[0].line, 3);
    assert_string_equal(m.stale.v[0].file, path);
    assert_non_null(strstr(m.stale.v[0].text, "2 candidates"));
    burl_cover_model_deinit(&m);
}

static void
an_entry_of_another_program_is_not_stale(void **state)
{
    struct burl_cover_model m;
    struct burl_cover_file *f;
    struct burl_prune *p;

    (void)state;
    apply_to(&m, "first other.c:10 read a->sum in deposit\n" THEN_WRITE
                 "first src/acct.c:10:5 read a->sum in deposit\n"
                 "then lib/list.c:3 write l->n in push\nbecause x\n");
    assert_int_equal(m.stale.n, 0);
    assert_int_equal(m.foreign_prunes, 2);
    burl_cover_model_deinit(&m);
    /* A file of the program without any pair: the place is gone. */
    p = read_text("first lib/list.c:10 read a->sum in deposit\n" THEN_WRITE);
    make_model(&m);
    f = BURL_VEC_ADD(&m.files);
    f->file = burl_xstrdup("./lib/list.c");
    burl_prune_apply(p, &m);
    assert_int_equal(m.stale.n, 1);
    assert_int_equal(m.foreign_prunes, 0);
    burl_prune_free(p);
    burl_cover_model_deinit(&m);
}

static void
an_entry_with_other_names_is_stale(void **state)
{
    static const char *const firsts[] = {
        "first src/acct.c:10:5 atomic-read a->sum in deposit\n",
        "first src/acct.c:10:5 read a->total in deposit\n",
        "first src/acct.c:10:5 read a->sum in deposits\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct burl_cover_model m;
        char text[300];

        snprintf(text, sizeof text, "%s%s", firsts[i], THEN_WRITE);
        assert_int_equal(apply_to(&m, text)[0].state, BURL_COVER_UNCOVERED);
        assert_int_equal(m.stale.n, 1);
        assert_non_null(strstr(m.stale.v[0].text, "the first place is gone"));
        burl_cover_model_deinit(&m);
    }
}

static void
a_pair_that_is_covered_after_all_is_said_loudly(void **state)
{
    struct burl_cover_model m;
    const struct burl_cover_pair *p =
        apply_to(&m, "first src/acct.c:20:9 write a->sum in \"reset it\"\n"
                     "then src/acct.c:10:5 read a->sum in deposit\nbecause never\n");

    (void)state;
    assert_int_equal(p[1].state, BURL_COVER_COVERED);
    assert_int_equal(m.stale.n, 1);
    assert_non_null(strstr(m.stale.v[0].text, "covered after all"));
    burl_cover_model_deinit(&m);
}

static void
places_that_are_no_pair_are_stale(void **state)
{
    struct burl_cover_model m;

    (void)state;
    apply_to(&m, "first src/acct.c:10:5 read a->sum in deposit\n"
                 "then src/acct.c:11:5 write a->sum in deposit\nbecause x\n");
    assert_int_equal(m.stale.n, 1);
    assert_non_null(strstr(m.stale.v[0].text, "not in the target"));
    burl_cover_model_deinit(&m);
}

/* ---- the file ---------------------------------------------------------------------- */

static void
what_is_not_an_entry_is_refused_with_its_line(void **state)
{
    (void)state;
    expect_refused("firt a.c:1 read x in f\n", ":1: expected a line 'first ...'");
    expect_refused("#\nfirst a.c:1 read x in f\nbecause y\n", ":3: expected a line 'then ...'");
    expect_refused("first a.c read x in f\n", ":1: expected FILE:LINE");
    expect_refused("first a.c:0 read x in f\n", ":1: expected FILE:LINE");
    expect_refused("first a.c:1 reads x in f\n", "expected read, write or update");
    expect_refused("first a.c:1 read x\n", "expected 'in'");
    expect_refused("first a.c:1 read x in f g\n", "words after");
    expect_refused("first a.c:1 read \"x in f\n", "expected the name of the variable");
    expect_refused("first a.c:1 read x in f\n", "ends before the line 'then ...'");
    expect_refused("first a.c:1 read x in f\nthen a.c:2 write x in g\nbecause  \n",
                   ":3: an entry needs a reason");
}

static void
a_missing_file_is_empty(void **state)
{
    struct burl_prune *p;
    struct burl_err err = { 0 };

    (void)state;
    unlink(path);
    assert_int_equal(burl_prune_read(&p, path, &err), BURL_OK);
    assert_int_equal(p->entries.n, 0);
    burl_prune_free(p);
}

static char *
written(const struct burl_prune *p)
{
    struct burl_err err = { 0 };
    char *text;
    size_t n;

    assert_int_equal(burl_prune_write(p, path, &err), BURL_OK);
    assert_int_equal(burl_fs_read_file(path, 1 << 20, &text, &n, &err), BURL_OK);
    return text;
}

static void
adding_keeps_the_rest_and_removing_undoes_it(void **state)
{
    static const char before[] = "# reviewed\n\nfirst   src/acct.c:30:9 read a->sum in show\n"
                                 "# in between\n" THEN_WRITE;
    struct burl_cover_model m;
    struct burl_prune *p = read_text(before);
    char *text;

    (void)state;
    make_model(&m);
    assert_false(burl_prune_add(p, &m, 2, "there already"));
    assert_true(burl_prune_add(p, &m, 0, "two\nlines"));
    assert_false(burl_prune_add(p, &m, 0, "again"));
    assert_int_equal(p->entries.n, 2);
    text = written(p);
    assert_memory_equal(text, before, sizeof before - 1);
    assert_string_equal(text + sizeof before - 1,
                        "\nfirst    src/acct.c:10:5 read a->sum in deposit\n"
                        "then     src/acct.c:20:9 write a->sum in \"reset it\"\n"
                        "because  two lines\n");
    free(text);
    burl_prune_free(p);
    p = NULL;
    assert_int_equal(burl_prune_read(&p, path, &(struct burl_err){ 0 }), BURL_OK);
    assert_int_equal(burl_prune_remove(p, &m, 2), 1);
    assert_int_equal(burl_prune_remove(p, &m, 2), 0);
    burl_prune_apply(p, &m);
    assert_int_equal(m.pairs.v[0].state, BURL_COVER_PRUNED);
    assert_int_equal(m.pairs.v[2].state, BURL_COVER_UNCOVERED);
    text = written(p);
    assert_memory_equal(text, "# reviewed\n\n# in between\n\nfirst", 30);
    free(text);
    burl_prune_free(p);
    burl_cover_model_deinit(&m);
}

static void
odd_names_survive(void **state)
{
    struct burl_cover_model m;
    struct burl_prune *p = read_text("");
    char *text;

    (void)state;
    burl_cover_model_init(&m);
    add_site(&m, "my dir/a:b.c", 3, 0, "operator \"\" _x(int)", "", true, true);
    add_site(&m, "w\\v.c", 4, 1, "f", "*p", false, true);
    add_pair(&m, 0, 1, BURL_COVER_UNCOVERED);
    assert_true(burl_prune_add(p, &m, 0, "because"));
    text = written(p);
    burl_prune_free(p);
    p = read_text(text);
    burl_prune_apply(p, &m);
    assert_int_equal(m.pairs.v[0].state, BURL_COVER_PRUNED);
    assert_int_equal(m.stale.n, 0);
    free(text);
    burl_prune_free(p);
    burl_cover_model_deinit(&m);
}

/* ---- proposals --------------------------------------------------------------------- */

/* The paper's read-then-write section: under the lock the read is never its last access. */
static void
make_target(struct burl_sp *t, uint8_t kind, uint32_t site, uint32_t witness)
{
    struct burl_sp_root *root;
    struct burl_sp_lock *lock;
    struct burl_sp_class *cls;
    struct burl_sp_fact *fact;

    burl_sp_init(t);
    root = BURL_VEC_ADD(&t->roots);
    root->function = burl_xstrdup("worker");
    root->many = true;
    lock = BURL_VEC_ADD(&t->locks);
    lock->name = burl_xstrdup("a->lock");
    cls = BURL_VEC_ADD(&t->classes);
    cls->name = burl_xstrdup("a->sum");
    cls->object = burl_xstrdup("heap");
    for (uint32_t i = 0; i < 5; i++) {
        struct burl_sp_site *s = BURL_VEC_ADD(&t->sites);

        s->module_hash = 1;
        s->index = i;
        s->flags = i == 1 || i == 2 ? BURL_SP_WRITES : BURL_SP_READS;
        BURL_VEC_PUSH(&s->roots, 0u);
        if (i < 3)
            BURL_VEC_PUSH(&s->locks, 0u);
        BURL_VEC_PUSH(&cls->sites, i);
    }
    fact = BURL_VEC_ADD(&t->facts);
    fact->site = site;
    fact->witness = witness;
    fact->kind = kind;
}

static void
a_read_then_write_section_is_proposed_with_its_argument(void **state)
{
    static const uint32_t numbers[] = { 0, 1, 2, 3, UINT32_MAX };
    struct burl_cover_model m;
    struct burl_sp t;

    (void)state;
    make_model(&m);
    make_target(&t, BURL_SP_NEVER_LAST, 0, 1);
    assert_int_equal(burl_prune_propose(&t, numbers, &m), 1);
    assert_int_equal(m.pairs.v[0].state, BURL_COVER_PROPOSED);
    assert_string_equal(m.pairs.v[0].reason,
                        "both hold a->lock; after the read at src/acct.c:10 its section always "
                        "does the write at src/acct.c:11 before it ends, so the write at "
                        "src/acct.c:20 cannot come directly after");
    assert_int_equal(m.pairs.v[1].state, BURL_COVER_COVERED);
    assert_int_equal(m.pairs.v[2].state, BURL_COVER_UNCOVERED); /* not under the lock */
    assert_int_equal(m.pairs.v[3].state, BURL_COVER_UNCOVERED);
    assert_int_equal(m.pairs.v[4].state, BURL_COVER_UNCOVERED); /* the write may be the last */
    burl_sp_deinit(&t);
    burl_cover_model_deinit(&m);
}

static void
a_later_access_that_is_never_first_is_proposed(void **state)
{
    static const uint32_t numbers[] = { 0, 1, 2, 3, 4 };
    struct burl_cover_model m;
    struct burl_sp t;

    (void)state;
    make_model(&m);
    add_pair(&m, 2, 1, BURL_COVER_UNCOVERED);
    make_target(&t, BURL_SP_NEVER_FIRST, 1, 0);
    assert_int_equal(burl_prune_propose(&t, numbers, &m), 1);
    assert_int_equal(m.pairs.v[5].state, BURL_COVER_PROPOSED);
    assert_string_equal(m.pairs.v[5].reason,
                        "both hold a->lock; before the write at src/acct.c:11 its section has "
                        "always done the read at src/acct.c:10, so it cannot come directly after "
                        "the write at src/acct.c:20");
    burl_sp_deinit(&t);
    burl_cover_model_deinit(&m);
}

/* The argument is wrong then, and must not be lost. */
static void
a_covered_pair_keeps_the_argument_it_contradicts(void **state)
{
    static const uint32_t numbers[] = { 0, 1, 2, 3, 4 };
    struct burl_cover_model m;
    struct burl_sp t;

    (void)state;
    make_model(&m);
    m.pairs.v[0].state = BURL_COVER_COVERED;
    make_target(&t, BURL_SP_NEVER_LAST, 0, 1);
    assert_int_equal(burl_prune_propose(&t, numbers, &m), 0);
    assert_int_equal(m.pairs.v[0].state, BURL_COVER_COVERED);
    assert_non_null(m.pairs.v[0].reason);
    assert_non_null(strstr(m.pairs.v[0].reason, "cannot come directly after"));
    assert_null(m.pairs.v[1].reason);
    burl_sp_deinit(&t);
    burl_cover_model_deinit(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_exact_entry_prunes_its_pair_only),
        TEST(a_column_may_be_left_out_and_paths_may_be_longer),
        TEST(a_place_that_moved_is_found_by_its_names),
        TEST(a_place_that_moved_to_one_of_two_is_stale),
        TEST(an_entry_of_another_program_is_not_stale),
        TEST(an_entry_with_other_names_is_stale),
        TEST(a_pair_that_is_covered_after_all_is_said_loudly),
        TEST(places_that_are_no_pair_are_stale),
        TEST(what_is_not_an_entry_is_refused_with_its_line),
        TEST(a_missing_file_is_empty),
        TEST(adding_keeps_the_rest_and_removing_undoes_it),
        TEST(odd_names_survive),
        TEST(a_read_then_write_section_is_proposed_with_its_argument),
        TEST(a_later_access_that_is_never_first_is_proposed),
        TEST(a_covered_pair_keeps_the_argument_it_contradicts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
