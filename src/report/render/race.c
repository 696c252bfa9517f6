/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.c - the sections of a race or an atomicity violation, for the terminal.
 *
 * Runs in the host. Both accesses in the order of the execution, each with its line, its locks, its
 * stack and the creation of its thread; then the memory, the outcome of either order, and the other
 * places that race on the same variable.
 */
#include "base/number.h"
#include "base/path.h"
#include "report/render/render_int.h"

#define MAX_PAIRS_SHOWN 3u /* enough to see the pattern; -v and JSON have all */

static void
put_locks(const struct burl__report_text *t, const struct burl_finding_side *s)
{
    /* If neither side holds one, the explanation says so. */
    if (s->n_locks == 0 && t->f->sides[0].n_locks + t->f->sides[1].n_locks > 0)
        burl_buf_str_append(t->out, "      holds no lock\n");
    for (size_t i = 0; i < s->n_locks; i++)
        burl__report_put_held(t, &s->locks[i]);
    if (s->n_more_locks > 0)
        burl_buf_printf(t->out, "      and %u more lock%s\n", s->n_more_locks,
                        s->n_more_locks == 1 ? "" : "s");
}

static void
put_source(const struct burl__report_text *t, const struct burl_finding_loc *loc)
{
    if (loc->source[0] == '\0')
        return;
    burl__report_put_inked(t->out, t->style, BURL__REPORT_INK_DIM, "%9u | ", loc->line);
    burl__report_put_cut(t->out, t->style, loc->source, burl__report_width(t->style) - 12);
    burl_buf_char(t->out, '\n');
}

/* "T1 worker writes total, 4 bytes, at step 39" */
static void
put_side(const struct burl__report_text *t, const struct burl_finding_side *s)
{
    const struct burl_finding_thread *th = burl__report_thread_of(t->f, s->tid);

    burl__report_put_thread_head(t, s->tid);
    burl_buf_char(t->out, ' ');
    burl__report_side_words(t->out, t->f, s);
    burl_buf_char(t->out, '\n');
    put_source(t, &s->loc);
    put_locks(t, s);
    if (s->stack.n > 0)
        burl__report_put_stack(t, &s->stack, 6);
    else
        burl__report_put(t->out, t->f, "      at %L\n", &s->loc);
    if (th != NULL && th->creator != BURL_TID_NONE && th->created.line != 0)
        burl__report_put(t->out, t->f, "      created by T%u at %L\n", th->creator, &th->created);
}

/* The access of the region after the violation. */
static void
put_rest(const struct burl__report_text *t)
{
    burl__report_put_thread_head(t, t->f->tid);
    burl__report_put(t->out, t->f, " continues the region at %L\n", &t->f->where);
    put_source(t, &t->f->where);
}

/* The title says what kind of memory it is. A symbol it does not name is worth a line, and so is
 * the place that allocated the block. */
static bool
adds_to_title(const struct burl_finding_memory *m)
{
    if (m->kind == BURL_ORIGIN_GLOBAL)
        return m->symbol[0] != '\0' && strstr(m->name, m->symbol) == NULL;
    return m->kind == BURL_ORIGIN_HEAP;
}

/* A heap block has a section of its own when the trace knows it. */
static void
put_memory(const struct burl__report_text *t)
{
    const struct burl_finding_memory *m = &t->f->memory;

    if (m->kind == BURL_ORIGIN_UNKNOWN || (m->kind == BURL_ORIGIN_HEAP && t->f->block.known))
        return;
    if (!t->style->verbose && !adds_to_title(m))
        return;
    burl__report_put_section(t, "the memory");
    burl_buf_str_append(t->out, "\n    ");
    burl__report_memory_words(t->out, t->f);
    burl_buf_char(t->out, '\n');
    if (m->kind == BURL_ORIGIN_HEAP)
        burl__report_put_stack(t, &m->stack, 6);
}

static void
put_orders(const struct burl__report_text *t)
{
    const struct burl_finding_orders *o = &t->f->orders;

    if (o->outcome == BURL_FINDING_OUTCOME_UNKNOWN)
        return;
    burl__report_put_section(t, "how the two orders end");
    burl_buf_printf(t->out, " (%s)\n", burl__report_outcome_words(o->outcome));
    for (unsigned i = 0; i < 2; i++) {
        char *line = burl_xasprintf("%s: %s", o->first[i],
                                    o->ends[i][0] != '\0' ? o->ends[i] : "not reproduced");

        burl__report_put_wrapped(t->out, t->style, line, 4);
        free(line);
    }
}

/* Both places inside a library tell no more than that there are such. */
static bool
is_within_library(const struct burl_finding_pair *p)
{
    return burl_path_is_system(p->loc[0].file) && burl_path_is_system(p->loc[1].file);
}

static void
put_left_out(const struct burl__report_text *t, bool first, size_t n, const char *where)
{
    if (n > 0)
        burl_buf_printf(t->out, "    %s%zu %spair%s of places%s\n", first ? "" : "and ", n,
                        first ? "" : "more ", n == 1 ? "" : "s", where);
}

/* Does an earlier pair read alike? Accesses of one line differ in their columns only. */
static bool
is_repeated(const struct burl_finding *f, size_t i)
{
    struct burl_buf text = BURL_BUF_INIT;
    struct burl_buf other = BURL_BUF_INIT;
    bool same = false;

    burl__report_pair_words(&text, f, &f->pairs[i]);
    for (size_t k = 0; k < i && !same; k++) {
        burl_buf_clear(&other);
        burl__report_pair_words(&other, f, &f->pairs[k]);
        same = strcmp(burl_buf_str(&text), burl_buf_str(&other)) == 0;
    }
    burl_buf_deinit(&other);
    burl_buf_deinit(&text);
    return same;
}

static void
put_pairs(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;
    const size_t max_shown = t->style->verbose ? f->n_pairs : MAX_PAIRS_SHOWN;
    struct burl_buf line = BURL_BUF_INIT;
    size_t n_shown = 0;
    size_t n_library = 0;
    size_t n_repeated = 0;

    if (f->n_pairs == 0)
        return;
    burl__report_put_section(t, burl__report_pairs_title(f));
    burl_buf_char(t->out, '\n');
    for (size_t i = 0; i < f->n_pairs; i++) {
        const struct burl_finding_pair *p = &f->pairs[i];

        n_library += is_within_library(p);
        if (is_within_library(p) || n_shown == max_shown)
            continue;
        if (is_repeated(f, i)) {
            n_repeated++;
            continue;
        }
        n_shown++;
        burl__report_pair_words(&line, f, p);
        burl__report_put_wrapped(t->out, t->style, burl_buf_str(&line), 4);
        burl_buf_clear(&line);
    }
    burl_buf_deinit(&line);
    put_left_out(t, false, f->n_pairs - n_shown - n_library - n_repeated, " (-v)");
    put_left_out(t, n_shown == 0, n_library, " within library functions");
}

void
burl__report_render_race(const struct burl__report_text *t)
{
    const struct burl_finding *f = t->f;

    if (f->n_sides != 2)
        return;
    burl__report_put_section(t, burl__report_sides_title(f));
    burl_buf_char(t->out, '\n');
    put_side(t, &f->sides[0]);
    put_side(t, &f->sides[1]);
    if (f->verdict == BURL_VERDICT_ATOMICITY_REGION && f->tid == f->sides[0].tid)
        put_rest(t);
    put_memory(t);
    put_orders(t);
    put_pairs(t);
}
