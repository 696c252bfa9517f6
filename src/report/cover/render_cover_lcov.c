/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_lcov.c - an lcov tracefile, for the tools that read those.
 *
 * Runs in the host. The format knows lines, functions and branches; location pairs are none of
 * these and are not disguised as one: they are in comments, which readers skip. The runtime says
 * that a line was executed, not how often, so the count of a DA record is 1 or 0.
 */
#include "report/cover/render_cover_int.h"

/* A record is a line: a name with a line break in it would begin another. */
static void
put_line(struct burl_buf *out, const char *s)
{
    for (; *s != '\0'; s++)
        burl_buf_char(out, *s == '\n' || *s == '\r' ? ' ' : *s);
    burl_buf_char(out, '\n');
}

/* Both lists are ascending; a line in both was executed. */
static void
put_lines(const struct burl_cover_file *f, struct burl_buf *out)
{
    uint32_t found = 0;
    uint32_t hit = 0;
    size_t h = 0;
    size_t m = 0;

    while (h < f->hit.n || m < f->missed.n) {
        bool is_hit = m == f->missed.n || (h < f->hit.n && f->hit.v[h] <= f->missed.v[m]);
        uint32_t line = is_hit ? f->hit.v[h] : f->missed.v[m];

        burl_buf_printf(out, "DA:%u,%d\n", line, is_hit ? 1 : 0);
        while (h < f->hit.n && f->hit.v[h] == line)
            h++;
        while (m < f->missed.n && f->missed.v[m] == line)
            m++;
        found++;
        hit += is_hit;
    }
    burl_buf_printf(out, "LF:%u\nLH:%u\n", found, hit);
}

void
burl_report_cover_lcov(const struct burl_cover_model *m, struct burl_buf *out)
{
    burl_buf_str_append(out, "# Line coverage under many interleavings. Pairs are location pairs: "
                             "two accesses to\n# the same memory by two threads, one of them a "
                             "write, with no other access in between.\n# A pair counts in the "
                             "file of each of its two accesses.\n# Program: ");
    put_line(out, burl__cover_str(m->program));
    for (size_t i = 0; i < m->files.n; i++) {
        const struct burl_cover_file *f = &m->files.v[i];

        burl_buf_str_append(out, "TN:\nSF:");
        put_line(out, *burl__cover_str(f->path) != '\0' ? f->path : burl__cover_str(f->file));
        burl_buf_printf(out, "# pairs: %u of %u\n", f->pairs_covered, f->pairs_target);
        put_lines(f, out);
        burl_buf_str_append(out, "end_of_record\n");
    }
}
