/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_lanes.c - the interleaving on the HTML page: a table with a column for each thread.
 *
 * Runs in the host. Time runs downwards. An operation is in the column of its thread, with its
 * place and its source line; switches and gaps are rows over all columns. Nothing is shown by
 * color alone: preemptions and the failing step have words.
 */
#include <stdlib.h>

#include "base/path.h"
#include "report/render/page_int.h"

#define COLORS 8u /* of threads, in report.css */

struct lanes {
    struct burl__page *p;
    const struct burl_finding *f;
    BURL_VEC(uint16_t) tids; /* that do something, ascending */
};

static void
find_lanes(struct lanes *l)
{
    for (size_t i = 0; i < l->f->n_threads; i++) {
        bool used = false;

        for (size_t k = 0; k < l->f->n_steps && !used; k++)
            used = l->f->steps[k].type == BURL_FINDING_STEP_OP &&
                   l->f->steps[k].tid == l->f->threads[i].tid;
        if (used)
            BURL_VEC_PUSH(&l->tids, l->f->threads[i].tid);
    }
}

static void
put_head(struct lanes *l)
{
    struct burl_buf *out = l->p->out;

    burl__html_put(out,
                   "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"interleaving\">"
                   "<table class=\"lanes\"><caption>Time runs downwards, one column for each "
                   "thread</caption>\n<thead><tr><th scope=\"col\" class=\"n\">Step</th>");
    for (size_t i = 0; i < l->tids.n; i++) {
        burl__report_put_thread(&l->p->words, l->f, l->tids.v[i]);
        burl__html_put(out, "<th scope=\"col\" class=\"t%zu\">%E</th>", i % COLORS,
                       burl_buf_str(&l->p->words));
        burl_buf_clear(&l->p->words);
    }
    burl__html_put(out, "</tr></thead>\n<tbody>\n");
}

static void
put_cell(struct lanes *l, const struct burl_finding_step *s)
{
    struct burl_buf *out = l->p->out;

    burl__html_put(out, "<b>%E</b>", s->text[0] != '\0' ? s->text : burl_op_text(s->op));
    if (s->failure)
        burl__html_put(out, " <em class=\"fails\">%s here</em>",
                       l->f->verdict == BURL_VERDICT_RACE_DATA ? "races" : "fails");
    if (s->loc.line != 0 || s->loc.source[0] != '\0') {
        burl__html_put(out, "<span class=\"line\">");
        if (s->loc.line != 0)
            burl__html_put(out, "<span class=\"at\" title=\"%E\">%E:%u</span>", s->loc.file,
                           burl_path_basename(s->loc.file), s->loc.line);
        if (s->loc.source[0] != '\0')
            burl__html_put(out, " <code>%E</code>", s->loc.source);
        burl__html_put(out, "</span>");
    }
}

static void
put_op(struct lanes *l, const struct burl_finding_step *s)
{
    struct burl_buf *out = l->p->out;

    burl__html_put(out, "<tr class=\"op%s\"><th scope=\"row\" class=\"n\">%u</th>",
                   s->failure ? " fail" : "", s->step);
    for (size_t i = 0; i < l->tids.n; i++) {
        const bool on = l->tids.v[i] == s->tid;

        burl__html_put(out, "<td class=\"t%zu%s\">", i % COLORS, on ? " on" : "");
        if (on)
            put_cell(l, s);
        burl__html_put(out, "</td>");
    }
    burl__html_put(out, "</tr>\n");
}

static void
put_between(struct lanes *l, const struct burl_finding_step *s)
{
    struct burl_buf *out = l->p->out;

    if (s->type == BURL_FINDING_STEP_SWITCH) {
        burl__html_put(out, "<tr class=\"switch%s\"><td class=\"n\"></td><td colspan=\"%zu\">",
                       s->preemption ? " preempt" : "", l->tids.n);
        burl__html_put(out, "<span>%E</span></td></tr>\n", s->text);
        return;
    }
    burl__report_put_count(&l->p->words, s->n_skipped, "operation");
    if (s->tid != BURL_TID_NONE)
        burl__report_put(&l->p->words, l->f, " of %T", (unsigned)s->tid);
    burl_buf_str_append(&l->p->words, " not shown");
    burl__html_put(out, "<tr class=\"gap\"><td class=\"n\"></td><td colspan=\"%zu\">", l->tids.n);
    burl__page_put_words(l->p, "span");
    burl__html_put(out, "</td></tr>\n");
}

static char *
summary_of(const struct burl_finding *f)
{
    struct burl_buf out = BURL_BUF_INIT;

    burl_buf_printf(&out, "%llu of ", (unsigned long long)f->n_ops_shown);
    burl__report_put_count(&out, f->n_ops, "operation");
    burl_buf_str_append(&out, ", ");
    burl__report_put_count(&out, f->n_preemptions, "preemption");
    if (f->events_dropped > 0) {
        burl_buf_str_append(&out, "; the trace lost its first ");
        burl__report_put_count(&out, f->events_dropped, "event");
    }
    return burl_buf_take(&out, NULL);
}

void
burl__page_put_lanes(struct burl__page *p, const struct burl_finding *f)
{
    struct lanes l = { .p = p, .f = f };
    char *summary;

    find_lanes(&l);
    if (l.tids.n == 0)
        return;
    summary = summary_of(f);
    burl__html_put(p->out, "<section>");
    burl__page_put_heading(p, "how it happened", summary);
    free(summary);
    put_head(&l);
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP)
            put_op(&l, &f->steps[i]);
        else
            put_between(&l, &f->steps[i]);
    }
    burl__html_put(p->out, "</tbody></table></div></section>\n");
    BURL_VEC_FREE(&l.tids);
}
