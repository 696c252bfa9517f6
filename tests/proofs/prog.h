/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prog.h - small random concurrent programs, and the modules that work on them.
 *
 * A program is a few threads, each a flat list of instructions over shared variables and
 * synchronization objects. gen.c makes one from a seed, emit.c writes it as C, explore.c computes
 * which end states it can reach. The explorer shares no code with burl: the semantics of every
 * instruction stand there a second time, written from POSIX and C11.
 *
 * The end state is the number that main folds from variables and results before it finishes, or
 * STUCK: a deadlock, a livelock or a misuse.
 */
#ifndef PROOFS_PROG_H
#define PROOFS_PROG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MAX_THREADS = 5, /* with main, which is thread 0 */
    MAX_BODIES = 10,
    MAX_INS = 48,
    MAX_VARS = 8,
    MAX_MUTEXES = 4,
    LAZY_MUTEX = 3, /* initialized by the first thread */
    MAX_RWLOCKS = 2,
    MAX_SPINS = 1,
    MAX_SEMS = 2,
    MAX_CONDS = 2,
    MAX_BARRIERS = 1,
    MAX_ONCES = 2,
    MAX_KEYS = 1,
    MAX_STRUCTS = 2, /* two variables each, from variable 0 on */
    N_REGS = 3,
    MAX_ENDS = 24,
    NO_REG = 255,  /* the result is not used, or the operand is a constant */
    ARG_REG = 254, /* the operand is the argument of the thread */
    FOLD_REG = 253 /* the result is folded into the end state */
};

enum op {
    OP_NOP,
    /* a: register; b: variable; k: constant; c: second constant; to: target */
    OP_LOAD,    /* a = b */
    OP_STORE,   /* b = a + k */
    OP_ADD,     /* b += k, two accesses */
    OP_FADD,    /* a = fetch_add(b, k) */
    OP_FXOR,    /* a = fetch_xor(b, k) */
    OP_XCHG,    /* a = exchange(b, k) */
    OP_CAS,     /* a = compare_exchange(b, k, c) succeeded */
    OP_CASLOOP, /* a = b; until compare_exchange(b, a, a + k) */
    OP_TAKE,    /* while (!compare_exchange(b, k, c)) yield */
    OP_WAITEQ,  /* while (b != k) yield */
    OP_SET,     /* a = k */
    OP_MIX,     /* a = a + register c + k */
    OP_IFEQ,    /* if (a == k) goto to */
    OP_IFNE,
    OP_GOTO,
    OP_AGAIN, /* if (--a > 0) goto to */
    OP_YIELD, /* or a fence */
    /* b: object; a: register for the result: 0 for success, 1 for an error */
    OP_LOCK,
    OP_TRYLOCK,
    OP_TIMEDLOCK,
    OP_TRYLOOP, /* while (trylock) yield */
    OP_UNLOCK,
    OP_RDLOCK,
    OP_WRLOCK,
    OP_TRYRD,
    OP_TRYWR,
    OP_RWUNLOCK,
    OP_SPINLOCK,
    OP_SPINTRY,
    OP_SPINUNLOCK,
    OP_SEMWAIT,
    OP_SEMTRY,
    OP_SEMTIMED,
    OP_SEMPOST,
    OP_SEMGET,  /* a = value */
    OP_SEMINIT, /* value k */
    OP_CONDWAIT,
    OP_CONDTIMED,
    OP_SIGNAL,
    OP_BROADCAST,
    OP_BARRIER, /* a = 1 in the serial thread */
    OP_ONCE,
    OP_KEYSET,  /* value k */
    OP_KEYGET,  /* a = value */
    OP_LOCAL,   /* a = ++ of a thread-local variable */
    OP_LAZY,    /* initializes LAZY_MUTEX, unless it is; the mutex b is held */
    OP_OWN,     /* initializes, uses and destroys objects of its own */
    OP_CLEANUP, /* pushes a handler; exits if a == k; pops and runs it */
    /* b: thread */
    OP_CREATE,
    OP_JOIN,    /* a = result */
    OP_TRYJOIN, /* a = 1 when it was not joined */
    OP_DETACH,
    OP_SELF, /* a = is it the caller? */
    OP_EXIT, /* pthread_exit */
    OP_CANCEL,
    OP_TESTCANCEL,
    /* b: structure */
    OP_SCOPY, /* b = structure c */
    OP_SVAL,  /* a = both fields, passed by value */
    OP_SMAKE, /* b = { a + k, a + k + 1 }, returned by value */
    OP_FOLD,  /* end state from variable b, or from register a */
    OP_FINISH,
    OP__N
};

struct ins {
    uint8_t op, a, b, c;
    int8_t k;
    uint8_t to;
    uint8_t flavor; /* how emit.c writes it: memory order, with or without yield, ... */
};

struct body {
    struct ins ins[MAX_INS];
    uint8_t n;
    bool returns_regs; /* else 0 */
};

enum mutex_kind { MUTEX_NORMAL, MUTEX_RECURSIVE, MUTEX_ERRORCHECK };
enum var_kind {
    VAR_PLAIN,
    VAR_ATOMIC,
    VAR_BUILTIN, /* int, with __atomic and __sync functions */
    VAR_VOLATILE,
    VAR_HEAP,
    VAR_STACK,   /* of main */
    VAR_TLS,     /* of main, by address in others */
    VAR_ELEMENT, /* of an array, at an index in a register */
    VAR_CHAR,    /* in one word with the others of its kind */
    VAR_FIELD,   /* of a structure */
    VAR__N
};

struct prog {
    uint64_t seed;
    struct body bodies[MAX_BODIES]; /* 0: main */
    uint8_t n_bodies;
    uint8_t n_threads;
    uint8_t body_of[MAX_THREADS];
    uint8_t arg_of[MAX_THREADS];
    uint8_t n_vars, n_mutexes, n_rwlocks, n_spins, n_sems, n_conds, n_barriers, n_onces, n_keys;
    uint8_t n_structs;
    uint8_t var_kind[MAX_VARS];
    uint8_t var_init[MAX_VARS];
    uint8_t mutex_kind[MAX_MUTEXES];
    uint8_t sem_init[MAX_SEMS];
    uint8_t cond_mutex[MAX_CONDS];
    uint8_t barrier_n[MAX_BARRIERS];
    uint8_t once_body[MAX_ONCES];
    uint8_t key_body[MAX_KEYS]; /* the destructor; its argument is the value */
    uint8_t cleanup_body;       /* 0: none */
    uint8_t struct_size;        /* 0 small, 1 two registers, 2 memory */
    bool c11;
    uint8_t finisher; /* the thread that folds; main leaves by pthread_exit if it is another */
    bool has_timed, has_cancel, has_lazy;
};

static inline bool
is_atomic(uint8_t var_kind)
{
    return var_kind == VAR_ATOMIC || var_kind == VAR_BUILTIN;
}

/* ---- gen.c ---- */
void prog_generate(struct prog *p, uint64_t seed);

/* ---- emit.c ---- */
/* A file of n programs: main selects one by its first argument, the second says which ends fail:
 * "all", "none" or the number of one of them. */
struct ends;
void prog_emit_file(FILE *out, const struct prog *const *progs, const struct ends *ends,
                    uint32_t n);

/* ---- explore.c ---- */
/* Which of the behaviors that POSIX leaves open are included. */
struct rules {
    bool spurious;      /* condition waits return without a signal */
    bool spurious_once; /* at most once per thread and wait instruction */
    bool fine;          /* structures are copied field by field */
    bool cycles_stop;   /* a cycle of locks ends the execution, also when main could go on */
};

struct ends {
    uint32_t n;
    uint32_t value[MAX_ENDS];
    bool must[MAX_ENDS];         /* reached under the coarse rules too */
    uint32_t switches[MAX_ENDS]; /* between threads, at least; of those in must */
    bool stuck_may, stuck_must;
    bool misuse;   /* after one the program goes on, and anything may follow */
    bool too_many; /* more states or ends than the limits */
    uint32_t n_states;
};

void prog_explore(const struct prog *p, bool spurious, struct ends *ends);

/* ---- ask.c ---- */
/* What burl answers. */
struct answer {
    bool ran;        /* a document came back */
    bool complete;   /* claimed: all interleavings were explored */
    int delays;      /* claimed: all schedules with at most so many were tried; -1: no claim */
    bool stuck;      /* deadlock, hang or misuse found */
    bool race;       /* data race found */
    bool other;      /* an end that is not in the list, or another failure */
    uint32_t found;  /* ends, as bits */
    char why[160];   /* not complete */
    char kinds[160]; /* of findings that are no ends */
};

struct asker {
    const char *burl;
    const char *dir;  /* scratch */
    bool spurious;    /* burl explores spurious wakeups */
    bool no_spurious; /* and is told not to */
    uint32_t runs;    /* limit of executions */
};

bool ask_build(const struct asker *a, const char *source, const char *program);
/* `ends`: "all", "none" or a number; `options`: more options of burl test. */
struct answer ask(const struct asker *a, const char *program, uint32_t which, const char *ends,
                  const char *options);
/* What is wrong with an answer; NULL: nothing. `end`: the one asked for, or ASK_ALL, ASK_NONE. */
enum { ASK_ALL = -1, ASK_NONE = -2 };
/* Ends that need at most x->delays delays were not found; NULL: none. */
const char *ask_judge_delays(const struct answer *x, const struct ends *ends, uint32_t n_threads);
const char *ask_judge(const struct answer *x, const struct ends *ends, int end);

/* ---- shrink.c ---- */
/* Makes p smaller while burl's answer stays wrong in the same way. */
void prog_shrink(struct prog *p, const struct asker *a, const char *wrong);

/* ---- names ---- */
const char *op_name(uint8_t op);

#endif
