/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a finding for the terminal.
 *
 * Runs in the host. Most important first: what and where, the explanation, the interleaving, then
 * reference material (threads, block, output), and last the replay command. Empty sections are left
 * out. Each fact has one place: without style->verbose a section leaves out what another one shows
 * in a better form, and whatever does not explain the failure.
 */
#include "base/mem.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/shortname.h"
#include "report/render/render_int.h"

#define MAX_FRAMES 10u /* the cause of a concurrency bug is rarely further out */
#define MAX_FUNC_W 40u /* template names can be very long */
#define MAX_LIBRARY_W 60u

/* Wrapped lines after an empty one; nothing for "". */
static void
put_paragraph(const struct burl__report_text *t, enum burl__report_ink ink, const char *s)
{
    if (s[0] == '\0')
        return;
    burl_buf_char(t->out, '\n');
    if (ink != BURL__REPORT_INK_PLAIN)
        burl__report_ink(t->out, t->style, ink);
    burl__report_put_wrapped(t->out, t->style, s, 2);
    if (ink != BURL__REPORT_INK_PLAIN)
        burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
}

/* Does the table end with the failure at this place, and so show its line? */
static bool
is_in_steps(const struct burl_finding *f, const struct burl_finding_loc *loc)
{
    const struct burl_finding_step *last = f->n_steps > 0 ? &f->steps[f->n_steps - 1] : NULL;

    return last != NULL && last->failure && last->loc.line == loc->line &&
           strcmp(last->loc.file, loc->file) == 0;
}

static void
put_title(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    burl__report_ink(t->out, t->style, BURL__REPORT_INK_FAILURE);
    if (f->number != 0)
        burl_buf_printf(t->out, "finding %u: ", f->number);
    burl_buf_str_append(t->out, f->kind);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    put_paragraph(t, BURL__REPORT_INK_TITLE, f->title);
    /* A race has two places, shown with its accesses. */
    if (f->where.source[0] != '\0' && f->n_sides == 0 &&
        (t->style->verbose || !is_in_steps(f, &f->where))) {
        burl_buf_char(t->out, '\n');
        burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
        burl_buf_printf(t->out, "  %s:%u", f->where.file, f->where.line);
        if (f->where.column != 0)
            burl_buf_printf(t->out, ":%u", f->where.column);
        burl_buf_printf(t->out, "\n%7u | ", f->where.line);
        burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
        burl__report_put_cut(t->out, t->style, f->where.source, burl__report_width(t->style) - 10);
        burl_buf_char(t->out, '\n');
    }
}

/* The lines of the detail, each wrapped behind its indentation. */
static void
put_detail_lines(const struct burl__report_text *t, const char *detail)
{
    if (*detail != '\0')
        burl_buf_char(t->out, '\n');
    for (const char *p = detail; *p != '\0';) {
        const size_t indent = strspn(p, " ");
        const size_t n = strcspn(p + indent, "\n");
        char *line = burl_xstrndup(p + indent, n);

        burl__report_put_wrapped(t->out, t->style, line, 2 + (unsigned)indent);
        free(line);
        p += indent + n;
        p += *p == '\n';
    }
}

static void
put_detail(const struct burl__report_text *t)
{
    struct burl__report_cause c;
    struct burl_buf detail;

    burl_buf_init(&detail, BURL_BUF_NO_LIMIT);
    burl__report_cause(t->f, t->style->verbose, &c, &detail);
    put_paragraph(t, BURL__REPORT_INK_PLAIN, c.schedule);
    put_paragraph(t, BURL__REPORT_INK_PLAIN, c.needs);
    put_paragraph(t, BURL__REPORT_INK_TITLE, c.pattern);
    put_paragraph(t, BURL__REPORT_INK_PLAIN, c.predicted);
    put_detail_lines(t, burl_buf_str(&detail));
    burl_buf_deinit(&detail);
}

void
burl__report_put_section(const struct burl__report_text *t, const char *name)
{
    burl_buf_char(t->out, '\n');
    burl__report_put_inked(t->out, t->style, BURL__REPORT_INK_TITLE, "  %s", name);
}

void
burl__report_put_thread_head(const struct burl__report_text *t, uint16_t tid)
{
    burl_buf_str_append(t->out, "    ");
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_THREAD);
    burl__report_put_thread(t->out, t->f, tid);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
}

void
burl__report_put_held(const struct burl__report_text *t, const struct burl_finding_lock *l)
{
    burl__report_pad(t->out, 6);
    burl__report_held_words(t->out, t->f, l);
    burl_buf_char(t->out, '\n');
}

static void
put_steps(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    uint64_t shown = f->n_ops_shown;

    if (f->n_steps == 0)
        return;
    for (size_t i = 0; i < f->n_steps && !t->style->verbose; i++)
        shown -= f->steps[i].minor && shown > 0;
    burl__report_put_section(t, "how it happened");
    burl__report_put(t->out, f, " (%N of %N operation%s, %u preemption%s)\n", shown, f->n_ops,
                     f->n_ops == 1 ? "" : "s", f->n_preemptions, f->n_preemptions == 1 ? "" : "s");
    if (f->events_dropped > 0)
        burl__report_put(t->out, f, "  the trace lost its first %N event%s\n", f->events_dropped,
                         f->events_dropped == 1 ? "" : "s");
    burl_buf_char(t->out, '\n');
    burl__report_render_steps(f, t->style, t->out);
}

/* A function in at most `max` columns, if leaving out template arguments is enough: its own name is
 * at the end. Caller frees. */
static char *
fitting_name(const char *func, size_t max)
{
    struct burl_buf plain = BURL_BUF_INIT;

    if (burl__report_columns(func) <= max)
        return burl_xstrdup(func);
    burl_name_put_plain(func, &plain);
    return burl_buf_take(&plain, NULL);
}

static void
put_frame(const struct burl__report_text *t, const struct burl_finding_frame *fr, size_t number,
          size_t widest)
{
    char *func = fitting_name(fr->loc.func[0] != '\0' ? fr->loc.func : "?", MAX_FUNC_W);
    size_t n;

    burl_buf_printf(t->out, "#%-2zu ", number);
    n = burl__report_put_cut(t->out, t->style, func, MAX_FUNC_W);
    free(func);
    burl__report_pad(t->out, (widest > n ? widest - n : 0) + 2);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
    if (fr->loc.line != 0 && fr->exact)
        burl_buf_printf(t->out, "%s:%u", fr->loc.file, fr->loc.line);
    else
        burl_buf_str_append(t->out, fr->loc.file);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
}

/* `called`: the function of the library that the user's code called. */
static void
put_library(const struct burl__report_text *t, const struct burl_finding_frame *called, size_t n,
            unsigned indent)
{
    char *func = fitting_name(called->loc.func, MAX_LIBRARY_W);

    burl__report_pad(t->out, indent);
    burl_buf_printf(t->out, "    (%zu library frame%s%s", n, n == 1 ? "" : "s",
                    called->loc.func[0] != '\0' ? ": " : "");
    burl__report_put_cut(t->out, t->style, func, MAX_LIBRARY_W);
    free(func);
    burl_buf_str_append(t->out, ")\n");
}

/* Frames of libraries are one line, unless it failed there or there is nothing else. */
void
burl__report_put_stack(const struct burl__report_text *t, const struct burl_finding_stack *stack,
                       unsigned indent)
{
    size_t widest = 0;
    size_t shown = 0;
    size_t library = 0;
    bool all = true;

    for (size_t i = 0; i < stack->n; i++) {
        char *func = fitting_name(stack->frames[i].loc.func, MAX_FUNC_W);
        size_t n = burl__report_columns(func);

        free(func);
        all = all && stack->frames[i].system;
        if (!stack->frames[i].system || stack->frames[i].failed)
            widest = n > widest ? n : widest;
    }
    if (widest > MAX_FUNC_W || all)
        widest = MAX_FUNC_W;
    for (size_t i = 0; i < stack->n && shown < MAX_FRAMES; i++) {
        if (stack->frames[i].system && !stack->frames[i].failed && !all) {
            library++;
            continue;
        }
        if (library > 0)
            put_library(t, &stack->frames[i - 1], library, indent);
        library = 0;
        burl__report_pad(t->out, indent);
        put_frame(t, &stack->frames[i], i, widest);
        shown++;
    }
    if (stack->left_out > 0) {
        burl__report_pad(t->out, indent);
        burl_buf_printf(t->out, "    (%zu frames in all)\n", stack->n + stack->left_out);
    }
}

static void
put_thread(const struct burl__report_text *t, const struct burl_finding_thread *th)
{
    /* A runnable thread explains nothing, unless it holds a lock. */
    const bool hang = t->f->verdict == BURL_VERDICT_HANG_TIMEOUT;
    bool brief = th->state == BURL_FINDING_THREAD_READY && th->n_locks == 0 && !hang;

    burl__report_put_thread_head(t, th->tid);
    burl_buf_str_append(t->out, ": ");
    burl__report_state_words(t->out, t->f, th);
    if (brief && th->stack.n > 0)
        burl__report_put(t->out, t->f, " at %L", &th->stack.frames[0].loc);
    if (th->creator != BURL_TID_NONE && th->created.line != 0)
        burl__report_put(t->out, t->f, " (created by T%u at %L)", th->creator, &th->created);
    burl_buf_char(t->out, '\n');
    for (size_t i = 0; i < th->n_locks; i++)
        burl__report_put_held(t, &th->locks[i]);
    if (!brief)
        burl__report_put_stack(t, &th->stack, 6);
}

/* Does the state of this thread explain anything? Not of one that could have continued, nor of one
 * that joins others, unless all threads are blocked. Not the place of the failure alone either: the
 * table ends with it. */
static bool
is_explaining(const struct burl__report_text *t, const struct burl_finding_thread *th)
{
    const struct burl_finding *f = t->f;

    if (t->style->verbose || f->n_steps == 0)
        return true;
    if (th->n_locks > 0)
        return true;
    switch (th->state) {
    case BURL_FINDING_THREAD_FAILED:
        return th->stack.n > 1 || !is_in_steps(f, &f->where);
    case BURL_FINDING_THREAD_WAITING:
        return th->wait.in_cycle || th->wait.op != BURL_OP_JOIN;
    default:
        return f->verdict == BURL_VERDICT_HANG_TIMEOUT || f->verdict == BURL_VERDICT_LIVELOCK;
    }
}

static void
put_threads_left_out(const struct burl__report_text *t, size_t left_out, size_t ended)
{
    if (left_out > 0)
        burl_buf_printf(t->out, "    and %zu more thread%s%s\n", left_out, left_out == 1 ? "" : "s",
                        t->style->verbose ? "" : " (-v)");
    if (ended > 0 && t->style->verbose)
        burl_buf_printf(t->out, "    %zu thread%s had exited\n", ended, ended == 1 ? "" : "s");
}

static void
put_threads(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    size_t shown = 0;
    size_t ended = 0;
    size_t explaining = 0;

    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].state == BURL_FINDING_THREAD_FINISHED)
            ended++;
        else
            explaining += is_explaining(t, &f->threads[i]);
    }
    /* The final places of the two threads of a race are its accesses. */
    if (explaining == 0 || f->n_sides > 0)
        return;
    burl__report_put_section(t, "the threads at the end");
    burl_buf_char(t->out, '\n');
    /* The threads of the finding come first if not all can be shown. */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < f->n_threads && shown < BURL__REPORT_THREADS; i++) {
            const struct burl_finding_thread *th = &f->threads[i];

            if (th->state == BURL_FINDING_THREAD_FINISHED ||
                burl__report_is_central(th) != (pass == 0) || !is_explaining(t, th))
                continue;
            put_thread(t, th);
            shown++;
        }
    }
    put_threads_left_out(t, f->n_threads - ended - shown, ended);
}

static void
put_block(const struct burl__report_text *t)
{
    const struct burl_finding_block *b = &t->f->block;
    char count[BURL_COUNT_B];

    if (!b->known)
        return;
    burl__report_put_section(t, "the heap block");
    burl_buf_printf(t->out, " (%s at 0x%llx)\n", burl_count(b->size_b, "byte", count),
                    (unsigned long long)b->addr);
    if (b->alloc_tid != BURL_TID_NONE) {
        burl__report_put(t->out, t->f, "    allocated by %T at step %u\n", b->alloc_tid,
                         b->alloc_step);
        burl__report_put_stack(t, &b->alloc_stack, 6);
    }
    if (b->free_tid != BURL_TID_NONE) {
        burl__report_put(t->out, t->f, "    freed by %T at step %u\n", b->free_tid, b->free_step);
        burl__report_put_stack(t, &b->free_stack, 6);
    }
}

static void
put_lines(const struct burl__report_text *t, const char *name, const char *const *lines, size_t n)
{
    if (n == 0)
        return;
    burl__report_put_section(t, name);
    burl_buf_char(t->out, '\n');
    for (size_t i = 0; i < n; i++) {
        burl_buf_str_append(t->out, "    | ");
        burl__report_put_cut(t->out, t->style, lines[i], burl__report_width(t->style) - 6);
        burl_buf_char(t->out, '\n');
    }
}

static void
put_output(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    put_lines(t, f->check_cut ? "the check's output, its first lines" : "the check's output",
              f->check_output, f->n_check_output);
    put_lines(t, "the program's last output", f->output, f->n_output);
}

static void
put_foot(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    const size_t mark = t->out->n;
    struct burl_buf line = BURL_BUF_INIT;

    burl_buf_char(t->out, '\n');
    if (f->problem[0] != '\0')
        burl__report_put_wrapped(t->out, t->style, f->problem, 2);
    burl__report_facts_words(&line, f, t->style->verbose);
    if (line.n > 0)
        burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 2);
    burl_buf_deinit(&line);
    if (f->replay[0] != '\0') {
        burl_buf_str_append(t->out, "  replay it: ");
        burl__report_put_inked(t->out, t->style, BURL__REPORT_INK_TITLE, "%s", f->replay);
        burl_buf_char(t->out, '\n');
    }
    if (f->noise[0] != '\0')
        burl_buf_printf(t->out, "  first seen under the noise %s\n", f->noise);
    if (f->again[0] != '\0') {
        burl_buf_str_append(t->out, "  run it again: ");
        burl__report_put_inked(t->out, t->style, BURL__REPORT_INK_TITLE, "%s", f->again);
        burl_buf_char(t->out, '\n');
    }
    if (t->out->n == mark + 1)
        burl_buf_truncate(t->out, mark);
}

void
burl_report_text(const struct burl_finding *f, const struct burl_report_style *style,
                 struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    struct burl__report_text t = { .f = f, .style = style != NULL ? style : &plain, .out = out };
    const size_t from = out->n;

    put_title(&t);
    put_detail(&t);
    burl__report_render_race(&t);
    put_steps(&t);
    put_threads(&t);
    put_block(&t);
    put_output(&t);
    put_foot(&t);
    burl_printable_fix_report(out, from, t.style->color);
}
