/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/suspect.h - what observers report during an execution.
 *
 * A suspect is a list of sites with a kind that says what each position means. It is what reports,
 * stores and fingerprints need. What a strategy is directed towards is a goal with named members:
 * burl_wire_goal_of() in wire/goal.h makes it from a suspect.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_SUSPECT_H
#define BURL_WIRE_SUSPECT_H

#include <assert.h>
#include <stdint.h>

#include "cover.h"
#include "verdict.h"

/* X(NAME, "name of --detect"): bits of order.observers. */
#define BURL_WIRE_OBSERVERS(X)                                                    \
    X(RACE, "race")       /* happens-before */                                    \
    X(LOCKSET, "lockset") /* potential races: disjoint locksets */                \
    X(RECORD, "record")       /* no detector: the recorder of seeds */            \
    X(TRIPLE, "triple")       /* unserializable triples */                        \
    X(LOCKORDER, "lockorder") /* cycles in the order of locks */                  \
    X(SIGNALS, "signals")     /* wakeups without a waiter */                      \
    X(LOCPAIRS, "locpairs")   /* this and the rest: coverage, see wire/cover.h */ \
    X(DEFUSE, "defuse")                                                           \
    X(ACCESSPAIRS, "accesspairs")                                                 \
    X(METHODPAIRS, "methodpairs")                                                 \
    X(CONCMETHODS, "concmethods")                                                 \
    X(SYNCHRO, "synchro")                                                         \
    X(HBPAIRS, "hbpairs")                                                         \
    X(AVIO, "avio")                                                               \
    X(GOLDISC, "goldisc")                                                         \
    X(PINV, "pinv")                                                               \
    X(BLOCKS, "blocks")                                                           \
    X(LINES, "lines")

enum burl_wire_observer {
#define BURL_X(name, text) BURL_OBSERVER_##name,
    BURL_WIRE_OBSERVERS(BURL_X)
#undef BURL_X
        BURL_OBSERVER__N
};

#define BURL_OB(name) (1u << BURL_OBSERVER_##name)

static_assert(BURL_OBSERVER__N - BURL_OBSERVER_LOCPAIRS == BURL_METRIC__N, "each metric observes");

enum burl_wire_suspect_kind {
    BURL_SUSPECT_RACE = 0,  /* sites: earlier, later. A happens-before race of this execution */
    BURL_SUSPECT_POTENTIAL, /* sites: two. A race of some other execution, perhaps */
    BURL_SUSPECT_TRIPLE,    /* sites: p, r, c: another thread's r between p and c would not be
                               serializable */
    BURL_SUSPECT_REGION,    /* sites: p, r, c. A marked region was broken in this execution */
    BURL_SUSPECT_CYCLE,     /* sites: pairs (where a lock is held from, where the next is
                               requested), one pair per thread, in the order of the cycle */
    BURL_SUSPECT_SIGNAL,    /* sites: signal, then the wait that missed it. Informative */
    BURL_SUSPECT_PAIR,      /* to watch for only. sites: earlier and later access of a location
                               pair */
    /* 7 is not used: keys are made of these numbers */
    BURL_SUSPECT_MISUSE = 8, /* to stop at only. sites: the call, then the innermost functions of
                                its stack, BURL_WIRE_MISUSE_SITES in all at most */
    BURL_SUSPECT_WAKEUP,     /* never reported. sites: signal, wait on the same condition variable
                                by another thread, where that thread took its lock (0: unknown):
                                the signal may come before the wait */
    BURL_SUSPECT__N
};

/* RACE: what would be left of it if volatile accesses were atomic. The greatest of all that were
 * seen counts. */
enum burl_wire_behind {
    BURL_BEHIND_UNKNOWN = 0,
    BURL_BEHIND_FLAG, /* a volatile variable orders the two accesses, see verdict.behind */
    BURL_BEHIND_NONE  /* it is a race of its own */
};

#define BURL_WIRE_MAX_SITES 16 /* a cycle of eight threads */
/* Functions of the C++ library that are not inlined lie between the call and the program. */
#define BURL_WIRE_MISUSE_SITES 5

/* Something seen that may be, or is, a bug; the execution went on. */
struct burl_wire_suspect {
    uint64_t key;     /* burl_wire_suspect_key(); equal keys are one suspect */
    uint64_t seed;    /* execution that showed it first */
    uint64_t count;   /* executions that showed it */
    uint64_t addr;    /* memory, lock or condition variable, in that execution */
    uint8_t kind;     /* enum burl_wire_suspect_kind */
    uint8_t observer; /* enum burl_wire_observer */
    uint8_t n_sites;
    uint8_t origin; /* enum burl_wire_origin_kind of addr; up to TRIPLE only, as are */
    uint32_t rank;  /* TRIPLE: length of the local window in steps; smaller is rarer */
    uint32_t sites[BURL_WIRE_MAX_SITES];
    uint8_t ops[BURL_WIRE_MAX_SITES]; /* enum burl_wire_op of each site */
    uint16_t tids[BURL_WIRE_MAX_SITES];
    uint64_t origin_addr; /* where the block begins, or a library that came with dlopen, */
    uint32_t origin_site; /* the call that made it, or the library's first site, */
    uint16_t origin_tid;  /* and whose stack it is: as in struct burl_wire_origin */
    uint16_t behind;      /* enum burl_wire_behind */
    uint32_t places[BURL_WIRE_MAX_SITES]; /* CYCLE: for sites in a library, where the user's code
                                             called it; 0 unknown, or the site itself */
};

static_assert(sizeof(struct burl_wire_suspect) == 232, "suspect size is on the wire");

#define BURL_WIRE_MAX_SUSPECTS 512

/* Memory of which no more suspects are reported: its race is known, and other pairs of sites on it
 * are the same bug, or there are more suspects than can be tried. So it neither fills the table nor
 * costs the host anything. An open hash table; a zero entry is free. */
struct burl_wire_settled {
    uint64_t where; /* the address, or with `site` burl_wire_settled_place() */
    uint64_t key;   /* the pair that is still counted; 0: none */
    uint32_t site;
    uint32_t kinds; /* bits of enum burl_wire_suspect_kind that are reported no more; 0: free */
};

static_assert(sizeof(struct burl_wire_settled) == 24, "settled size is on the wire");

#define BURL_WIRE_MAX_SETTLED 256 /* a power of two; never full */

static inline uint64_t
burl_wire_mix(uint64_t h, uint64_t x)
{
    h ^= x + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdull;
    return h ^ (h >> 32);
}

/* What stands for a place in memory in every execution, together with the site of its origin;
 * false: nothing does. The offset in the block that the call at the site makes, or in the library
 * whose first site it is. */
static inline int
burl_wire_settled_place(uint8_t origin, uint64_t addr, uint64_t origin_addr, uint32_t origin_site,
                        uint64_t *where)
{
    const int global = origin == BURL_ORIGIN_GLOBAL;

    *where = origin_site == 0 ? addr : (addr - origin_addr) | (uint64_t)global << 63;
    return global || (origin == BURL_ORIGIN_HEAP && origin_site != 0 && addr >= origin_addr);
}

/* The entry of a place in memory, or the free one where it belongs. */
static inline uint32_t
burl_wire_settled_slot(const struct burl_wire_settled *table, uint64_t where, uint32_t site)
{
    uint32_t at = (uint32_t)(burl_wire_mix(where, site) >> 8) & (BURL_WIRE_MAX_SETTLED - 1);

    for (uint32_t i = 0; i < BURL_WIRE_MAX_SETTLED && table[at].kinds != 0; i++) {
        if (table[at].where == where && table[at].site == site)
            break;
        at = (at + 1) & (BURL_WIRE_MAX_SETTLED - 1);
    }
    return at;
}

/* A race and a potential race have the same key, in either order of the sites; a cycle has the same
 * key wherever it is entered. */
static inline uint64_t
burl_wire_suspect_key(uint32_t kind, const uint32_t *sites, uint32_t n)
{
    uint64_t h;
    uint32_t start = 0;

    if (kind <= BURL_SUSPECT_POTENTIAL && n == 2) {
        uint32_t lo = sites[0] < sites[1] ? sites[0] : sites[1];
        uint32_t hi = sites[0] < sites[1] ? sites[1] : sites[0];

        return burl_wire_mix(burl_wire_mix(1, lo), hi) | 1;
    }
    for (uint32_t i = 0; kind == BURL_SUSPECT_CYCLE && i + 1 < n; i += 2) {
        if (sites[i + 1] < sites[start + 1] ||
            (sites[i + 1] == sites[start + 1] && sites[i] < sites[start]))
            start = i;
    }
    h = kind + 2;
    for (uint32_t i = 0; i < n; i++)
        h = burl_wire_mix(h, sites[(start + i) % n]);
    return h | 1;
}

/* Misuses of one kind at one call, reached through the same functions, are one failure. Sites that
 * are missing at the end count as 0. */
static inline uint64_t
burl_wire_misuse_key(uint32_t verdict, const uint32_t *sites, uint32_t n)
{
    uint64_t h = verdict + BURL_SUSPECT__N;

    for (uint32_t i = 0; i < BURL_WIRE_MISUSE_SITES; i++)
        h = burl_wire_mix(h, i < n ? sites[i] : 0);
    return h | 1;
}

#endif
