/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/order.h - requests of locks and their orders: what requests.c, order.c and
 * cycles.c share.
 *
 * Runs in burl-analyze.
 */
#ifndef BURL_ANALYSIS_IMPACT_ORDER_H
#define BURL_ANALYSIS_IMPACT_ORDER_H

#include "analysis/impact/impact_int.h"

enum { BURL__MAX_WRAPS = 5 };

/*
 * A statement that requests a lock: the outermost call that has the effect (the constructor of a
 * guard, not the call in the library that it makes, else all guards would be one). A call that
 * takes several locks, lock_both(a, b), is several requests.
 */
struct burl__request {
    LLVMValueRef at[BURL__MAX_WRAPS]; /* the statement, that inside which takes the lock, ... */
    uint32_t n_at;
    struct burl__op op;
    struct burl_u32s leaves; /* of the new version only */
    uint32_t set;            /* requests with the same leaves have the same number */
};

struct burl__order_edge {
    uint32_t held, wanted; /* requests */
    uint32_t rules;        /* BURL_RULE_*; 0: not impacted */
};

struct burl__orders {
    struct burl__side *s;
    BURL_VEC(struct burl__request) requests; /* those of a statement one after the other */
    struct burl_valmap first_of;             /* statement -> its first request */
    struct burl_u32s *of_fn;                 /* requests of a function */
    struct burl__kept *kept;                 /* requests.c: what a function keeps when it returns */
    struct burl_u32s *below;                 /* of_fn with those of all that it calls */
    BURL_VEC(struct burl__order_edge) edges;
    struct burl_map known; /* pairs of requests */
    uint32_t *met;         /* by request: 1 + the last one that it has an edge from */
    uint32_t n_sets;
    bool *meets; /* n_sets * n_sets: have they a leaf in common? */
};

/* requests.c */
void burl__find_requests(struct burl__impact *im, struct burl__orders *o);

/* cycles.c */
void burl__list_cycles(struct burl__impact *im, struct burl__orders *o);

#endif
