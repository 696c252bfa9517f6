/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_pick.c - reads a coverage model safely, and the few things all its renderers
 * derive.
 *
 * Runs in the host. See render_cover_int.h: whatever is missing in the model costs a name here and
 * never a renderer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "report/cover/render_cover_int.h"

const char *
burl__cover_str(const char *s)
{
    return s != NULL ? s : "";
}

const struct burl_cover_site *
burl__cover_site(const struct burl_cover_model *m, uint32_t i)
{
    static const struct burl_cover_site nowhere;

    return i < m->sites.n ? &m->sites.v[i] : &nowhere;
}

const char *
burl__cover_variable(const struct burl_cover_model *m, const struct burl_cover_pair *p)
{
    if (p->variable < m->variables.n && *burl__cover_str(m->variables.v[p->variable].name) != '\0')
        return m->variables.v[p->variable].name;
    return burl__cover_str(burl__cover_site(m, p->a)->variable);
}

const char *
burl__cover_access(const struct burl_cover_site *s)
{
    static const char *const words[2][4] = {
        { "access", "read", "write", "update" },
        { "access", "atomic read", "atomic write", "atomic update" },
    };

    return words[s->atomic][s->reads + 2 * s->writes];
}

void
burl__cover_count(const struct burl_cover_model *m, uint64_t n[BURL__COVER_N_STATES])
{
    for (size_t i = 0; i < BURL__COVER_N_STATES; i++)
        n[i] = 0;
    for (size_t i = 0; i < m->pairs.n; i++) {
        if ((unsigned)m->pairs.v[i].state < BURL__COVER_N_STATES)
            n[m->pairs.v[i].state]++;
    }
}

struct ranked {
    uint32_t rank;
    uint32_t pair;
};

#define RANK(e) (e)->rank, (e)->pair

static int
by_rank(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;

    return BURL_COMPARE(x, y, RANK);
}

uint32_t *
burl__cover_gaps(const struct burl_cover_model *m, size_t *n)
{
    struct ranked *r = burl_xcalloc(m->pairs.n + 1, sizeof *r);
    uint32_t *out;

    *n = 0;
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (p->state == BURL_COVER_UNCOVERED)
            r[(*n)++] = (struct ranked){ p->rank != 0 ? p->rank : UINT32_MAX, (uint32_t)i };
    }
    qsort(r, *n, sizeof *r, by_rank);
    out = burl_xcalloc(*n + 1, sizeof *out);
    for (size_t i = 0; i < *n; i++)
        out[i] = r[i].pair;
    free(r);
    return out;
}

uint32_t
burl__cover_permille(uint64_t covered, uint64_t target)
{
    if (target == 0)
        return 0;
    if (covered >= target)
        return 1000;
    /* covered < target: the quotient is below 1000 also when the product does not fit. */
    if (covered > UINT64_MAX / 1000)
        return covered / (target / 1000) > 999 ? 999 : (uint32_t)(covered / (target / 1000));
    return (uint32_t)(covered * 1000 / target);
}

bool
burl_report_cover_has_target(const struct burl_cover_model *m, const struct burl_cover_metric *x)
{
    return x->target != 0 || (x->metric == BURL_METRIC_LOCPAIRS && m->has_target);
}

uint32_t
burl_report_cover_permille(const struct burl_cover_model *m, const struct burl_cover_metric *x)
{
    if (x->target == 0)
        return burl_report_cover_has_target(m, x) ? 1000 : 0;
    return burl__cover_permille(x->covered, x->target);
}

const char *
burl__cover_why_no_target(const struct burl_cover_model *m, const struct burl_cover_metric *x)
{
    uint64_t n[BURL__COVER_N_STATES];

    if (x->target != 0 || !burl_report_cover_has_target(m, x))
        return "";
    burl__cover_count(m, n);
    if (n[BURL_COVER_PRUNED] + n[BURL_COVER_IMPOSSIBLE] == 0)
        return m->untyped_pairs > 0 ? "only untyped pairs" : "no pair is possible";
    if (n[BURL_COVER_IMPOSSIBLE] == 0)
        return "all are pruned";
    return n[BURL_COVER_PRUNED] == 0 ? "all are impossible" : "all are pruned or impossible";
}

const char *
burl__cover_line_note(const struct burl_cover_model *m)
{
    if (m->lines_complete || burl_report_cover_metric(m, BURL_METRIC_LINES) == NULL)
        return "";
    return m->has_blocks
               ? "LINE: files built without `burl-cc --blocks` count only lines that access "
                 "possibly shared memory, call out of their file, or begin a function"
               : "LINE counts lines that access possibly shared memory, call out of their file, or "
                 "begin a function; `burl-cc --blocks` counts every basic block too";
}

const char *
burl__cover_block_note(const struct burl_cover_model *m)
{
    if (m->has_blocks || burl_report_cover_metric(m, BURL_METRIC_BLOCKS) == NULL)
        return "";
    return "BLK: the program was built without basic-block coverage; build it with `burl-cc "
           "--blocks`";
}

bool
burl__cover_has_weight(uint8_t metric)
{
    return metric == BURL_METRIC_GOLDISC;
}

bool
burl__cover_has_unserial(uint8_t metric)
{
    return metric == BURL_METRIC_AVIO || metric == BURL_METRIC_PINV;
}

/* As a shell reads it. */
static void
put_quoted(struct burl_buf *out, const char *s)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./+:,@%=";

    if (s[strspn(s, safe)] == '\0') {
        burl_buf_str_append(out, s);
        return;
    }
    burl_buf_char(out, '\'');
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            burl_buf_str_append(out, "'\\''");
        else
            burl_buf_char(out, *s);
    }
    burl_buf_char(out, '\'');
}

void
burl__cover_replay(const char *schedule, struct burl_buf *out)
{
    if (*burl__cover_str(schedule) == '\0')
        return;
    burl_buf_str_append(out, "burl replay --schedule="); /* the file names the program */
    put_quoted(out, schedule);
}
