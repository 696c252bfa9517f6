/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c - what the documents of `burl report` share: the place of a finding, paths, clean text.
 *
 * Runs in the host.
 */
#include <string.h>

#include "base/printable.h"
#include "report/render/doc_int.h"

static bool
is_known(const struct burl_finding_loc *loc)
{
    return loc->site != 0 && loc->file[0] != '\0' && loc->line != 0;
}

/* A join only waits for the threads that are stuck. */
static const struct burl_finding_loc *
place_of_wait(const struct burl_finding *f, bool in_cycle, bool joins)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        const struct burl_finding_wait *w = &f->threads[i].wait;

        if (w->waits && (w->in_cycle || !in_cycle) && (joins || w->op != BURL_OP_JOIN) &&
            is_known(&w->loc))
            return &w->loc;
    }
    return NULL;
}

const struct burl_finding_loc *
burl__doc_place(const struct burl_finding *f)
{
    const struct burl_finding_loc *loc;

    if (is_known(&f->where))
        return &f->where;
    for (size_t i = 0; i < f->n_sides; i++) {
        if (is_known(&f->sides[i].loc))
            return &f->sides[i].loc;
    }
    loc = place_of_wait(f, true, true);
    if (loc == NULL)
        loc = place_of_wait(f, false, false);
    if (loc == NULL)
        loc = place_of_wait(f, false, true);
    for (size_t i = f->n_steps; i-- > 0 && loc == NULL;) {
        if (f->steps[i].failure && is_known(&f->steps[i].loc))
            loc = &f->steps[i].loc;
    }
    return loc;
}

const char *
burl__doc_path(const struct burl_report_doc *d, const char *file)
{
    const size_t n = strlen(d->cwd);

    if (n > 0 && strncmp(file, d->cwd, n) == 0 && file[n] == '/' && file[n + 1] != '\0')
        file += n + 1;
    while (file[0] == '.' && file[1] == '/' && file[2] != '\0')
        file += 2;
    return file;
}

const char *
burl__doc_command(const struct burl_finding *f)
{
    return f->replay[0] != '\0' ? f->replay : f->again;
}

bool
burl__doc_is_warning(const struct burl_finding *f)
{
    return f->verdict == BURL_VERDICT_RACE_DATA && !f->orders.failing;
}

void
burl__doc_put_lines(struct burl_buf *out, const char *text)
{
    const size_t mark = out->n;

    burl_buf_str_append(out, text);
    burl_printable_fix_report(out, mark, false);
}

void
burl__doc_put_clean(struct burl_buf *out, const char *text)
{
    const size_t mark = out->n;

    burl__doc_put_lines(out, text);
    for (size_t i = mark; i < out->n; i++) {
        if (out->p[i] == '\n' || out->p[i] == '\t')
            out->p[i] = ' ';
    }
}

void
burl__doc_put_line(struct burl_buf *out, const struct burl_finding *f)
{
    const char *command = burl__doc_command(f);

    burl__doc_put_clean(out, f->title);
    if (command[0] != '\0') {
        burl_buf_str_append(out, " [");
        burl__doc_put_clean(out, command);
        burl_buf_char(out, ']');
    }
}

void
burl__doc_put_message(struct burl_buf *out, const struct burl_finding *f)
{
    const char *command = burl__doc_command(f);

    burl__doc_put_clean(out, f->title);
    if (f->pattern.sentence[0] != '\0') {
        burl_buf_char(out, '\n');
        burl__doc_put_clean(out, f->pattern.sentence);
    }
    if (command[0] != '\0') {
        burl_buf_str_append(out, f->replay[0] != '\0' ? "\nreplay it: " : "\nrun it again: ");
        burl__doc_put_clean(out, command);
    }
}

void
burl__doc_put_report(struct burl_buf *out, const struct burl_finding *f)
{
    static const struct burl_report_style plain = { 0 };

    burl_report_text(f, &plain, out);
}
