/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec_int.h - the parts of the executor.
 *
 *   driver_text.c    the fixed part of the driver, as strings
 *   driver_source.c  the generated part: thunks and callbacks
 *   words.c          the words after "--": sources, flags, for the linker
 *   exec_build.c     compiles driver and sources
 *   encode.c         a test as bytes (wire/mail.h)
 *   decode.c         records as outcomes
 *   outcome.c        outcomes as data
 *   exec.c           processes and orders
 *   exec_controlled.c  many schedules of a test
 *   exec_free.c      free runs
 *   exec_seeds.c     seeds as objects
 *   record_source.c  the generated part of their recorder
 *   exec_seed_run.c  runs of seeds
 */
#ifndef BURL_GEN_EXEC_INT_H
#define BURL_GEN_EXEC_INT_H

#include "engine/target/target.h"
#include "gen/exec/exec.h"

/* A sequential program that uses the API. */
struct burl__gen_seed {
    char *source;
    char *object;
};

/* A source that is part of every seed. */
struct burl__gen_part {
    char *source;
    bool calls; /* the API */
};

struct burl__gen_seeds {
    BURL_VEC_OF(struct burl__gen_seed);
    BURL_VEC(struct burl__gen_part) parts;
    BURL_VEC(int) unrecorded; /* functions that clients use and that have no recorder */
    BURL_VEC(char *) client; /* by source: its name if it is not the library's, else NULL */
    BURL_VEC(bool) used; /* by function of the model: seeds call it, so there is a recorder */
};

struct burl_gen_exec {
    struct burl_gen_exec_opts opts;
    enum burl_status st; /* of the first failure; `err` describes it */
    struct burl_err err;
    struct burl_deadline deadline;
    char *program;
    struct burl__gen_seeds seeds;
    struct burl_buf seed_words; /* arguments that seeds were run with, each with its NUL */
    struct burl_target *t; /* NULL: none at the moment */
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    struct burl_sites *sites;
    BURL_VEC(struct burl_mail_site) public_sites; /* ascending */
    uint8_t *points;                              /* scheduling points in force */
    uint32_t n_points;                            /* sites it covers */
    bool has_points;                              /* some test has shown which sites are shared */
    unsigned n_lost;                              /* processes with a snapshot that were lost */
    unsigned n_checked; /* tests whose runs were compared with those of a forked process */
    uint64_t n_sequential;
};

/* driver_text.c: text of the file of that name. */
const char *burl__gen_driver_text(const char *name);

/* driver_source.c */
/* `header`: the file to include. */
/* Functions that the header defines itself, to be compiled with hooks; false: there are none. */
bool burl__gen_inline_source(const struct burl_gen_model *m, const char *header,
                             struct burl_buf *out);
/* `stops`: arguments may be those of stopped seeds. */
void burl__gen_driver_source(const struct burl_gen_model *m, const char *header, bool stops,
                             struct burl_buf *out);
void burl__gen_write_includes(const struct burl_gen_model *m, const char *header,
                              struct burl_buf *out);

/* record_source.c */
/* There can be a recorder for it. */
bool burl__gen_is_recorded(const struct burl_gen_fn *f);
void burl__gen_record_source(const struct burl_gen_model *m, const char *header,
                             const struct burl__gen_seeds *seeds, struct burl_buf *out);

/* exec_seeds.c */
/* Finds out which of the n sources are not the library's. */
BURL_MUST_CHECK enum burl_status
burl__gen_seeds_find(struct burl__gen_seeds *out, const struct burl_gen_exec_opts *o,
                     const char *const *sources, const char *const *objects, size_t n,
                     struct burl_err *err);
/* The file for `burl cc --redirect`; *any: the header defines a function, so it is needed. */
BURL_MUST_CHECK enum burl_status burl__gen_redirects_write(const char *path,
                                                           const struct burl_gen_model *m,
                                                           bool *any, struct burl_err *err);
/* Makes seeds of the objects that have a main(). */
BURL_MUST_CHECK enum burl_status
burl__gen_seeds_make(struct burl__gen_seeds *out, const struct burl_gen_exec_opts *o,
                     const char *const *sources, const char *const *objects, size_t n,
                     struct burl_err *err);
void burl__gen_seeds_deinit(struct burl__gen_seeds *s);

/* exec_build.c: program that drives the API; *program owned. */
BURL_MUST_CHECK enum burl_status burl__gen_build(const struct burl_gen_exec_opts *opts,
                                                 char **program, struct burl__gen_seeds *seeds,
                                                 struct burl_err *err);

/* encode.c */
struct burl__gen_encoding {
    const struct burl_gen_test *test;
    const struct burl_gen_order *order; /* SEQUENTIAL; NULL: prefix only */
    uint32_t mode;                      /* enum burl_mail_mode */
    bool dump;
    uint64_t shift;
};
/* False: it cannot be encoded, and the executor has failed. */
bool burl__gen_encode(struct burl_gen_exec *x, const struct burl__gen_encoding *e,
                      struct burl_buf *out);

/* decode.c */
/* The next record of an out-area of n bytes; *at 0 at first. NULL: no more whole ones. A record
 * that is not done is given too, once. */
const struct burl_mail_head *burl__gen_next_record(const void *area, size_t n, size_t *at);
/* Decodes a record; `o` is overwritten. `test`: the in-area. */
void burl__gen_decode(const struct burl_mail_head *h, const struct burl_mail_test *test,
                      const struct burl_gen_model *m, struct burl_gen_outcome *o);
/* Sets end and failed_call by verdict and states. `body_end`: enum burl_mail_end. */
void burl__gen_judge_end(struct burl_gen_outcome *o, uint32_t body_end);

/* exec.c: orders */
/* A test that is run, and the receiver of its outcomes. They are delivered after the order, when
 * the process is no longer needed: the receiver may run other tests. */
struct burl__gen_sink {
    struct burl_buf mail;         /* the test as bytes */
    struct burl_gen_outcome *one; /* the last one is kept here; or */
    burl_gen_outcome_fn *fn;      /* they are delivered; NULL */
    void *arg;
    BURL_VEC(struct burl_gen_outcome) ready; /* of the order under way */
    uint64_t horizon; /* points of an execution in the last order that was done; 0 not known */
    struct burl_gen_suspects *suspects; /* NULL: not wanted */
    uint32_t tag;                       /* outcome.strategy */
    struct burl_wire_goal goal;         /* outcome.goal */
    uint64_t goal_hits;
    uint64_t n;
    uint64_t hash; /* of traces and verdicts */
    bool stop;     /* fn returned false */
};
void burl__gen_sink_init(struct burl__gen_sink *s);
void burl__gen_sink_deinit(struct burl__gen_sink *s);
/* Takes the outcome over. */
void burl__gen_sink_put(struct burl__gen_sink *s, const struct burl_gen_outcome *o);
/* Delivers what was put. */
void burl__gen_sink_flush(struct burl__gen_sink *s);
void burl__gen_sink_add_suspects(struct burl__gen_sink *s, const struct burl_wire_ctl *ctl);
void burl__gen_add_suspect(struct burl_gen_suspects *all, const struct burl_wire_suspect *s);
/* Runs the one execution of the order on the mail given, which is no test. The record lies in the
 * control block until the next order; NULL: there is none, or the executor has failed. */
const struct burl_mail_head *burl__gen_exec_once(struct burl_gen_exec *x,
                                                 const struct burl_wire_order *o,
                                                 const struct burl_buf *mail);
/* The verdict of an execution whose process died or was killed. */
struct burl_wire_verdict burl__gen_exec_lost_verdict(const struct burl_target *t);
/* From now on this engine and reset, until executions show that they do not work. */
void burl__gen_exec_use(struct burl_gen_exec *x, enum burl_wire_engine engine,
                        enum burl_wire_reset reset);
/* The default order: one execution, no preemptions, no observers. */
struct burl_wire_order burl__gen_exec_order(const struct burl_gen_exec *x);
/* Runs the executions of the order on the test in sink->mail, each exactly once, in as many
 * processes as needed. False: the executor has failed. */
bool burl__gen_exec_run(struct burl_gen_exec *x, const struct burl_wire_order *o,
                        struct burl__gen_sink *sink);

#endif
