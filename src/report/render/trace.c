/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - every event of an execution, one per line, for `burl replay --trace`.
 *
 * Runs in the host. Nothing is selected or omitted: the trace is for failures that the selected
 * steps do not explain, and for comparing replays. So the lines are stable: step, thread, operation
 * in words, place, source. Function entries and exits are indented by the depth of the stack.
 * docs/formats/trace.md describes it.
 */
#include "base/path.h"
#include "base/printable.h"
#include "report/explain/explain.h"

#define PHRASE_W 44u
#define PLACE_W 24u
#define MAX_INDENT 16u /* deeper calls would push the words off the screen */

struct tracer {
    const struct burl_report_style *style;
    struct burl_buf *out;
    const struct burl__report_left *left;
    const size_t *next;
    size_t prev; /* last operation, SIZE_MAX none */
    struct burl_buf text;
};

static void
put_switch_line(struct tracer *t, const struct burl__report_walk *w, uint16_t to)
{
    const struct burl__report_left *l = &t->left[t->prev];

    burl_buf_clear(&t->text);
    burl__report_put_switch(w, l, t->prev, t->next[t->prev], to, &t->text);
    burl__report_ink(t->out, t->style,
                     l->why == BURL_SWITCH_PREEMPT ? BURL__REPORT_INK_PREEMPT
                                                   : BURL__REPORT_INK_DIM);
    burl_buf_printf(t->out, "%8s-- %s\n", "", burl_buf_str(&t->text));
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
}

static void
put_place(struct tracer *t, const struct burl__report_walk *w, size_t i)
{
    uint32_t id = w->user_site[i] != 0 ? w->user_site[i] : w->run->events[i].site;
    const struct burl_site_info *site = burl_sites_get(w->sites, id);
    const char *source = burl_sites_source_line(w->sites, site, 0);
    size_t n = t->out->n;

    if (site->line == 0)
        return;
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
    n = t->out->n;
    burl_buf_printf(t->out, "  %s:%u:%u", burl_path_basename(site->file), site->line, site->column);
    n = t->out->n - n;
    if (source != NULL) {
        burl__report_pad(t->out, n < PLACE_W ? PLACE_W - n : 1);
        while (*source == ' ' || *source == '\t')
            source++;
        burl_buf_str_append(t->out, source);
    }
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
}

static void
on_event(struct burl__report_walk *w, size_t i, void *arg)
{
    struct tracer *t = arg;
    const struct burl_wire_event *ev = &w->run->events[i];
    size_t depth = 0;
    size_t n;

    if (ev->tid < w->n_threads)
        depth = w->threads[ev->tid].stack.n + w->threads[ev->tid].unknown_depth;
    if (ev->kind == BURL_OP_ENTER && depth > 0)
        depth--;
    if (burl__report_is_op(ev->kind)) {
        if (t->prev != SIZE_MAX && w->run->events[t->prev].tid != ev->tid)
            put_switch_line(t, w, ev->tid);
        t->prev = i;
    }
    burl_buf_clear(&t->text);
    burl__report_pad(&t->text, depth < MAX_INDENT ? depth : MAX_INDENT);
    if (ev->kind == BURL_OP_LEAVE)
        burl_buf_str_append(&t->text, "leave");
    else
        burl__report_phrase(w, ev, &t->text);
    burl_buf_printf(t->out, "%7u  ", ev->step);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_THREAD);
    burl_buf_printf(t->out, "T%-4u", ev->tid);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_str_append(t->out, burl_buf_str(&t->text));
    n = burl__report_columns(burl_buf_str(&t->text));
    if (ev->kind != BURL_OP_LEAVE && ev->site != 0) {
        burl__report_pad(t->out, n < PHRASE_W ? PHRASE_W - n : 0);
        put_place(t, w, i);
    }
    burl_buf_char(t->out, '\n');
}

void
burl_report_trace(const struct burl_run *run, const struct burl_sites *sites,
                  const struct burl_report_style *style, struct burl_buf *out)
{
    static const struct burl_report_style plain = { 0 };
    struct tracer t = { .style = style != NULL ? style : &plain, .out = out, .prev = SIZE_MAX };
    struct burl__report_walk w;
    struct burl__report_left *left;
    size_t *next;
    const size_t from = out->n;

    burl__report_walk_init(&w, run, sites);
    left = burl__report_find_switches(&w);
    next = burl__report_find_neighbors(&w, true);
    t.left = left;
    t.next = next;
    burl_buf_init(&t.text, BURL_BUF_NO_LIMIT);
    burl_buf_printf(out, "# burl trace 1: step, thread, operation, place, source\n");
    if (run->events_dropped > 0)
        burl_buf_printf(out, "# the first %llu events were lost: the trace area was full\n",
                        (unsigned long long)run->events_dropped);
    burl__report_walk_run(&w, on_event, &t);
    burl_buf_printf(out, "# %s after %llu steps, trace hash %016llx\n",
                    burl_verdict_name(run->verdict.kind), (unsigned long long)run->steps,
                    (unsigned long long)run->trace_hash);
    burl_printable_fix_report(out, from, t.style->color);
    burl_buf_deinit(&t.text);
    free(left);
    free(next);
    burl__report_walk_deinit(&w);
}
