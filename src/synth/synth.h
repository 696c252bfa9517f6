/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/synth.h - the pipeline of `burl synth`: seeds are recorded, analyzed, turned into
 * concurrent tests, and these are run and judged.
 *
 * Samak, Ramanathan: "Synthesizing Tests for Detecting Atomicity Violations", FSE 2015
 * ("Intruder").
 */
#ifndef BURL_SYNTH_SYNTH_H
#define BURL_SYNTH_SYNTH_H

#include <signal.h>

#include "gen/shrink/violations.h"
#include "synth/pairs.h"
#include "synth/script.h"
#include "synth/share.h"

/* What is looked for, bits of config.what. */
#define BURL_SYNTH_FOR(kind) (1u << (kind))

struct burl_synth_config {
    uint32_t what;    /* BURL_SYNTH_FOR() bits */
    uint64_t seed;    /* of schedules */
    uint64_t time_ms; /* for running tests; 0: no limit */
    uint32_t max_linear;
    const char *seed_args; /* arguments of the seeds, each with its NUL */
    size_t seed_args_b;
    const volatile sig_atomic_t *interrupt;
};

enum burl_synth_result {
    BURL_SYNTH_NOT_RUN = 0,
    BURL_SYNTH_NOT_MET,     /* no execution reached what was predicted */
    BURL_SYNTH_BENIGN,      /* reached, and some order of the calls explains every outcome */
    BURL_SYNTH_NOT_DECIDED, /* the oracle cannot say */
    BURL_SYNTH_HARMFUL
};

/* What executions of a test are directed at. */
struct burl_synth_goal {
    struct burl_wire_goal goal;
    uint64_t region; /* of the call that is not atomic, burl_synth_region(); 0 none */
};

/* A test, and what it is for. */
struct burl_synth_test {
    struct burl_gen_test test; /* owned */
    uint64_t hash;
    enum burl_synth_for what; /* of the first pair */
    BURL_VEC(size_t) pairs;   /* of burl_synth.pairs; none for nested locks */
    BURL_VEC(struct burl_synth_goal) goals;
    size_t number; /* before they were put in order */
    unsigned rank; /* tests before it with the same functions */
    uint64_t cycle; /* hash of the places of its locks; 0 no deadlock is predicted */
    size_t nest_a; /* nested locks: rows of table.nests */
    size_t nest_b;
    uint64_t met; /* executions that reached a goal */
    enum burl_synth_result result;
};

struct burl_synth_stats {
    uint64_t calls;
    uint64_t raw;      /* pairs */
    uint64_t unique;
    uint64_t feasible;
    uint64_t by_built[BURL_SYNTH_TOO_LONG + 1]; /* feasible pairs, enum burl_synth_built */
    uint64_t executions;
    uint64_t n_run;    /* tests */
    uint64_t n_met;
    uint64_t n_harmful;
    bool is_cut; /* by time or Ctrl-C */
};

struct burl_synth {
    struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    struct burl_synth_config cfg;
    struct burl_synth_log log;
    struct burl_synth_script script;
    struct burl_synth_table table;
    struct burl_synth_pairs pairs;
    BURL_VEC(struct burl_synth_test) tests;
    struct burl_synth_stats stats;
};

void burl_synth_deinit(struct burl_synth *s);

/*
 * Runs every seed once. BURL_E_USAGE says which seed cannot be used and why: it fails, hangs, uses
 * threads, never calls the library.
 */
BURL_MUST_CHECK enum burl_status burl_synth_record(struct burl_synth *s, struct burl_err *err);
/* From the log to tests. */
void burl_synth_plan(struct burl_synth *s);
/* Runs the tests in order. `each` is called before each test (progress); violations go to `v`. */
void burl_synth_run(struct burl_synth *s, struct burl_gen_violations *v,
                    void (*each)(void *arg, const struct burl_synth *s, size_t test), void *arg);

/* The part of a call that a triple with this row shows not to be atomic: the call, and the step in
 * it that releases the lock; if none does, the type of the object that another lock guards. All
 * triples of one region show one bug. */
uint64_t burl_synth_region(const struct burl_synth_dep *d);

/* detect.c: runs one test. */
void burl_synth_detect(struct burl_synth *s, struct burl_synth_test *t,
                       struct burl_gen_violations *v);

#endif
