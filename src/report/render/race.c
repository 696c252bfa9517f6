/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.c - the sections of a race or an atomicity violation, for the terminal.
 *
 * Runs in the host. Both accesses in the order of the execution, each with its line, its locks, its
 * stack and the creation of its thread; then the memory, the outcome of either order, and the other
 * places that race on the same variable.
 */
#include "base/path.h"
#include "report/report_int.h"

#define MAX_PAIRS_SHOWN 10u /* enough to see the pattern; JSON has all */

static void
put_section(const struct burl__report_text *t, const char *name)
{
    burl_buf_char(t->out, '\n');
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_TITLE);
    burl_buf_printf(t->out, "  %s", name);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
}

static void
put_locks(const struct burl__report_text *t, const struct burl_finding_side *s)
{
    if (s->n_locks == 0) {
        burl_buf_str_append(t->out, "      holds no lock\n");
        return;
    }
    for (size_t i = 0; i < s->n_locks; i++) {
        const struct burl_finding_lock *l = &s->locks[i];

        burl_buf_printf(t->out, "      holds %s", l->name[0] != '\0' ? l->name : "a lock");
        if (l->mode[0] != '\0')
            burl_buf_printf(t->out, " for %s", l->mode);
        if (l->taken.site != 0) {
            burl_buf_str_append(t->out, ", taken at ");
            burl__report_put_loc(t->out, &l->taken);
        }
        burl_buf_char(t->out, '\n');
    }
    if (s->n_more_locks > 0)
        burl_buf_printf(t->out, "      and %u more lock%s\n", s->n_more_locks,
                        s->n_more_locks == 1 ? "" : "s");
}

static void
put_source(const struct burl__report_text *t, const struct burl_finding_loc *loc)
{
    if (loc->source[0] == '\0')
        return;
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_DIM);
    burl_buf_printf(t->out, "%9u | ", loc->line);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl__report_put_cut(t->out, t->style, loc->source, burl__report_width(t->style) - 12);
    burl_buf_char(t->out, '\n');
}

/* "T1 worker writes total, 4 bytes, at step 39" */
static void
put_side(const struct burl__report_text *t, const struct burl_finding_side *s)
{
    const struct burl_finding_thread *th = burl__report_thread_of(t->f, s->tid);

    burl_buf_str_append(t->out, "    ");
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_THREAD);
    burl__report_put_thread(t->out, t->f, s->tid);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_printf(t->out, " %s %s", s->verb,
                    s->what[0] != '\0'             ? s->what
                    : t->f->memory.name[0] != '\0' ? t->f->memory.name
                                                   : "memory");
    burl_buf_printf(t->out, ", %u byte%s", s->size_b, s->size_b == 1 ? "" : "s");
    if (s->near)
        burl_buf_str_append(t->out, ", near this line");
    if (s->in_trace)
        burl_buf_printf(t->out, " (step %u)", s->step);
    burl_buf_char(t->out, '\n');
    put_source(t, &s->loc);
    put_locks(t, s);
    if (s->stack.n > 0) {
        burl__report_put_stack(t, &s->stack, 6);
    } else {
        burl_buf_str_append(t->out, "      at ");
        burl__report_put_loc(t->out, &s->loc);
        burl_buf_char(t->out, '\n');
    }
    if (th != NULL && th->creator != BURL_TID_NONE && th->created.line != 0) {
        burl_buf_printf(t->out, "      created by T%u at ", th->creator);
        burl__report_put_loc(t->out, &th->created);
        burl_buf_char(t->out, '\n');
    }
}

/* The access of the region after the violation. */
static void
put_rest(const struct burl__report_text *t)
{
    burl_buf_str_append(t->out, "    ");
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_THREAD);
    burl__report_put_thread(t->out, t->f, t->f->tid);
    burl__report_ink(t->out, t->style, BURL__REPORT_INK_PLAIN);
    burl_buf_str_append(t->out, " continues the region at ");
    burl__report_put_loc(t->out, &t->f->where);
    burl_buf_char(t->out, '\n');
    put_source(t, &t->f->where);
}

/* A heap block has a section of its own when the trace knows it. */
static void
put_memory(const struct burl__report_text *t)
{
    const struct burl_finding_memory *m = &t->f->memory;

    if (m->kind == BURL_ORIGIN_UNKNOWN || (m->kind == BURL_ORIGIN_HEAP && t->f->block.known))
        return;
    put_section(t, "the memory");
    burl_buf_char(t->out, '\n');
    burl_buf_str_append(t->out, "    ");
    if (m->kind == BURL_ORIGIN_GLOBAL) {
        burl_buf_printf(t->out, "the global variable %s",
                        m->symbol[0] != '\0' ? m->symbol : m->name);
        if (m->block_b > 0)
            burl_buf_printf(t->out, " (%llu bytes at 0x%llx)", (unsigned long long)m->block_b,
                            (unsigned long long)m->block_addr);
    } else if (m->kind == BURL_ORIGIN_HEAP) {
        burl_buf_printf(t->out, "a heap block of %llu bytes", (unsigned long long)m->block_b);
        if (m->tid != BURL_TID_NONE || m->made.site != 0)
            burl_buf_str_append(t->out, ", allocated");
        if (m->tid != BURL_TID_NONE) {
            burl_buf_str_append(t->out, " by ");
            burl__report_put_thread(t->out, t->f, m->tid);
        }
        if (m->stack.n == 0 && m->made.site != 0) {
            burl_buf_str_append(t->out, " at ");
            burl__report_put_loc(t->out, &m->made);
        }
    } else {
        burl_buf_printf(t->out, "%s of ",
                        m->kind == BURL_ORIGIN_STACK ? "the stack" : "the thread-local storage");
        burl__report_put_thread(t->out, t->f, m->tid);
    }
    burl_buf_char(t->out, '\n');
    if (m->kind == BURL_ORIGIN_HEAP)
        burl__report_put_stack(t, &m->stack, 6);
}

static void
put_orders(const struct burl__report_text *t)
{
    static const char *const words[] = {
        [BURL_FINDING_OUTCOME_UNKNOWN] = "",
        [BURL_FINDING_OUTCOME_SAME] = "the same",
        [BURL_FINDING_OUTCOME_DIFFERS] = "they differ",
        [BURL_FINDING_OUTCOME_ONE_ORDER] = "only one was reproduced",
    };
    const struct burl_finding_orders *o = &t->f->orders;

    if (o->outcome == BURL_FINDING_OUTCOME_UNKNOWN)
        return;
    put_section(t, "how the two orders end");
    burl_buf_printf(t->out, " (%s)\n", words[o->outcome]);
    for (unsigned i = 0; i < 2; i++) {
        struct burl_buf line;

        burl_buf_init(&line, BURL_BUF_NO_LIMIT);
        burl_buf_printf(&line, "%s: %s", o->first[i],
                        o->ends[i][0] != '\0' ? o->ends[i] : "not reproduced");
        burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 4);
        burl_buf_deinit(&line);
    }
}

static void
put_pairs(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    struct burl_buf line;

    if (f->n_pairs == 0)
        return;
    put_section(t, "also on this variable");
    burl_buf_char(t->out, '\n');
    burl_buf_init(&line, BURL_BUF_NO_LIMIT);
    for (size_t i = 0; i < f->n_pairs && i < MAX_PAIRS_SHOWN; i++) {
        const struct burl_finding_pair *p = &f->pairs[i];

        for (unsigned k = 0; k < 2; k++) {
            burl_buf_printf(&line, "%s%s ", k > 0 ? " and " : "", burl_op_text(p->op[k]));
            if (p->what[k][0] != '\0')
                burl_buf_printf(&line, "%s ", p->what[k]);
            burl_buf_str_append(&line, "at ");
            burl__report_put_loc(&line, &p->loc[k]);
            if (p->loc[k].func[0] != '\0' && p->loc[k].line != 0) {
                burl_buf_str_append(&line, " in ");
                burl__report_put_func(&line, p->loc[k].func);
            }
        }
        burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 4);
        burl_buf_clear(&line);
    }
    burl_buf_deinit(&line);
    if (f->n_pairs > MAX_PAIRS_SHOWN)
        burl_buf_printf(t->out, "    and %zu more pairs of places\n", f->n_pairs - MAX_PAIRS_SHOWN);
}

void
burl__report_render_race(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    if (f->n_sides != 2)
        return;
    put_section(t, f->verdict == BURL_VERDICT_RACE_DATA ? "the two accesses"
                                                        : "the region and the access in between");
    burl_buf_char(t->out, '\n');
    put_side(t, &f->sides[0]);
    put_side(t, &f->sides[1]);
    if (f->verdict == BURL_VERDICT_ATOMICITY_REGION && f->tid == f->sides[0].tid)
        put_rest(t);
    put_memory(t);
    put_orders(t);
    put_pairs(t);
}
