/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_model.c - the memory of a coverage model, and the words its numbers stand for.
 *
 * Runs in the host. After init every string of the model itself is NULL, which the renderers read
 * as ""; deinit frees whatever was filled in, also of a model that was filled in half.
 */
#include <stdlib.h>
#include <string.h>

#include "report/cover/render_cover.h"

void
burl_cover_model_init(struct burl_cover_model *m)
{
    memset(m, 0, sizeof *m);
}

static void
free_sites(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->sites.n; i++) {
        free(m->sites.v[i].file);
        free(m->sites.v[i].path);
        free(m->sites.v[i].func);
        free(m->sites.v[i].variable);
    }
    BURL_VEC_FREE(&m->sites);
}

static void
free_variables(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->variables.n; i++) {
        free(m->variables.v[i].name);
        free(m->variables.v[i].object);
        BURL_VEC_FREE(&m->variables.v[i].sites);
    }
    BURL_VEC_FREE(&m->variables);
}

static void
free_pairs(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        free(m->pairs.v[i].strategy);
        free(m->pairs.v[i].schedule);
        free(m->pairs.v[i].reason);
        free(m->pairs.v[i].why);
    }
    BURL_VEC_FREE(&m->pairs);
}

static void
free_files(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->files.n; i++) {
        free(m->files.v[i].file);
        free(m->files.v[i].path);
        BURL_VEC_FREE(&m->files.v[i].hit);
        BURL_VEC_FREE(&m->files.v[i].missed);
    }
    BURL_VEC_FREE(&m->files);
}

void
burl_cover_model_deinit(struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->metrics.n; i++)
        BURL_VEC_FREE(&m->metrics.v[i].curve);
    BURL_VEC_FREE(&m->metrics);
    free_sites(m);
    free_variables(m);
    free_pairs(m);
    free_files(m);
    for (size_t i = 0; i < m->stale.n; i++) {
        free(m->stale.v[i].file);
        free(m->stale.v[i].text);
    }
    BURL_VEC_FREE(&m->stale);
    free(m->program);
    free(m->command);
    free(m->mode);
    free(m->target_problem);
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
