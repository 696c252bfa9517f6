/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_gen_model.c - gen/model/model.h: what is guessed of declarations, and the model
 * file: what is printed reads back, what a line states holds, what is wrong is refused with its
 * line.
 */
#include "unit.h"

#include "gen_decls.h"

/* Small APIs, each for one guess. */
/* clang-format off */
#define D_MAP D_P("m", D_PTR("struct map *", D_FULL("struct map")))
#define D_ITEM D_PTR("struct item *", D_STRUCT("struct item"))
#define D_INTS(name) D_P(name, D_PTR("int *", D_INT))
#define D_OUT D_P("f", D_PTR("FILE *", D_FILE))
#define D_A D_P("a", D_PTR("struct a *", D_STRUCT("struct a")))
#define D_B D_P("b", D_PTR("struct b *", D_STRUCT("struct b")))

static const char storage_json[] = D_DOC(
    D_FN("map_init", "/* True on success. */", "", D_INT, D_MAP) ","
    D_FN("map_reinit", "", "", D_INT, D_MAP) ","
    D_FN("map_destroy", "", "", D_VOID, D_MAP));
/* Nothing starts a queue, so that its stop is an ordinary function. */
static const char stop_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, "") ","
    D_FN("queue_stop", "", "", D_VOID, D_SELF));
static const char handles_json[] = D_DOC(
    D_FN("queue_open", "", "", D_INT, D_P("out", D_PTR("struct queue **", D_Q))) ","
    D_FN("queue_get", "", "", D_ITEM, D_SELF) ","
    D_FN("queue_put", "", "", D_INT, D_SELF "," D_P("item", D_ITEM)) ","
    D_FN("queue_first", "", "", D_PTR("struct node *", D_STRUCT("struct node")), D_SELF));
static const char nonnull_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, "") ","
    D_FN("queue_a", "", ",\"attributes\":[\"nonnull(1)\"]", D_INT, D_SELF "," D_INTS("old")) ","
    D_FN("queue_b", "", ",\"attributes\":[\"nonnull(1, 2)\"]", D_INT,
         D_SELF "," D_INTS("old")) ","
    D_FN("queue_c", "/* Old may be NULL. */", ",\"attributes\":[\"nonnull\"]", D_INT,
         D_SELF "," D_INTS("old")) ","
    D_FN("queue_d", "", "", D_INT, D_SELF "," D_INTS("old")));
static const char lengths_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, "") ","
    D_FN("queue_keys", "", "", D_INT, D_SELF "," D_INTS("keys") "," D_P("cap", D_SIZE)) ","
    D_FN("queue_limit", "", "", D_INT,
         D_SELF "," D_P("user", D_PTR("const char *", D_CCHAR)) "," D_P("n", D_INT)) ","
    D_FN("queue_pairs", "", "", D_INT,
         D_SELF "," D_INTS("keys") "," D_INTS("values") "," D_P("cap", D_SIZE)) ","
    D_FN("queue_points", "", "", D_INT,
         D_SELF "," D_P("out", D_PTR("struct pt *", D_FULL("struct pt"))) ","
         D_P("cap", D_SIZE)) ","
    D_FN("queue_read", "", "", D_INT,
         D_SELF "," D_P("buf", D_PTR("void *", D_VOID)) ","
         D_P("len", D_PTR("size_t *", D_SIZE))));
static const char tie_json[] = D_DOC(
    D_FN("f", "", "", D_INT, D_A) ","
    D_FN("g", "", "", D_INT, D_B));
static const char named_json[] = D_DOC(
    D_FN("f", "", "", D_INT, D_SELF) ","
    D_FN("g", "", "", D_INT, D_A) ","
    D_FN("h", "", "", D_INT, D_A));
static const char two_json[] = D_DOC(
    D_FN("f", "", "", D_INT, D_A) ","
    D_FN("g", "", "", D_INT, D_B) ","
    D_FN("h", "", "", D_INT, D_B));
static const char none_json[] = D_DOC(D_FN("f", "", "", D_INT, D_P("x", D_INT)));
static const char other_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, "") ","
    D_FN("queue_push", "", "", D_INT, D_SELF "," D_B) ","
    D_FN("queue_pop", "", "", D_INT, D_SELF) ","
    D_FN("b_new", "", "", D_PTR("struct b *", D_STRUCT("struct b")), "") ","
    D_FN("b_free", "", "", D_VOID, D_B));
static const char no_make_json[] = D_DOC(
    D_FN("queue_push", "", "", D_INT, D_SELF) ","
    D_FN("queue_free", "", "", D_VOID, D_SELF));
static const char no_call_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, "") ","
    D_FN("queue_print", "", "", D_INT, D_SELF "," D_OUT));
static const char bad_make_json[] = D_DOC(
    D_FN("queue_new", "", "", D_Q, D_OUT) ","
    D_FN("queue_push", "", "", D_INT, D_SELF));
/* clang-format on */

static struct burl_gen_model
guess(const char *json)
{
    struct burl_gen_model m;
    struct burl_err err = { 0 };

    if (burl_test_guess(&m, json, NULL, &err) != BURL_OK)
        fail_msg("%s", err.msg);
    return m;
}

static struct burl_gen_fn *
fn(struct burl_gen_model *m, const char *name)
{
    int at = burl_gen_model_fn(m, name);

    if (at < 0)
        fail_msg("no function %s", name);
    return &m->fns.v[at];
}

static void
expect_role(struct burl_gen_model *m, const char *f, size_t k, enum burl_gen_role role)
{
    const struct burl_gen_fn *at = fn(m, f);

    assert_true(k < at->params.n);
    if (at->params.v[k].role != role)
        fail_msg("%s, parameter %zu: %s, not %s", f, k, burl__gen_role_words[at->params.v[k].role],
                 burl__gen_role_words[role]);
}

static char *
print(const struct burl_gen_model *m)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_gen_model_print(m, &b);
    return burl_buf_take(&b, NULL);
}

static enum burl_status
state(struct burl_gen_model *m, const char *text, struct burl_err *err)
{
    return burl__gen_model_decode(m, text, strlen(text), "queue.burl", false, err);
}

static void
expect_stated(struct burl_gen_model *m, const char *text)
{
    struct burl_err err = { 0 };

    if (state(m, text, &err) != BURL_OK)
        fail_msg("%s", err.msg);
}

static void
functions_are_sorted_by_what_they_do(void **unused)
{
    struct burl_gen_model m = guess(burl_test_queue_json);

    (void)unused;
    assert_string_equal(m.types.v[m.shared].name, "struct queue");
    assert_int_equal(fn(&m, "queue_new")->kind, BURL_GEN_MAKE);
    assert_int_equal(fn(&m, "queue_new")->makes, m.shared);
    assert_int_equal(fn(&m, "queue_free")->kind, BURL_GEN_DESTROY);
    assert_int_equal(m.types.v[m.shared].destroy, burl_gen_model_fn(&m, "queue_free"));
    /* Another ends it, so that this is one of the calls under test. */
    assert_int_equal(fn(&m, "queue_close")->kind, BURL_GEN_METHOD);
    assert_int_equal(fn(&m, "queue_push")->kind, BURL_GEN_METHOD);
    assert_int_equal(fn(&m, "queue_push")->self, 0);
    assert_int_equal(fn(&m, "queue_version")->kind, BURL_GEN_HELPER);
    assert_int_equal(fn(&m, "queue_log")->kind, BURL_GEN_SKIP);
    assert_int_equal(fn(&m, "queue_size_unlocked")->kind, BURL_GEN_SKIP);
    assert_int_equal(fn(&m, "queue_copy")->kind, BURL_GEN_METHOD);
    assert_int_equal(fn(&m, "queue_copy")->result, BURL_GEN_RESULT_OBJECT);
    assert_int_equal(fn(&m, "queue_copy")->result_type, m.shared);
    assert_int_equal(burl_gen_model_check(&m, NULL), BURL_OK);
    burl_gen_model_deinit(&m);
}

static void
parameters_have_roles(void **unused)
{
    struct burl_gen_model m = guess(burl_test_queue_json);
    const struct burl_gen_param *mode = &fn(&m, "queue_set_mode")->params.v[1];

    (void)unused;
    expect_role(&m, "queue_new", 0, BURL_GEN_ROLE_INT);
    assert_true(fn(&m, "queue_new")->params.v[0].ranged);
    expect_role(&m, "queue_push", 0, BURL_GEN_ROLE_OBJECT);
    expect_role(&m, "queue_push", 1, BURL_GEN_ROLE_INT);
    assert_false(fn(&m, "queue_push")->params.v[1].ranged);
    expect_role(&m, "queue_pop", 1, BURL_GEN_ROLE_OUT_VALUE);
    assert_int_equal(fn(&m, "queue_pop")->params.v[1].size_b, 4);
    /* The count at the end of an enumeration is no value. */
    assert_int_equal(mode->values.n, 2);
    assert_string_equal(mode->values.v[1].name, "MODE_WRITE");
    assert_int_equal(mode->values.v[1].value, 5);
    expect_role(&m, "queue_write", 1, BURL_GEN_ROLE_BYTES_IN);
    assert_int_equal(fn(&m, "queue_write")->params.v[1].partner, 2);
    expect_role(&m, "queue_write", 2, BURL_GEN_ROLE_LENGTH);
    assert_int_equal(fn(&m, "queue_write")->params.v[2].partner, 1);
    expect_role(&m, "queue_to_string", 1, BURL_GEN_ROLE_BYTES_OUT);
    expect_role(&m, "queue_name", 1, BURL_GEN_ROLE_STRING);
    assert_true(fn(&m, "queue_name")->params.v[1].nullable);
    expect_role(&m, "queue_each", 1, BURL_GEN_ROLE_CALLBACK);
    assert_string_equal(fn(&m, "queue_each")->params.v[1].callback, "int (int, void *)");
    expect_role(&m, "queue_each", 2, BURL_GEN_ROLE_CONTEXT);
    expect_role(&m, "queue_print", 1, BURL_GEN_ROLE_UNKNOWN);
    assert_false(burl_gen_fn_is_callable(&m, fn(&m, "queue_print")));
    assert_true(burl_gen_fn_is_callable(&m, fn(&m, "queue_each")));
    burl_gen_model_deinit(&m);
}

static void
hints_come_from_names_and_comments(void **unused)
{
    struct burl_gen_model m = guess(burl_test_queue_json);

    (void)unused;
    assert_true(fn(&m, "queue_pop")->may_block);
    assert_false(fn(&m, "queue_push")->may_block);
    assert_true(fn(&m, "queue_size")->read_only);
    assert_true(fn(&m, "queue_size")->dump);
    assert_true(fn(&m, "queue_to_string")->dump);
    assert_false(fn(&m, "queue_close")->dump);
    assert_int_equal(fn(&m, "queue_size")->result, BURL_GEN_RESULT_INT);
    assert_int_equal(fn(&m, "queue_name")->result, BURL_GEN_RESULT_STRING);
    burl_gen_model_deinit(&m);
}

static void
memory_of_the_caller_is_storage(void **unused)
{
    struct burl_gen_model m = guess(storage_json);

    (void)unused;
    assert_int_equal(fn(&m, "map_init")->kind, BURL_GEN_MAKE);
    expect_role(&m, "map_init", 0, BURL_GEN_ROLE_STORAGE);
    assert_false(fn(&m, "map_init")->zero_is_success);
    assert_int_equal(fn(&m, "map_reinit")->kind, BURL_GEN_METHOD);
    assert_true(m.types.v[m.shared].free_it);
    burl_gen_model_deinit(&m);
}

static void
what_was_not_started_is_not_ended_by_stop(void **unused)
{
    struct burl_gen_model m = guess(stop_json);

    (void)unused;
    assert_int_equal(fn(&m, "queue_stop")->kind, BURL_GEN_METHOD);
    assert_int_equal(m.types.v[m.shared].destroy, -1);
    burl_gen_model_deinit(&m);
}

static void
handles_come_through_parameters(void **unused)
{
    struct burl_gen_model m = guess(handles_json);

    (void)unused;
    assert_int_equal(fn(&m, "queue_open")->kind, BURL_GEN_MAKE);
    expect_role(&m, "queue_open", 0, BURL_GEN_ROLE_OUT_OBJECT);
    /* Handed out and taken back. */
    assert_int_equal(fn(&m, "queue_get")->result, BURL_GEN_RESULT_OBJECT);
    expect_role(&m, "queue_put", 1, BURL_GEN_ROLE_OBJECT);
    assert_true(fn(&m, "queue_put")->params.v[1].consumes);
    /* Shown only. */
    assert_int_equal(fn(&m, "queue_first")->result, BURL_GEN_RESULT_IGNORED);
    burl_gen_model_deinit(&m);
}

static void
nonnull_lists_say_what_may_be_null(void **unused)
{
    struct burl_gen_model m = guess(nonnull_json);

    (void)unused;
    assert_true(fn(&m, "queue_a")->params.v[1].nullable);
    assert_false(fn(&m, "queue_b")->params.v[1].nullable);
    assert_false(fn(&m, "queue_c")->params.v[1].nullable);
    assert_false(fn(&m, "queue_d")->params.v[1].nullable);
    burl_gen_model_deinit(&m);
}

static void
lengths_belong_to_what_they_count(void **unused)
{
    struct burl_gen_model m = guess(lengths_json);

    (void)unused;
    expect_role(&m, "queue_keys", 1, BURL_GEN_ROLE_BYTES_OUT);
    assert_int_equal(fn(&m, "queue_keys")->params.v[1].size_b, 4);
    expect_role(&m, "queue_keys", 2, BURL_GEN_ROLE_LENGTH);
    expect_role(&m, "queue_limit", 1, BURL_GEN_ROLE_STRING);
    expect_role(&m, "queue_limit", 2, BURL_GEN_ROLE_INT);
    /* Never one value where the callee writes cap of them. */
    expect_role(&m, "queue_pairs", 1, BURL_GEN_ROLE_BYTES_OUT);
    assert_int_equal(fn(&m, "queue_pairs")->params.v[1].partner, -1);
    expect_role(&m, "queue_pairs", 2, BURL_GEN_ROLE_BYTES_OUT);
    expect_role(&m, "queue_points", 1, BURL_GEN_ROLE_RECORD);
    expect_role(&m, "queue_points", 2, BURL_GEN_ROLE_INT);
    assert_int_equal(fn(&m, "queue_points")->params.v[2].hi, 1);
    expect_role(&m, "queue_read", 1, BURL_GEN_ROLE_BYTES_OUT);
    expect_role(&m, "queue_read", 2, BURL_GEN_ROLE_INOUT_VALUE);
    burl_gen_model_deinit(&m);
}

static void
the_shared_type_is_chosen_or_asked_for(void **unused)
{
    struct burl_gen_model m;
    struct burl_err err;

    (void)unused;
    assert_int_equal(burl_test_guess(&m, tie_json, NULL, &err), BURL_E_USAGE);
    assert_non_null(strstr(err.msg, "struct a, struct b"));
    burl_gen_model_deinit(&m);
    assert_int_equal(burl_test_guess(&m, tie_json, "b *", &err), BURL_OK);
    assert_string_equal(m.types.v[m.shared].name, "struct b");
    burl_gen_model_deinit(&m);
    assert_int_equal(burl_test_guess(&m, tie_json, "struct c", &err), BURL_E_USAGE);
    assert_non_null(strstr(err.msg, "did you mean"));
    burl_gen_model_deinit(&m);
    /* queue.h is about the queue. */
    assert_int_equal(burl_test_guess(&m, named_json, NULL, &err), BURL_OK);
    assert_string_equal(m.types.v[m.shared].name, "struct queue");
    burl_gen_model_deinit(&m);
    assert_int_equal(burl_test_guess(&m, none_json, NULL, &err), BURL_E_USAGE);
    assert_non_null(strstr(err.msg, "no object that threads could share"));
    burl_gen_model_deinit(&m);
}

static void
a_printed_model_reads_back_as_itself(void **unused)
{
    struct burl_gen_model a = guess(burl_test_queue_json);
    struct burl_gen_model b = guess(burl_test_queue_json);
    struct burl_gen_model c = guess(other_json);
    char *first;
    char *second;
    char *third;

    (void)unused;
    /* Of a corrected one too. */
    expect_stated(&a,
                  "forbid queue_close\nnot dump queue_size\nmethod queue_push: returns ignored\n"
                  "    value: int -3..7\nmethod queue_print\n    f: fixed stdout # of C\n"
                  "method queue_set_mode: returns nothing\n  m: int one of MODE_READ 9\n"
                  "destroy queue_close\ninclude <stdio.h>\n");
    first = print(&a);
    assert_non_null(strstr(first, "value: int -3..7\n"));
    assert_non_null(strstr(first, "f: fixed stdout\n"));
    assert_non_null(strstr(first, "m: int one of MODE_READ 9\n"));
    expect_stated(&b, first);
    second = print(&b);
    assert_string_equal(first, second);
    free(first);
    first = print(&c);
    expect_stated(&c, first);
    third = print(&c);
    assert_string_equal(first, third);
    assert_non_null(strstr(first, "type struct b: destroy b_free\n"));
    free(first);
    free(second);
    free(third);
    burl_gen_model_deinit(&a);
    burl_gen_model_deinit(&b);
    burl_gen_model_deinit(&c);
}

static void
what_a_line_states_holds(void **unused)
{
    struct burl_gen_model m = guess(burl_test_queue_json);

    (void)unused;
    expect_stated(&m, "# a comment\n\nforbid queue_copy\nblocks queue_push\n"
                      "not blocks queue_pop()\nreadonly queue_name\ndump queue_name\n"
                      "type struct queue: destroy queue_close\n"
                      "method queue_size_unlocked\n"
                      "method queue_write: returns int\n\tdata: payload\n"
                      "method queue_pop: returns int\n  value: inout 1..2 nullable\n"
                      "make queue_new: returns object struct queue\n  1: int one of 1, 2 0x10\n");
    assert_int_equal(fn(&m, "queue_copy")->kind, BURL_GEN_SKIP);
    assert_true(fn(&m, "queue_push")->may_block);
    assert_false(fn(&m, "queue_pop")->may_block);
    assert_true(fn(&m, "queue_name")->dump);
    assert_true(fn(&m, "queue_name")->read_only);
    assert_int_equal(fn(&m, "queue_close")->kind, BURL_GEN_DESTROY);
    assert_int_equal(fn(&m, "queue_free")->kind, BURL_GEN_SKIP);
    assert_int_equal(fn(&m, "queue_size_unlocked")->kind, BURL_GEN_METHOD);
    assert_int_equal(fn(&m, "queue_size_unlocked")->self, 0);
    expect_role(&m, "queue_write", 1, BURL_GEN_ROLE_PAYLOAD);
    /* Its bytes are gone: a number again. */
    expect_role(&m, "queue_write", 2, BURL_GEN_ROLE_INT);
    expect_role(&m, "queue_pop", 1, BURL_GEN_ROLE_INOUT_VALUE);
    assert_true(fn(&m, "queue_pop")->params.v[1].nullable);
    assert_int_equal(fn(&m, "queue_pop")->params.v[1].hi, 2);
    assert_int_equal(fn(&m, "queue_new")->params.v[0].values.n, 3);
    assert_int_equal(fn(&m, "queue_new")->params.v[0].values.v[2].value, 16);
    burl_gen_model_deinit(&m);
}

static void
another_shared_type_takes_nothing_back(void **unused)
{
    struct burl_gen_model m;

    (void)unused;
    assert_int_equal(burl_test_guess(&m, two_json, "a", NULL), BURL_OK);
    assert_int_equal(fn(&m, "f")->kind, BURL_GEN_METHOD);
    expect_stated(&m, "forbid h\nshared struct b\n");
    assert_string_equal(m.types.v[m.shared].name, "struct b");
    assert_int_equal(fn(&m, "f")->kind, BURL_GEN_HELPER);
    assert_int_equal(fn(&m, "g")->kind, BURL_GEN_METHOD);
    assert_int_equal(fn(&m, "h")->kind, BURL_GEN_SKIP);
    burl_gen_model_deinit(&m);
}

static void
wrong_lines_are_refused_by_number(void **unused)
{
    static const struct {
        const char *text;
        const char *message;
    } bad[] = {
        { "\nforbid queue_pusch\n",
          "queue.burl:2: queue.h has no function \"queue_pusch\"; did you "
          "mean queue_push()?" },
        { "shraed struct queue\n",
          "queue.burl:1: \"shraed\" is no statement; did you mean \"shared\"" },
        { "shared struct quee\n", "did you mean \"struct queue\"?" },
        { "method queue_push\n  valu: int\n",
          "queue.burl:2: queue_push() has no parameter \"valu\"" },
        { "method queue_push\n  value: integer\n", "queue.burl:2: \"integer\" is no role" },
        { "method queue_push\n  value: string\n", "cannot be \"string\"" },
        { "method queue_push\n  value: int 5..1\n", "is no range" },
        { "method queue_push\n  value: int one of MODE_REED\n", "did you mean MODE_READ?" },
        { "method queue_push\n  value: int one of\n", "values are expected" },
        { "method queue_push\n  value: int nullable\n", "cannot be NULL" },
        { "method queue_push\n  value int\n", "a colon is expected" },
        { "method queue_push\n  value: fixed\n", "a C expression is expected" },
        { "method queue_push\n  value: fixed 'a\n", "a quote of the expression is not closed" },
        { "method queue_write\n  data: bytes length data\n", "which is no length" },
        { "method queue_write\n  len: length of q\n", "which is no memory" },
        { "method queue_push: returns string\n", "cannot be \"string\"" },
        { "method queue_push: quick\n", "\"quick\" was not expected" },
        { "method queue_version\n", "has no parameter that is the shared object" },
        { "make queue_close\n", "is stated to make an object, but returns none" },
        { "destroy queue_push\n", "takes 2 parameters" },
        { "  value: int\n", "there is no function above it" },
        { "model 2\n", "model 1" },
        { "header \"stack.h\"\n", "about stack.h, not about queue.h" },
        { "include stdio.h\n", "include wants" },
        { "not\n", "is no statement" },
        { "forbid\n", "the name of a function is missing" },
        { "forbid queue_push now\n", "\"now\" was not expected" },
        { "type struct queue: free\n", "\": destroy FUNCTION\" is expected" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct burl_gen_model m = guess(burl_test_queue_json);
        struct burl_err err = { 0 };
        assert_int_equal(state(&m, bad[i].text, &err), BURL_E_FORMAT);
        if (!strstr(err.msg, bad[i].message))
            fail_msg("\"%s\": \"%s\", not \"%s\"", bad[i].text, err.msg, bad[i].message);
        burl_gen_model_deinit(&m);
    }
}

static void
what_is_missing_is_said_with_its_line(void **unused)
{
    static const char *const json[] = { no_make_json, no_call_json, bad_make_json };
    static const char *const says[] = { "State one in the model file with \"make f\"",
                                        "queue_print() cannot be called: f (FILE *) is unknown",
                                        "queue_new() cannot be called: f (FILE *)" };

    (void)unused;
    for (size_t i = 0; i < sizeof json / sizeof json[0]; i++) {
        struct burl_gen_model m = guess(json[i]);
        struct burl_err err = { 0 };
        assert_int_equal(burl_gen_model_check(&m, &err), BURL_E_USAGE);
        if (!strstr(err.msg, says[i]))
            fail_msg("\"%s\", not \"%s\"", err.msg, says[i]);
        burl_gen_model_deinit(&m);
    }
}

static void
what_is_left_out_is_listed(void **unused)
{
    struct burl_gen_model m = guess(burl_test_queue_json);
    struct burl_buf b = BURL_BUF_INIT;

    (void)unused;
    burl_gen_model_left_out(&m, &b);
    assert_string_equal(
        burl_buf_str(&b),
        "queue_print() cannot be called: f (FILE *) is unknown: a FILE is not made up; state one, "
        "for example \"fixed stdout\" or \"fixed tmpfile()\"\n"
        "queue_log() is not called: it takes a variable number of arguments\n"
        "queue_size_unlocked() is not called: it is for callers that hold the lock, by its name; "
        "\"method queue_size_unlocked\" would call it\n");
    burl_buf_deinit(&b);
    burl_gen_model_deinit(&m);
}

static void
declarations_are_c(void **unused)
{
    static const char *const all[][3] = {
        { "int", "x", "int x" },
        { "const char *", "s", "const char *s" },
        { "int[8]", "a", "int a[8]" },
        { "void (*)(int, void *)", "f", "void (*f)(int, void *)" },
        { "char *(*(*)(int))[3]", "g", "char *(*(*g)(int))[3]" },
        { "int (*const)(void)", "h", "int (*const h)(void)" },
        { "void (struct q *)", "k", "void k(struct q *)" },
        { "struct q **", "", "struct q **" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct burl_buf b = BURL_BUF_INIT;
        burl_gen_declare(&b, all[i][0], all[i][1]);
        assert_string_equal(burl_buf_str(&b), all[i][2]);
        burl_buf_deinit(&b);
    }
}

static void
names_are_words(void **unused)
{
    (void)unused;
    assert_true(burl__gen_has_word("XML_ParserCreate", "create"));
    assert_true(burl__gen_has_word("queueInit", "init"));
    assert_false(burl__gen_has_word("queue_deinit", "init"));
    assert_false(burl__gen_has_word("renew", "new"));
    assert_true(burl__gen_ends_word("g_queue_free", "free"));
    assert_false(burl__gen_ends_word("queue_free_all", "free"));
    assert_true(burl__gen_same_noun("struct queue", "src/queue.h"));
    assert_true(burl__gen_same_noun("queue_t", "Queue.h"));
    assert_true(burl__gen_same_noun("struct queue", "queues.h"));
    assert_false(burl__gen_same_noun("struct queue_item", "queue.h"));
    assert_int_equal(burl__gen_distance("queue", "qeue"), 1);
    assert_int_equal(burl__gen_distance("", "abc"), 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_sorted_by_what_they_do),
        cmocka_unit_test(parameters_have_roles),
        cmocka_unit_test(hints_come_from_names_and_comments),
        cmocka_unit_test(memory_of_the_caller_is_storage),
        cmocka_unit_test(what_was_not_started_is_not_ended_by_stop),
        cmocka_unit_test(handles_come_through_parameters),
        cmocka_unit_test(nonnull_lists_say_what_may_be_null),
        cmocka_unit_test(lengths_belong_to_what_they_count),
        cmocka_unit_test(the_shared_type_is_chosen_or_asked_for),
        cmocka_unit_test(a_printed_model_reads_back_as_itself),
        cmocka_unit_test(what_a_line_states_holds),
        cmocka_unit_test(another_shared_type_takes_nothing_back),
        cmocka_unit_test(wrong_lines_are_refused_by_number),
        cmocka_unit_test(what_is_missing_is_said_with_its_line),
        cmocka_unit_test(what_is_left_out_is_listed),
        cmocka_unit_test(declarations_are_c),
        cmocka_unit_test(names_are_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
