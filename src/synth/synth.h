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
#include <stdint.h>

#include "base/map.h"
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

/* Two calls that nest locks of the same kinds in opposite orders: what a deadlock is predicted
 * from. */
struct burl_synth_lock_pair {
    size_t a; /* rows of table.nests */
    size_t b;
    size_t n_same; /* of the same functions, paths and places; itself included */
};

/* What became of a pair that was kept. */
struct burl_synth_planned {
    enum burl_synth_built built;
    size_t test; /* of burl_synth.tests; BURL_SYNTH_NO_TEST */
};

#define BURL_SYNTH_NO_TEST SIZE_MAX

/* A test, and what it is for. */
struct burl_synth_test {
    struct burl_gen_test test; /* owned */
    uint64_t hash;
    enum burl_synth_for what;    /* of the first pair */
    BURL_VEC(size_t) pairs;      /* of burl_synth.pairs */
    BURL_VEC(size_t) lock_pairs; /* of burl_synth.lock_pairs */
    BURL_VEC(struct burl_synth_goal) goals;
    size_t number;  /* before they were put in order */
    unsigned rank;  /* tests before it with the same functions */
    uint64_t cycle; /* hash of the places of its locks; 0 no deadlock is predicted */
    uint64_t met; /* executions that reached a goal */
    enum burl_synth_result result;
    char why[200];              /* NOT_DECIDED: the reason */
    BURL_VEC(int64_t) findings; /* that its violations became; set by the front end */
};

/* A seed, and what became of it. */
struct burl_synth_seed {
    const char *source; /* with its main(); the executor's */
    size_t n_calls;     /* of the API that are used; 0: the seed is not used */
    char *why;          /* owned: why it is not used, or not all of it; NULL: all of it is */
};

struct burl_synth_stats {
    uint64_t calls;
    uint64_t n_called; /* functions of the API that seeds call */
    uint64_t raw;      /* pairs */
    uint64_t unique;
    uint64_t feasible;
    uint64_t by_built[BURL_SYNTH_TOO_LONG + 1]; /* feasible pairs, enum burl_synth_built */
    uint64_t executions;
    int64_t wall_ms;   /* of running the tests */
    uint64_t n_run;    /* tests */
    uint64_t n_met;
    uint64_t n_harmful;
    bool is_cut; /* by time or Ctrl-C */
};

struct burl_synth {
    struct burl_gen_exec *x;
    struct burl_gen_model *m; /* learns which parameters the library takes over */
    struct burl_synth_config cfg;
    BURL_VEC(struct burl_synth_seed) seeds;
    BURL_VEC(char *) notes; /* owned: what the user should know about the API; sentences */
    struct burl_synth_log log;
    struct burl_synth_script script;
    struct burl_synth_table table;
    struct burl_synth_pairs pairs;
    BURL_VEC(struct burl_synth_lock_pair) lock_pairs;
    BURL_VEC(struct burl_synth_planned) planned; /* as pairs, then as lock_pairs */
    BURL_VEC(struct burl_synth_test) tests;
    struct burl_map test_at; /* hash of a test -> tests, while they are planned */
    struct burl_synth_stats stats;
    /* May be NULL. Before seed or test `at` of `n` is run; on_test: false leaves it out. */
    void (*on_seed)(void *arg, size_t at, size_t n);
    bool (*on_test)(void *arg, size_t at, size_t n);
    void *arg;
};

/* Pairs of rows and lock pairs are numbered through. */
static inline size_t
burl_synth_n_pairs(const struct burl_synth *s)
{
    return s->pairs.n + s->lock_pairs.n;
}

void burl_synth_deinit(struct burl_synth *s);

/*
 * seeds.c: runs every seed once. A seed that fails, hangs, uses threads or never calls the library
 * is not used, and s->seeds says why. BURL_E_USAGE: none can be used.
 */
BURL_MUST_CHECK enum burl_status burl_synth_record(struct burl_synth *s, struct burl_err *err);
/* From the log to tests. */
void burl_synth_plan(struct burl_synth *s);
/* Runs the tests in order; violations go to `v`. */
void burl_synth_run(struct burl_synth *s, struct burl_gen_violations *v);

/* One violation of the test became this finding; each is kept once. */
void burl_synth_test_add_finding(struct burl_synth_test *t, int64_t id);

/* What a triple with this row shows not to be atomic: the called function, on objects of the type
 * that the path begins with. All triples of one region show one bug. */
uint64_t burl_synth_region(const struct burl_synth_dep *d);

/* seeds.c */
void burl_synth_seeds_deinit(struct burl_synth *s);
size_t burl_synth_n_used_seeds(const struct burl_synth *s);
/* detect.c: runs one test; false: time was over before everything was run. */
bool burl_synth_detect(struct burl_synth *s, struct burl_synth_test *t,
                       struct burl_gen_violations *v);

#endif
