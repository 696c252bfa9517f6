/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/completion.c - completion of burl's command line for bash, zsh and fish.
 *
 * Runs in the host, when burl is built: `burl help --completion=bash`. A script has two parts: a
 * table made here from the rows of commands.def and options.def, and src/cli/completion/burl.SHELL,
 * which uses it and is inside burl as a string (scripts/gen-strings.sh).
 */
#include <string.h>

#include "cli/command.h"

static const struct {
    const char *name;
    const char *text;
} scripts[] = {
#include "completion.inc"
};

/* Text inside single quotes of a shell. fish has \' for what the others close the quotes for. In
 * the rows of zsh, brackets and colons end the description. */
static void
put_quoted(struct burl_buf *out, const char *text, size_t n, const char *shell)
{
    const bool zsh = strcmp(shell, "zsh") == 0;

    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\'')
            burl_buf_str_append(out, strcmp(shell, "fish") == 0 ? "\\'" : "'\\''");
        else if (text[i] == '\\' || (zsh && strchr("[]:", text[i])))
            burl_buf_printf(out, "\\%c", text[i]);
        else
            burl_buf_char(out, text[i]);
    }
}

#define DESCRIPTION_B 80u

/* The first sentence of the help, without its full stop; of a long one what stands before its list
 * or its second clause: the rest would not fit a line. */
static void
put_description(struct burl_buf *out, const char *help, const char *shell)
{
    static const char *const ends[] = { ": ", "; " };
    const char *end = strstr(help, ". ");
    size_t n = end ? (size_t)(end - help) : strlen(help);

    n -= n > 0 && help[n - 1] == '.';
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && n > DESCRIPTION_B; i++) {
        end = strstr(help, ends[i]);
        if (end != NULL && (size_t)(end - help) < n)
            n = (size_t)(end - help);
    }
    put_quoted(out, help, n, shell);
}

/* "a|b|c" with another separator. */
static void
put_choices(struct burl_buf *out, const char *words)
{
    for (; *words; words++)
        burl_buf_char(out, *words == '|' ? ' ' : *words);
}

/* ---- bash */

static void
put_bash_value(struct burl_buf *out, const struct burl_option_row *row)
{
    static const char *const kinds[] = {
        [BURL_VALUE_FILE] = "@file",
        [BURL_VALUE_DIR] = "@dir",
        [BURL_VALUE_OTHER] = "@other",
    };

    burl_buf_str_append(out, "                ");
    if (row->letter)
        burl_buf_printf(out, "-%c | ", row->letter);
    burl_buf_printf(out, "--%s) value='", row->name);
    if (row->kind == BURL_VALUE_CHOICE)
        put_choices(out, row->value);
    else
        burl_buf_str_append(out, kinds[row->kind]);
    burl_buf_printf(out, "'%s ;;\n", row->is_value_optional ? " optional=yes" : "");
}

static void
put_bash_command(struct burl_buf *out, const struct burl_command *c)
{
    struct burl_option_row row;

    burl_buf_printf(out, "        %s)\n            arguments='%s'\n            options='", c->name,
                    c->arguments);
    for (size_t at = 0; burl_options_next(c->on, &at, &row);)
        burl_buf_printf(out, " --%s%s", row.name,
                        row.kind != BURL_VALUE_NONE && !row.is_value_optional ? "=" : "");
    burl_buf_str_append(out, "'\n            case $2 in\n");
    for (size_t at = 0; burl_options_next(c->on, &at, &row);) {
        if (row.kind != BURL_VALUE_NONE)
            put_bash_value(out, &row);
    }
    burl_buf_str_append(out, "            esac ;;\n");
}

static void
put_bash(struct burl_buf *out)
{
    burl_buf_str_append(out, "# bash completion of burl, made by `burl help --completion=bash`\n"
                             "_burl_commands='");
    for (const struct burl_command *c = burl_commands; c->name; c++)
        burl_buf_printf(out, " %s", c->name);
    burl_buf_str_append(out, "'\n\n_burl_table()\n{\n    case $1 in\n");
    for (const struct burl_command *c = burl_commands; c->name; c++)
        put_bash_command(out, c);
    burl_buf_str_append(out, "    esac\n}\n\n");
}

/* ---- zsh */

static void
put_zsh_option(struct burl_buf *out, const struct burl_option_row *row)
{
    const bool valued = row->kind != BURL_VALUE_NONE;

    burl_buf_str_append(out, "                ");
    if (row->letter)
        burl_buf_printf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
                        valued ? "+" : "", row->name, valued ? "=" : "");
    else
        burl_buf_printf(out, "'--%s%s[", row->name,
                        row->is_value_optional ? "=-"
                        : valued               ? "="
                                               : "");
    put_description(out, row->help, "zsh");
    burl_buf_char(out, ']');
    if (valued) {
        burl_buf_str_append(out, row->is_value_optional ? "::" : ":");
        put_quoted(out, row->kind == BURL_VALUE_CHOICE ? row->name : row->value,
                   strlen(row->kind == BURL_VALUE_CHOICE ? row->name : row->value), "zsh");
        burl_buf_char(out, ':');
    }
    if (row->kind == BURL_VALUE_CHOICE) {
        burl_buf_char(out, '(');
        put_choices(out, row->value);
        burl_buf_char(out, ')');
    } else if (row->kind == BURL_VALUE_FILE || row->kind == BURL_VALUE_DIR) {
        burl_buf_str_append(out, row->kind == BURL_VALUE_FILE ? "_files" : "_files -/");
    }
    burl_buf_str_append(out, "'\n");
}

static void
put_zsh(struct burl_buf *out)
{
    burl_buf_str_append(out, "#compdef burl burl-cc burl-c++\n"
                             "# zsh completion of burl, made by `burl help --completion=zsh`\n"
                             "typeset -ga _burl_commands=(\n");
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        burl_buf_printf(out, "    '%s:", c->name);
        put_quoted(out, c->summary, strlen(c->summary), "zsh");
        burl_buf_str_append(out, "'\n");
    }
    burl_buf_str_append(out, ")\n\n_burl_table() {\n    case $1 in\n");
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        struct burl_option_row row;

        burl_buf_printf(out, "        (%s)\n            arguments='%s'\n            options=(\n",
                        c->name, c->arguments);
        for (size_t at = 0; burl_options_next(c->on, &at, &row);)
            put_zsh_option(out, &row);
        burl_buf_str_append(out, "            ) ;;\n");
    }
    burl_buf_str_append(out, "    esac\n}\n\n");
}

/* ---- fish */

static void
put_fish_option(struct burl_buf *out, const char *words, const struct burl_option_row *row)
{
    burl_buf_printf(out, "%s -l %s", words, row->name);
    if (row->letter)
        burl_buf_printf(out, " -s %c", row->letter);
    switch (row->kind) {
    case BURL_VALUE_NONE:
        break;
    case BURL_VALUE_CHOICE:
        burl_buf_str_append(out, " -x -a '");
        put_choices(out, row->value);
        burl_buf_char(out, '\'');
        break;
    case BURL_VALUE_FILE:
        burl_buf_str_append(out, " -r -F");
        break;
    case BURL_VALUE_DIR:
        burl_buf_str_append(out, " -x -a '(__burl_directories)'");
        break;
    case BURL_VALUE_OTHER:
        burl_buf_str_append(out, row->is_value_optional ? "" : " -x");
        break;
    }
    burl_buf_str_append(out, " -d '");
    put_description(out, row->help, "fish");
    burl_buf_str_append(out, "'\n");
}

/* What the words of a command may be. */
static void
put_fish_arguments(struct burl_buf *out, const char *words, const char *arguments)
{
    for (const char *p = arguments; *p;) {
        const size_t n = strcspn(p, " ");

        burl_buf_str_append(out, words);
        if (strncmp(p, "program", n) == 0 || strncmp(p, "file", n) == 0) {
            burl_buf_str_append(out, " -F\n");
        } else if (strncmp(p, "finding", n) == 0) {
            burl_buf_str_append(out, " -a '(__burl_findings)'\n");
        } else if (strncmp(p, "command", n) == 0) {
            burl_buf_str_append(out, " -a '");
            for (const struct burl_command *c = burl_commands; c->name; c++)
                burl_buf_printf(out, " %s", c->name);
            burl_buf_str_append(out, "'\n");
        } else {
            burl_buf_str_append(out, " -a '");
            for (size_t i = 0; i < n; i++)
                burl_buf_char(out, p[i] == '|' ? ' ' : p[i]);
            burl_buf_str_append(out, "'\n");
        }
        p += n + (p[n] == ' ');
    }
}

static void
put_fish_command(struct burl_buf *out, const struct burl_command *c)
{
    char alias[64];
    char words[64];
    struct burl_option_row row;

    burl_buf_printf(out, "complete -c burl -n __burl_command -a '%s' -d '", c->name);
    put_quoted(out, c->summary, strlen(c->summary), "fish");
    burl_buf_str_append(out, "'\n");
    snprintf(words, sizeof words, "complete -c burl -n '__burl_command %s'", c->name);
    snprintf(alias, sizeof alias, "complete -c burl-%s", c->name);
    put_fish_arguments(out, words, c->arguments);
    for (size_t at = 0; burl_options_next(c->on, &at, &row);) {
        put_fish_option(out, words, &row);
        if (c->on == BURL_ON_CC)
            put_fish_option(out, alias, &row);
    }
}

static void
put_fish(struct burl_buf *out)
{
    burl_buf_str_append(out, "\n# The rows, made by `burl help --completion=fish`\n"
                             "complete -c burl -f\n");
    for (const struct burl_command *c = burl_commands; c->name; c++)
        put_fish_command(out, c);
}

bool
burl_cli_completion(struct burl_buf *out, const char *shell)
{
    static const struct {
        const char *shell;
        void (*before)(struct burl_buf *out);
        void (*after)(struct burl_buf *out);
    } shells[] = {
        { "bash", put_bash, NULL },
        { "zsh", put_zsh, NULL },
        { "fish", NULL, put_fish },
    };

    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].shell, shell) != 0)
            continue;
        if (shells[i].before)
            shells[i].before(out);
        for (size_t j = 0; j < sizeof scripts / sizeof scripts[0]; j++) {
            if (strcmp(strchr(scripts[j].name, '.') + 1, shell) == 0)
                burl_buf_str_append(out, scripts[j].text);
        }
        if (shells[i].after)
            shells[i].after(out);
        return true;
    }
    return false;
}
