/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_junit.c - findings as JUnit XML, the test results that every CI system reads.
 *
 * Runs in the host. A suite for each tested program; in it a failed test case for each finding, or
 * one passed test case when there is none. There is no standard; the attributes are those that
 * Jenkins, GitLab and GitHub actions have in common, and `file` and `line`, which others ignore.
 */
#include <string.h>

#include "base/printable.h"
#include "report/render/doc_int.h"

/* XML 1.0 has no way to write U+FFFE and U+FFFF. */
static bool
is_noncharacter(const char *s)
{
    return strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0;
}

/* Text that is clean already, for an element or an attribute. */
static void
put_xml(struct burl_buf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&')
            burl_buf_str_append(out, "&amp;");
        else if (*text == '<')
            burl_buf_str_append(out, "&lt;");
        else if (*text == '>')
            burl_buf_str_append(out, "&gt;");
        else if (*text == '"')
            burl_buf_str_append(out, "&quot;");
        else if (is_noncharacter(text)) {
            burl_buf_char(out, '?');
            text += 2;
        } else
            burl_buf_char(out, *text);
    }
}

static void
put_attribute(struct burl_buf *out, const char *name, const char *text)
{
    struct burl_buf clean = BURL_BUF_INIT;

    burl__doc_put_clean(&clean, text);
    burl_buf_printf(out, " %s=\"", name);
    put_xml(out, burl_buf_str(&clean));
    burl_buf_char(out, '"');
    burl_buf_deinit(&clean);
}

static void
put_failure(const struct burl_finding *f, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;

    burl_buf_str_append(out, "      <failure");
    put_attribute(out, "type", f->kind);
    put_attribute(out, "message", f->title);
    burl_buf_char(out, '>');
    burl__doc_put_report(&text, f);
    put_xml(out, burl_buf_str(&text));
    burl_buf_str_append(out, "</failure>\n");
    burl_buf_deinit(&text);
}

static void
put_case(const struct burl_report_doc *d, const struct burl_finding *f, struct burl_buf *out)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);

    burl_buf_str_append(out, "    <testcase");
    put_attribute(out, "classname", f->kind);
    put_attribute(out, "name", f->title);
    if (loc != NULL) {
        put_attribute(out, "file", burl__doc_path(d, loc->file));
        burl_buf_printf(out, " line=\"%u\"", loc->line);
    }
    burl_buf_str_append(out, ">\n");
    put_failure(f, out);
    burl_buf_str_append(out, "    </testcase>\n");
}

static void
put_suite(const struct burl_report_doc *d, const char *program, struct burl_buf *out)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += strcmp(d->v[i]->command, program) == 0;
    burl_buf_str_append(out, "  <testsuite");
    put_attribute(out, "name", program[0] != '\0' ? program : "burl");
    burl_buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\">\n",
                    n > 0 ? n : 1, n);
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->v[i]->command, program) == 0)
            put_case(d, d->v[i], out);
    }
    if (n == 0)
        burl_buf_str_append(out, "    <testcase classname=\"burl\" name=\"no findings\"/>\n");
    burl_buf_str_append(out, "  </testsuite>\n");
}

/* Each program once: those of campaigns, and those of findings that no campaign has. */
static size_t
list_programs(const struct burl_report_doc *d, const char **out)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n_programs + d->n; i++) {
        const char *program = i < d->n_programs ? d->programs[i] : d->v[i - d->n_programs]->command;
        bool is_known = false;

        for (size_t k = 0; k < n && !is_known; k++)
            is_known = strcmp(out[k], program) == 0;
        if (!is_known)
            out[n++] = program;
    }
    return n;
}

void
burl_report_doc_junit(const struct burl_report_doc *d, struct burl_buf *out)
{
    const char **programs = burl_xcalloc(d->n_programs + d->n + 1, sizeof *programs);
    size_t n = list_programs(d, programs);
    size_t passed = 0;

    if (n == 0)
        programs[n++] = "";
    for (size_t i = 0; i < n; i++) {
        bool failed = false;

        for (size_t k = 0; k < d->n && !failed; k++)
            failed = strcmp(d->v[k]->command, programs[i]) == 0;
        passed += !failed;
    }
    burl_buf_printf(out,
                    "<\?xml version=\"1.0\" encoding=\"UTF-8\"\?>\n<testsuites name=\"burl\" "
                    "tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
                    d->n + passed, d->n);
    for (size_t i = 0; i < n; i++)
        put_suite(d, programs[i], out);
    burl_buf_str_append(out, "</testsuites>\n");
    free(programs);
}
