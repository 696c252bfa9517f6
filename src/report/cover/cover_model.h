/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_model.h - interleaving coverage as the renderers see it.
 *
 * Filled by src/cover, from the store and the static target; read by render_cover_*.c. Complete: a
 * renderer opens no file but the sources and schedules it quotes. Strings are owned by the model;
 * "" is unknown.
 */
#ifndef BURL_REPORT_COVER_MODEL_H
#define BURL_REPORT_COVER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/cover.h"

struct burl_cover_point {
    uint64_t executions;
    uint64_t items;
};

struct burl_cover_metric {
    uint8_t metric;    /* enum burl_wire_metric */
    uint64_t covered;  /* LOCPAIRS: within the target */
    uint64_t target;   /* LOCPAIRS: SP less what is pruned or proven impossible; of others, and
                          of LOCPAIRS without has_target, 0: none is known */
    uint64_t weighted; /* GOLDISC: sum of the weights; else 0 */
    uint64_t unserial; /* AVIO, PINV: of these, unserializable */
    uint64_t in_context; /* LOCPAIRS with --context: covered, counted by calls; else 0 */
    uint64_t new_last_window;
    uint64_t window; /* executions per window */
    BURL_VEC(struct burl_cover_point) curve; /* ascending; the last is the present */
};

struct burl_cover_site {
    char *file; /* as the compiler saw it */
    char *path; /* to open it, "" not found */
    uint32_t line;
    uint32_t column;
    char *func;
    char *variable; /* "q->head" */
    bool reads;
    bool writes;
    bool atomic;
};

struct burl_cover_variable {
    char *name;
    char *object;
    bool untyped;
    BURL_VEC(uint32_t) sites;                                         /* indices into sites */
    uint32_t covered, uncovered, pruned, impossible; /* pairs */
};

enum burl_cover_state {
    BURL_COVER_COVERED,
    BURL_COVER_UNCOVERED,
    BURL_COVER_PRUNED,     /* by the user */
    BURL_COVER_PROPOSED,   /* uncovered, and an argument says it is infeasible */
    BURL_COVER_IMPOSSIBLE, /* an exhaustive search did not cover it */
    BURL_COVER_OUTSIDE     /* covered, but not in the static target: a gap of the analysis */
};

struct burl_cover_pair {
    uint32_t a, b;     /* indices into sites: earlier, later */
    uint32_t variable; /* index into variables, UINT32_MAX unknown */
    enum burl_cover_state state;
    bool racy;           /* the first witness was a data race */
    uint64_t first_exec; /* COVERED: ordinal of the execution in all campaigns */
    uint64_t seed;
    char *strategy; /* that covered it first */
    char *schedule; /* file that replays it, "" none kept */
    char *reason;   /* PRUNED: the user's; PROPOSED: the argument; COVERED, OUTSIDE: the argument
                     * that says it cannot happen, NULL none */
    uint64_t tries; /* UNCOVERED: directed executions so far */
    uint32_t rank;  /* UNCOVERED: 1 is most valuable */
    char *why;      /* UNCOVERED: why it ranks there, a phrase */
};

struct burl_cover_file {
    char *file;
    char *path;
    uint32_t lines_found, lines_hit;
    uint32_t pairs_target, pairs_covered; /* pairs with at least one side in this file */
    BURL_VEC(uint32_t) hit; /* executed lines, ascending */
    BURL_VEC(uint32_t) missed; /* lines with code that were not */
};

struct burl_cover_stale {
    char *file; /* prune file and line */
    uint32_t line;
    char *text;
};

struct burl_cover_model {
    char *program;
    char *command;       /* argv joined */
    uint64_t executions; /* in all campaigns */
    uint32_t campaigns;
    int64_t wall_ms;
    char *mode; /* "controlled, fibers", "free" */
    uint32_t context;
    bool has_target;
    char *target_problem;   /* why there is none, or what limits it */
    uint64_t untyped_pairs; /* of the untyped tier: shown, not counted */
    uint64_t untyped_covered; /* of these */
    bool lines_complete; /* every basic block is instrumented (burl cc --blocks) */
    bool has_blocks;     /* some are */
    uint64_t lost;          /* items that found no room */
    BURL_VEC(struct burl_cover_metric) metrics;
    BURL_VEC(struct burl_cover_site) sites;
    BURL_VEC(struct burl_cover_variable) variables;
    BURL_VEC(struct burl_cover_pair) pairs;
    BURL_VEC(struct burl_cover_file) files;
    BURL_VEC(struct burl_cover_stale) stale; /* prune lines that match nothing */
    uint64_t foreign_prunes; /* entries about files that are not part of the program */
};

void burl_cover_model_init(struct burl_cover_model *m);
void burl_cover_model_deinit(struct burl_cover_model *m);

#endif
