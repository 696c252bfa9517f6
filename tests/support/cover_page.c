/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/cover_page.c - writes the coverage page of a model made by hand, to look at it.
 *
 *     cover_page small SOURCES OUT      tests/golden/src
 *     cover_page large SOURCES OUT      500 files, 20000 pairs; SOURCES is filled
 *     cover_page hostile SOURCES OUT
 *     cover_page text|json|lcov SOURCES
 */
#include "cover_sample.h"

static int
print(const char *what, const struct burl_cover_model *m)
{
    const struct burl_report_style style = { .width = 100 };
    struct burl_buf out = BURL_BUF_INIT;

    if (strcmp(what, "text") == 0)
        burl_report_cover_text(m, &style, BURL_COVER_GAPS_DEFAULT, &out);
    else if (strcmp(what, "json") == 0)
        burl_report_cover_json(m, &out);
    else
        burl_report_cover_lcov(m, &out);
    fwrite(burl_buf_str(&out), 1, out.n, stdout);
    burl_buf_deinit(&out);
    return 0;
}

int
main(int argc, char **argv)
{
    struct burl_cover_model m;
    struct burl_err err = { 0 };
    int code = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: cover_page small|large|hostile|text|json|lcov SOURCES [OUT]\n");
        return 2;
    }
    if (strcmp(argv[1], "large") == 0)
        sample_large(&m, argv[2], 500, 20000);
    else if (strcmp(argv[1], "hostile") == 0)
        sample_hostile(&m, argv[2]);
    else
        sample_small(&m, argv[2]);
    if (argc < 4) {
        code = print(argv[1], &m);
    } else if (burl_report_cover_html(&m, argv[3], &err) != BURL_OK) {
        fprintf(stderr, "cover_page: %s\n", err.msg);
        code = 3;
    }
    burl_cover_model_deinit(&m);
    return code;
}
