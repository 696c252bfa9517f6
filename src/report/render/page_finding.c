/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_finding.c - one finding on the HTML page: its line, and all of it below, to fold.
 *
 * Runs in the host. The same facts as in the text (text.c, race.c), in the same order.
 */
#include <string.h>

#include "report/finding/kinds.h"
#include "report/render/page_int.h"

/* The line that is always seen. */
static void
put_summary(struct burl__page *p, const struct burl_finding *f)
{
    const struct burl_finding_loc *loc = burl__doc_place(f);

    burl__html_put(p->out,
                   "<summary><span class=\"no\">#%u</span><span class=\"kind%s\" title=\"%E\">%E"
                   "</span><span class=\"title\">%E</span><span class=\"where\">",
                   f->number, burl__doc_is_warning(f) ? " warn" : "",
                   burl__report_kind(f->kind)->what, f->kind, f->title);
    if (loc != NULL)
        burl__page_put_place(p, loc, false);
    if (f->command[0] != '\0')
        burl__html_put(p->out, " <span class=\"prog\">%E</span>", f->command);
    burl__html_put(p->out, "</span></summary>\n");
}

static void
put_paragraph(struct burl__page *p, const char *class, const char *text)
{
    if (text[0] != '\0')
        burl__html_put(p->out, "<p class=\"%s\">%E</p>\n", class, text);
}

static void
put_command(struct burl__page *p, const char *label, const char *command)
{
    if (command[0] != '\0')
        burl__html_put(p->out,
                       "<p class=\"cmd\"><span>%s</span> <code>%E</code> <button type=\"button\" "
                       "class=\"copy\" hidden>Copy</button></p>\n",
                       label, command);
}

static void
put_cause(struct burl__page *p, const struct burl_finding *f)
{
    struct burl__report_cause c;

    burl__report_cause(f, false, &c, &p->words);
    put_paragraph(p, "pattern", c.pattern);
    put_paragraph(p, "detail", c.schedule);
    put_paragraph(p, "detail", c.needs);
    put_paragraph(p, "detail", burl_buf_str(&p->words));
    burl_buf_clear(&p->words);
    put_paragraph(p, "note", f->problem);
    put_command(p, "Replay it:", f->replay);
    put_command(p, "Run it again:", f->again);
    if (f->n_sides == 0)
        burl__page_put_excerpt(p, &f->where);
}

/* ---- races ------------------------------------------------------------------------- */

static void
put_creator(struct burl__page *p, const struct burl_finding_thread *th)
{
    if (th == NULL || th->creator == BURL_TID_NONE || th->created.line == 0)
        return;
    burl__html_put(p->out, "<p class=\"soft\">created by T%u at ", (unsigned)th->creator);
    burl__page_put_place(p, &th->created, false);
    burl__html_put(p->out, "</p>\n");
}

static void
put_side(struct burl__page *p, const struct burl_finding *f, const struct burl_finding_side *s)
{
    burl__report_put_thread(&p->words, f, s->tid);
    burl__html_put(p->out, "<div class=\"card\">");
    burl__page_put_words(p, "h4");
    burl__report_side_words(&p->words, f, s);
    burl__page_put_words(p, "p");
    burl__page_put_excerpt(p, &s->loc);
    burl__page_put_locks(p, f, s->locks, s->n_locks);
    if (s->n_more_locks > 0)
        burl__html_put(p->out, "<p class=\"soft\">and %u more lock%s</p>", s->n_more_locks,
                       s->n_more_locks == 1 ? "" : "s");
    else if (s->n_locks == 0)
        burl__html_put(p->out, "<p class=\"soft\">holds no lock</p>");
    burl__page_put_stack(p, &s->stack);
    put_creator(p, burl__report_thread_of(f, s->tid));
    burl__html_put(p->out, "</div>\n");
}

static void
put_memory(struct burl__page *p, const struct burl_finding *f)
{
    if (f->memory.kind == BURL_ORIGIN_UNKNOWN ||
        (f->memory.kind == BURL_ORIGIN_HEAP && f->block.known))
        return;
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, "the memory", NULL);
    burl__report_memory_words(&p->words, f);
    burl__page_put_words(p, "p");
    if (f->memory.kind == BURL_ORIGIN_HEAP)
        burl__page_put_stack(p, &f->memory.stack);
    burl__html_put(p->out, "</section>\n");
}

static void
put_orders(struct burl__page *p, const struct burl_finding *f)
{
    const struct burl_finding_orders *o = &f->orders;

    if (o->outcome == BURL_FINDING_OUTCOME_UNKNOWN)
        return;
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, "how the two orders end", burl__report_outcome_words(o->outcome));
    burl__html_put(p->out, "<ul>");
    for (unsigned i = 0; i < 2; i++)
        burl__html_put(p->out, "<li>%E: <b>%E</b></li>", o->first[i],
                       o->ends[i][0] != '\0' ? o->ends[i] : "not reproduced");
    burl__html_put(p->out, "</ul></section>\n");
}

static void
put_pairs(struct burl__page *p, const struct burl_finding *f)
{
    if (f->n_pairs == 0)
        return;
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, burl__report_pairs_title(f), NULL);
    burl__html_put(p->out, "<ul>");
    for (size_t i = 0; i < f->n_pairs; i++) {
        burl__report_pair_words(&p->words, f, &f->pairs[i]);
        burl__page_put_words(p, "li");
    }
    burl__html_put(p->out, "</ul></section>\n");
}

static void
put_race(struct burl__page *p, const struct burl_finding *f)
{
    if (f->n_sides != 2)
        return;
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, burl__report_sides_title(f), NULL);
    burl__html_put(p->out, "<div class=\"cards two\">\n");
    put_side(p, f, &f->sides[0]);
    put_side(p, f, &f->sides[1]);
    burl__html_put(p->out, "</div></section>\n");
    put_memory(p, f);
    put_orders(p, f);
    put_pairs(p, f);
}

/* ---- threads, block, output -------------------------------------------------------- */

static void
put_thread(struct burl__page *p, const struct burl_finding *f, const struct burl_finding_thread *th)
{
    const bool central = burl__report_is_central(th);

    burl__report_put_thread(&p->words, f, th->tid);
    burl__html_put(p->out, "<div class=\"card%s\">", central ? " central" : "");
    burl__page_put_words(p, "h4");
    burl__report_state_words(&p->words, f, th);
    burl__page_put_words(p, "p");
    if (th->wait.waits && central)
        burl__page_put_excerpt(p, &th->wait.loc);
    burl__page_put_locks(p, f, th->locks, th->n_locks);
    burl__page_put_stack(p, &th->stack);
    put_creator(p, th);
    burl__html_put(p->out, "</div>\n");
}

/* The places of the threads of a race are its accesses. */
static void
put_threads(struct burl__page *p, const struct burl_finding *f)
{
    size_t exited = 0;

    for (size_t i = 0; i < f->n_threads; i++)
        exited += f->threads[i].state == BURL_FINDING_THREAD_FINISHED;
    if (exited == f->n_threads || f->n_sides > 0)
        return;
    if (exited > 0)
        burl__report_put_count(&p->words, exited, "thread");
    if (exited > 0)
        burl_buf_str_append(&p->words, " had exited");
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, "the threads at the end", burl_buf_str(&p->words));
    burl_buf_clear(&p->words);
    burl__html_put(p->out, "<div class=\"cards\">\n");
    /* The threads of the finding come first. */
    for (size_t i = 0; i < 2 * f->n_threads; i++) {
        const struct burl_finding_thread *th = &f->threads[i % f->n_threads];

        if (th->state != BURL_FINDING_THREAD_FINISHED &&
            burl__report_is_central(th) == (i < f->n_threads))
            put_thread(p, f, th);
    }
    burl__html_put(p->out, "</div></section>\n");
}

static void
put_event_of_block(struct burl__page *p, const struct burl_finding *f, const char *verb,
                   uint16_t tid, uint32_t step, const struct burl_finding_stack *stack)
{
    if (tid == BURL_TID_NONE)
        return;
    burl__html_put(p->out, "<div class=\"card\">");
    burl__report_put(&p->words, f, "%s by %T", verb, (unsigned)tid);
    burl__page_put_words(p, "h4");
    if (f->n_steps > 0)
        burl__html_put(p->out, "<p class=\"soft\">step %u</p>", step);
    if (stack->n > 0)
        burl__page_put_excerpt(p, &stack->frames[0].loc);
    burl__page_put_stack(p, stack);
    burl__html_put(p->out, "</div>\n");
}

static void
put_block(struct burl__page *p, const struct burl_finding *f)
{
    const struct burl_finding_block *b = &f->block;

    if (!b->known)
        return;
    burl__report_put_count(&p->words, b->size_b, "byte");
    burl_buf_printf(&p->words, " at 0x%llx", (unsigned long long)b->addr);
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, "the heap block", burl_buf_str(&p->words));
    burl_buf_clear(&p->words);
    burl__html_put(p->out, "<div class=\"cards two\">\n");
    put_event_of_block(p, f, "allocated", b->alloc_tid, b->alloc_step, &b->alloc_stack);
    put_event_of_block(p, f, "freed", b->free_tid, b->free_step, &b->free_stack);
    burl__html_put(p->out, "</div></section>\n");
}

static void
put_lines(struct burl__page *p, const char *title, const char *const *lines, size_t n)
{
    if (n == 0)
        return;
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, title, NULL);
    burl__html_put(p->out, "<pre class=\"output\" tabindex=\"0\" aria-label=\"%E\">", title);
    for (size_t i = 0; i < n; i++)
        burl__html_put(p->out, "%E\n", lines[i]);
    burl__html_put(p->out, "</pre></section>\n");
}

static void
put_foot(struct burl__page *p, const struct burl_finding *f)
{
    burl__html_put(p->out, "<p class=\"facts\">");
    burl__report_facts_words(&p->words, f, true);
    burl__page_put_words(p, "span");
    if (f->noise[0] != '\0')
        burl__html_put(p->out, "; first seen under the noise <code>%E</code>", f->noise);
    if (f->schedule[0] != '\0' && f->replay[0] != '\0')
        burl__html_put(p->out, "; schedule <code>%E</code>", f->schedule);
    burl__html_put(p->out, "</p>\n");
}

void
burl__page_put_finding(struct burl__page *p, const struct burl_finding *f)
{
    burl__html_put(p->out,
                   "<article class=\"finding\" id=\"f%u\" data-kind=\"%E\"><details open>\n",
                   f->number, f->kind);
    put_summary(p, f);
    burl__html_put(p->out, "<div class=\"body\">\n");
    put_cause(p, f);
    burl__page_put_lanes(p, f);
    put_race(p, f);
    put_threads(p, f);
    put_block(p, f);
    put_lines(p, f->check_cut ? "the check's output, its first lines" : "the check's output",
              f->check_output, f->n_check_output);
    put_lines(p, "the program's last output", f->output, f->n_output);
    put_foot(p, f);
    burl__html_put(p->out, "</div></details></article>\n");
}
