/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/exec.h - runs tests: one compiled driver that interprets them in the instrumented
 * process.
 *
 * burl_gen_exec_open() writes a driver in C from the model (thunks, callbacks, storage), compiles
 * it without hooks, compiles the user's sources with `burl cc` and starts the program. From then on
 * a test is bytes in the control block: no compiling, no new process; thousands per second.
 *
 * After prefix and threads (or one order of their calls) the driver calls the model's dump
 * functions on the shared object, in the order of the model, then ends every object. All of it is
 * part of the execution: a failure there is a failure of the test.
 *
 * Deterministic: the same calls on the same program give the same outcomes, except those of
 * burl_gen_exec_free().
 *
 * Failures are sticky, as those of a burl_buf: after one nothing is executed any more, runs come
 * out CUT or not at all, and burl_gen_exec_status() says what happened. So oracle, builder and
 * shrinker need no error paths; the front end asks once.
 */
#ifndef BURL_GEN_EXEC_H
#define BURL_GEN_EXEC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/sites.h"
#include "gen/model/model.h"
#include "gen/test/test.h"
#include "wire/control.h"

struct burl_gen_exec;

struct burl_gen_exec_opts {
    struct burl_gen_model *model; /* functions that nothing defines are left out of it */
    struct burl_gen_sources sources;
    const char *dir;      /* for driver, objects and program; made when missing */
    const char *burl;     /* path of burl itself, for `burl cc` */
    const char *cc_flags; /* more flags for the user's sources, "" none: "-O1 -g" */
    uint64_t max_steps;   /* per execution */
    uint32_t exec_timeout_ms;
    bool with_seeds; /* sources that are not the library's are seeds and their parts */
    bool verbose;    /* show the compiler's commands */
    const volatile sig_atomic_t *interrupt;
};

/* How one value of an outcome is to be read. */
enum burl_gen_value_kind {
    BURL_GEN_VALUE_NONE = 0, /* nothing to compare: void, ignored, call did not return */
    BURL_GEN_VALUE_INT,      /* bits: sign-extended */
    BURL_GEN_VALUE_REAL,     /* bits of a double */
    BURL_GEN_VALUE_NULL,     /* a NULL pointer */
    BURL_GEN_VALUE_PAYLOAD,  /* bits: which */
    BURL_GEN_VALUE_SLOT,     /* an object; bits: slot */
    BURL_GEN_VALUE_POINTER,  /* not NULL, and none of these: that alone is compared */
    BURL_GEN_VALUE_BYTES,    /* bits: FNV-1a; `bytes` has the first n_bytes. Buffers: all of them,
                                of zeros where nothing was written */
    BURL_GEN_VALUE_CHANGED   /* a string in memory of the API that had changed when the threads had
                                ended: the driver may have read it while it was written, so that it
                                is not NULL is all that is known */
};

#define BURL_GEN_VALUE_BYTES_B 64

struct burl_gen_value {
    uint8_t kind;     /* enum burl_gen_value_kind */
    uint8_t param;    /* 0: the result; else parameter number + 1 */
    uint16_t call;    /* number of the call, see below */
    uint16_t n_bytes; /* BYTES: kept */
    uint32_t length;  /* BYTES: in all */
    uint64_t bits;
    char bytes[BURL_GEN_VALUE_BYTES_B];
};

enum burl_gen_call_state { BURL_GEN_CALL_NOT_BEGUN = 0, BURL_GEN_CALL_RUNNING, BURL_GEN_CALL_DONE };

/* A public function was entered or left, by a call of the test or from within another. */
struct burl_gen_event {
    uint16_t thread; /* of the test; UINT16_MAX: main */
    uint16_t fn;     /* of the model */
    uint8_t leave;
};

enum burl_gen_end {
    BURL_GEN_END_DONE = 0, /* every call returned, and the verdict is PASS */
    BURL_GEN_END_MAKE,     /* a constructor of the prefix made no object */
    BURL_GEN_END_FAILED,   /* `verdict`: crash, memory, misuse, exit.nonzero... */
    BURL_GEN_END_BLOCKED,  /* `verdict` is deadlock.*: the calls that RUN are blocked */
    BURL_GEN_END_CUT       /* cut by a limit, hang, unsupported: neither pass nor failure */
};

/*
 * Calls are numbered through: prefix, thread 0, thread 1..., then dumps. `values` are sorted by
 * call and parameter, those that are NONE left out.
 */
struct burl_gen_outcome {
    enum burl_gen_end end;
    struct burl_wire_verdict verdict;
    int failed_call;  /* FAILED: call that was running on the failing thread; -1 in between or in
                         the ending of objects */
    bool own_threads; /* the API created threads: values may depend on their progress */
    bool contended;   /* a trylock or timed wait in a call of a thread gave up because of another
                         thread, which cannot happen when calls are made one after the other */
    unsigned n_calls;
    uint8_t state[BURL_GEN_MAX_CALLS]; /* enum burl_gen_call_state */
    BURL_VEC(struct burl_gen_value) values;
    BURL_VEC(struct burl_gen_event) events; /* of concurrent runs; in order of time */
    uint32_t strategy; /* of concurrent runs: plan.strategy to have it again, with this seed and
                           as long as no new scheduling points were learned; UINT32_MAX: free */
    uint64_t seed;
    struct burl_wire_goal goal; /* of a directed one */
    uint64_t trace_hash;
    uint64_t steps; /* operations at scheduling points and synchronization */
};

/* outcome.c */
void burl_gen_outcome_deinit(struct burl_gen_outcome *o);
/* Owned by the caller. */
struct burl_gen_outcome burl_gen_outcome_copy(const struct burl_gen_outcome *o);
/* Of NULL and of an address nothing is compared but the kind. */
bool burl_gen_value_has_bits(const struct burl_gen_value *v);
bool burl_gen_value_equal(const struct burl_gen_value *a, const struct burl_gen_value *b);

/* Distinct outcomes of one test; zero is empty. Outcomes are equal if the oracle cannot tell them
 * apart. */
struct burl_gen_outcomes {
    BURL_VEC_OF(struct burl_gen_outcome);
};
/* Adds a copy, unless an equal one is there or `max` are. */
void burl_gen_outcomes_add(struct burl_gen_outcomes *all, const struct burl_gen_outcome *o,
                           size_t max);
/* Keeps the memory of the vector; free it with BURL_VEC_FREE(). */
void burl_gen_outcomes_clear(struct burl_gen_outcomes *all);

/* Failures: BURL_E_USAGE the driver or the sources do not compile or link (the compiler's first
 * messages, and which line of the model file would help where a role is to blame); BURL_E_TARGET
 * the program cannot be controlled. */
BURL_MUST_CHECK enum burl_status burl_gen_exec_open(struct burl_gen_exec **out,
                                                    const struct burl_gen_exec_opts *opts,
                                                    struct burl_err *err);
void burl_gen_exec_close(struct burl_gen_exec *x);
/* Compiles an emitted test, with hooks, and links it with the objects of the sources. `parts`: it
 * contains seeds, which need those parts of seeds that do not call the API. */
BURL_MUST_CHECK enum burl_status burl_gen_exec_build_test(const struct burl_gen_exec *x,
                                                          const char *source, const char *program,
                                                          bool parts, struct burl_err *err);
/* BURL_OK, or the failure after which nothing was executed any more. */
BURL_MUST_CHECK enum burl_status burl_gen_exec_status(const struct burl_gen_exec *x,
                                                      struct burl_err *err);
bool burl_gen_exec_failed(const struct burl_gen_exec *x);
/* When what is done with the executor is to end; zero: never. It goes on executing until the limit:
 * its users stop. At the limit the execution at hand is cut, and there is no other until the next
 * deadline is set. */
void burl_gen_exec_set_deadline(struct burl_gen_exec *x, struct burl_deadline deadline);
struct burl_deadline burl_gen_exec_deadline(const struct burl_gen_exec *x);
/* Has it stopped at the limit? */
bool burl_gen_exec_is_late(const struct burl_gen_exec *x);
/* Time that is left until then; 0: none, or interrupted; BURL_GEN_NO_LIMIT. */
#define BURL_GEN_NO_LIMIT INT64_MAX
int64_t burl_gen_exec_left_ms(const struct burl_gen_exec *x);
bool burl_gen_exec_is_interrupted(const struct burl_gen_exec *x);
const struct burl_gen_model *burl_gen_exec_model(const struct burl_gen_exec *x);
/* A new process for everything that follows. */
void burl_gen_exec_fresh(struct burl_gen_exec *x);

/*
 * One call after the other in the order given (NULL: the prefix alone), in one thread. `shift`:
 * nonzero runs with other addresses and another time of day, to find out which values depend on
 * them. A call that blocks ends the execution as BLOCKED.
 */
void burl_gen_exec_sequential(struct burl_gen_exec *x, const struct burl_gen_test *t,
                              const struct burl_gen_order *order, bool dump, uint64_t shift,
                              struct burl_gen_outcome *out);

/* The prefix alone; out->steps counts every access. */
void burl_gen_exec_prefix(struct burl_gen_exec *x, const struct burl_gen_test *t,
                          struct burl_gen_outcome *out);

/* How to run a test concurrently. */
struct burl_gen_plan {
    uint32_t schedules; /* executions */
    uint64_t first_seed;
    uint32_t observers; /* BURL_OB() bits; a race does not end the execution, it is a suspect */
    int strategy;       /* enum burl_wire_strategy, or an outcome's `strategy`; -1: a mix, by the
                           place of the seed */
    struct burl_wire_goal goal; /* DIRECTED: what the executions are to reach */
    bool is_cut_by_time; /* a mix ends early at the deadline */
};

/* One outcome per execution, in the order of seeds; return false to stop. */
typedef bool burl_gen_outcome_fn(void *arg, const struct burl_gen_outcome *o);

/*
 * Controlled schedules of the test's threads. Suspects of the observers seen in these executions
 * are left in *suspects (owned, BURL_VEC; may be NULL).
 */
struct burl_gen_suspects {
    BURL_VEC_OF(struct burl_wire_suspect);
};
/* Returns how many executions reached the goal of the plan. */
uint64_t burl_gen_exec_controlled(struct burl_gen_exec *x, const struct burl_gen_test *t,
                                  const struct burl_gen_plan *plan, burl_gen_outcome_fn *fn,
                                  void *arg, struct burl_gen_suspects *suspects);
/* One free run on all cores in a process of its own, threads started together. `observers` as
 * above; a race ends up in *suspects. */
void burl_gen_exec_free(struct burl_gen_exec *x, const struct burl_gen_test *t, uint32_t observers,
                        struct burl_gen_outcome *out, struct burl_gen_suspects *suspects);

/* ---- seeds: sequential programs that use the API ------------------------------------------- */

size_t burl_gen_exec_n_seeds(const struct burl_gen_exec *x);
/* The source with its main(). */
const char *burl_gen_exec_seed_source(const struct burl_gen_exec *x, size_t seed);
/* An emitted test, which is C, can contain the seed and stop it at a call. */
bool burl_gen_exec_can_stop(const struct burl_gen_exec *x, size_t seed);

/* Arguments that seeds were run with, n bytes, each with its NUL. */
const char *burl_gen_exec_seed_words(const struct burl_gen_exec *x, size_t *n);
/* Source number i that is neither the library's nor a seed, but part of every seed; NULL: there are
 * no more. *calls: it calls the API. */
const char *burl_gen_exec_part(const struct burl_gen_exec *x, size_t i, bool *calls);
/* Calls of the function by seeds are seen, and counted. */
bool burl_gen_exec_records(const struct burl_gen_fn *f);

/* Functions that seeds call and that cannot be recorded, by number from 0; -1: no more. */
int burl_gen_exec_unrecorded(const struct burl_gen_exec *x, size_t i);

/* Places in the code by the numbers that records have. */
const struct burl_sites *burl_gen_exec_sites(const struct burl_gen_exec *x);
/* The program with library, driver and seeds. */
const char *burl_gen_exec_program(const struct burl_gen_exec *x);
/* Is this a source, as it was given, that is not the library's? */
bool burl_gen_exec_is_client(const struct burl_gen_exec *x, const char *source);

/* What a seed did, for synth/record.c. */
struct burl_gen_seed_run {
    struct burl_wire_verdict verdict;
    uint32_t n_threads; /* ever, with main */
    char *output;       /* owned: the last bytes that it printed; NULL not known */
    void *area; /* owned: struct burl_record_head and what follows; NULL: it never began */
    size_t area_b;
};
/* Runs a seed once, alone, with the recorder. `args`: its arguments, each with its NUL. Only wall
 * time limits it, opts.exec_timeout_ms. */
void burl_gen_exec_seed(struct burl_gen_exec *x, size_t seed, const char *args, size_t args_b,
                        struct burl_gen_seed_run *out);
void burl_gen_seed_run_deinit(struct burl_gen_seed_run *r);

/* Calls of burl_gen_exec_sequential(). */
uint64_t burl_gen_exec_n_sequential(const struct burl_gen_exec *x);

#endif
