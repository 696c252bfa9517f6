/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/pool/pool.h - the target processes of a campaign.
 *
 *   pool.c    a list of works over several processes; lost processes are replaced
 *   crowd.c   processes that disturb each other
 *   single.c  processes started for a campaign, and single executions in them
 *
 * INV-E2: results are committed in the order of the work list. With INV-E1 (plan/learned.h) this
 * gives the promise of campaign.h.
 *
 * Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_POOL_H
#define BURL_ENGINE_POOL_H

#include "engine/plan/plan.h"

/* A part of a work that one order covers. */
struct burl_pool_chunk {
    size_t work;
    uint64_t first;
    uint64_t n;
    uint64_t done;    /* executions of it already in `batch` */
    uint64_t culprit; /* seed that lost a process; UINT64_MAX none */
    uint32_t losses;
    bool hung; /* the culprit did not die but hang */
    bool complete;
    bool crowded; /* other processes of the program may have run at the same time */
    struct burl_batch batch;
};

/* A process of the pool. */
struct burl_pool_slot {
    struct burl_worker worker;
    bool has_order; /* whose result was not collected yet; `chunk` is valid */
    size_t chunk;
    uint64_t order_n;
    int64_t order_ms;
};

/* What executions took by reset. */
struct burl_reset_speed {
    struct burl_speed by_reset[2];
    int64_t again_ms; /* of the campaign: when it is compared again; 0: not decided yet */
};

struct burl_pool {
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    struct burl_reset_speed speed; /* of both, measured */
    bool by_speed;                 /* fork was chosen for its speed alone */
    bool ready_notified;
    uint64_t build; /* of the first process; 0: none yet */
    struct burl_campaign_image image;          /* of the look ahead; processes are given it */
    struct burl_campaign_image notified_image; /* of the last `ready` or `loaded` */

    struct burl_worker scout; /* for single executions whose process need not be fresh */

    struct burl_pool_slot *slots;
    uint32_t n_slots;
    const struct burl_work *works; /* the running list; borrowed */
    size_t n_works;
    size_t next_work;     /* first work not yet cut into chunks */
    uint64_t next_offset; /* in it */
    BURL_VEC(struct burl_pool_chunk) chunks;
    size_t committed;
    bool draining; /* no new chunks */
    bool alone;    /* one process at a time: they disturb each other */
    bool crowded;  /* the chunk being committed is */

    double ms_per_exec;     /* of the last orders; sizes of orders only, never results */
    uint64_t running_execs; /* of orders in flight, for the progress line */
    uint32_t running_strategy;
    uint32_t running_param;
};

/* pool.c */
/* Makes room for so many processes; they start when there is work. */
void burl__pool_open(struct burl_pool *p, uint32_t jobs);
/* Stops the processes. */
void burl__pool_close(struct burl_pool *p);
/* Does all works, committing in order. Ends early when the campaign is to stop. */
BURL_MUST_CHECK enum burl_status burl__pool_run(struct burl_campaign *c,
                                                const struct burl_work *works, size_t n_works,
                                                struct burl_err *err);
/* Makes the works the running list, of which nothing is done yet. */
void burl__pool_begin(struct burl_pool *p, const struct burl_work *works, size_t n_works);
/* Is there work that was not cut into chunks? */
bool burl__pool_has_work(const struct burl_pool *p);
/* Cuts the next chunk, sized by speed; its place in `chunks`. */
size_t burl__pool_cut(struct burl_pool *p);
/* Does the execution with seed a come before that of b in the running list? */
bool burl__pool_is_earlier(const struct burl_pool *p, uint64_t a, uint64_t b);

/* crowd.c */
/* Waits until no process of the pool executes. Their results are collected later. */
void burl__pool_quiet(struct burl_campaign *c);
/* A failure, seen `count` times, was not reproduced. Returns true if other processes may be its
 * cause: it is counted in stats.n_crowded, and from now on one process executes at a time. */
bool burl__pool_blames_crowd(struct burl_campaign *c, uint64_t count);

/* single.c */
/* Starts a target with the campaign's settings and what is in force; calls `ready` once. An
 * uninterruptible one ignores Ctrl-C (confirmation of what was found). */
BURL_MUST_CHECK enum burl_status burl__campaign_start(struct burl_campaign *c,
                                                      enum burl_wire_reset reset,
                                                      bool interruptible, struct burl_target **out,
                                                      struct burl_err *err);
/* Makes the process ready for an order: starts or replaces it when it is gone or not of the
 * campaign's engine and this reset, and puts what is in force into its block. */
BURL_MUST_CHECK enum burl_status burl__worker_ready(struct burl_campaign *c, struct burl_worker *w,
                                                    enum burl_wire_reset reset, bool interruptible,
                                                    struct burl_err *err);
void burl__worker_stop(struct burl_worker *w);
/* Calls `loaded` if the module map changed since the last notification. */
BURL_MUST_CHECK enum burl_status burl__campaign_loaded(struct burl_campaign *c,
                                                       const struct burl_campaign_image *image,
                                                       struct burl_err *err);
/* The same for the modules of a process, which may have loaded nothing. */
BURL_MUST_CHECK enum burl_status burl__campaign_see(struct burl_campaign *c,
                                                    const struct burl_target *t,
                                                    struct burl_err *err);
/* One execution; a process that died or hung gives a run with the verdict of that. BURL_E_TIME: the
 * limit of the deadline came first. */
BURL_MUST_CHECK enum burl_status burl__run_in(struct burl_target *t,
                                              const struct burl_wire_order *order,
                                              const struct burl_wire_switch *sched_in,
                                              struct burl_run *run, struct burl_err *err);
/* One execution in a fresh process, which is left in *t; NULL when it did not start. */
BURL_MUST_CHECK enum burl_status burl__run_fresh(struct burl_campaign *c,
                                                 const struct burl_wire_order *order,
                                                 const struct burl_wire_switch *sched_in,
                                                 struct burl_run *run, struct burl_target **t,
                                                 struct burl_err *err);
/* The same with a fresh process that is stopped; *shown: it came back, and `shows` says so. */
BURL_MUST_CHECK enum burl_status
burl__run_showing(struct burl_campaign *c, const struct burl_wire_order *order,
                  const struct burl_wire_switch *sched_in,
                  bool (*shows)(const void *arg, struct burl_target *t), const void *arg,
                  struct burl_run *run, bool *shown, struct burl_err *err);
/* One execution in a process that is kept for the next. *hit: the sites of the aim met. */
BURL_MUST_CHECK enum burl_status burl__run_scout(struct burl_campaign *c, const struct burl_work *w,
                                                 uint64_t seed, struct burl_run *run, bool *hit,
                                                 struct burl_err *err);

#endif
