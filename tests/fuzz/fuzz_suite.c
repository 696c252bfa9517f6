/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_suite.c - the readers of suites take any bytes: burl.tests, and what CTest and
 * Meson print.
 *
 * Beyond not crashing: a test that was accepted has a name, a command, an environment and a
 * directory, and no other test of burl.tests has its name.
 */
#include "fuzz.h"

#include "suite/suite_int.h"

const char *const burl_fuzz_seeds[] = {
    "# suite\none: ./a 'b c' # comment\r\ntwo (dir=x, timeout=3s, skip=77, fail): A=1 sh -c '|'\n",
    "a::b: \"q\\\"\" \\$x\nf(int): a (b)\n",
    "{\"version\":{\"major\":1},\"tests\":[{\"name\":\"a\",\"command\":[\"/"
    "x\",\"y\"],\"properties\":"
    "[{\"name\":\"ENVIRONMENT_MODIFICATION\",\"value\":[\"A=set:1\",\"A=path_list_append:2\","
    "\"B=unset:\"]},{\"name\":\"TIMEOUT\",\"value\":1.5}]}]}",
    "[{\"name\":\"a\",\"cmd\":[\"./x\"],\"env\":{\"PATH\":\"1\"},\"suite\":[\"p\"],\"timeout\":3},"
    "{\"name\":\"a\",\"cmd\":[],\"workdir\":null,\"extra_paths\":[\"/e\"]}]",
    NULL,
};

const char *const burl_fuzz_words[] = {
    ":",  ": ", " (", "): ", "dir=", "timeout=", "skip=",     "fail",     "'",
    "\"", "\\", "# ", "\n",  "\r\n", "A=1 ",     "./",        "\"name\"", "\"cmd\"",
    "{",  "}",  "[",  "]",   "null", "\"env\"",  "\"value\"", ",",        NULL,
};

static void
check_suite(const struct burl_suite *s, bool unique)
{
    for (size_t i = 0; i < s->tests.n; i++) {
        const struct burl_suite_test *t = &s->tests.v[i];

        BURL_ASSERT(t->name && t->argv && t->argv[0] && t->env && t->dir && t->dir[0] == '/');
        BURL_ASSERT(!unique || (t->name[0] && t->argv[0][0]));
        BURL_ASSERT(!unique || burl_suite_find(s, t->name) == t);
    }
}

static void
begin(struct burl_suite *s)
{
    *s = (struct burl_suite){ .source = burl_xstrdup("/s/file"), .root = burl_xstrdup("/s") };
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct burl_suite s;
    struct burl_err err;
    size_t n;

    begin(&s);
    if (burl__suite_parse_file(&s, text, size, &err) == BURL_OK)
        check_suite(&s, true);
    burl_suite_deinit(&s);
    begin(&s);
    if (burl__suite_parse_ctest(&s, text, size, &n, &err) == BURL_OK)
        check_suite(&s, false);
    burl_suite_deinit(&s);
    begin(&s);
    if (burl__suite_parse_meson(&s, text, size, &err) == BURL_OK)
        check_suite(&s, false);
    burl_suite_deinit(&s);
    return 0;
}
