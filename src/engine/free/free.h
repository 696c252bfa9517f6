/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free.h - one run of a program that is watched and not controlled.
 *
 * The program runs on all cores, once, from its main to its end. The runtime in it observes and
 * writes what it finds into the control block, which is shared memory: whatever way the program
 * ends, all that was found until then is there. The host only waits.
 *
 * Everything in the block comes from a process that may have written anywhere, so a result holds
 * copies whose numbers were checked.
 */
#ifndef BURL_ENGINE_FREE_H
#define BURL_ENGINE_FREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/proc.h"
#include "base/run.h"
#include "base/sites.h"
#include "wire/control.h"
#include "wire/noise.h"

struct burl_free_opts {
    const char *const *argv; /* program and arguments; argv[0] by PATH when it has no slash */
    uint32_t observers;      /* BURL_OB() bits */
    uint64_t time_ms;        /* asked to end, then killed, after this; 0: never */
    bool captured;           /* the output is kept (its tail, for reports) and not shown; the input
                                is ours only when it is a file; the program leads a process group,
                                and all of it ends with the run */
    int out_fd;              /* not captured: the program's standard output; -1: ours */
    const char *cwd;         /* NULL: ours */
    const char *const *env;  /* "NAME=VALUE", added to our environment; NULL: none */
    bool is_wrapper;         /* argv[0] may be a plain program that starts an instrumented one */
    bool volatile_atomic;    /* volatile loads acquire, volatile stores release */
    uint32_t context;        /* LOCPAIRS: call sites that tell pairs apart */
    const volatile sig_atomic_t *interrupt; /* captured: nonzero ends the run; may be NULL */
    const void *mail; /* for the driver of `burl gen` (wire/mail.h); NULL none */
    size_t mail_b;
    const struct burl_wire_noise *noise; /* NULL none */
    uint64_t noise_ms; /* no noise after this; 0: to the end */
    const uint8_t *marks;                /* BURL_NOISE_MARK_* by site number; NULL none */
    const uint32_t *variables; /* number of the variable by site number, 0 unknown; NULL none */
    size_t n_marks;            /* of both */
};

enum burl_free_end {
    BURL_FREE_END_EXIT = 0,    /* by itself: exit, or a crash */
    BURL_FREE_END_OUTSIDE,     /* by a signal from outside: Ctrl-C, kill, a closed pipe */
    BURL_FREE_END_TIME,        /* by us, at time_ms */
    BURL_FREE_END_INTERRUPTED, /* by us, because of `interrupt` */
    BURL_FREE_END_DEADLOCK     /* by us, because it would not have ended */
};

struct burl_free_result {
    enum burl_free_end end;
    struct burl_proc_status status;
    /* How it ended, as a verdict: PASS, EXIT_NONZERO, CRASH_SIGNAL or CRASH_ABORT. With stack and
     * site where the runtime could tell. PASS unless `end` is EXIT; DEADLOCK: the deadlock. */
    struct burl_wire_verdict verdict;
    int64_t wall_ms;
    uint32_t max_threads;
    uint64_t counters[BURL_COUNTER__N];
    bool unobserved;                    /* not to the end, or not at all */
    char text[BURL_WIRE_TEXT_B];        /* why, or what else there is to say; may be "" */
    struct burl_wire_failure *failures; /* races, in the order of discovery; then a deadlock of
                                           some threads that did not keep the program from ending */
    size_t n_failures;
    struct burl_wire_blocked *blocked; /* threads that were blocked in the end, by number */
    size_t n_blocked;
    /* END_TIME: all threads as they were, those that ran with state RUNS, and what is to be
     * reported when it is a hang. Whether it is one, the caller knows. */
    struct burl_wire_blocked *threads;
    size_t n_threads;
    struct burl_wire_verdict hang;
    struct burl_wire_suspect *suspects;
    size_t n_suspects;
    struct burl_wire_cover_item *items; /* what was covered, when a metric was asked for */
    size_t n_items;
    uint64_t items_lost;
    struct burl_wire_event *events; /* births of threads: wire/control.h, BURL_ENGINE_FREE */
    size_t n_events;
    struct burl_sites *sites;
    struct burl_wire_object *objects; /* what `sites` was made of */
    size_t n_objects;
    struct burl_wire_module_entry *modules;
    size_t n_modules;
    char build_id[17];
    uint64_t start_build; /* burl_target_start_build(); 0: unknown, the program damaged the block */
    struct burl_wire_noise_counts noise;
    bool noise_stopped; /* at opts.noise_ms */
    uint8_t *marks; /* with opts.noise: BURL_NOISE_MARK_* by site number, those of opts included */
    size_t n_marks;
    int64_t cpu_us; /* user and system time of the program and of its children */
    void *mail;     /* with opts.mail: the first mail_b bytes of the out-area; else NULL */
    size_t mail_b;
    char *output; /* captured: the last bytes it printed, NUL-terminated; else NULL */
    size_t output_b;
};

/*
 * Runs the program to its end. Failures: BURL_E_USAGE no such program; BURL_E_TARGET not
 * instrumented, ended before main, built for another version, or the block is damaged;
 * BURL_E_LIMIT it did not reach main within time_ms; BURL_E_IO.
 * However the program ends after that is a result. While it runs, SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT that reach us alone are passed on to it, unless `captured`. Not to be called from two
 * threads.
 */
BURL_MUST_CHECK enum burl_status burl_free_run(struct burl_free_result *out,
                                               const struct burl_free_opts *opts,
                                               struct burl_err *err);
void burl_free_result_deinit(struct burl_free_result *r);

/* "exit", "signal", "time", "interrupted", "deadlock": for documents. */
const char *burl_free_end_name(enum burl_free_end end);

#endif
