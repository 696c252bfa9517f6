/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/genes.c - vectors of integers and the settings they stand for; contract in genes.h.
 *
 * Runs in the host.
 */
#include "tune/genes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
add(struct burl_genome *g, const char *name, enum burl_gene_role role, bool ordinal, int32_t min,
    int32_t max)
{
    struct burl_gene *x = &g->v[g->n++];

    BURL_ASSERT(g->n <= BURL_GENES_MAX);
    *x = (struct burl_gene){ .role = role, .ordinal = ordinal, .min = min, .max = max };
    snprintf(x->name, sizeof x->name, "%s", name);
}

void
burl_genome_init(struct burl_genome *g)
{
    *g = (struct burl_genome){ .strength = BURL_NOISE_STRENGTH };
    add(g, "noiseFreq", BURL_GENE_FREQ, true, 0, (int32_t)BURL_NOISE_MAX_FREQ);
    add(g, "sharedVar", BURL_GENE_SHARED, false, 0, BURL_NOISE_SHARED__N - 1);
    add(g, "coverage", BURL_GENE_COVER, false, 0, BURL_NOISE_COVER__N - 1);
    add(g, "seeding", BURL_GENE_SEEDING, false, 0, BURL_NOISE_SEEDING__N - 1);
    add(g, "haltOneThread", BURL_GENE_HALT, false, 0, 1);
    add(g, "timeoutTamper", BURL_GENE_TAMPER, false, 0, 1);
}

void
burl_genome_add_strength(struct burl_genome *g, uint32_t min, uint32_t max)
{
    BURL_ASSERT(min >= 1 && min <= max && max <= BURL_NOISE_MAX_STRENGTH);
    add(g, "strength", BURL_GENE_STRENGTH, true, (int32_t)min, (int32_t)max);
}

/* The values are 0 and the marks that there are: with pairs but without suspects there are two. */
void
burl_genome_add_known(struct burl_genome *g, bool suspects, bool pairs)
{
    g->known = (suspects ? 1u << BURL_KNOWN_SUSPECTS : 0) | (pairs ? 1u << BURL_KNOWN_PAIRS : 0);
    if (g->known == 0)
        return;
    add(g, "known", BURL_GENE_KNOWN, false, 0, suspects && pairs ? 2 : 1);
}

enum burl_status
burl_genome_add_param(struct burl_genome *g, const char *name, uint32_t param, bool ordinal,
                      int32_t min, int32_t max, struct burl_err *err)
{
    if (g->n == BURL_GENES_MAX)
        return burl_err_set(err, BURL_E_USAGE, 0, "too many parameters: at most %u",
                            BURL_GENES_MAX - BURL_GENE_PARAM);
    add(g, name, BURL_GENE_PARAM, ordinal, min, max);
    g->v[g->n - 1].param = param;
    return BURL_OK;
}

void
burl_genome_drop_shared(struct burl_genome *g)
{
    g->v[BURL_GENE_SHARED].max = 0;
    g->v[BURL_GENE_COVER].max = 0;
}

const struct burl_gene *
burl_genome_find(const struct burl_genome *g, enum burl_gene_role role)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->v[i].role == role)
            return &g->v[i];
    }
    return NULL;
}

void
burl_genes_random(const struct burl_genome *g, struct burl_genes *x, struct burl_rng *rng)
{
    *x = (struct burl_genes){ { 0 } };
    for (size_t i = 0; i < g->n; i++)
        x->v[i] = g->v[i].min +
                  (int32_t)burl_rng_below(rng, (uint64_t)((int64_t)g->v[i].max - g->v[i].min + 1));
}

void
burl_genes_clamp(const struct burl_genome *g, struct burl_genes *x)
{
    for (size_t i = 0; i < g->n; i++) {
        if (x->v[i] < g->v[i].min)
            x->v[i] = g->v[i].min;
        if (x->v[i] > g->v[i].max)
            x->v[i] = g->v[i].max;
    }
}

bool
burl_genes_equal(const struct burl_genome *g, const struct burl_genes *x,
                 const struct burl_genes *y)
{
    return memcmp(x->v, y->v, g->n * sizeof x->v[0]) == 0;
}

static enum burl_gene_known
known_of(const struct burl_genome *g, int32_t value)
{
    if (value == 0)
        return BURL_KNOWN_NONE;
    return g->known & (1u << BURL_KNOWN_SUSPECTS) && value == 1 ? BURL_KNOWN_SUSPECTS
                                                                : BURL_KNOWN_PAIRS;
}

/* Known places stand alone: the other placements are what burl would otherwise choose. */
static void
place_at_known(enum burl_gene_known known, struct burl_wire_noise *out)
{
    if (known == BURL_KNOWN_NONE)
        return;
    out->marks = known == BURL_KNOWN_SUSPECTS ? BURL_NOISE_MARK_SUSPECT : BURL_NOISE_MARK_PAIR;
    out->shared = BURL_NOISE_SHARED_OFF;
    out->cover = BURL_NOISE_COVER_OFF;
}

void
burl_genes_to_noise(const struct burl_genome *g, const struct burl_genes *x,
                    struct burl_wire_noise *out)
{
    *out = (struct burl_wire_noise){
        .freq = (uint32_t)x->v[BURL_GENE_FREQ],
        .strength = g->strength,
        .seeding = (uint32_t)x->v[BURL_GENE_SEEDING],
        .shared = (uint32_t)x->v[BURL_GENE_SHARED],
        .cover = (uint32_t)x->v[BURL_GENE_COVER],
        .halt = (uint32_t)x->v[BURL_GENE_HALT],
        .tamper = (uint32_t)x->v[BURL_GENE_TAMPER],
    };
    for (size_t i = BURL_GENE_PAPER; i < g->n; i++) {
        if (g->v[i].role == BURL_GENE_STRENGTH)
            out->strength = (uint32_t)x->v[i];
        else if (g->v[i].role == BURL_GENE_KNOWN)
            place_at_known(known_of(g, x->v[i]), out);
    }
}

static int32_t
known_value(const struct burl_genome *g, uint32_t marks)
{
    if (marks & BURL_NOISE_MARK_SUSPECT && g->known & (1u << BURL_KNOWN_SUSPECTS))
        return 1;
    if (marks & BURL_NOISE_MARK_PAIR && g->known & (1u << BURL_KNOWN_PAIRS))
        return g->known & (1u << BURL_KNOWN_SUSPECTS) ? 2 : 1;
    return 0;
}

void
burl_genes_from_noise(const struct burl_genome *g, const struct burl_wire_noise *n,
                      struct burl_genes *out)
{
    *out = (struct burl_genes){ { (int32_t)n->freq, (int32_t)n->shared, (int32_t)n->cover,
                                  (int32_t)n->seeding, (int32_t)n->halt, (int32_t)n->tamper } };
    for (size_t i = BURL_GENE_PAPER; i < g->n; i++) {
        if (g->v[i].role == BURL_GENE_STRENGTH)
            out->v[i] = (int32_t)n->strength;
        else if (g->v[i].role == BURL_GENE_KNOWN)
            out->v[i] = known_value(g, n->marks);
        else
            out->v[i] = g->v[i].min;
    }
    burl_genes_clamp(g, out);
}

void
burl_genes_write(const struct burl_genome *g, const struct burl_genes *x, char *buf, size_t b)
{
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < g->n && used < b; i++)
        used += (size_t)snprintf(buf + used, b - used, "%s%d", i > 0 ? "," : "", x->v[i]);
}

bool
burl_genes_read(const struct burl_genome *g, const char *text, struct burl_genes *x)
{
    size_t n = 0;

    *x = (struct burl_genes){ { 0 } };
    for (size_t i = BURL_GENE_PAPER; i < g->n; i++)
        x->v[i] = g->v[i].role == BURL_GENE_STRENGTH ? (int32_t)g->strength : g->v[i].min;
    while (n < g->n) {
        char *end;
        const long value = strtol(text, &end, 10);

        if (end == text || value < -1000000000L || value > 1000000000L)
            return false;
        x->v[n++] = (int32_t)value;
        text = end;
        if (*text != ',')
            break;
        text++;
    }
    burl_genes_clamp(g, x);
    return *text == '\0' && (n == g->n || n == BURL_GENE_PAPER);
}

/* The paper's bounds of entries 2 to 6 are one more than our largest values. */
static bool
is_in_range(const struct burl_gene *gene, size_t i, long value)
{
    const bool has_two_readings = i > BURL_GENE_FREQ && i < BURL_GENE_PAPER;

    return value >= gene->min && value <= (long)gene->max + has_two_readings;
}

enum burl_status
burl_genes_check(const struct burl_genome *g, const char *text, struct burl_err *err)
{
    const char *at = text;
    size_t n = 0;

    for (;; n++) {
        char *end;
        const long value = strtol(at, &end, 10);

        if (end == at || (*end != ',' && *end != '\0'))
            return burl_err_set(err, BURL_E_USAGE, 0, "%s is no list of numbers N,N,...", text);
        if (n < g->n && !is_in_range(&g->v[n], n, value))
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "%s: entry %zu, %s, is %ld; it can be %d to %d", text, n + 1,
                                g->v[n].name, value, g->v[n].min, g->v[n].max);
        if (*end == '\0')
            break;
        at = end + 1;
    }
    n++;
    if (n != g->n && g->n == BURL_GENE_PAPER)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s has %zu numbers; a vector has %zu", text, n,
                            g->n);
    if (n != g->n && n != BURL_GENE_PAPER)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s has %zu numbers; a vector has %u or %zu",
                            text, n, (unsigned)BURL_GENE_PAPER, g->n);
    return BURL_OK;
}
