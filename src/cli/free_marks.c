/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/free_marks.c - what a search has learned about places, in the file of its best setting.
 *
 * Runs in the host. Two kinds of comment lines, which readers of the setting itself pass over
 * (docs/formats/noise.md):
 *     #: build 0123456789abcdef
 *     #: marks 17=4 18=5:2
 * Numbers of sites belong to one build: with another one the marks are not used, and that is said.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "cli/free_int.h"

#define FILE_MAX_B ((size_t)1 << 20)
#define MARKS_MAX 50000u
#define PER_LINE 12u
#define SITES_MAX (1u << 24)

static const char build_head[] = "#: build ";
static const char marks_head[] = "#: marks ";

void
burl__free_marks_write(struct burl_buf *out, const char *build_id, const uint8_t *marks,
                       const uint32_t *variables, size_t n, uint8_t wanted)
{
    uint32_t n_written = 0;

    if (wanted == 0)
        return;
    burl_buf_printf(out, "%s%s\n", build_head, build_id);
    for (size_t i = 0; i < n && n_written < MARKS_MAX; i++) {
        if ((marks[i] & wanted) == 0)
            continue;
        burl_buf_printf(out, "%s%zu=%u", n_written % PER_LINE == 0 ? marks_head : " ", i,
                        (unsigned)(marks[i] & wanted));
        if (variables && variables[i] != 0)
            burl_buf_printf(out, ":%" PRIu32, variables[i]);
        n_written++;
        if (n_written % PER_LINE == 0)
            burl_buf_char(out, '\n');
    }
    if (n_written % PER_LINE != 0)
        burl_buf_char(out, '\n');
}

static void
grow(struct burl_free_session *s, size_t n)
{
    if (n <= s->n_marks)
        return;
    s->marks = burl_xrealloc(s->marks, n);
    s->variables = burl_xrealloc(s->variables, n * sizeof *s->variables);
    memset(s->marks + s->n_marks, 0, n - s->n_marks);
    memset(s->variables + s->n_marks, 0, (n - s->n_marks) * sizeof *s->variables);
    s->n_marks = n;
}

static enum burl_status
read_marks(struct burl_free_session *s, const char *text, unsigned line, struct burl_err *err)
{
    while (*text && *text != '\n') {
        char *end;
        const unsigned long site = strtoul(text, &end, 10);
        const unsigned long marks = *end == '=' ? strtoul(end + 1, &end, 10) : 256;
        const unsigned long variable = *end == ':' ? strtoul(end + 1, &end, 10) : 0;

        if (site >= SITES_MAX || marks > 255 || variable > UINT32_MAX ||
            (*end != ' ' && *end != '\n' && *end != '\0'))
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "%s:%u: marks are SITE=MARKS or SITE=MARKS:VARIABLE, as burl tune "
                                "writes them",
                                s->opts->noise, line);
        grow(s, site + 1);
        s->marks[site] = (uint8_t)marks;
        s->variables[site] = (uint32_t)variable;
        text = end + strspn(end, " ");
    }
    return BURL_OK;
}

enum burl_status
burl__free_marks_read(struct burl_free_session *s, struct burl_err *err)
{
    char *content = NULL;
    unsigned line = 1;
    enum burl_status st;

    if (!burl_fs_exists(s->opts->noise))
        return BURL_OK;
    st = burl_fs_read_file(s->opts->noise, FILE_MAX_B, &content, NULL, err);
    for (const char *at = content; st == BURL_OK && at; line++) {
        if (strncmp(at, build_head, sizeof build_head - 1) == 0)
            sscanf(at + sizeof build_head - 1, "%16[0-9a-f]", s->marks_build);
        else if (strncmp(at, marks_head, sizeof marks_head - 1) == 0)
            st = read_marks(s, at + sizeof marks_head - 1, line, err);
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    free(content);
    return st;
}

void
burl__free_marks_print(const struct burl_free_session *s, FILE *out)
{
    if (s->marks && strcmp(s->marks_build, s->build_id) != 0)
        fprintf(
            out,
            "note: the places in %s are of another build of the program; run `burl tune` again\n",
            s->opts->noise);
}
