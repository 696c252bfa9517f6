/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/marks.c - marks and variables of sites; contract in marks.h.
 *
 * Runs in the host.
 */
#include "tune/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "tune/names.h"

/* No program of ours has more; a damaged module table must not make us allocate more. */
#define SITES_MAX (1u << 24)

void
burl_marks_deinit(struct burl_marks *m)
{
    BURL_VEC_FREE(&m->modules);
    BURL_VEC_FREE(&m->pending);
    free(m->v);
    free(m->variables);
    *m = (struct burl_marks){ 0 };
}

/* Members are one variable whatever the pointer is called: q->head and queue->head. */
static const char *
variable_of(const struct burl_site_info *info)
{
    const char *arrow = strstr(info->variable, "->");

    return arrow ? arrow : info->variable;
}

static bool
is_access(uint8_t kind)
{
    switch (kind) {
    case BURL_SITE_FUNC:
    case BURL_SITE_BLOCK:
    case BURL_SITE_CALL:
    case BURL_SITE_PLACE:
    case BURL_SITE_FENCE:
        return false;
    default:
        return true;
    }
}

static void
name_variables(struct burl_marks *m, const struct burl_sites *sites)
{
    struct burl_map numbers = { 0 };

    for (size_t i = 0; i < m->modules.n; i++) {
        const struct burl_wire_module_entry *e = &m->modules.v[i];

        for (uint32_t k = 0; k < e->n_sites; k++) {
            const struct burl_site_info *info = burl_sites_get(sites, e->base + k);
            const char *name = variable_of(info);
            uint64_t *number;

            if (!is_access(info->kind) || *name == '\0')
                continue;
            number = burl_map_at(&numbers, burl_hash(name, strlen(name)));
            if (*number == 0)
                *number = ++m->n_variables;
            m->variables[e->base + k] = (uint32_t)*number;
        }
    }
    burl_map_deinit(&numbers);
}

void
burl_marks_begin(struct burl_marks *m, const struct burl_wire_module_entry *modules, size_t n,
                 const struct burl_sites *sites)
{
    BURL_ASSERT(m->modules.n == 0);
    for (size_t i = 0; i < n; i++) {
        const uint64_t end = (uint64_t)modules[i].base + modules[i].n_sites;

        if (modules[i].late || end > SITES_MAX)
            continue;
        BURL_VEC_PUSH(&m->modules, modules[i]);
        m->n = end > m->n ? end : m->n;
    }
    m->v = burl_xcalloc(m->n + 1, sizeof *m->v);
    m->variables = burl_xcalloc(m->n + 1, sizeof *m->variables);
    name_variables(m, sites);
    for (size_t i = 0; i < m->pending.n; i++)
        burl_marks_add(m, m->pending.v[i].module, m->pending.v[i].index, m->pending.v[i].marks);
    BURL_VEC_FREE(&m->pending);
}

void
burl_marks_add(struct burl_marks *m, uint64_t module, uint32_t index, uint8_t marks)
{
    if (!m->v) {
        BURL_VEC_PUSH(&m->pending, (struct burl_mark){ module, index, marks });
        return;
    }
    for (size_t i = 0; i < m->modules.n; i++) {
        const struct burl_wire_module_entry *e = &m->modules.v[i];

        if (e->hash == module && index < e->n_sites) {
            m->v[e->base + index] |= marks;
            return;
        }
    }
}

void
burl_marks_add_site(struct burl_marks *m, const struct burl_wire_module_entry *modules, size_t n,
                    uint32_t site, uint8_t marks)
{
    const struct burl_wire_module_entry *e = burl_tune_module(modules, n, site);

    if (e)
        burl_marks_add(m, e->hash, site - e->base, marks);
}

void
burl_marks_learn(struct burl_marks *m, const struct burl_wire_module_entry *modules, size_t n,
                 const uint8_t *marks, size_t n_marks)
{
    for (size_t i = 0; i < n_marks && !m->any_shared; i++)
        m->any_shared = (marks[i] & BURL_NOISE_MARK_SHARED) != 0;
    for (size_t i = 0; i < n; i++) {
        const struct burl_wire_module_entry *e = &modules[i];

        for (uint32_t k = 0; k < e->n_sites && e->base + (size_t)k < n_marks; k++) {
            if (marks[e->base + k] != 0)
                burl_marks_add(m, e->hash, k, marks[e->base + k]);
        }
    }
}

size_t
burl_marks_count(const struct burl_marks *m, uint8_t marks)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++)
        n += (m->v[i] & marks) != 0;
    for (size_t i = 0; i < m->pending.n; i++)
        n += (m->pending.v[i].marks & marks) != 0;
    return n;
}

bool
burl_marks_any_shared(const struct burl_marks *m)
{
    return m->any_shared || burl_marks_count(m, BURL_NOISE_MARK_SHARED) > 0;
}

uint32_t
burl_marks_variable(const struct burl_marks *m, uint64_t seed)
{
    BURL_VEC(uint32_t) shared = { 0 };
    uint8_t *is_shared = burl_xcalloc(m->n_variables + 1u, 1);
    struct burl_rng rng;
    uint32_t chosen = 0;

    for (size_t i = 0; i < m->n; i++) {
        if (m->v[i] & BURL_NOISE_MARK_SHARED)
            is_shared[m->variables[i]] = 1;
    }
    for (uint32_t i = 1; i <= m->n_variables; i++) {
        if (is_shared[i])
            BURL_VEC_PUSH(&shared, i);
    }
    burl_rng_init(&rng, seed);
    if (shared.n > 0)
        chosen = shared.v[burl_rng_below(&rng, shared.n)];
    BURL_VEC_FREE(&shared);
    free(is_shared);
    return chosen;
}

void
burl_marks_each(const struct burl_marks *m, void (*each)(void *arg, const struct burl_mark *x),
                void *arg)
{
    for (size_t i = 0; i < m->modules.n; i++) {
        const struct burl_wire_module_entry *e = &m->modules.v[i];

        for (uint32_t k = 0; k < e->n_sites; k++) {
            if (m->v[e->base + k] != 0)
                each(arg, &(struct burl_mark){ e->hash, k, m->v[e->base + k] });
        }
    }
}
