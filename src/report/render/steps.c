/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - the interleaving for a terminal, threads side by side.
 *
 * Runs in the host. Time runs downwards, one operation per row, in the column of the
 * thread that did it, with its source line at the right. Columns are as wide as their
 * longest text while everything fits; then they shrink evenly and wrap; when even that
 * leaves no room for words, or there are many threads, each row names its thread
 * instead (the list form).
 */
#include <stdio.h>

#include "base/number.h"
#include "base/path.h"
#include "report/render/render_int.h"

#define MAX_COLUMNS 8u /* more threads side by side cannot be followed by eye */
#define MIN_CELL 16u   /* "read q->head = 0" */
#define MIN_SOURCE 22u /* the first words of a line */
#define STEP_LEAST 6u  /* step numbers, with the mark of a failure; more when they are long */
#define GAP 2u
#define OVERHANG 6u /* a few columns into the empty neighbor read better than a second line */

struct layout {
    const struct burl_finding *f;
    const struct burl_finding_step *steps;
    size_t n_steps;
    const struct burl_report_style *style;
    struct burl_buf *out;
    uint16_t tids[MAX_COLUMNS];
    size_t width[MAX_COLUMNS];
    size_t step_w; /* of the column of step numbers */
    size_t n;
    bool list;
    size_t cells_w; /* all columns with their gaps */
    size_t loc_w;
    size_t source_w;
    size_t name_w;    /* list form: of the thread */
    const char *file; /* the one file of all places, NULL when there are several */
};

static size_t
larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* When all places are in one file, its name stands once, above the column. */
static void
find_file(struct layout *l)
{
    for (size_t i = 0; i < l->n_steps; i++) {
        const struct burl_finding_loc *loc = &l->steps[i].loc;

        if (l->steps[i].type != BURL_FINDING_STEP_OP || loc->line == 0)
            continue;
        if (l->file != NULL && strcmp(l->file, loc->file) != 0) {
            l->file = NULL;
            return;
        }
        l->file = loc->file;
    }
}

static void
loc_text(const struct layout *l, const struct burl_finding_loc *loc, char *out, size_t max)
{
    if (loc->line == 0)
        snprintf(out, max, "%s", l->file != NULL ? "" : loc->func);
    else if (l->file != NULL)
        snprintf(out, max, "%u", loc->line);
    else
        snprintf(out, max, "%s:%u", burl_path_basename(loc->file), loc->line);
}

static void
thread_text(const struct burl_finding *f, uint16_t tid, char *out, size_t max)
{
    const struct burl_finding_thread *t = burl__report_thread_of(f, tid);

    snprintf(out, max, "T%u%s%.40s", tid, t != NULL && t->name[0] != '\0' ? " " : "",
             t != NULL ? t->name : "");
}

/* The column of a thread, made when there is room; SIZE_MAX in the list form. */
static size_t
column_of(struct layout *l, uint16_t tid)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->tids[i] == tid)
            return i;
    }
    return SIZE_MAX;
}

static void
find_columns(struct layout *l)
{
    /* The threads are in ascending order, so the columns are too. */
    for (size_t i = 0; i < l->f->n_threads; i++) {
        uint16_t tid = l->f->threads[i].tid;
        bool used = false;

        for (size_t k = 0; k < l->n_steps; k++)
            used = used || (l->steps[k].type == BURL_FINDING_STEP_OP && l->steps[k].tid == tid);
        if (!used)
            continue;
        if (l->n == MAX_COLUMNS) {
            l->list = true;
            return;
        }
        l->tids[l->n++] = tid;
    }
}

static void
measure_columns(struct layout *l)
{
    char text[256];

    l->step_w = STEP_LEAST;
    for (size_t i = 0; i < l->n; i++) {
        thread_text(l->f, l->tids[i], text, sizeof text);
        l->width[i] = burl__report_columns(text);
    }
    for (size_t k = 0; k < l->n_steps; k++) {
        const struct burl_finding_step *s = &l->steps[k];
        size_t c;

        if (s->type != BURL_FINDING_STEP_OP)
            continue;
        l->step_w = larger(l->step_w, 1 + (size_t)snprintf(text, sizeof text, "%u", s->step));
        loc_text(l, &s->loc, text, sizeof text);
        l->loc_w = larger(l->loc_w, burl__report_columns(text));
        thread_text(l->f, s->tid, text, sizeof text);
        l->name_w = larger(l->name_w, burl__report_columns(text));
        c = column_of(l, s->tid);
        if (c != SIZE_MAX)
            l->width[c] = larger(l->width[c], burl__report_columns(s->text));
    }
    l->loc_w = l->loc_w < 24 ? l->loc_w : 24;
    l->name_w = l->name_w < 20 ? l->name_w : 20;
}

static size_t
sum_widths(const struct layout *l)
{
    size_t sum = 0;

    for (size_t i = 0; i < l->n; i++)
        sum += l->width[i] + GAP;
    return sum;
}

/* Shrinks the widest column by one until all fit; false when words would not. */
static bool
shrink_to(struct layout *l, size_t room)
{
    size_t sum = sum_widths(l);

    while (sum > room) {
        size_t widest = 0;

        for (size_t i = 1; i < l->n; i++) {
            if (l->width[i] > l->width[widest])
                widest = i;
        }
        if (l->n == 0 || l->width[widest] <= MIN_CELL)
            return false;
        l->width[widest]--;
        sum--;
    }
    return true;
}

static void
plan_columns(struct layout *l)
{
    size_t total = burl__report_width(l->style) - l->step_w - GAP;
    size_t source = l->loc_w + GAP + MIN_SOURCE;

    /* Words in the cells come before words of the source. */
    if (!l->list && (total <= source || !shrink_to(l, total - source)) &&
        (total <= l->loc_w + GAP || !shrink_to(l, total - l->loc_w - GAP)))
        l->list = true;
    if (l->list) {
        l->cells_w = l->name_w + GAP + (total > 70 ? 34 : 24) + GAP;
    } else {
        l->cells_w = sum_widths(l);
    }
    source = total > l->cells_w ? total - l->cells_w : 0;
    l->source_w = source > l->loc_w + GAP ? source - l->loc_w - GAP : 0;
}

static void
put_rule(struct layout *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        burl_buf_str_append(l->out, l->style->unicode ? "\xe2\x94\x80" : "-");
}

static void
trim_line(struct layout *l)
{
    if (l->out->full)
        return;
    while (l->out->n > 0 && l->out->p[l->out->n - 1] == ' ')
        burl_buf_truncate(l->out, l->out->n - 1);
    burl_buf_char(l->out, '\n');
}

static void
put_file(struct layout *l)
{
    if (l->file == NULL)
        return;
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_DIM);
    burl__report_put_cut(l->out, l->style, burl_path_basename(l->file),
                         l->loc_w + GAP + l->source_w);
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_PLAIN);
}

/* The thread in its color, and padding up to `width`. */
static void
put_thread(struct layout *l, uint16_t tid, size_t width)
{
    char text[256];
    size_t n;

    thread_text(l->f, tid, text, sizeof text);
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_THREAD);
    n = burl__report_put_cut(l->out, l->style, text, width);
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_PLAIN);
    burl__report_pad(l->out, width + GAP - n);
}

static void
put_head(struct layout *l)
{
    if (l->list) {
        if (l->file == NULL)
            return;
        burl__report_pad(l->out, l->step_w + GAP + l->cells_w);
        put_file(l);
        burl_buf_char(l->out, '\n');
        return;
    }
    burl_buf_printf(l->out, "%*s", (int)(l->step_w + GAP), "step  ");
    for (size_t i = 0; i < l->n; i++)
        put_thread(l, l->tids[i], l->width[i]);
    put_file(l);
    trim_line(l);
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_DIM);
    burl__report_pad(l->out, 2);
    put_rule(l, l->step_w - 2);
    for (size_t i = 0; i < l->n; i++) {
        burl__report_pad(l->out, GAP);
        put_rule(l, l->width[i]);
    }
    burl__report_pad(l->out, GAP);
    put_rule(l, l->loc_w + (l->source_w > 0 ? GAP + l->source_w : 0));
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(l->out, '\n');
}

/* The part of the cells before and after the text, so that the source column lines up. */
static void
put_cell(struct layout *l, const struct burl_finding_step *s, const char *text, size_t n,
         bool first)
{
    size_t column = l->list ? SIZE_MAX : column_of(l, s->tid);
    size_t before = l->list ? l->name_w + GAP : 0;
    size_t used;
    char piece[512];

    for (size_t i = 0; !l->list && i < column && i < l->n; i++)
        before += l->width[i] + GAP;
    if (l->list && first)
        put_thread(l, s->tid, l->name_w);
    else
        burl__report_pad(l->out, before);
    snprintf(piece, sizeof piece, "%.*s", (int)n, text);
    if (s->failure)
        burl__report_put_inked(l->out, l->style, BURL__REPORT_INK_FAILURE, "%s", piece);
    else
        burl_buf_str_append(l->out, piece);
    used = before + burl__report_columns(piece);
    burl__report_pad(l->out, l->cells_w > used ? l->cells_w - used : 1);
}

static void
put_source(struct layout *l, const struct burl_finding_step *s)
{
    char text[256];
    size_t n;

    loc_text(l, &s->loc, text, sizeof text);
    if (text[0] == '\0')
        return;
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_DIM);
    if (l->file != NULL)
        burl__report_pad(l->out, l->loc_w - burl__report_columns(text));
    n = burl__report_put_cut(l->out, l->style, text, l->loc_w);
    if (l->file != NULL)
        n = l->loc_w;
    /* A place in the library is shown as the user's function: all that is known of it. */
    if (s->loc.source[0] != '\0')
        snprintf(text, sizeof text, "%s", s->loc.source);
    else
        snprintf(text, sizeof text, "%s%s", s->loc.func[0] != '\0' ? "in " : "", s->loc.func);
    if (l->source_w > 0 && s->loc.line != 0) {
        burl__report_pad(l->out, l->loc_w - n + GAP);
        burl__report_put_cut(l->out, l->style, text, l->source_w);
    }
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_PLAIN);
}

static void
put_op(struct layout *l, const struct burl_finding_step *s)
{
    size_t column = l->list ? SIZE_MAX : column_of(l, s->tid);
    size_t cell = l->list              ? l->cells_w - l->name_w - 2 * GAP
                  : column != SIZE_MAX ? l->width[column]
                                       : MIN_CELL;
    const char *text = s->text;
    bool first = true;

    if (column != SIZE_MAX && column + 1 < l->n && burl__report_columns(text) <= cell + OVERHANG)
        cell += OVERHANG;
    while (first || *text != '\0') {
        size_t n = burl__report_wrap(text, cell);

        if (!first)
            burl__report_pad(l->out, l->step_w);
        else if (s->failure)
            burl__report_put_inked(l->out, l->style, BURL__REPORT_INK_FAILURE, "%s%*u",
                                   l->style->unicode ? "\xe2\x9c\x97" : "!", (int)l->step_w - 1,
                                   s->step);
        else
            burl_buf_printf(l->out, "%*u", (int)l->step_w, s->step);
        burl__report_pad(l->out, GAP);
        put_cell(l, s, text, n, first);
        if (first)
            put_source(l, s);
        trim_line(l);
        first = false;
        text += n;
        text += strspn(text, " ");
    }
}

/* "preempt T1 before write of balance; run T2" without the operation where all of it does not fit:
 * the threads are the point. */
static void
put_switch(struct layout *l, const char *text, size_t max)
{
    const char *before = strstr(text, " before ");
    const char *in = strstr(text, " blocks in ");
    const char *end = before != NULL ? before : in != NULL ? in + strlen(" blocks") : NULL;
    const char *run = strstr(text, "; run T");
    struct burl_buf brief = BURL_BUF_INIT;

    for (const char *p = run; p != NULL; p = strstr(p + 1, "; run T"))
        run = p;
    if (burl__report_columns(text) > max && end != NULL && run != NULL && end < run) {
        burl_buf_append(&brief, text, (size_t)(end - text));
        burl_buf_str_append(&brief, run);
        text = burl_buf_str(&brief);
    }
    burl__report_put_cut(l->out, l->style, text, max);
    burl_buf_deinit(&brief);
}

static void
put_between(struct layout *l, const struct burl_finding_step *s)
{
    const char *mark = s->type == BURL_FINDING_STEP_SKIP
                           ? l->style->unicode ? "\xe2\x8b\xae" : "..."
                       : l->style->unicode ? "\xe2\x94\x80\xe2\x94\x80"
                                           : "--";
    size_t max = burl__report_width(l->style) - l->step_w - GAP - 4;
    char number[BURL_NUMBER_B];

    burl__report_pad(l->out, l->step_w + GAP);
    burl__report_ink(l->out, l->style,
                     s->preemption ? BURL__REPORT_INK_PREEMPT : BURL__REPORT_INK_DIM);
    burl_buf_printf(l->out, "%s ", mark);
    if (s->type == BURL_FINDING_STEP_SWITCH) {
        put_switch(l, s->text, max - 4);
        burl_buf_printf(l->out, " %s", mark);
    } else {
        burl_buf_printf(l->out, "%s operation%s", burl_number(s->n_skipped, number),
                        s->n_skipped == 1 ? "" : "s");
        if (s->tid != BURL_TID_NONE)
            burl_buf_printf(l->out, " of T%u", s->tid);
    }
    burl__report_ink(l->out, l->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(l->out, '\n');
}

void
burl__report_render_steps(const struct burl_finding *f, const struct burl_report_style *style,
                          struct burl_buf *out)
{
    struct layout l = { .f = f, .style = style, .out = out, .steps = f->steps };
    struct burl_finding_step *folded = NULL;

    l.n_steps = f->n_steps;
    if (!style->verbose)
        l.steps = folded = burl__report_fold(f, &l.n_steps);
    find_columns(&l);
    find_file(&l);
    measure_columns(&l);
    plan_columns(&l);
    put_head(&l);
    for (size_t i = 0; i < l.n_steps; i++) {
        if (l.steps[i].type == BURL_FINDING_STEP_OP)
            put_op(&l, &l.steps[i]);
        else
            put_between(&l, &l.steps[i]);
    }
    free(folded);
}
