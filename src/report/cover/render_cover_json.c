/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/render_cover_json.c - interleaving coverage for machines.
 *
 * Runs in the host. The document is described in docs/formats/cover-json.md; a change of meaning
 * bumps BURL_COVER_JSON_VERSION, additions do not. Sites, variables and pairs refer to each other
 * by index and take one line each, since there may be tens of thousands. What is not known is null,
 * never invented; seeds are hex strings, which readers with doubles do not round.
 */
#include <stdio.h>

#include "base/json.h"
#include "report/cover/render_cover_int.h"

static void
put_u32s(struct burl_json_writer *w, const char *key, const uint32_t *v, size_t n)
{
    burl_json_kv_array(w, key);
    for (size_t i = 0; i < n; i++)
        burl_json_u64(w, v[i]);
    burl_json_array_end(w);
}

static void
put_head(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    burl__json_put(w, "version:u program:e command:e mode:e context:u executions:n campaigns:u",
                   BURL_COVER_JSON_VERSION, m->program, m->command, m->mode, m->context,
                   m->executions, m->campaigns);
    burl__json_put(w, "wall_ms:i lost:n lines_complete:b blocks_told:b", m->wall_ms, m->lost,
                   m->lines_complete, m->has_blocks);
    burl_json_kv_object(w, "target");
    burl__json_put(w, "present:b problem:e untyped_pairs:n untyped_covered:n", m->has_target,
                   m->target_problem, m->untyped_pairs, m->untyped_covered);
    burl_json_object_end(w);
}

static void
put_states(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    uint64_t n[BURL__COVER_N_STATES];

    burl__cover_count(m, n);
    burl_json_kv_object(w, "states");
    for (unsigned i = 0; i < BURL__COVER_N_STATES; i++)
        burl_json_kv_u64(w, burl_report_cover_state_name((enum burl_cover_state)i), n[i]);
    burl_json_object_end(w);
}

static void
put_metric(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_metric *x = &m->metrics.v[i];
    const uint32_t permille = burl_report_cover_permille(m, x);
    const bool has_target = burl_report_cover_has_target(m, x);
    char percent[24];

    burl__json_put(w, "short:s name:s definition:s covered:n target:o",
                   burl_report_metric_short(x->metric), burl_report_metric_name(x->metric),
                   burl_report_metric_definition(x->metric), x->covered, has_target, x->target);
    /* Written out: 83.8 is no double. */
    snprintf(percent, sizeof percent, "%u.%u", permille / 10, permille % 10);
    burl_json_key(w, "percent");
    burl_json_raw(w, has_target ? percent : "null");
    burl__json_put(w, "weighted:o", burl__cover_has_weight(x->metric), x->weighted);
    if (x->in_context > 0)
        burl_json_kv_u64(w, "in_context", x->in_context);
    burl__json_put(w, "unserialisable:o new_last_window:n window:n",
                   burl__cover_has_unserial(x->metric), x->unserial, x->new_last_window, x->window);
    burl_json_kv_array(w, "curve");
    for (size_t k = 0; k < x->curve.n; k++)
        burl__json_put_array(w, "n n", x->curve.v[k].executions, x->curve.v[k].items);
    burl_json_array_end(w);
}

static void
put_file(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_file *f = &m->files.v[i];

    burl__json_put(w, "file:s path:e lines_found:u lines_hit:u pairs_target:u pairs_covered:u",
                   burl__cover_str(f->file), f->path, f->lines_found, f->lines_hit, f->pairs_target,
                   f->pairs_covered);
    put_u32s(w, "missed", f->missed.v, f->missed.n);
}

static void
put_site(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_site *s = &m->sites.v[i];

    burl__json_put(w, "file:s line:u column:u function:e variable:e reads:b writes:b atomic:b",
                   burl__cover_str(s->file), s->line, s->column, s->func, s->variable, s->reads,
                   s->writes, s->atomic);
}

static void
put_variable(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_variable *v = &m->variables.v[i];

    burl__json_put(w, "name:s object:e untyped:b covered:u uncovered:u pruned:u impossible:u",
                   burl__cover_str(v->name), v->object, v->untyped, v->covered, v->uncovered,
                   v->pruned, v->impossible);
    put_u32s(w, "sites", v->sites.v, v->sites.n);
}

static void
put_pair(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_pair *p = &m->pairs.v[i];

    burl__json_put(w, "a:o b:o variable:o state:s", p->a < m->sites.n, (uint64_t)p->a,
                   p->b < m->sites.n, (uint64_t)p->b, p->variable < m->variables.n,
                   (uint64_t)p->variable, burl_report_cover_state_name(p->state));
    if (p->state == BURL_COVER_COVERED || p->state == BURL_COVER_OUTSIDE) {
        struct burl_buf replay = BURL_BUF_INIT;

        burl__cover_replay(p->schedule, &replay);
        burl__json_put(w, "racy:b first_execution:n strategy:e seed:x schedule:e replay:e", p->racy,
                       p->first_exec, p->strategy, p->seed, p->schedule, burl_buf_str(&replay));
        burl_buf_deinit(&replay);
        if (*burl__cover_str(p->reason) != '\0')
            burl_json_kv_str(w, "contradicts", p->reason);
    } else {
        burl__json_put(w, "reason:e tries:n", p->reason, p->tries);
    }
    if (p->state == BURL_COVER_UNCOVERED)
        burl__json_put(w, "rank:o why:e", p->rank != 0, (uint64_t)p->rank, p->why);
}

static void
put_stale(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i)
{
    const struct burl_cover_stale *s = &m->stale.v[i];

    burl__json_put(w, "file:s line:u text:s", burl__cover_str(s->file), s->line,
                   burl__cover_str(s->text));
}

/* A long list: its elements are objects, each on a line of its own. */
static void
put_rows(struct burl_json_writer *w, const struct burl_cover_model *m, const char *key, size_t n,
         void (*put)(struct burl_json_writer *w, const struct burl_cover_model *m, size_t i))
{
    struct burl_buf line = BURL_BUF_INIT;

    burl_json_kv_array(w, key);
    for (size_t i = 0; i < n; i++) {
        struct burl_json_writer one;

        burl_json_writer_init(&one, &line, 0);
        burl_json_object_begin(&one);
        put(&one, m, i);
        burl_json_object_end(&one);
        burl_json_writer_finish(&one);
        if (line.n > 0 && line.p[line.n - 1] == '\n')
            burl_buf_truncate(&line, line.n - 1);
        burl_json_raw(w, burl_buf_str(&line));
        burl_buf_clear(&line);
    }
    burl_json_array_end(w);
    burl_buf_deinit(&line);
}

void
burl_report_cover_json(const struct burl_cover_model *m, struct burl_buf *out)
{
    struct burl_json_writer w;

    burl_json_writer_init(&w, out, 2);
    burl_json_object_begin(&w);
    put_head(&w, m);
    put_states(&w, m);
    put_rows(&w, m, "metrics", m->metrics.n, put_metric);
    put_rows(&w, m, "files", m->files.n, put_file);
    put_rows(&w, m, "sites", m->sites.n, put_site);
    put_rows(&w, m, "variables", m->variables.n, put_variable);
    put_rows(&w, m, "pairs", m->pairs.n, put_pair);
    put_rows(&w, m, "stale_prunes", m->stale.n, put_stale);
    burl_json_kv_u64(&w, "foreign_prunes", m->foreign_prunes);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
}
