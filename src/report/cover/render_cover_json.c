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
put_str(struct burl_json_writer *w, const char *key, const char *s)
{
    burl_json_kv_str(w, key, *burl__cover_str(s) != '\0' ? s : NULL);
}

/* Null unless `known`. */
static void
put_u64_if(struct burl_json_writer *w, const char *key, bool known, uint64_t x)
{
    burl_json_key(w, key);
    if (known)
        burl_json_u64(w, x);
    else
        burl_json_null(w);
}

static void
put_u32s(struct burl_json_writer *w, const char *key, const uint32_t *v, size_t n)
{
    burl_json_key(w, key);
    burl_json_array_begin(w);
    for (size_t i = 0; i < n; i++)
        burl_json_u64(w, v[i]);
    burl_json_array_end(w);
}

static void
put_head(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    burl_json_kv_u64(w, "version", BURL_COVER_JSON_VERSION);
    put_str(w, "program", m->program);
    put_str(w, "command", m->command);
    put_str(w, "mode", m->mode);
    burl_json_kv_u64(w, "context", m->context);
    burl_json_kv_u64(w, "executions", m->executions);
    burl_json_kv_u64(w, "campaigns", m->campaigns);
    burl_json_kv_i64(w, "wall_ms", m->wall_ms);
    burl_json_kv_u64(w, "lost", m->lost);
    burl_json_kv_bool(w, "lines_complete", m->lines_complete);
    burl_json_kv_bool(w, "blocks_told", m->has_blocks);
    burl_json_key(w, "target");
    burl_json_object_begin(w);
    burl_json_kv_bool(w, "present", m->has_target);
    put_str(w, "problem", m->target_problem);
    burl_json_kv_u64(w, "untyped_pairs", m->untyped_pairs);
    burl_json_kv_u64(w, "untyped_covered", m->untyped_covered);
    burl_json_object_end(w);
}

static void
put_states(struct burl_json_writer *w, const struct burl_cover_model *m)
{
    uint64_t n[BURL__COVER_N_STATES];

    burl__cover_count(m, n);
    burl_json_key(w, "states");
    burl_json_object_begin(w);
    for (unsigned i = 0; i < BURL__COVER_N_STATES; i++)
        burl_json_kv_u64(w, burl_report_cover_state_name((enum burl_cover_state)i), n[i]);
    burl_json_object_end(w);
}

static void
put_metric(struct burl_json_writer *w, const struct burl_cover_model *m,
           const struct burl_cover_metric *x)
{
    const uint32_t permille = burl_report_cover_permille(m, x);
    const bool aims = burl_report_cover_has_target(m, x);
    char percent[24];

    burl_json_kv_str(w, "short", burl_report_metric_short(x->metric));
    burl_json_kv_str(w, "name", burl_report_metric_name(x->metric));
    burl_json_kv_str(w, "definition", burl_report_metric_definition(x->metric));
    burl_json_kv_u64(w, "covered", x->covered);
    put_u64_if(w, "target", aims, x->target);
    /* Written out: 83.8 is no double. */
    snprintf(percent, sizeof percent, "%u.%u", permille / 10, permille % 10);
    burl_json_key(w, "percent");
    if (aims)
        burl_json_raw(w, percent);
    else
        burl_json_null(w);
    put_u64_if(w, "weighted", burl__cover_has_weight(x->metric), x->weighted);
    if (x->in_context > 0)
        burl_json_kv_u64(w, "in_context", x->in_context);
    put_u64_if(w, "unserialisable", burl__cover_has_unserial(x->metric), x->unserial);
    burl_json_kv_u64(w, "new_last_window", x->new_last_window);
    burl_json_kv_u64(w, "window", x->window);
    burl_json_key(w, "curve");
    burl_json_array_begin(w);
    for (size_t i = 0; i < x->curve.n; i++) {
        burl_json_array_begin(w);
        burl_json_u64(w, x->curve.v[i].executions);
        burl_json_u64(w, x->curve.v[i].items);
        burl_json_array_end(w);
    }
    burl_json_array_end(w);
}

static void
put_file(struct burl_json_writer *w, const struct burl_cover_file *f)
{
    burl_json_kv_str(w, "file", burl__cover_str(f->file));
    put_str(w, "path", f->path);
    burl_json_kv_u64(w, "lines_found", f->lines_found);
    burl_json_kv_u64(w, "lines_hit", f->lines_hit);
    burl_json_kv_u64(w, "pairs_target", f->pairs_target);
    burl_json_kv_u64(w, "pairs_covered", f->pairs_covered);
    put_u32s(w, "missed", f->missed.v, f->missed.n);
}

static void
put_site(struct burl_json_writer *w, const struct burl_cover_site *s)
{
    burl_json_kv_str(w, "file", burl__cover_str(s->file));
    burl_json_kv_u64(w, "line", s->line);
    burl_json_kv_u64(w, "column", s->column);
    put_str(w, "function", s->func);
    put_str(w, "variable", s->variable);
    burl_json_kv_bool(w, "reads", s->reads);
    burl_json_kv_bool(w, "writes", s->writes);
    burl_json_kv_bool(w, "atomic", s->atomic);
}

static void
put_variable(struct burl_json_writer *w, const struct burl_cover_variable *v)
{
    burl_json_kv_str(w, "name", burl__cover_str(v->name));
    put_str(w, "object", v->object);
    burl_json_kv_bool(w, "untyped", v->untyped);
    burl_json_kv_u64(w, "covered", v->covered);
    burl_json_kv_u64(w, "uncovered", v->uncovered);
    burl_json_kv_u64(w, "pruned", v->pruned);
    burl_json_kv_u64(w, "impossible", v->impossible);
    put_u32s(w, "sites", v->sites.v, v->sites.n);
}

static void
put_pair(struct burl_json_writer *w, const struct burl_cover_model *m,
         const struct burl_cover_pair *p)
{
    bool covered = p->state == BURL_COVER_COVERED || p->state == BURL_COVER_OUTSIDE;
    bool gap = p->state == BURL_COVER_UNCOVERED;
    struct burl_buf replay;

    put_u64_if(w, "a", p->a < m->sites.n, p->a);
    put_u64_if(w, "b", p->b < m->sites.n, p->b);
    put_u64_if(w, "variable", p->variable < m->variables.n, p->variable);
    burl_json_kv_str(w, "state", burl_report_cover_state_name(p->state));
    if (covered) {
        burl_json_kv_bool(w, "racy", p->racy);
        burl_json_kv_u64(w, "first_execution", p->first_exec);
        put_str(w, "strategy", p->strategy);
        burl_json_kv_hex(w, "seed", p->seed);
        put_str(w, "schedule", p->schedule);
        burl_buf_init(&replay, BURL_BUF_NO_LIMIT);
        burl__cover_replay(p, &replay);
        put_str(w, "replay", burl_buf_str(&replay));
        burl_buf_deinit(&replay);
        if (*burl__cover_str(p->reason) != '\0')
            burl_json_kv_str(w, "contradicts", p->reason);
    } else {
        put_str(w, "reason", p->reason);
        burl_json_kv_u64(w, "tries", p->tries);
    }
    if (gap) {
        put_u64_if(w, "rank", p->rank != 0, p->rank);
        put_str(w, "why", p->why);
    }
}

static void
put_stale(struct burl_json_writer *w, const struct burl_cover_stale *s)
{
    burl_json_kv_str(w, "file", burl__cover_str(s->file));
    burl_json_kv_u64(w, "line", s->line);
    burl_json_kv_str(w, "text", burl__cover_str(s->text));
}

/* The elements of a long list are objects, each on a line of its own; the put_*() above write what
 * is in one. */
static void
row_begin(struct burl_json_writer *one, struct burl_buf *line)
{
    burl_json_writer_init(one, line, 0);
    burl_json_object_begin(one);
}

static void
row_end(struct burl_json_writer *w, struct burl_json_writer *one, struct burl_buf *line)
{
    burl_json_object_end(one);
    burl_json_writer_finish(one);
    if (line->n > 0 && line->p[line->n - 1] == '\n')
        burl_buf_truncate(line, line->n - 1);
    burl_json_raw(w, burl_buf_str(line));
    burl_buf_clear(line);
}

#define PUT_ROWS(w, line, key, vec, put)           \
    do {                                           \
        burl_json_key(w, key);                     \
        burl_json_array_begin(w);                  \
        for (size_t i_ = 0; i_ < (vec)->n; i_++) { \
            struct burl_json_writer one_;          \
            row_begin(&one_, line);                \
            put;                                   \
            row_end(w, &one_, line);               \
        }                                          \
        burl_json_array_end(w);                    \
    } while (0)

void
burl_report_cover_json(const struct burl_cover_model *m, struct burl_buf *out)
{
    struct burl_json_writer w;
    struct burl_buf line;

    burl_buf_init(&line, BURL_BUF_NO_LIMIT);
    burl_json_writer_init(&w, out, 2);
    burl_json_object_begin(&w);
    put_head(&w, m);
    put_states(&w, m);
    PUT_ROWS(&w, &line, "metrics", &m->metrics, put_metric(&one_, m, &m->metrics.v[i_]));
    PUT_ROWS(&w, &line, "files", &m->files, put_file(&one_, &m->files.v[i_]));
    PUT_ROWS(&w, &line, "sites", &m->sites, put_site(&one_, &m->sites.v[i_]));
    PUT_ROWS(&w, &line, "variables", &m->variables, put_variable(&one_, &m->variables.v[i_]));
    PUT_ROWS(&w, &line, "pairs", &m->pairs, put_pair(&one_, m, &m->pairs.v[i_]));
    PUT_ROWS(&w, &line, "stale_prunes", &m->stale, put_stale(&one_, &m->stale.v[i_]));
    burl_json_kv_u64(&w, "foreign_prunes", m->foreign_prunes);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    burl_buf_deinit(&line);
}
