/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/print.c - what all commands print alike: failures, usage errors, help, JSON documents.
 *
 * Runs in the host. Messages are one line, begin with "burl: " and go to
 * standard error.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/printable.h"
#include "base/shellwords.h"
#include "cli/command.h"

/* Names of files and what a program printed may be part of it. */
static void
print_message(const char *msg)
{
    bool color = burl_cli_color(NULL, stderr);
    char *text = burl_xstrdup(msg);

    burl_printable_fix_n(text, strlen(text), true);
    fflush(stdout);
    fprintf(stderr, "%sburl:%s %s\n", color ? "\033[1;31m" : "", color ? "\033[0m" : "", text);
    free(text);
}

int
burl_cli_fail(const struct burl_err *err)
{
    print_message(err->msg);
    return burl_err_exit_code(err->code);
}

int
burl_cli_usage(const char *command, const char *fmt, ...)
{
    char msg[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    print_message(msg);
    if (command)
        fprintf(stderr, "burl: see `burl %s --help`\n", command);
    else
        fprintf(stderr, "burl: see `burl help`\n");
    return BURL_EXIT_USAGE;
}

void
burl_cli_put(struct burl_buf *b, FILE *out)
{
    burl_printable_fix_report(b, 0, true);
    fwrite(burl_buf_str(b), 1, b->n, out);
    burl_buf_deinit(b);
}

void
burl_cli_help(FILE *out, const struct burl_command *c)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_buf_printf(&b, "burl %s - %s\n\nusage: %s\n", c->name, c->summary, c->usage);
    if (*c->details)
        burl_buf_printf(&b, "\n%s\n", c->details);
    if (c->on != BURL_ON_NONE) {
        burl_buf_str_append(&b, "\noptions:\n");
        burl_cli_describe_options(&b, c->on);
        burl_buf_str_append(&b, "\nenvironment:\n");
        burl_cli_describe_variables(&b, c->on);
    }
    burl_buf_printf(&b, "\nexample:\n  %s\n", c->example);
    burl_cli_put(&b, out);
}

bool
burl_cli_color(const struct burl_options *opts, FILE *f)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    const char *said = opts ? opts->color : "";

    if (strcmp(said, "always") == 0)
        return true;
    if (strcmp(said, "never") == 0 || (no_color && *no_color))
        return false;
    return isatty(fileno(f)) && term && strcmp(term, "dumb") != 0;
}

struct burl_json_writer *
burl_cli_json_begin(struct burl_cli_json *doc)
{
    burl_buf_init(&doc->b, BURL_BUF_NO_LIMIT);
    burl_json_writer_init(&doc->w, &doc->b, 2);
    burl_json_object_begin(&doc->w);
    return &doc->w;
}

void
burl_cli_json_end(struct burl_cli_json *doc, FILE *out)
{
    burl_json_object_end(&doc->w);
    burl_json_writer_finish(&doc->w);
    /* JSON escapes what it must, and the rest is data. */
    fwrite(burl_buf_str(&doc->b), 1, doc->b.n, out);
    burl_buf_deinit(&doc->b);
}

int64_t
burl_cli_finding_number(const char *word)
{
    char *end;
    long long id;

    errno = 0;
    id = strtoll(word, &end, 10);
    return errno == 0 && *end == '\0' && end != word && id > 0 ? id : 0;
}

char *
burl_cli_replay_command(const struct burl_options *opts, int64_t id)
{
    char *number = burl_xasprintf("%lld", (long long)id);
    char *dir = burl_xasprintf("--dir=%s", opts->dir);
    const char *words[] = { "burl", "replay", number, NULL, NULL };
    char *command;

    if (strcmp(opts->dir, ".burl") != 0) {
        words[2] = dir;
        words[3] = number;
    }
    command = burl_shellwords_join(words);
    free(number);
    free(dir);
    return command;
}

void
burl_cli_say_no_replay(FILE *out, const char *program)
{
    char *quoted = burl_shellwords_quote(program);

    fprintf(out, "free runs cannot be replayed; use `burl test %s`\n", quoted);
    free(quoted);
}

const char *
burl_cli_shown(const char *text)
{
    static char shown[4][4096];
    static unsigned at;
    char *to = shown[at++ % 4];

    snprintf(to, sizeof shown[0], "%s", text ? text : "");
    burl_printable_fix_n(to, strlen(to), false);
    return to;
}
