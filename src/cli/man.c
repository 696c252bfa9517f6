/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/man.c - the man pages: burl(1), burl-cc(1), and burl-COMMAND(1) for every other command.
 *
 * Runs in the host, when burl is built: `burl help --man`. The text is that of commands.def and
 * options.def. The language is the macro package man of groff and mandoc; a hyphen that the user
 * types is \-, which prints as ASCII.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "cli/command.h"

/* Appends n characters of text: backslashes, hyphens and, at the beginning of a line, the
 * characters that begin a request are escaped; text between back quotes becomes bold. */
static void
put_n(struct burl_buf *out, const char *text, size_t n)
{
    bool bold = false;

    for (size_t i = 0; i < n; i++) {
        if (out->n > 0 && out->p[out->n - 1] == '\n' && (text[i] == '.' || text[i] == '\''))
            burl_buf_str_append(out, "\\&");
        switch (text[i]) {
        case '\\':
            burl_buf_str_append(out, "\\e");
            break;
        case '-':
            burl_buf_str_append(out, "\\-");
            break;
        case '`':
            bold = !bold;
            burl_buf_str_append(out, bold ? "\\fB" : "\\fR");
            break;
        default:
            burl_buf_char(out, text[i]);
        }
    }
}

static void
put(struct burl_buf *out, const char *text)
{
    put_n(out, text, strlen(text));
}

/* The value of an option. Long choices may be broken between words: \: allows it. */
static void
put_value(struct burl_buf *out, const char *value)
{
    while (*value) {
        const size_t n = strcspn(value, "|");

        put_n(out, value, n + (value[n] == '|'));
        if (value[n] == '|')
            burl_buf_str_append(out, "\\:");
        value += n + (value[n] == '|');
    }
}

/* Lines that begin with a blank are a table and stay as they are; others are filled. */
static void
put_paragraphs(struct burl_buf *out, const char *text, size_t n)
{
    bool table = false;

    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n'))
        n--;
    for (const char *p = text; p < text + n;) {
        const char *end = memchr(p, '\n', (size_t)(text + n - p));
        const size_t len = (size_t)((end ? end : text + n) - p);

        if ((*p == ' ') != table) {
            table = !table;
            burl_buf_str_append(out, !table ? ".fi\n.PP\n" : p > text ? ".PP\n.nf\n" : ".nf\n");
        }
        put_n(out, p, len);
        burl_buf_char(out, '\n');
        p += len + (end != NULL);
    }
    if (table)
        burl_buf_str_append(out, ".fi\n");
}

static void
put_head(struct burl_buf *out, const char *name, const char *summary)
{
    burl_buf_str_append(out, ".\\\" Made by `burl help --man` when burl is built.\n.TH ");
    for (const char *p = name; *p; p++)
        burl_buf_char(out, (char)toupper((unsigned char)*p));
    burl_buf_printf(out, " 1 \"\" \"burl %s\" \"User Commands\"\n.ad l\n.nh\n.SH NAME\n",
                    BURL_VERSION);
    put(out, name);
    burl_buf_str_append(out, " \\- ");
    put(out, summary);
    burl_buf_char(out, '\n');
}

/* "burl test [options] program, or burl test ...": each alternative on a line of its own. */
static void
put_synopsis(struct burl_buf *out, const char *usage)
{
    static const char or_burl[] = ", or burl";

    burl_buf_str_append(out, ".SH SYNOPSIS\n.nf\n");
    for (const char *p = usage; *p;) {
        const char *next = strstr(p, or_burl);
        const size_t n = next ? (size_t)(next - p) : strlen(p);

        put_n(out, p, n);
        burl_buf_char(out, '\n');
        p += n + (next ? strlen(", or ") : 0);
    }
    burl_buf_str_append(out, ".fi\n");
}

static void
put_option(struct burl_buf *out, const struct burl_option_row *row)
{
    burl_buf_str_append(out, ".TP\n");
    if (row->letter)
        burl_buf_printf(out, "\\fB\\-%c\\fR, ", row->letter);
    burl_buf_str_append(out, "\\fB\\-\\-");
    put(out, row->name);
    burl_buf_str_append(out, "\\fR");
    if (*row->value) {
        burl_buf_str_append(out, row->is_value_optional ? "[=\\fI" : "=\\fI");
        put_value(out, row->value);
        burl_buf_str_append(out, row->is_value_optional ? "\\fR]" : "\\fR");
    }
    burl_buf_char(out, '\n');
    put(out, row->help);
    if (*row->def) {
        burl_buf_str_append(out, " The default is \\fB");
        put(out, row->def);
        burl_buf_str_append(out, "\\fR.");
    }
    burl_buf_char(out, '\n');
}

static void
put_variables(struct burl_buf *out, unsigned on)
{
    const char *name;
    const char *help;

    for (size_t at = 0; burl_options_next_variable(on, &at, &name, &help);) {
        burl_buf_printf(out, ".TP\n\\fB%s\\fR\n", name);
        put(out, help);
        burl_buf_char(out, '\n');
    }
}

static void
put_environment(struct burl_buf *out, unsigned on)
{
    burl_buf_str_append(out, ".SH ENVIRONMENT\n");
    if (on != BURL_ON_CC)
        put(out, "Each option is also read from a variable, `--max-steps` from `BURL_MAX_STEPS`; "
                 "the command line overrides it.\n");
    put_variables(out, on);
}

static void
put_files(struct burl_buf *out)
{
    burl_buf_str_append(out, ".SH FILES\n.TP\n\\fI.burl/\\fR\n");
    put(out, "The store in the current directory: findings with their reports and schedules, "
             "coverage, and what campaigns learned. `--dir` names another one.\n");
}

static void
put_example(struct burl_buf *out, const char *example)
{
    burl_buf_str_append(out, ".SH EXAMPLES\n.nf\n");
    put(out, example);
    burl_buf_str_append(out, "\n.fi\n");
}

/* "burl-test"; the page of burl-cc also describes burl-c++. */
static void
page_name(char *out, size_t n, const struct burl_command *c)
{
    snprintf(out, n, "burl-%s", c->name);
}

static void
put_see_also(struct burl_buf *out, const char *self)
{
    const char *comma = "";

    burl_buf_str_append(out, ".SH SEE ALSO\n");
    if (strcmp(self, "burl") != 0) {
        burl_buf_str_append(out, "\\fBburl\\fR(1)");
        comma = ",\n";
    }
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        char name[48];

        page_name(name, sizeof name, c);
        if (c->on == BURL_ON_NONE || strcmp(name, self) == 0)
            continue;
        burl_buf_printf(out, "%s\\fB", comma);
        put(out, name);
        burl_buf_str_append(out, "\\fR(1)");
        comma = ",\n";
    }
    burl_buf_char(out, '\n');
}

/* Where the sentences about the exit code begin; the end of the text without them. */
static const char *
find_exit_codes(const char *details)
{
    for (const char *p = details; (p = strstr(p, "Exit")) != NULL; p++) {
        if ((p[4] == ' ' || p[4] == '\n') && strncmp(p + 5, "code:", 5) == 0)
            return p;
    }
    return details + strlen(details);
}

static void
put_exit_codes(struct burl_buf *out, const char *text)
{
    burl_buf_str_append(out, ".SH EXIT STATUS\n");
    text = strchr(text, ':') + 2;
    burl_buf_char(out, (char)toupper((unsigned char)text[0]));
    put_paragraphs(out, text + 1, strlen(text + 1));
}

static void
put_command(struct burl_buf *out, const struct burl_command *c)
{
    const char *codes = find_exit_codes(c->details);
    struct burl_option_row row;
    char name[48];

    page_name(name, sizeof name, c);
    put_head(out, name, c->summary);
    put_synopsis(out, c->usage);
    burl_buf_str_append(out, ".SH DESCRIPTION\n");
    if (codes == c->details) {
        burl_buf_char(out, (char)toupper((unsigned char)c->summary[0]));
        put(out, c->summary + 1);
        burl_buf_str_append(out, ".\n");
    }
    put_paragraphs(out, c->details, (size_t)(codes - c->details));
    burl_buf_str_append(out, ".SH OPTIONS\n");
    for (size_t at = 0; burl_options_next(c->on, &at, &row);)
        put_option(out, &row);
    if (*codes)
        put_exit_codes(out, codes);
    if (c->on == BURL_ON_CC) {
        burl_buf_str_append(out, ".SH EXIT STATUS\n");
        put(out, "That of clang; 2 for a wrong option of burl itself, 3 if a part of burl or clang "
                 "is missing.\n");
    }
    put_environment(out, c->on);
    if (c->on != BURL_ON_CC && c->on != BURL_ON_DOCTOR)
        put_files(out);
    put_example(out, c->example);
    put_see_also(out, name);
}

static void
put_burl(struct burl_buf *out)
{
    put_head(out, "burl", "find concurrency bugs in C and C++ programs, and replay them");
    burl_buf_str_append(out, ".SH SYNOPSIS\n.nf\n");
    put(out, "burl command [options] [arguments]\nburl-cc [compiler options] file...\n"
             "burl-c++ [compiler options] file...\n");
    burl_buf_str_append(out, ".fi\n.SH DESCRIPTION\n");
    put(out, "`burl-cc` and `burl-c++` compile a program with clang and instrument it. `burl test` "
             "runs it under many schedules and reports each bug once, with a schedule that "
             "`burl replay` follows exactly. The other commands watch a program at full speed, "
             "measure interleaving coverage, write concurrent tests, and select the tests that a "
             "change calls for.\n");
    burl_buf_str_append(out, ".SH COMMANDS\n");
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        burl_buf_printf(out, ".TP\n\\fB%s\\fR\n", c->name);
        put(out, c->summary);
        burl_buf_char(out, '\n');
    }
    burl_buf_str_append(out, ".SH EXIT STATUS\n");
    for (int code = 0; code <= BURL_EXIT_PROMISE; code++) {
        burl_buf_printf(out, ".TP\n\\fB%d\\fR\n", code);
        put(out, burl_cli_exit_meanings[code]);
        burl_buf_char(out, '\n');
    }
    put_environment(out, ~0u);
    put_files(out);
    burl_buf_str_append(out, ".SH EXAMPLES\n.nf\n");
    put(out, "CC=burl-cc make\nburl test ./prog\nburl replay 1\n");
    burl_buf_str_append(out, ".fi\n");
    put_see_also(out, "burl");
}

void
burl_cli_man(struct burl_buf *out, const struct burl_command *c)
{
    if (c)
        put_command(out, c);
    else
        put_burl(out);
}
