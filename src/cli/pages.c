/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/pages.c - the options of a command as --help and the reference page show them.
 *
 * Runs in the host. The rows come from burl_options_next(); man.c and completion.c show the same
 * rows to man and to shells.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"

const char *const burl_cli_exit_meanings[] = {
    [BURL_EXIT_CLEAN] = "nothing found within the budget",
    [BURL_EXIT_FINDINGS] = "findings",
    [BURL_EXIT_USAGE] = "usage: the command line or an environment variable is wrong",
    [BURL_EXIT_FAILURE] = "burl or the machine failed",
    [BURL_EXIT_PROMISE] = "interrupted, or a threshold or check failed: `--fail-under`, "
                          "`--check-determinism`, or an incomplete search that was requested by "
                          "name",
};

/* Appends `text` wrapped at the help's width, each line after the first indented. */
static void
append_wrapped(struct burl_buf *out, const char *text, size_t indent)
{
    const size_t width = 88;
    size_t column = indent;

    while (*text) {
        size_t word = strcspn(text, " ");

        if (column > indent && column + 1 + word > width) {
            burl_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent)
            burl_buf_char(out, ' ');
        burl_buf_append(out, text, word);
        column += word + 1;
        text += word;
        text += *text == ' ';
    }
    burl_buf_char(out, '\n');
}

/* What stands between the name of an option and its value, and after the value. */
static const char *
before_value(const struct burl_option_row *row)
{
    return row->is_value_optional ? "[=" : *row->value ? "=" : "";
}

static const char *
after_value(const struct burl_option_row *row)
{
    return row->is_value_optional ? "]" : "";
}

void
burl_cli_describe_options(struct burl_buf *out, unsigned on)
{
    struct burl_option_row row;

    for (size_t at = 0; burl_options_next(on, &at, &row);) {
        char *text = burl_xasprintf("%s%s%s%s", row.help, *row.def ? " [" : "", row.def,
                                    *row.def ? "]" : "");

        if (row.letter)
            burl_buf_printf(out, "  -%c, ", row.letter);
        else
            burl_buf_str_append(out, "      ");
        burl_buf_printf(out, "--%s%s%s%s\n          ", row.name, before_value(&row), row.value,
                        after_value(&row));
        append_wrapped(out, text, 10);
        free(text);
    }
}

void
burl_cli_describe_variables(struct burl_buf *out, unsigned on)
{
    const char *name;
    const char *help;

    for (size_t at = 0; burl_options_next_variable(on, &at, &name, &help);) {
        burl_buf_printf(out, "  %s\n          ", name);
        append_wrapped(out, help, 10);
    }
}

void
burl_cli_options_markdown(struct burl_buf *out, unsigned on)
{
    struct burl_option_row row;

    burl_buf_str_append(out, "| option | default | environment | meaning |\n|---|---|---|---|\n");
    for (size_t at = 0; burl_options_next(on, &at, &row);) {
        const char *def_quote = *row.def ? "`" : "";
        const char *env_quote = *row.env ? "`" : "";

        burl_buf_str_append(out, "| ");
        if (row.letter)
            burl_buf_printf(out, "`-%c`, ", row.letter);
        burl_buf_printf(out, "`--%s%s", row.name, before_value(&row));
        /* A bare | would end the table's cell. */
        for (const char *p = row.value; *p; p++)
            burl_buf_str_append(out, *p == '|' ? "\\|" : (char[]){ *p, '\0' });
        burl_buf_printf(out, "%s` | %s%s%s | %s%s%s | %s |\n", after_value(&row), def_quote,
                        row.def, def_quote, env_quote, row.env, env_quote, row.help);
    }
    burl_buf_char(out, '\n');
}
