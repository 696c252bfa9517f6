/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_model.c - the memory of a coverage model, and the words its numbers stand for.
 *
 * Runs in the host. After init every string of the model itself is NULL, which the renderers read
 * as ""; deinit frees whatever was filled in, also of a model that was filled in half.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/cover/render_cover.h"

void
burl_cover_model_init(struct burl_cover_model *m)
{
    memset(m, 0, sizeof *m);
}

static void
free_strings(size_t n, ...)
{
    va_list strings;

    va_start(strings, n);
    while (n-- > 0)
        free(va_arg(strings, char *));
    va_end(strings);
}

void
burl_cover_model_deinit(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->metrics.n; i++)
        BURL_VEC_FREE(&m->metrics.v[i].curve);
    for (size_t i = 0; i < m->sites.n; i++) {
        struct burl_cover_site *s = &m->sites.v[i];

        free_strings(4, s->file, s->path, s->func, s->variable);
    }
    for (size_t i = 0; i < m->variables.n; i++) {
        free_strings(2, m->variables.v[i].name, m->variables.v[i].object);
        BURL_VEC_FREE(&m->variables.v[i].sites);
    }
    for (size_t i = 0; i < m->pairs.n; i++) {
        struct burl_cover_pair *p = &m->pairs.v[i];

        free_strings(4, p->strategy, p->schedule, p->reason, p->why);
    }
    for (size_t i = 0; i < m->files.n; i++) {
        free_strings(2, m->files.v[i].file, m->files.v[i].path);
        BURL_VEC_FREE(&m->files.v[i].hit);
        BURL_VEC_FREE(&m->files.v[i].missed);
    }
    for (size_t i = 0; i < m->stale.n; i++)
        free_strings(2, m->stale.v[i].file, m->stale.v[i].text);
    BURL_VEC_FREE(&m->metrics);
    BURL_VEC_FREE(&m->sites);
    BURL_VEC_FREE(&m->variables);
    BURL_VEC_FREE(&m->pairs);
    BURL_VEC_FREE(&m->files);
    BURL_VEC_FREE(&m->stale);
    free_strings(4, m->program, m->command, m->mode, m->target_problem);
    memset(m, 0, sizeof *m);
}

/* ---- words ----------------------------------------------------------------------------- */

static const struct {
    const char *abbr;
    const char *name;
    const char *definition;
} metric_words[] = {
#define BURL_X(id, abbr, text, definition) { abbr, text, definition },
    BURL_WIRE_METRICS(BURL_X)
#undef BURL_X
};

const char *
burl_report_metric_name(uint8_t metric)
{
    return metric < BURL_METRIC__N ? metric_words[metric].name : "";
}

const char *
burl_report_metric_short(uint8_t metric)
{
    return metric < BURL_METRIC__N ? metric_words[metric].abbr : "";
}

const char *
burl_report_metric_definition(uint8_t metric)
{
    return metric < BURL_METRIC__N ? metric_words[metric].definition : "";
}

const char *
burl_report_cover_state_name(enum burl_cover_state state)
{
    static const char *const names[] = {
        [BURL_COVER_COVERED] = "covered",       [BURL_COVER_UNCOVERED] = "uncovered",
        [BURL_COVER_PRUNED] = "pruned",         [BURL_COVER_PROPOSED] = "proposed",
        [BURL_COVER_IMPOSSIBLE] = "impossible", [BURL_COVER_OUTSIDE] = "outside",
    };

    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "";
}

const struct burl_cover_metric *
burl_report_cover_metric(const struct burl_cover_model *m, uint8_t metric)
{
    for (size_t i = 0; i < m->metrics.n; i++) {
        if (m->metrics.v[i].metric == metric)
            return &m->metrics.v[i];
    }
    return NULL;
}
