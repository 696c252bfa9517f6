/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/learned.h - what executions have shown of the program, and which of it is in force.
 *
 *   learned.c  scheduling points, PCT horizon
 *   profile.c  uses of variables, reads-from edges, gates (wire/profile.h)
 *   settled.c  memory on which observers need not report more
 *   memory.c   what one campaign leaves for the next
 *
 * INV-E1: what is in force does not change while a round runs. Orders add to the `_next` members;
 * burl__campaign_adopt_points() brings them into force between rounds.
 *
 * Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_LEARNED_H
#define BURL_ENGINE_LEARNED_H

#include "base/vec.h"
#include "engine/plan/campaign.h"

struct burl_campaign;
struct burl_profile_sum;

/* Zero is empty; burl__learned_grow() before anything else. */
struct burl_learned {
    uint32_t n_sites;
    uint8_t *points;      /* in force; n_sites, as the two below */
    uint8_t *points_next; /* with what the running round learns */
    uint8_t *conflicts;   /* sites of what observers suspect: nothing lasting orders them */
    bool reduced; /* executions are long: of the sites seen shared only those that conflict, and
                     atomic ones, are points */
    uint32_t *gates;      /* per site, the outermost lock seen held there */
    uint32_t points_version;
    uint32_t version;      /* of all that blocks must have: points, profile, settled memory */
    uint32_t n_new_points; /* sites seen shared that were no points */
    uint64_t horizon;      /* in force: mean scheduling points of completed executions, */
    uint64_t sum_completed_points;
    uint64_t n_completed;                   /* of so many */
    uint64_t max_points;                    /* of the longest execution that was not cut, */
    uint64_t max_all_points;                /* and of the longest in which all accesses are */
    bool is_thinned; /* an execution was so long that decisions were left out */
    struct burl_wire_profile *profile;      /* in force; NULL none */
    struct burl_wire_profile *profile_next; /* with what the running round learns */
    BURL_VEC(struct burl_profile_sum) sums;                            /* of uses of variables, */
    uint64_t n_profiled;               /* over so many executions */
    struct burl_wire_settled *settled; /* in force; BURL_WIRE_MAX_SETTLED, NULL none */
    uint32_t n_settled;
};

/* learned.c */
/* Makes room for `n` sites: the number grows when the program loads libraries. */
void burl__learned_grow(struct burl_learned *l, uint32_t n);
/* Is the site a scheduling point in force; or now or from the next round on? */
bool burl__learned_is_point(const struct burl_learned *l, uint32_t site);
bool burl__learned_is_next_point(const struct burl_learned *l, uint32_t site);
/* Makes the sites points of the next round, reduced or not; numbers that are out of range are
 * skipped. */
void burl__learned_mark_points(struct burl_learned *l, const uint32_t *sites, uint32_t n);
/* Adds points that a process found; n of them, after burl__learned_grow(). */
void burl__learned_merge_points(struct burl_learned *l, const uint8_t *from, uint32_t n);
/* Between rounds: points and horizon come into force. `is_atomic` says it of a site. Returns the
 * number of points; *n_shared: of sites seen shared. */
uint32_t burl__learned_adopt(struct burl_learned *l,
                             bool (*is_atomic)(const void *arg, uint32_t site), const void *arg,
                             uint32_t *n_shared);
/* Are there so many decisions in an execution that points have to be fewer? */
bool burl__learned_is_long(const struct burl_learned *l);
/* A hash of the points in force. */
uint64_t burl__learned_hash_points(const struct burl_learned *l);
/* The outermost lock seen held at a site, as the site that took it; 0 none. */
uint32_t burl__learned_gate(const struct burl_learned *l, uint32_t site);
void burl__learned_deinit(struct burl_learned *l);

/* campaign.c */
/* Puts what is in force into the target's block. */
void burl__campaign_load_points(const struct burl_campaign *c, struct burl_target *t);
/* Takes over what an order with LEARN found. */
void burl__campaign_learn(struct burl_campaign *c, struct burl_target *t);
/* Between rounds: what was learned comes into force. */
void burl__campaign_adopt_points(struct burl_campaign *c);
/* The same for profile and location pairs alone. */
void burl__campaign_adopt_profile(struct burl_campaign *c);

/* profile.c */
/* Takes over what an order with LEARN left, and puts what is in force into a target's block. */
void burl__profile_take(struct burl_campaign *c, struct burl_target *t);
void burl__profile_load(const struct burl_learned *l, struct burl_target *t);
/* Adds an execution that counted uses of variables; whole: it completed. */
void burl__profile_uses(struct burl_learned *l, const struct burl_wire_profile *from, bool whole);
/* Between rounds: what was learned comes into force. */
void burl__profile_adopt(struct burl_learned *l);
/* An edge of a profile (may be NULL), NULL when it is not there. */
const struct burl_profile_edge *burl__profile_find(const struct burl_wire_profile *p,
                                                   uint32_t write, uint32_t read);
/* Does the profile (may be NULL) say that the edge was seen? */
bool burl__profile_has_seen(const struct burl_wire_profile *p, uint32_t write, uint32_t read);
/* Adds an edge to what is known. */
void burl__profile_put(struct burl_campaign *c, const struct burl_profile_edge *e);
/* Edges of the profile in force, and how many of them were seen. */
void burl__profile_count(const struct burl_learned *l, uint64_t *candidates, uint64_t *seen);

/* settled.c */
/* Between rounds: the table is rebuilt. */
void burl__settled_adopt(struct burl_campaign *c);
void burl__settled_load(const struct burl_learned *l, struct burl_target *t);

/* memory.c */
struct burl_campaign_memory *burl__memory_new(const struct burl_campaign *c);
/* Begins where cfg.recall ended; the number of sites must be known. Brings the points into
 * force. */
void burl__memory_recall(struct burl_campaign *c);

#endif
