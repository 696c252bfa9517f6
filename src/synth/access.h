/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/access.h - Algorithms 1 and 2: from the log of sequential seeds to variable-lock
 * dependencies, assignments that a client controls, and nested locks.
 */
#ifndef BURL_SYNTH_ACCESS_H
#define BURL_SYNTH_ACCESS_H

#include "synth/log.h"
#include "synth/path.h"

#define BURL_SYNTH_MAX_LOCKS 8

/*
 * A lock as it is seen from an accessed object. `steps` are those that lock and object have in
 * common from the root: the owner. `rest` leads from the owner to the block with the lock: empty
 * when the lock is inside the owner, as the monitor of the paper is. Threads with different owners
 * have different locks.
 */
struct burl_synth_lock {
    bool is_global; /* static, or not reached from a parameter: the same for every client */
    bool is_shared; /* held for reading */
    uint8_t steps;
    uint8_t n_rest;
    uint32_t rest[BURL_SYNTH_MAX_STEPS];
    uint64_t off;  /* of the lock in its block; global: its address */
    int type;      /* of the owner */
};

struct burl_synth_locks {
    unsigned n;
    struct burl_synth_lock v[BURL_SYNTH_MAX_LOCKS];
};

/* A row of the table D. */
struct burl_synth_dep {
    size_t call; /* where it was seen first */
    int fn;
    bool is_life_cycle;
    struct burl_synth_path path; /* of the accessed object */
    uint64_t object[BURL_SYNTH_MAX_STEPS + 1]; /* addresses along the path, in that call */
    uint32_t step_site[BURL_SYNTH_MAX_STEPS];  /* where each pointer was loaded: for its name */
    uint64_t off;                /* of the field in its block */
    int field;                   /* equal for equal fields of all objects of the type */
    uint8_t previous;            /* access to the same field before it in the call; NONE */
    uint8_t current;
    bool is_atomic;              /* both accesses are */
    bool is_free;                /* the object is freed: a write of every field */
    uint32_t previous_site;
    uint32_t current_site;
    struct burl_synth_locks hr; /* held, and relevant for the object */
    struct burl_synth_locks hc; /* of these, held since the previous access */
};

/* "target := source" with both objects chosen by the client. */
struct burl_synth_assign {
    size_t call;
    int fn;
    struct burl_synth_path target; /* of the object that is installed, in its new place */
    struct burl_synth_path source;
    bool is_overwritten; /* the call itself assigns something else afterwards */
    uint32_t site;
};

/* A lock was taken while another one was held; both are in objects that the client chooses. */
struct burl_synth_nest {
    size_t call;
    int fn;
    struct burl_synth_path outer; /* path of the block with the lock */
    struct burl_synth_path inner;
    uint64_t outer_object; /* addresses of the blocks, in that call */
    uint64_t inner_object;
    uint64_t outer_off;
    uint64_t inner_off;
    uint32_t outer_site;
    uint32_t inner_site;
};

/* A parameter whose object the library owns after the call: a later call, which was not given the
 * object, freed it. */
struct burl_synth_takeover {
    int fn;
    int param;
};

struct burl_synth_table {
    BURL_VEC(struct burl_synth_dep) deps;
    BURL_VEC(struct burl_synth_assign) assigns;
    BURL_VEC(struct burl_synth_nest) nests;
    BURL_VEC(struct burl_synth_takeover) takeovers; /* each once */
    uint64_t n_accesses; /* controllable ones */
    uint64_t n_too_deep; /* objects beyond BURL_SYNTH_MAX_STEPS, left out */
};

/* Owned by the caller. */
struct burl_synth_table burl_synth_analyze(const struct burl_synth_log *l);
void burl_synth_table_deinit(struct burl_synth_table *t);

#endif
