/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/changes.h - how a program differs from its base version, as far as threads are concerned.
 *
 * Written by burl-analyze, which sees LLVM (analysis/impact), and read by burl, which does not. It
 * goes with the static target (base/sp.h) of the same build: every access of the target is here
 * with the block of the base version that it maps to and the rules that make it impacted (b and i
 * of the SimRT paper's tuples). Sites are (hash of the module, index), of the new build; blocks
 * are of the base version.
 */
#ifndef BURL_BASE_CHANGES_H
#define BURL_BASE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

#define BURL_CHANGES_VERSION 1

/* Why an access is impacted: rules 1 to 5 of the paper, then those of C. Bits. */
enum burl_changes_rule {
    BURL_RULE_ACCESS = 1u << 0,   /* 1: the access was added or modified */
    BURL_RULE_FUNCTION = 1u << 1, /* 2: its function was added, or modified as a whole */
    BURL_RULE_REGION = 1u << 2,   /* 3: the lock around it changed */
    BURL_RULE_QUALIFIER = 1u << 3, /* 4: volatile, _Atomic or a memory order was weakened */
    BURL_RULE_SLICE = 1u << 4,    /* 5: it depends on a change without shared variables */
    BURL_RULE_SYNC = 1u << 5,     /* a condition variable, barrier, join or fence changed */
    BURL_RULE_THREAD = 1u << 6,   /* the creation of a thread that executes it changed */
    BURL_RULE_DATA = 1u << 7      /* the initializer or the layout of its memory changed */
};

enum burl_changes_state {
    BURL_CHANGES_CHANGED,
    BURL_CHANGES_ADDED,
    BURL_CHANGES_REMOVED,
    BURL_CHANGES_MOVED /* renamed, or in another file, with the same body: nothing is impacted */
};

/* A function that differs. */
struct burl_changes_function {
    uint8_t state;        /* enum burl_changes_state */
    uint64_t module_hash; /* of its FUNC site; REMOVED: of the base version */
    uint32_t site;
    char *name;
    char *file;
    uint32_t line;
    char *what; /* for people: "lock of q->m removed; 2 accesses added" */
};

/* A block of the base version. Blocks without a hook were replaced by the nearest dominating block
 * that has one. */
struct burl_changes_block {
    uint64_t module_hash;
    uint32_t index; /* of its BLOCK site */
    bool spawned;   /* a thread executes the access that the base version did not have: it is
                     * another thread than any of the history, even those of this block */
};

/* One access of the target, or (deadlocks) one call that acquires a lock. */
struct burl_changes_site {
    uint64_t module_hash;
    uint32_t index;
    uint32_t rules;    /* BURL_RULE_* bits; 0: not impacted */
    uint32_t function; /* the changed function that impacts it, into functions; UINT32_MAX none */
    bool exact;        /* its own block exists in the base version; else nearest ancestors */
    char *why;         /* "lock of q->m removed"; NULL when not impacted */
    BURL_VEC(struct burl_changes_block) blocks; /* any of these; none: nothing in the base version
                                                 * leads to it */
};

enum { BURL_CHANGES_MAX_CYCLE = 4 };

/* A lock is requested at each site while another is held, which the site before it requests; the
 * first one's is requested by the last. One of the sites at least is impacted. A test that has the
 * deadlock executes all of them in different threads. Cycles of more than two sites are listed once
 * for the first two of them, of which the first is impacted. */
struct burl_changes_cycle {
    uint32_t sites[BURL_CHANGES_MAX_CYCLE]; /* indices into sites */
    uint32_t n;                             /* 2 to 4 */
    char *locks;                            /* for people: "a.m and b.m" */
};

struct burl_changes {
    uint64_t program; /* as burl_sp.program */
    uint64_t base;    /* the same of the base version */
    BURL_VEC(struct burl_changes_function) functions; /* ascending by file, line, name */
    BURL_VEC(struct burl_changes_site) sites; /* ascending by (module_hash, index) */
    BURL_VEC(struct burl_changes_cycle) cycles;
    /* Blocks of the base version whose code differs: what Dejavu selects by. */
    BURL_VEC(struct burl_changes_block) dangerous;
    BURL_VEC(char *) notes; /* what limits the result, for people */
};

void burl_changes_init(struct burl_changes *c);
void burl_changes_deinit(struct burl_changes *c);

/* The file: text, one item per line, first line "burl-changes 1". BURL_E_FORMAT names line and
 * cause. */
void burl_changes_write(const struct burl_changes *c, struct burl_buf *out);
BURL_MUST_CHECK enum burl_status burl_changes_read(struct burl_changes *c, const char *text,
                                                   size_t n, const char *path,
                                                   struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_changes_load(struct burl_changes *c, const char *path,
                                                   struct burl_err *err);

/* UINT32_MAX when there is no such site. */
uint32_t burl_changes_find(const struct burl_changes *c, uint64_t module_hash, uint32_t index);
/* "lock region", ...: the name of one rule. */
const char *burl_changes_rule_name(enum burl_changes_rule rule);

#endif
