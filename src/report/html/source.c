/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/html/source.c - a source file that a page shows, cut into lines.
 *
 * Runs in the host.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "report/html/html.h"

#define MAX_SOURCE_B ((size_t)64 << 20) /* a larger source is shown without its text */

void
burl__html_source_load(struct burl__html_source *t, const char *path)
{
    struct burl_err err;

    memset(t, 0, sizeof *t);
    if (*path == '\0' || burl_fs_read_file(path, MAX_SOURCE_B, &t->text, &t->n, &err) != BURL_OK) {
        t->text = NULL;
        return;
    }
    for (size_t i = 0; i < t->n;) {
        const char *end = memchr(t->text + i, '\n', t->n - i);

        BURL_VEC_PUSH(&t->at, i);
        i = end != NULL ? (size_t)(end - t->text) + 1 : t->n;
    }
    BURL_VEC_PUSH(&t->at, t->n);
}

void
burl__html_source_deinit(struct burl__html_source *t)
{
    free(t->text);
    BURL_VEC_FREE(&t->at);
}

const char *
burl__html_source_line(const struct burl__html_source *t, uint32_t n, size_t *len)
{
    size_t from;
    size_t to;

    if (n == 0 || (size_t)n >= t->at.n)
        return NULL;
    from = t->at.v[n - 1];
    to = t->at.v[n];
    while (to > from && (t->text[to - 1] == '\n' || t->text[to - 1] == '\r'))
        to--;
    *len = to - from;
    return t->text + from;
}
