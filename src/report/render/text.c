/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a finding for the terminal.
 *
 * Runs in the host. Most important first: what and where, the explanation, the interleaving, then
 * reference material (threads, block, output), and last the replay command. Empty sections are left
 * out.
 */
#include "base/path.h"
#include "report/report_int.h"

#define MAX_FRAMES 10u /* the cause of a concurrency bug is rarely further out */
#define MAX_THREADS 8u
#define MAX_FUNC_W 40u /* template names can be very long */

static void
set_ink(const struct burl__report_text *t, enum burl__report_ink i)
{
    burl__report_ink(t->out, t->style, i);
}

static void
put_title(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    struct burl_buf line;

    set_ink(t, BURL__REPORT_INK_FAILURE);
    if (f->number != 0)
        burl_buf_printf(t->out, "finding %u: ", f->number);
    burl_buf_printf(t->out, "%s", f->kind);
    set_ink(t, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
    burl_buf_init(&line, BURL_BUF_NO_LIMIT);
    burl_buf_str_append(&line, f->title);
    set_ink(t, BURL__REPORT_INK_TITLE);
    burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 2);
    set_ink(t, BURL__REPORT_INK_PLAIN);
    burl_buf_deinit(&line);
    /* A race has two places, shown with its accesses. */
    if (f->where.source[0] != '\0' && f->n_sides == 0) {
        burl_buf_char(t->out, '\n');
        set_ink(t, BURL__REPORT_INK_DIM);
        burl_buf_printf(t->out, "  %s:%u", f->where.file, f->where.line);
        if (f->where.column != 0)
            burl_buf_printf(t->out, ":%u", f->where.column);
        burl_buf_printf(t->out, "\n%7u | ", f->where.line);
        set_ink(t, BURL__REPORT_INK_PLAIN);
        burl__report_put_cut(t->out, t->style, f->where.source, burl__report_width(t->style) - 10);
        burl_buf_char(t->out, '\n');
    }
}

static void
put_detail(const struct burl__report_text *t)
{
    const char *p = t->f->detail;

    if (t->f->facts.sequential) {
        burl_buf_char(t->out, '\n');
        burl__report_put_wrapped(
            t->out, t->style,
            "This also fails without preemption: it needs no particular interleaving.", 2);
    }
    if (t->f->needs[0] != '\0') {
        burl_buf_char(t->out, '\n');
        burl__report_put_wrapped(t->out, t->style, t->f->needs, 2);
    }
    if (t->f->pattern.sentence[0] != '\0') {
        burl_buf_char(t->out, '\n');
        set_ink(t, BURL__REPORT_INK_TITLE);
        burl__report_put_wrapped(t->out, t->style, t->f->pattern.sentence, 2);
        set_ink(t, BURL__REPORT_INK_PLAIN);
    }
    if (t->f->predicted[0] != '\0') {
        burl_buf_char(t->out, '\n');
        burl__report_put_wrapped(t->out, t->style, t->f->predicted, 2);
    }
    if (*p == '\0')
        return;
    burl_buf_char(t->out, '\n');
    while (*p != '\0') {
        const char *nl = strchr(p, '\n');
        size_t n = nl != NULL ? (size_t)(nl - p) : strlen(p);
        unsigned indent = 2;
        char *line;

        while (n > 0 && *p == ' ') {
            indent++;
            p++;
            n--;
        }
        line = burl_xstrndup(p, n);
        burl__report_put_wrapped(t->out, t->style, line, indent);
        free(line);
        p += n + (nl != NULL);
    }
}

static void
put_section(const struct burl__report_text *t, const char *name)
{
    burl_buf_char(t->out, '\n');
    set_ink(t, BURL__REPORT_INK_TITLE);
    burl_buf_printf(t->out, "  %s", name);
    set_ink(t, BURL__REPORT_INK_PLAIN);
}

static void
put_steps(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    if (f->n_steps == 0)
        return;
    put_section(t, "how it happened");
    burl_buf_printf(t->out, " (%llu of %llu operations, %u preemption%s)\n",
                    (unsigned long long)f->n_ops_shown, (unsigned long long)f->n_ops,
                    f->n_preemptions, f->n_preemptions == 1 ? "" : "s");
    if (f->events_dropped > 0)
        burl_buf_printf(t->out, "  the trace lost its first %llu events\n",
                        (unsigned long long)f->events_dropped);
    burl_buf_char(t->out, '\n');
    burl__report_render_steps(f, t->style, t->out);
}

static void
put_frame(const struct burl__report_text *t, const struct burl_finding_frame *fr, size_t number,
          size_t widest)
{
    size_t n;

    burl_buf_printf(t->out, "#%-2zu ", number);
    n = burl__report_put_cut(t->out, t->style, fr->loc.func[0] != '\0' ? fr->loc.func : "?",
                             MAX_FUNC_W);
    burl__report_pad(t->out, (widest > n ? widest - n : 0) + 2);
    set_ink(t, BURL__REPORT_INK_DIM);
    if (fr->loc.line != 0)
        burl_buf_printf(t->out, "%s%s:%u",
                        fr->exact        ? ""
                        : fr->after != 0 ? "after "
                                         : "begins at ",
                        fr->loc.file, !fr->exact && fr->after != 0 ? fr->after : fr->loc.line);
    set_ink(t, BURL__REPORT_INK_PLAIN);
    burl_buf_char(t->out, '\n');
}

/* Frames of libraries are only counted, unless there is nothing else. */
void
burl__report_put_stack(const struct burl__report_text *t, const struct burl_finding_stack *stack,
                       unsigned indent)
{
    size_t widest = 0;
    size_t shown = 0;
    size_t library = 0;
    bool all = true;

    for (size_t i = 0; i < stack->n; i++) {
        size_t n = burl__report_columns(stack->frames[i].loc.func);

        all = all && stack->frames[i].system;
        if (!stack->frames[i].system)
            widest = n > widest ? n : widest;
    }
    if (widest > MAX_FUNC_W || all)
        widest = MAX_FUNC_W;
    for (size_t i = 0; i < stack->n && shown < MAX_FRAMES; i++) {
        if (stack->frames[i].system && !all) {
            library++;
            continue;
        }
        if (library > 0) {
            burl__report_pad(t->out, indent);
            burl_buf_printf(t->out, "    (%zu library frame%s)\n", library,
                            library == 1 ? "" : "s");
        }
        library = 0;
        burl__report_pad(t->out, indent);
        put_frame(t, &stack->frames[i], i, widest);
        shown++;
    }
}

static const char *
state_text(const struct burl_finding_thread *t)
{
    switch (t->state) {
    case BURL_FINDING_THREAD_FAILED:
        return "failed";
    case BURL_FINDING_THREAD_WAITING:
        return "blocked";
    case BURL_FINDING_THREAD_FINISHED:
        return "exited";
    case BURL_FINDING_THREAD_UNKNOWN:
        return "state unknown";
    default:
        return "runnable";
    }
}

static void
put_thread(const struct burl__report_text *t, const struct burl_finding_thread *th)
{
    /* A runnable thread explains nothing, unless it holds a lock. */
    bool brief = th->state == BURL_FINDING_THREAD_READY && th->n_locks == 0;

    burl_buf_str_append(t->out, "    ");
    set_ink(t, BURL__REPORT_INK_THREAD);
    burl__report_put_thread(t->out, t->f, th->tid);
    set_ink(t, BURL__REPORT_INK_PLAIN);
    burl_buf_printf(t->out, ": %s", state_text(th));
    if (th->wait.waits) {
        burl_buf_printf(t->out, ": %s", burl_op_text(th->wait.op));
        if (th->wait.op == BURL_OP_JOIN && th->wait.owner != BURL_TID_NONE)
            burl_buf_printf(t->out, " T%u", th->wait.owner);
        else if (th->wait.name[0] != '\0')
            burl_buf_printf(t->out, " %s", th->wait.name);
    }
    if (brief && th->stack.n > 0) {
        burl_buf_str_append(t->out, " at ");
        burl__report_put_loc(t->out, &th->stack.frames[0].loc);
    }
    if (th->creator != BURL_TID_NONE && th->created.line != 0) {
        burl_buf_printf(t->out, " (created by T%u at ", th->creator);
        burl__report_put_loc(t->out, &th->created);
        burl_buf_char(t->out, ')');
    }
    burl_buf_char(t->out, '\n');
    for (size_t i = 0; i < th->n_locks; i++) {
        const struct burl_finding_lock *l = &th->locks[i];

        burl_buf_printf(t->out, "      holds %s", l->name[0] != '\0' ? l->name : "a lock");
        if (l->mode[0] != '\0')
            burl_buf_printf(t->out, " for %s", l->mode);
        if (l->depth > 1)
            burl_buf_printf(t->out, " %u times", l->depth);
        burl_buf_str_append(t->out, ", taken at ");
        burl__report_put_loc(t->out, &l->taken);
        if (t->f->n_steps > 0) /* a free run has none */
            burl_buf_printf(t->out, " (step %u)", l->step);
        burl_buf_char(t->out, '\n');
    }
    if (!brief)
        burl__report_put_stack(t, &th->stack, 6);
}

static void
put_threads(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    size_t shown = 0;
    size_t ended = 0;
    size_t alive = 0;

    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].state == BURL_FINDING_THREAD_FINISHED)
            ended++;
        else
            alive++;
    }
    /* The final places of the two threads of a race are its accesses. */
    if (alive == 0 || f->n_sides > 0)
        return;
    put_section(t, "the threads at the end");
    burl_buf_char(t->out, '\n');
    /* The threads of the finding come first if not all can be shown. */
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < f->n_threads && shown < MAX_THREADS; i++) {
            const struct burl_finding_thread *th = &f->threads[i];
            bool central = th->state == BURL_FINDING_THREAD_FAILED || th->wait.in_cycle;

            if (th->state == BURL_FINDING_THREAD_FINISHED || central != (pass == 0))
                continue;
            put_thread(t, th);
            shown++;
        }
    }
    if (alive > shown)
        burl_buf_printf(t->out, "    and %zu more threads\n", alive - shown);
    if (ended > 0)
        burl_buf_printf(t->out, "    %zu thread%s had exited\n", ended, ended == 1 ? "" : "s");
}

static void
put_block(const struct burl__report_text *t)
{
    const struct burl_finding_block *b = &t->f->block;

    if (!b->known)
        return;
    put_section(t, "the heap block");
    burl_buf_printf(t->out, " (%llu bytes at 0x%llx)\n", (unsigned long long)b->size_b,
                    (unsigned long long)b->addr);
    if (b->alloc_tid != BURL_TID_NONE) {
        burl_buf_str_append(t->out, "    allocated by ");
        burl__report_put_thread(t->out, t->f, b->alloc_tid);
        burl_buf_printf(t->out, " at step %u\n", b->alloc_step);
        burl__report_put_stack(t, &b->alloc_stack, 6);
    }
    if (b->free_tid != BURL_TID_NONE) {
        burl_buf_str_append(t->out, "    freed by ");
        burl__report_put_thread(t->out, t->f, b->free_tid);
        burl_buf_printf(t->out, " at step %u\n", b->free_step);
        burl__report_put_stack(t, &b->free_stack, 6);
    }
}

static void
put_output(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    if (f->n_output == 0)
        return;
    put_section(t, "the program's last output");
    burl_buf_char(t->out, '\n');
    for (size_t i = 0; i < f->n_output; i++) {
        burl_buf_str_append(t->out, "    | ");
        burl__report_put_cut(t->out, t->style, f->output[i], burl__report_width(t->style) - 6);
        burl_buf_char(t->out, '\n');
    }
}

static void
put_foot(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    struct burl_buf line;

    burl_buf_char(t->out, '\n');
    if (f->problem[0] != '\0')
        burl__report_put_wrapped(t->out, t->style, f->problem, 2);
    burl_buf_init(&line, BURL_BUF_NO_LIMIT);
    if (f->facts.count > 0)
        burl_buf_printf(&line, "seen %llu time%s, ", (unsigned long long)f->facts.count,
                        f->facts.count == 1 ? "" : "s");
    if (f->facts.confirm_tries > 0)
        burl_buf_printf(&line, "confirmed %u of %u, ", f->facts.confirmed, f->facts.confirm_tries);
    if (f->engine[0] != '\0')
        burl_buf_printf(&line, "engine %s, ", f->engine);
    if (f->strategy[0] != '\0')
        burl_buf_printf(&line, "found by %s with seed %llu%s", f->strategy,
                        (unsigned long long)f->facts.seed,
                        f->facts.found.execution > 0 ? " " : ", ");
    if (f->facts.found.execution > 0)
        burl_buf_printf(&line, "after %llu execution%s, ",
                        (unsigned long long)f->facts.found.execution,
                        f->facts.found.execution == 1 ? "" : "s");
    if (f->facts.minimize_execs > 0 && f->facts.n_preemptions_found > f->n_preemptions)
        burl_buf_printf(&line, "minimized from %u preemption%s to %u in %llu executions, ",
                        f->facts.n_preemptions_found, f->facts.n_preemptions_found == 1 ? "" : "s",
                        f->n_preemptions, (unsigned long long)f->facts.minimize_execs);
    burl_buf_printf(&line, "fingerprint %016llx", (unsigned long long)f->facts.fingerprint);
    burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 2);
    burl_buf_deinit(&line);
    if (f->replay[0] != '\0') {
        burl_buf_str_append(t->out, "  replay it: ");
        set_ink(t, BURL__REPORT_INK_TITLE);
        burl_buf_str_append(t->out, f->replay);
        set_ink(t, BURL__REPORT_INK_PLAIN);
        burl_buf_char(t->out, '\n');
    }
}

void
burl_report_text(const struct burl_finding *f, const struct burl_report_style *style,
                 struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    struct burl__report_text t = { .f = f, .style = style != NULL ? style : &plain, .out = out };

    put_title(&t);
    put_detail(&t);
    burl__report_render_race(&t);
    put_steps(&t);
    put_threads(&t);
    put_block(&t);
    put_output(&t);
    put_foot(&t);
}
