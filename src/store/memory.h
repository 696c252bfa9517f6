/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/memory.h - what one campaign leaves to the next, and the schedules worth keeping.
 *
 * A program here is an absolute path with its arguments: other arguments are another test. Its
 * state is opaque to the store (engine/plan/memory_text.h makes and reads it); with its goals it
 * belongs to one build. The corpus is the list of schedules that are run again after a rebuild: one
 * per finding, and those that together showed the most reads-from edges. A schedule lies in
 * corpus/<p>-<n>.txt below the store's directory and is written before its row, so a row never
 * names a file that was not there; numbers are not used twice, so a file is never another one's.
 *
 * Functions that write take one transaction each and have synced when they return. The caller holds
 * the campaign lock. The rules of store.h about strings and failures hold.
 */
#ifndef BURL_STORE_MEMORY_H
#define BURL_STORE_MEMORY_H

#include "store/store.h"

struct burl_store_program {
    int64_t id;
    const char *path;     /* absolute, and ... */
    const char *args;     /* ... JSON array: together the key */
    const char *program;  /* as given */
    const char *build_id; /* of the newest campaign that came to its end */
    uint64_t campaigns;   /* that came to their end since the state began */
    uint64_t executions;  /* of these */
    uint64_t edges;       /* reads-from edges seen in these */
    const void *state;    /* opaque; NULL none */
    size_t state_b;
};

/* *found false when there is none. */
BURL_MUST_CHECK enum burl_status burl_store_program_get(struct burl_store *s, const char *path,
                                                        const char *args, bool *found,
                                                        struct burl_store_program *out,
                                                        struct burl_err *err);
/* The number of a program; a row without campaigns is made when there is none. */
BURL_MUST_CHECK enum burl_status burl_store_program_id(struct burl_store *s, const char *path,
                                                       const char *args, int64_t *id,
                                                       struct burl_err *err);
struct burl_store_goals;
/* Replaces all goals and everything but the key of row p->id. */
BURL_MUST_CHECK enum burl_status burl_store_program_put(struct burl_store *s,
                                                        const struct burl_store_program *p,
                                                        const struct burl_store_goals *goals,
                                                        struct burl_err *err);
void burl_store_program_deinit(struct burl_store_program *p);

#define BURL_STORE_GOAL_SITES 16u

/* A site of a goal; module 0: none, as the initial value of a variable. */
struct burl_store_goal_site {
    uint64_t module;
    uint32_t index;
    uint32_t op;
    uint32_t tid;
};

/* What directed executions tried to reproduce, with the outcome. */
struct burl_store_goal {
    const char *kind;  /* "race", "pair", ...: engine/plan/record.h */
    const char *state; /* "untried", ... */
    uint64_t attempts;
    uint64_t hits;
    uint64_t first_seed;
    uint32_t observer;
    uint32_t rank;
    uint64_t addr;
    struct burl_store_goal_site sites[BURL_STORE_GOAL_SITES];
    size_t n_sites;
};

struct burl_store_goals {
    struct burl_store_goal *v;
    size_t n;
    size_t cap;
};

/* In the order in which they were put; their strings are owned by the list. */
BURL_MUST_CHECK enum burl_status burl_store_goals_list(struct burl_store *s, int64_t program,
                                                       struct burl_store_goals *out,
                                                       struct burl_err *err);
/* Of a list that burl_store_goals_list() filled. */
void burl_store_goals_deinit(struct burl_store_goals *g);

/* A site that another process, link order or build can find again; module 0: the initial value. */
struct burl_store_edge {
    uint64_t write_module;
    uint64_t read_module;
    uint32_t write;
    uint32_t read;
};

struct burl_store_entry {
    int64_t n;        /* number within the program */
    const char *file; /* relative to the store's directory */
    const char *why;  /* a sentence for the user */
    int64_t finding;  /* 0: kept for its edges */
    uint64_t n_new;   /* edges that it was the first to show */
    uint64_t steps;
    uint64_t preemptions;
    const char *strategy; /* that made it first */
    uint64_t seed;
    const char *build_id; /* it was recorded with */
    int64_t kept_ms;      /* filled by the store when 0 */
    const char *result;   /* of the last time it was run again; NULL: not yet */
    const char *result_build;
    int64_t result_ms;
    struct burl_store_edge *edges; /* all that it shows */
    size_t n_edges;
};

struct burl_store_corpus {
    struct burl_store_entry *v;
    size_t n;
    size_t cap;
};

/* In the order of their numbers. */
BURL_MUST_CHECK enum burl_status burl_store_corpus_list(struct burl_store *s, int64_t program,
                                                        struct burl_store_corpus *out,
                                                        struct burl_err *err);
void burl_store_corpus_deinit(struct burl_store_corpus *c);
/* The number that the next new entry gets. */
BURL_MUST_CHECK enum burl_status burl_store_corpus_next(struct burl_store *s, int64_t program,
                                                        int64_t *n, struct burl_err *err);
/* Adds the entry e->n, or replaces it with its edges. */
BURL_MUST_CHECK enum burl_status burl_store_corpus_put(struct burl_store *s, int64_t program,
                                                       const struct burl_store_entry *e,
                                                       struct burl_err *err);
/* What came of running it again, with this build, now. */
BURL_MUST_CHECK enum burl_status burl_store_corpus_result(struct burl_store *s, int64_t program,
                                                          int64_t n, const char *result,
                                                          const char *build_id,
                                                          struct burl_err *err);
/* Takes an entry out; its file is the caller's. */
BURL_MUST_CHECK enum burl_status burl_store_corpus_drop(struct burl_store *s, int64_t program,
                                                        int64_t n, struct burl_err *err);

#endif
