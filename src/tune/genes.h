/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/genes.h - a setting of noise and of the test as a vector of integers.
 *
 * The first six entries are those of the paper, read so that the bounds of entries 2 to 6 are
 * numbers of values (src/tune/README.md). Then come, where they are wanted, the strength, the
 * places that burl knows, and the parameters of the test.
 */
#ifndef BURL_TUNE_GENES_H
#define BURL_TUNE_GENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "wire/noise.h"

#define BURL_GENES_MAX 24u

enum burl_gene_role {
    BURL_GENE_FREQ = 0,
    BURL_GENE_SHARED,
    BURL_GENE_COVER,
    BURL_GENE_SEEDING,
    BURL_GENE_HALT,
    BURL_GENE_TAMPER,
    BURL_GENE_PAPER, /* how many the paper has */
    BURL_GENE_STRENGTH = BURL_GENE_PAPER,
    BURL_GENE_KNOWN, /* 0: none, 1: places of suspects, 2: places of uncovered pairs */
    BURL_GENE_PARAM
};

enum burl_gene_known { BURL_KNOWN_NONE = 0, BURL_KNOWN_SUSPECTS, BURL_KNOWN_PAIRS, BURL_KNOWN__N };

struct burl_gene {
    char name[32];
    enum burl_gene_role role;
    bool ordinal; /* near values are alike */
    int32_t min;
    int32_t max;
    uint32_t param; /* PARAM: its number */
};

/* Which entries a vector has. */
struct burl_genome {
    struct burl_gene v[BURL_GENES_MAX];
    size_t n;
    uint32_t strength; /* of settings, when no gene says it */
    uint32_t known;    /* bits of enum burl_gene_known that the gene may have */
};

struct burl_genes {
    int32_t v[BURL_GENES_MAX]; /* beyond genome.n: 0 */
};

/* The six of the paper. */
void burl_genome_init(struct burl_genome *g);
void burl_genome_add_strength(struct burl_genome *g, uint32_t min, uint32_t max);
/* suspects, pairs: there are places with these marks. Without any, nothing is added. */
void burl_genome_add_known(struct burl_genome *g, bool suspects, bool pairs);
/* BURL_E_USAGE: there are too many. */
BURL_MUST_CHECK enum burl_status burl_genome_add_param(struct burl_genome *g, const char *name,
                                                       uint32_t param, bool ordinal, int32_t min,
                                                       int32_t max, struct burl_err *err);
/* The program has no shared variables: placement at them is off for good. */
void burl_genome_drop_shared(struct burl_genome *g);
/* The gene of a role; NULL when the vector has none. */
const struct burl_gene *burl_genome_find(const struct burl_genome *g, enum burl_gene_role role);

/* Each entry uniform over its range. */
void burl_genes_random(const struct burl_genome *g, struct burl_genes *x, struct burl_rng *rng);
/* Puts every entry into its range. Vectors of the other reading of the paper, whose bounds
 * (1000,5,3,6,2,2) are inclusive, become settings this way. */
void burl_genes_clamp(const struct burl_genome *g, struct burl_genes *x);
bool burl_genes_equal(const struct burl_genome *g, const struct burl_genes *x,
                      const struct burl_genes *y);

/* The setting of a vector, with seed 0. */
void burl_genes_to_noise(const struct burl_genome *g, const struct burl_genes *x,
                         struct burl_wire_noise *out);
/* The vector of a setting; parameters get the least value. */
void burl_genes_from_noise(const struct burl_genome *g, const struct burl_wire_noise *n,
                           struct burl_genes *out);

/* "200,2,0,1,0,1": for the store and documents. */
void burl_genes_write(const struct burl_genome *g, const struct burl_genes *x, char *buf, size_t b);
/* Is it a vector that burl_genes_read() takes, with values in range? The largest value of the other
 * reading of the paper is. BURL_E_USAGE says what is wrong. */
BURL_MUST_CHECK enum burl_status burl_genes_check(const struct burl_genome *g, const char *text,
                                                  struct burl_err *err);
/* Reads it; entries beyond the range are clamped. False: it has not the numbers of this genome, or
 * at least the six of the paper with nothing else. */
bool burl_genes_read(const struct burl_genome *g, const char *text, struct burl_genes *x);

#endif
