/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc_junit.c - findings as JUnit XML, the test results that every CI system reads.
 *
 * Runs in the host. A suite for each tested program; in it a failed test case for each finding, or
 * one for the campaign when there is none. There is no standard; the attributes are those that
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

static bool
has_same_name(const struct burl_finding *f, const struct burl_finding *other)
{
    return strcmp(f->command, other->command) == 0 && strcmp(f->kind, other->kind) == 0 &&
           strcmp(f->title, other->title) == 0;
}

/* Readers take test cases of one name for one test and show the first: the second is named
 * "title (2)". */
static void
put_name(const struct burl_report_doc *d, size_t at, struct burl_buf *out)
{
    const struct burl_finding *f = d->v[at];
    struct burl_buf name = BURL_BUF_INIT;
    size_t n = 1;

    for (size_t i = 0; i < at; i++)
        n += has_same_name(f, d->v[i]);
    burl_buf_str_append(&name, f->title);
    if (n > 1)
        burl_buf_printf(&name, " (%zu)", n);
    put_attribute(out, "name", burl_buf_str(&name));
    burl_buf_deinit(&name);
}

static void
put_case(const struct burl_report_doc *d, size_t at, struct burl_buf *out)
{
    const struct burl_finding *f = d->v[at];
    const struct burl_finding_loc *loc = burl__doc_place(f);

    burl_buf_str_append(out, "    <testcase");
    put_attribute(out, "classname", f->kind);
    put_name(d, at, out);
    if (loc != NULL) {
        put_attribute(out, "file", burl__doc_path(d, loc->file));
        burl_buf_printf(out, " line=\"%u\"", loc->line);
    }
    burl_buf_str_append(out, ">\n");
    put_failure(f, out);
    burl_buf_str_append(out, "    </testcase>\n");
}

enum verdict { PASSED, FAILED, BROKEN };

static size_t
count_findings(const struct burl_report_doc *d, const char *program)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        n += strcmp(d->v[i]->command, program) == 0;
    return n;
}

/* The verdict of a program that no finding names. A finding that several programs have names the
 * last of them, so findings may be those of another program; and a campaign that failed or was
 * interrupted is no test that passed. */
static enum verdict
verdict_of(const struct burl_report_program *p)
{
    if (p->exit_code == BURL_EXIT_CLEAN)
        return PASSED;
    return p->exit_code == BURL_EXIT_FINDINGS ? FAILED : BROKEN;
}

/* Some readers show the message and others the text. */
static void
put_problem(const char *element, const char *why, struct burl_buf *out)
{
    burl_buf_printf(out, "      <%s type=\"burl\" message=\"%s\">%s</%s>\n", element, why, why,
                    element);
}

static void
put_verdict(const struct burl_report_program *p, struct burl_buf *out)
{
    static const char *const names[] = { "no findings", "findings", "campaign" };
    const enum verdict verdict = verdict_of(p);

    burl_buf_printf(out, "    <testcase classname=\"burl\" name=\"%s\"", names[verdict]);
    if (verdict == PASSED) {
        burl_buf_str_append(out, "/>\n");
        return;
    }
    burl_buf_str_append(out, ">\n");
    if (verdict == FAILED)
        put_problem("failure", "its findings are listed with another program, which has them too",
                    out);
    else if (p->exit_code < 0)
        put_problem("error", "the campaign has not ended", out);
    else {
        char *why = burl_xasprintf("the campaign ended with exit code %d", p->exit_code);

        put_problem("error", why, out);
        free(why);
    }
    burl_buf_str_append(out, "    </testcase>\n");
}

struct totals {
    size_t tests;
    size_t failures;
    size_t errors;
};

static void
count(const struct burl_report_doc *d, const struct burl_report_program *p, struct totals *t)
{
    const size_t n = count_findings(d, p->command);

    t->tests += n > 0 ? n : 1;
    t->failures += n;
    if (n == 0) {
        t->failures += verdict_of(p) == FAILED;
        t->errors += verdict_of(p) == BROKEN;
    }
}

static void
put_suite(const struct burl_report_doc *d, const struct burl_report_program *p,
          struct burl_buf *out)
{
    struct totals t = { 0 };

    count(d, p, &t);
    burl_buf_str_append(out, "  <testsuite");
    put_attribute(out, "name", p->command[0] != '\0' ? p->command : "burl");
    burl_buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n", t.tests,
                    t.failures, t.errors);
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->v[i]->command, p->command) == 0)
            put_case(d, i, out);
    }
    if (count_findings(d, p->command) == 0)
        put_verdict(p, out);
    burl_buf_str_append(out, "  </testsuite>\n");
}

/* Each program once: those of campaigns, and those of findings that no campaign has. */
static size_t
list_programs(const struct burl_report_doc *d, struct burl_report_program *out)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n_programs + d->n; i++) {
        const struct burl_report_program p =
            i < d->n_programs
                ? d->programs[i]
                : (struct burl_report_program){ .command = d->v[i - d->n_programs]->command };
        bool is_known = false;

        for (size_t k = 0; k < n && !is_known; k++)
            is_known = strcmp(out[k].command, p.command) == 0;
        if (!is_known)
            out[n++] = p;
    }
    return n;
}

void
burl_report_doc_junit(const struct burl_report_doc *d, struct burl_buf *out)
{
    struct burl_report_program *programs = burl_xcalloc(d->n_programs + d->n + 1, sizeof *programs);
    size_t n = list_programs(d, programs);
    struct totals t = { 0 };

    if (n == 0)
        programs[n++].command = "";
    for (size_t i = 0; i < n; i++)
        count(d, &programs[i], &t);
    burl_buf_printf(out,
                    "<\?xml version=\"1.0\" encoding=\"UTF-8\"\?>\n<testsuites name=\"burl\" "
                    "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                    t.tests, t.failures, t.errors);
    for (size_t i = 0; i < n; i++)
        put_suite(d, &programs[i], out);
    burl_buf_str_append(out, "</testsuites>\n");
    free(programs);
}
