/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/target.h - one target process: the tested program under our control.
 *
 * The host gives orders (wire/control.h) and waits; the runtime inside the
 * program carries them out. A target is used by one thread only. All functions
 * take the process as it may be: dead, stuck or gone; none of them blocks for
 * longer than the time-outs it is given.
 *
 * What is read of a process is the copy `ctl` and the functions here. All of it came through the
 * door (door.h): it is the host's own memory, checked against our own limits. The result is valid
 * after burl_target_poll() or burl_target_wait() returned another state than BUSY, until the next
 * burl_target_order(). A process that overwrote the block is killed and counts as DIED;
 * burl_target_damage() tells.
 */
#ifndef BURL_ENGINE_TARGET_H
#define BURL_ENGINE_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/run.h"
#include "engine/target/door.h"
#include "wire/control.h"

struct burl_campaign_image;

/* How much of the program's output is kept for reports. */
#define BURL_TARGET_TAIL_B 8192u

/* Descriptor of the control block: the same number in every process of a campaign, out of the way
 * of the program's own. And the limit on open files that a campaign needs. */
#define BURL_TARGET_CTL_FD 198
#define BURL_TARGET_FILES 256u

struct burl_target_opts {
    const char *const *argv; /* program and arguments; argv[0] by PATH when it has no slash */
    const char *cwd;         /* NULL: ours */
    const char *const *env;  /* "NAME=VALUE", added to our environment; NULL: none */
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    uint32_t start_timeout_ms; /* until the runtime says it is ready; 0: BURL_TARGET_START_MS */
    const volatile sig_atomic_t *interrupt;  /* nonzero: give up; may be NULL */
    int64_t max_stall_ms; /* longest wait for one execution, whatever the order says; 0: no limit */
    struct burl_deadline deadline;           /* its limit ends the process; zero: none */
    bool cover;                              /* give it an area for covered items (wire/cover.h) */
    const struct burl_campaign_image *image; /* numbers of code it will load; NULL: none known */
};

/* Constructors and the dynamic linker run before the runtime can answer; a large C++ program on
 * a loaded machine needs seconds, and a program that hangs there would otherwise hang us. */
#define BURL_TARGET_START_MS 30000u

enum burl_target_state {
    BURL_TARGET_IDLE = 0,    /* has no order: ready for the next */
    BURL_TARGET_BUSY,        /* has the turn */
    BURL_TARGET_DIED,        /* the process ended; `status` says how */
    BURL_TARGET_TIMEOUT,     /* no execution completed within the bound: killed */
    BURL_TARGET_INTERRUPTED, /* the user asked to stop: killed */
    BURL_TARGET_LATE         /* the limit of the deadline was reached: killed */
};

struct burl_target {
    /* Readable under the rule at the head of this file. */
    const struct burl_wire_ctl *ctl; /* block.copy */
    enum burl_target_state state;
    struct burl_proc_status status; /* valid after DIED */
    /* Private. */
    struct burl_block block;
    struct burl_proc proc;
    int out_fd;
    uint64_t seen_execs; /* progress at the last look, for the watchdog */
    int64_t seen_ms;     /* when it last moved */
    int64_t stall_ms;    /* no progress for longer than this is a time-out; -1 never */
    int64_t max_stall_ms;
    int64_t end_ms;      /* the order must be done by then, progress or not; -1 never */
    const volatile sig_atomic_t *interrupt;
    struct burl_deadline deadline;
    struct burl_target *next_live;
    uint32_t cover_seen; /* items that burl_target_new_items() has given out */
};

/*
 * Starts the program and waits until the runtime in it is ready, just before main. Failures:
 * BURL_E_USAGE no such program; BURL_E_TARGET not instrumented, ended before main (the message
 * says how, with its last output), built for another version, or silent for too long; BURL_E_TIME
 * the limit of the deadline came first; BURL_E_IO.
 */
BURL_MUST_CHECK enum burl_status burl_target_start(struct burl_target **out,
                                                   const struct burl_target_opts *opts,
                                                   struct burl_err *err);
/* Ends the process, whatever its state, with everything it left running, and frees. NULL is fine.
 * Ends every child of ours that is not a live target: a process that uses targets must not have
 * other children at that moment. */
void burl_target_stop(struct burl_target *t);

/*
 * Hands one order over. `sched_in` holds the switches of a REPLAY (NULL if there are none) and may
 * be longer than the area: then the call fails with BURL_E_LIMIT and nothing was handed over. The
 * state must be IDLE.
 */
BURL_MUST_CHECK enum burl_status burl_target_order(struct burl_target *t,
                                                   const struct burl_wire_order *order,
                                                   const struct burl_wire_switch *sched_in,
                                                   struct burl_err *err);

/* Looks once, without waiting: updates and returns the state. */
enum burl_target_state burl_target_poll(struct burl_target *t);
/* Waits for the end of the order; never returns BUSY. */
enum burl_target_state burl_target_wait(struct burl_target *t);
/* Sleeps until the state of one of `n` targets may have changed, or `timeout_ms` passed. */
void burl_target_wait_any(struct burl_target *const *targets, size_t n, int timeout_ms);

/* Areas that the host fills between orders. */
enum burl_target_area {
    BURL_TARGET_POINTS,
    BURL_TARGET_PROFILE,
    BURL_TARGET_SCHED_IN,
    BURL_TARGET_SEARCH,
    BURL_TARGET_MAIL_IN
};
void burl_target_put(struct burl_target *t, enum burl_target_area area, const void *bytes,
                     size_t n);
/* The table of settled memory, BURL_WIRE_MAX_SETTLED entries; NULL: as it is. */
void burl_target_settle(struct burl_target *t, const struct burl_wire_settled *table, uint32_t n);
/* Makes the execution at hand the last of the order that runs (wire/search.h). */
void burl_target_cut_order(struct burl_target *t);
/* Empties the area that burl_door_mail() reads. */
void burl_target_empty_mail(struct burl_target *t);

/* Ends the process at once; `state` becomes its state. */
void burl_target_kill(struct burl_target *t, enum burl_target_state state);

/* For messages: the name of the program goes in. */
#define BURL_TARGET_OVERWROTE "%s overwrote burl's control block"
/* What the program overwrote in the control block; NULL: nothing that we know of. */
const char *burl_target_damage(const struct burl_target *t);

/*
 * Copies the last execution out of the block: verdict, recorded switches, trace, hash, tail of
 * the output. The order must have had n_execs 1. Records that the runtime cannot have written are
 * BURL_E_TARGET: the program wrote over our memory. *out is empty on failure.
 */
BURL_MUST_CHECK enum burl_status burl_target_take_run(struct burl_target *t, struct burl_run *out,
                                                      struct burl_err *err);
/* The verdict for a process that exited, or was killed, inside an execution. */
struct burl_wire_verdict burl_target_lost_verdict(const struct burl_target *t);
/* The last bytes the program printed, NUL-terminated; caller frees. */
char *burl_target_output(struct burl_target *t, size_t *n);

/* A control block as burl_target_start() makes it, for a program that is started elsewhere (gdb).
 * The returned descriptor is inheritable; its number belongs into BURL_WIRE_ENV_CTL. */
BURL_MUST_CHECK enum burl_status burl_target_block_new(struct burl_block *b, int *fd,
                                                       enum burl_wire_engine engine,
                                                       enum burl_wire_reset reset,
                                                       struct burl_err *err);
void burl_target_block_free(struct burl_block *b);
/* Writes an order and the switches it follows into a block. Too many of them: BURL_E_LIMIT. */
BURL_MUST_CHECK enum burl_status burl_target_block_load(struct burl_block *b,
                                                        const struct burl_wire_order *order,
                                                        const struct burl_wire_switch *sched_in,
                                                        size_t n, struct burl_err *err);
/* Our environment with `more` (NULL: nothing) and the control descriptor in it; NULL-terminated,
 * caller frees with burl_target_env_free(). With argv the descriptor's entry is padded, so that the
 * main stack lies where it does for any other environment and arguments. controlled: threads of the
 * OpenMP library block when they wait. */
char **burl_target_env_new(int fd, const char *const *argv, const char *const *more,
                           bool controlled);
void burl_target_env_free(char **envp);

/* Gives a block, before its program starts, an area for covered items. */
void burl_target_block_cover(struct burl_block *b);
/* Covered items that came since the last call; *n 0 when the target has no area. Of an item the
 * caller checks what it uses. */
const struct burl_wire_cover_item *burl_target_new_items(struct burl_target *t, uint32_t *n);

/* BURL_E_TARGET when the runtime or a module of the process speaks another version than we do. */
BURL_MUST_CHECK enum burl_status burl_target_check_version(const struct burl_wire_ctl *ctl,
                                                           const char *name, struct burl_err *err);

/* Identifies what was instrumented: same modules in the same order, same id. Caller's buffer of
 * 17 bytes. */
void burl_target_build_id(const struct burl_wire_ctl *ctl, char out[17]);
/* The same as a number, of the modules that are there when main begins: what a program loads later
 * may differ from execution to execution. */
uint64_t burl_target_start_build(const struct burl_wire_ctl *ctl);
/* Is a process of the same build as the first one of the campaign? *first 0: it is the first.
 * BURL_E_TARGET: the program was rebuilt meanwhile, and nothing of it may be used. */
BURL_MUST_CHECK enum burl_status burl_target_same_build(uint64_t *first, uint64_t build,
                                                        const char *program, struct burl_err *err);

/* The virtual wall clock at the start of every execution: fixed, so that a program that prints
 * or hashes the time does the same each run. 14 November 2023, 22:13:20 UTC. */
#define BURL_ENGINE_EPOCH_NS 1700000000000000000ull

/* "snapshot", "fork". */
const char *burl_engine_reset_name(uint32_t reset);
/* The sentence of a counter (wire/control.h). */
const char *burl_engine_counter_text(uint32_t counter);
/* Its name there: "UNCONTROLLED_SYNC". */
const char *burl_engine_counter_name(uint32_t counter);

/* Milliseconds of the monotonic clock. */
int64_t burl_target_now_ms(void);
/* Of the process and of those it has forked and waited for, in the steps of the kernel; 0: not
 * known. */
uint64_t burl_target_processor_us(const struct burl_target *t);

#endif
