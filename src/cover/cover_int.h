/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/cover_int.h - what the files of the coverage core share. Nothing outside src/cover includes
 * it.
 *
 *   set.c         items: naming, merging, store
 *   schedules.c   schedules that were kept
 *   saturation.c  windows, curves, the stop rule
 *   target.c      the static target
 *   model.c       the model: metrics, and what the others make
 *   model_pairs.c its sites, variables and pairs
 *   model_files.c lines and files of the model
 *   prune.c gaps.c hunt.c  see their headers
 */
#ifndef BURL_COVER_INT_H
#define BURL_COVER_INT_H

#include "base/map.h"
#include "base/sp.h"
#include "base/vec.h"
#include "cover/cover.h"

/* An item as it is kept; names as in the store. */
struct burl_cover_entry {
    struct burl_store_cover_item x; /* strategy is borrowed from `strategies` or the caller */
    bool present;                   /* the newest build has its modules */
    bool current;                   /* and a hash in it, if there is one, means the same there */
};

struct burl_cover {
    struct burl_store *store;
    struct burl_store_cover_program program;
    struct burl_store_cover_image image;
    struct burl_sites *sites;
    uint64_t base_executions; /* before this campaign */
    uint64_t base_wall_ms;
    uint64_t base_lost;
    uint64_t unresolved; /* items of this campaign whose sites are not in the image */
    bool late_kept; /* the image has modules of an earlier campaign that may come again */
    uint32_t unlike; /* from this number on the current process numbers its sites differently */
    BURL_VEC(struct burl_cover_entry) items;
    struct burl_map by_content; /* index of an item */
    size_t n_stored; /* items that the store has */
    BURL_VEC(char *) strategies; /* names read from the store */
    uint64_t counts[BURL_METRIC__N];
    uint64_t build;       /* hash of the image */
    bool grew;            /* in this campaign */
    uint64_t last_growth; /* execution of this campaign */
    size_t n_schedules;   /* of ordinary campaigns */
};

/* The module of the image, NULL none. */
const struct burl_wire_module_entry *burl__cover_module(const struct burl_cover *c, uint64_t hash);

/* The site in the newest build. */
const struct burl_site_info *burl__cover_site_info(const struct burl_cover *c,
                                                   struct burl_store_cover_name name);

/* saturation.c: the curve of the sorted executions at which something was new; `present`: now. */
void burl__cover_curve(const uint64_t *executions, size_t n, uint64_t present,
                       struct burl_cover_metric *m);

/* The key of a proof about this build and command line; caller frees. */
char *burl__cover_build(const struct burl_cover *c);

/* target.c: *have false: *problem (caller frees) says why. */
void burl__cover_target(const struct burl_cover *c, struct burl_sp *t, bool *have, char **problem);

/* model_pairs.c */
/* Makes sites, variables and pairs with their states, from the items and the target (NULL none).
 * names->sites is filled; the pairs are in the order of their sites, the sites by place. */
void burl__cover_fill_pairs(const struct burl_cover *c, const struct burl_sp *t,
                            struct burl_cover_model *m, struct burl_cover_names *names);
/* The order of pairs, for qsort(): by their sites. */
int burl__cover_by_sites(const void *x, const void *y);
/* For maps from names of sites to indices into an array of such names. */
uint64_t burl__cover_hash_name(struct burl_store_cover_name name);
bool burl__cover_is_name(const void *names, uint64_t i, const void *name);
/* Is the pair counted? Pairs of untyped classes are only shown. */
bool burl__cover_is_counted(const struct burl_cover_model *m, const struct burl_cover_pair *p);

/* model_files.c */
/* Files and lines; then, with the states of all pairs known, the pairs of each file. */
void burl__cover_fill_files(const struct burl_cover *c, struct burl_cover_model *m);
void burl__cover_count_files(struct burl_cover_model *m);
/* The display name of a file: "./ftpd.h" of one translation unit is the "ftpd.h" of another. */
const char *burl__cover_file_name(const char *file);
/* Where the source of a site is, "" not found; caller frees. */
char *burl__cover_source_path(const struct burl_site_info *site);

#endif
