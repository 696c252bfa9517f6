/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interleaving coverage rendered: text, JSON, lcov, the page.
 *
 * The golden files are interface: a change of them is a change for users and is reviewed as one.
 * Beside them are the laws: nothing breaks out of its format, whatever is missing costs a name and
 * no renderer, a percentage never claims more than there is.
 */
#include "trace_build.h"
#include "unit.h"

#include "base/json.h"
#include "cover_sample.h"
#include "report/cover/render_cover_int.h"

static const struct burl_report_style plain = { .width = 100 };

static char *
source_dir(void)
{
    return burl_path_join(tb_root(), "tests/golden/src");
}

static char *
text_of(const struct burl_cover_model *m, const struct burl_report_style *style, size_t max_gaps)
{
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_cover_text(m, style, max_gaps, &out);
    return burl_buf_take(&out, NULL);
}

static char *
json_of(const struct burl_cover_model *m)
{
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_cover_json(m, &out);
    return burl_buf_take(&out, NULL);
}

static char *
lcov_of(const struct burl_cover_model *m)
{
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_cover_lcov(m, &out);
    return burl_buf_take(&out, NULL);
}

static char *
read_page(const char *dir, const char *name)
{
    char *path = burl_path_join(dir, name);
    struct burl_err err = { 0 };
    char *text = NULL;

    EXPECT_OK(burl_fs_read_file(path, (size_t)64 << 20, &text, NULL, &err), &err);
    free(path);
    return text;
}

static void
expect_absent(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' must not be in: %.2000s", part, strstr(text, part));
}

static size_t
count(const char *text, const char *part)
{
    size_t n = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        n++;
    return n;
}

/* data.js without what makes it a script. */
static struct burl_json_value *
parse_data(const char *text)
{
    const char *from = strstr(text, "var BURL_DATA = ");
    const char *to = strrchr(text, ';');
    struct burl_json_value *v = NULL;
    struct burl_err err = { 0 };

    assert_non_null(from);
    assert_non_null(to);
    from += strlen("var BURL_DATA = ");
    EXPECT_OK(burl_json_parse(&v, from, (size_t)(to - from), &err), &err);
    return v;
}

/* ---- golden ------------------------------------------------------------------------------ */

static void
text_json_and_lcov_look_like_this(void **state)
{
    struct burl_cover_model m;
    char *text;

    (void)state;
    /* No directory: the golden files must not know where the sources are. */
    sample_small(&m, NULL);
    text = text_of(&m, &plain, BURL_COVER_GAPS_DEFAULT);
    tb_golden("cover.txt", text);
    free(text);
    text = json_of(&m);
    tb_golden("cover.json", text);
    free(text);
    text = lcov_of(&m);
    tb_golden("cover.info", text);
    free(text);
    burl_cover_model_deinit(&m);
}

static void
color_and_arrows_only_when_asked_for(void **state)
{
    const struct burl_report_style rich = { .width = 100, .color = true, .unicode = true };
    struct burl_cover_model m;
    char *text;

    (void)state;
    sample_small(&m, NULL);
    text = text_of(&m, &plain, SIZE_MAX);
    expect_absent(text, "\033");
    expect_absent(text, "\xe2");
    free(text);
    text = text_of(&m, &rich, SIZE_MAX);
    EXPECT_CONTAINS(text, "\033[1m");
    EXPECT_CONTAINS(text, "\xe2\x86\x92 atomic update q->count");
    free(text);
    burl_cover_model_deinit(&m);
}

/* ---- text -------------------------------------------------------------------------------- */

static void
check_width(const char *text, size_t width)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        size_t columns = 0;

        for (size_t i = 0; i < n; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (columns > width)
            fail_msg("%zu columns: %.*s", columns, (int)n, text);
        if (n > 0 && text[n - 1] == ' ')
            fail_msg("trailing blank: %.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void
text_fits_its_width(void **state)
{
    static const char *const deep = "/home/user123/src/a/rather/deep/directory/with/many/parts/"
                                    "and/a/file/whose/name/is/long/na\xc3\xafve.c";
    const struct burl_report_style narrow = { .width = 80 };
    struct burl_cover_model m;
    char *text;

    (void)state;
    sample_small(&m, NULL);
    sample_set(&m.files.v[0].file, deep);
    sample_set(&m.sites.v[6].file, deep);
    sample_set(&m.sites.v[6].variable, "connection->session->buffers[direction].ring->head.next");
    text = text_of(&m, &plain, SIZE_MAX);
    check_width(text, 100);
    EXPECT_CONTAINS(text, "long/na\xc3\xafve.c"); /* the end of a name is what tells it apart */
    free(text);
    text = text_of(&m, &narrow, SIZE_MAX);
    check_width(text, 80);
    free(text);
    burl_cover_model_deinit(&m);
}

static void
gaps_come_by_rank_and_the_rest_is_counted(void **state)
{
    struct burl_cover_model m;
    char *text;
    const char *first;
    const char *second;

    (void)state;
    sample_small(&m, NULL);
    text = text_of(&m, &plain, 2);
    first = strstr(text, "queue.c:28:15 in consumer");
    second = strstr(text, "bank.c:32:19 in transfer");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    EXPECT_CONTAINS(text, "4 location pairs are not covered");
    EXPECT_CONTAINS(text, "and 2 more");
    free(text);
    burl_cover_model_deinit(&m);
}

static void
only_everything_is_a_hundred_percent(void **state)
{
    (void)state;
    assert_int_equal(burl__cover_permille(0, 0), 0);
    assert_int_equal(burl__cover_permille(1, 3), 333);
    assert_int_equal(burl__cover_permille(1999999, 2000000), 999);
    assert_int_equal(burl__cover_permille(2000000, 2000000), 1000);
    assert_int_equal(burl__cover_permille(UINT64_MAX - 1, UINT64_MAX), 999);
}

/* ---- what is missing --------------------------------------------------------------------- */

static void
an_empty_model_renders(void **state)
{
    struct burl_cover_model m;
    struct burl_json_value *v = NULL;
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *text;

    (void)state;
    burl_cover_model_init(&m);
    text = text_of(&m, &plain, SIZE_MAX);
    EXPECT_CONTAINS(text, "0 executions in 0 campaigns");
    EXPECT_CONTAINS(text, "There is no static target");
    free(text);
    text = json_of(&m);
    EXPECT_OK(burl_json_parse(&v, text, strlen(text), &err), &err);
    assert_int_equal(burl_json_count(burl_json_get(v, "pairs")), 0);
    burl_json_free(v);
    free(text);
    text = lcov_of(&m);
    expect_absent(text, "SF:");
    free(text);
    EXPECT_OK(burl_report_cover_html(&m, dir, &err), &err);
    text = read_page(dir, "index.html");
    EXPECT_CONTAINS(text, "</html>");
    free(text);
    text = read_page(dir, "data.js");
    burl_json_free(parse_data(text));
    free(text);
    unit_rmdir(dir);
    burl_cover_model_deinit(&m);
}

static void
without_a_target_nothing_is_a_share(void **state)
{
    struct burl_cover_model m;
    struct burl_json_value *v = NULL;
    const struct burl_json_value *lp;
    struct burl_err err = { 0 };
    char *text;

    (void)state;
    sample_small(&m, NULL);
    m.has_target = false;
    sample_set(&m.target_problem, "the program has no bitcode");
    m.metrics.v[0].target = 0;
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "There is no static target: the program has no bitcode");
    expect_absent(text, "53.8%");
    free(text);
    text = json_of(&m);
    EXPECT_OK(burl_json_parse(&v, text, strlen(text), &err), &err);
    lp = burl_json_at(burl_json_get(v, "metrics"), 0);
    assert_int_equal(burl_json_get(lp, "target")->type, BURL_JSON_NULL);
    assert_int_equal(burl_json_get(lp, "percent")->type, BURL_JSON_NULL);
    assert_false(burl_json_as_bool(burl_json_get(burl_json_get(v, "target"), "present"), true));
    burl_json_free(v);
    free(text);
    burl_cover_model_deinit(&m);
}

static void
set_all(struct burl_cover_model *m, enum burl_cover_state from, enum burl_cover_state to)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        if (m->pairs.v[i].state == from)
            m->pairs.v[i].state = to;
    }
}

static void
a_target_of_nothing_is_reached_and_says_why(void **state)
{
    struct burl_cover_model m;
    struct burl_json_value *v = NULL;
    const struct burl_json_value *lp;
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *text;

    (void)state;
    sample_small(&m, NULL);
    m.metrics.v[0].covered = 0;
    m.metrics.v[0].target = 0;
    assert_int_equal(burl_report_cover_permille(&m, &m.metrics.v[0]), 1000);
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "LP   location-pairs                 0        0 100.0%");
    EXPECT_CONTAINS(text, "all are pruned or impossible");
    free(text);
    text = json_of(&m);
    EXPECT_OK(burl_json_parse(&v, text, strlen(text), &err), &err);
    lp = burl_json_at(burl_json_get(v, "metrics"), 0);
    assert_int_equal(burl_json_get(lp, "target")->type, BURL_JSON_NUMBER);
    EXPECT_CONTAINS(text, "\"target\":0,\"percent\":100.0");
    burl_json_free(v);
    free(text);
    EXPECT_OK(burl_report_cover_html(&m, dir, &err), &err);
    text = read_page(dir, "index.html");
    EXPECT_CONTAINS(text, "0 of 0: all are pruned or impossible");
    free(text);
    set_all(&m, BURL_COVER_PRUNED, BURL_COVER_IMPOSSIBLE);
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "all are impossible");
    free(text);
    set_all(&m, BURL_COVER_IMPOSSIBLE, BURL_COVER_COVERED);
    m.untyped_pairs = 12;
    m.untyped_covered = 5;
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "only untyped pairs");
    EXPECT_CONTAINS(text, "12 more pairs, 5 of them covered; not counted");
    free(text);
    unit_rmdir(dir);
    burl_cover_model_deinit(&m);
}

static void
what_lines_and_blocks_count_is_said(void **state)
{
    struct burl_cover_model m;
    char *text;

    (void)state;
    sample_small(&m, NULL);
    m.lines_complete = false;
    m.has_blocks = false;
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "LINE counts lines that access possibly shared memory");
    EXPECT_CONTAINS(text, "BLK: the program was built without basic-block coverage");
    free(text);
    m.has_blocks = true; /* in some of its files */
    text = text_of(&m, &plain, 0);
    EXPECT_CONTAINS(text, "LINE: files built without `burl-cc --blocks`");
    expect_absent(text, "BLK: the program");
    free(text);
    m.lines_complete = true;
    text = text_of(&m, &plain, 0);
    expect_absent(text, "--blocks");
    free(text);
    text = json_of(&m);
    EXPECT_CONTAINS(text, "\"lines_complete\": true");
    free(text);
    burl_cover_model_deinit(&m);
}

static void
every_power_of_ten_has_its_number(void **state)
{
    struct burl_cover_model m;
    struct burl_buf out = BURL_BUF_INIT;
    const char *linear;

    (void)state;
    burl_cover_model_init(&m);
    burl__cover_html_curve(sample_metric(&m, BURL_METRIC_LOCPAIRS, 40, 20000, 10), &out);
    linear = strstr(burl_buf_str(&out), "class=\"lin\"");
    assert_non_null(linear);
    EXPECT_CONTAINS(burl_buf_str(&out), ">100</text>");
    EXPECT_CONTAINS(burl_buf_str(&out), ">1k</text>");
    EXPECT_CONTAINS(burl_buf_str(&out), ">10k</text>");
    EXPECT_CONTAINS(linear, ">5k</text>");
    EXPECT_CONTAINS(linear, ">15k</text>");
    EXPECT_CONTAINS(linear, ">20,000 executions</text>");
    burl_buf_deinit(&out);
    burl_cover_model_deinit(&m);
}

/* ---- names that want to be something else --------------------------------------------------- */

static void
hostile_names_stay_names(void **state)
{
    static const char *const pages[] = { "index.html", "pairs.html", "variables.html",
                                         "file/1-h_i____.c.html", "file/2-there_SF_fake.c.html" };
    struct burl_cover_model m;
    struct burl_json_value *v = NULL;
    struct burl_err err = { 0 };
    char *src = unit_mkdir();
    char *out = unit_mkdir();
    char *path = burl_path_join(src, "h<i>\"'&.c");
    static const char code[] = "<script>alert(1)</script> /* & \" ' */\nnul\0in it\n";
    char *text;

    (void)state;
    EXPECT_OK(burl_fs_write_atomic(path, code, sizeof code - 1, &err), &err);
    sample_hostile(&m, src);
    EXPECT_OK(burl_report_cover_html(&m, out, &err), &err);
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        text = read_page(out, pages[i]);
        expect_absent(text, "<script>");
        expect_absent(text, "<i>\"");
        assert_int_equal(count(text, "<script"), count(text, "<script src="));
        expect_absent(text, "http:"); /* nothing is fetched */
        expect_absent(text, "https:");
        free(text);
    }
    text = read_page(out, "file/1-h_i____.c.html");
    EXPECT_CONTAINS(text, "&lt;script&gt;alert(1)&lt;/script&gt; /* &amp; &quot; &#39; */");
    free(text);
    text = read_page(out, "data.js");
    v = parse_data(text);
    assert_string_equal(burl_json_as_str(burl_json_get(v, "program"), ""),
                        "</script><script>alert(1)</script>&\"'`");
    burl_json_free(v);
    free(text);
    text = json_of(&m);
    EXPECT_OK(burl_json_parse(&v, text, strlen(text), &err), &err);
    burl_json_free(v);
    free(text);
    text = lcov_of(&m);
    assert_int_equal(count(text, "\nSF:"), 2);
    free(text);
    text = text_of(&m, &plain, SIZE_MAX);
    free(text);
    free(path);
    unit_rmdir(src);
    unit_rmdir(out);
    burl_cover_model_deinit(&m);
}

/* ---- the page ---------------------------------------------------------------------------- */

static void
the_page_has_lines_pairs_and_curves(void **state)
{
    struct burl_cover_model m;
    struct burl_json_value *v;
    struct burl_err err = { 0 };
    char *src = source_dir();
    char *out = unit_mkdir();
    char *text;

    (void)state;
    sample_small(&m, src);
    EXPECT_OK(burl_report_cover_html(&m, out, &err), &err);
    text = read_page(out, "index.html");
    assert_int_equal(count(text, "<svg "), BURL_METRIC__N);
    EXPECT_CONTAINS(text, "53.8%");
    EXPECT_CONTAINS(text, "href=\"file/1-bank.c.html\"");
    EXPECT_CONTAINS(text, "burl.prune:7");
    free(text);
    text = read_page(out, "file/1-bank.c.html");
    EXPECT_CONTAINS(text, "<div class=\"l hit\" id=\"L16\">");
    EXPECT_CONTAINS(text, "<div class=\"l miss\" id=\"L41\">");
    EXPECT_CONTAINS(text, "Line 17, pairs: 3 covered, 1 outside");
    EXPECT_CONTAINS(text, "id=\"L58\"");
    expect_absent(text, "id=\"L59\"");
    free(text);
    text = read_page(out, "data.js");
    v = parse_data(text);
    assert_int_equal(burl_json_count(burl_json_get(v, "pairs")), m.pairs.n);
    assert_string_equal(
        burl_json_as_str(burl_json_get(burl_json_get(burl_json_get(v, "lines"), "1"), "18"), ""),
        "    q->count++;");
    burl_json_free(v);
    free(text);
    unit_rmdir(out);
    free(src);
    burl_cover_model_deinit(&m);
}

static void
a_very_long_source_is_shown_around_its_pairs(void **state)
{
    struct burl_cover_model m;
    struct burl_err err = { 0 };
    char *src = unit_mkdir();
    char *out = unit_mkdir();
    char *path = burl_path_join(src, "long.c");
    struct burl_buf code = BURL_BUF_INIT;
    uint32_t a;
    uint32_t b;
    char *text;

    (void)state;
    for (unsigned i = 1; i <= 50000; i++)
        burl_buf_printf(&code, "line %u;\n", i);
    EXPECT_OK(burl_fs_write_atomic(path, code.p, code.n, &err), &err);
    burl_cover_model_init(&m);
    a = sample_site(&m, src, "long.c", 3, 1, "f", "x", "r");
    b = sample_site(&m, src, "long.c", 40000, 1, "g", "x", "w");
    sample_pair(&m, a, b, UINT32_MAX, BURL_COVER_UNCOVERED);
    /* A line beyond the end: the source has changed since it was compiled. */
    sample_pair(&m, a, sample_site(&m, src, "long.c", 4000000000u, 1, "h", "x", "w"), UINT32_MAX,
                BURL_COVER_COVERED);
    EXPECT_OK(burl_report_cover_html(&m, out, &err), &err);
    text = read_page(out, "file/1-long.c.html");
    EXPECT_CONTAINS(text, "id=\"L1\"");
    EXPECT_CONTAINS(text, "id=\"L9\"");
    expect_absent(text, "id=\"L10\"");
    EXPECT_CONTAINS(text, "39984 lines without pairs");
    EXPECT_CONTAINS(text, "<code>line 40000;</code>");
    EXPECT_CONTAINS(text, "id=\"L4000000000\"");
    assert_true(strlen(text) < 20000);
    free(text);
    burl_buf_deinit(&code);
    free(path);
    unit_rmdir(src);
    unit_rmdir(out);
    burl_cover_model_deinit(&m);
}

static void
too_many_pairs_keep_the_best_gaps(void **state)
{
    struct burl_cover_model m;
    struct burl__cover_html h;
    uint32_t n = BURL__COVER_HTML_PAIRS + 5000;
    size_t worst = 0;

    (void)state;
    burl_cover_model_init(&m);
    for (uint32_t i = 0; i < n; i++) {
        struct burl_cover_pair *p = BURL_VEC_ADD(&m.pairs);

        p->state = i % 4 == 0 ? BURL_COVER_COVERED : BURL_COVER_UNCOVERED;
        p->variable = UINT32_MAX;
        p->rank = i % 4 == 0 ? 0 : n - i; /* the last ones are the best */
    }
    burl__cover_html_plan(&h, &m);
    assert_int_equal(h.pairs.n, BURL__COVER_HTML_PAIRS);
    for (size_t i = 0; i < h.pairs.n; i++) {
        if (m.pairs.v[h.pairs.v[i]].rank > worst)
            worst = m.pairs.v[h.pairs.v[i]].rank;
        assert_int_equal(burl__cover_html_number(&h, h.pairs.v[i]), i);
    }
    assert_true(worst < n - 5000);
    assert_int_equal(burl__cover_html_number(&h, 1), SIZE_MAX);
    burl__cover_html_deinit(&h);
    burl_cover_model_deinit(&m);
}

static void
the_same_model_gives_the_same_bytes(void **state)
{
    static const char *const names[] = {
        "index.html", "pairs.html",         "variables.html",
        "data.js",    "file/1-bank.c.html", "file/2-queue.c.html"
    };
    struct burl_cover_model m;
    struct burl_err err = { 0 };
    char *src = source_dir();
    char *one = unit_mkdir();
    char *two = unit_mkdir();

    (void)state;
    sample_small(&m, src);
    EXPECT_OK(burl_report_cover_html(&m, one, &err), &err);
    EXPECT_OK(burl_report_cover_html(&m, two, &err), &err);
    EXPECT_OK(burl_report_cover_html(&m, two, &err), &err); /* over itself */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *a = read_page(one, names[i]);
        char *b = read_page(two, names[i]);

        assert_string_equal(a, b);
        free(a);
        free(b);
    }
    unit_rmdir(one);
    unit_rmdir(two);
    free(src);
    burl_cover_model_deinit(&m);
}

static void
a_page_that_cannot_be_written_is_an_error(void **state)
{
    struct burl_cover_model m;
    struct burl_err err = { 0 };
    char *dir = unit_mkdir();
    char *file = burl_path_join(dir, "taken");

    (void)state;
    burl_cover_model_init(&m);
    EXPECT_OK(burl_fs_write_atomic(file, "x", 1, &err), &err);
    EXPECT_STATUS(burl_report_cover_html(&m, file, &err), BURL_E_IO, &err);
    EXPECT_CONTAINS(err.msg, "taken");
    free(file);
    unit_rmdir(dir);
    burl_cover_model_deinit(&m);
}

static void
scripts_are_in_the_program_byte_for_byte(void **state)
{
    size_t n = 0;

    (void)state;
    for (const struct burl__cover_asset *a = burl__cover_assets; a->name != NULL; a++, n++) {
        char *rel = burl_xasprintf("src/report/cover/html/%s", a->name);
        char *text = read_page(tb_root(), rel);

        assert_string_equal(a->text, text);
        free(text);
        free(rel);
    }
    assert_true(n >= 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_json_and_lcov_look_like_this),
        cmocka_unit_test(color_and_arrows_only_when_asked_for),
        cmocka_unit_test(text_fits_its_width),
        cmocka_unit_test(gaps_come_by_rank_and_the_rest_is_counted),
        cmocka_unit_test(only_everything_is_a_hundred_percent),
        cmocka_unit_test(an_empty_model_renders),
        cmocka_unit_test(without_a_target_nothing_is_a_share),
        cmocka_unit_test(a_target_of_nothing_is_reached_and_says_why),
        cmocka_unit_test(what_lines_and_blocks_count_is_said),
        cmocka_unit_test(every_power_of_ten_has_its_number),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(the_page_has_lines_pairs_and_curves),
        cmocka_unit_test(a_very_long_source_is_shown_around_its_pairs),
        cmocka_unit_test(too_many_pairs_keep_the_best_gaps),
        cmocka_unit_test(the_same_model_gives_the_same_bytes),
        cmocka_unit_test(a_page_that_cannot_be_written_is_an_error),
        cmocka_unit_test(scripts_are_in_the_program_byte_for_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
