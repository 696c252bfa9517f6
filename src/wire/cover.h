/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/cover.h - what executions cover: the metrics, and the area where the runtime puts items.
 *
 * One item is one covered task of one metric: a pair of sites, a pair of functions, a state of a
 * lock operation. The area lives as long as the target process (all executions, children of fork
 * included): an item is put there once, with the execution that covered it first, and the host
 * reads on from where it stopped, after every order. So merging is a union, and the first execution
 * of a campaign to cover an item is known exactly.
 */
#ifndef BURL_WIRE_COVER_H
#define BURL_WIRE_COVER_H

#include <assert.h>
#include <stdint.h>

/* X(NAME, "short", "name", "one-line definition"). The same names are observers (control.h). */
#define BURL_WIRE_METRICS(X)                                                                       \
    X(LOCPAIRS, "LP", "location-pairs",                                                            \
      "two accesses to the same memory by two threads, one of them a write, with no other access " \
      "to it in between")                                                                          \
    X(DEFUSE, "DU", "definition-use", "a write, and a read of that value by another thread")       \
    X(ACCESSPAIRS, "AP", "access-pairs",                                                           \
      "read then write, write then write with no read in between, write then read with no write "  \
      "in between, by two threads")                                                                \
    X(METHODPAIRS, "MP", "method-pairs",                                                           \
      "while one thread is inside the first function another executes something of the second")    \
    X(CONCMETHODS, "CMP", "concurrent-method-pairs",                                               \
      "one thread enters a function while another is inside the other, either way round")          \
    X(SYNCHRO, "SYNC", "synchro",                                                                  \
      "how a synchronization operation went: blocked, blocking, with or without waiters")          \
    X(HBPAIRS, "HB", "happens-before-pairs",                                                       \
      "a synchronization operation of one thread let that of another go on (HBPair*)")             \
    X(AVIO, "AVIO", "avio",                                                                        \
      "another thread's access between two consecutive accesses of one thread (Avio*)")            \
    X(GOLDISC, "GLSC", "goldilocks-states",                                                        \
      "how the Goldilocks rules decided an access: same thread, common lock, lockset, race")       \
    X(PINV, "PINV", "pair-interleavings",                                                          \
      "two consecutive accesses of one thread, and what came in between: another thread's access " \
      "or nothing")                                                                                \
    X(BLOCKS, "BLK", "blocks",                                                                     \
      "a basic block executed by a kind of thread (needs burl-cc --blocks)")                       \
    X(LINES, "LINE", "lines", "a source line executed")

enum burl_wire_metric {
#define BURL_X(name, abbr, text, definition) BURL_METRIC_##name,
    BURL_WIRE_METRICS(BURL_X)
#undef BURL_X
        BURL_METRIC__N
};

#define BURL_METRIC_BIT(name) (1u << BURL_METRIC_##name)

/* Which of a, b and c are sites: bits 0 to 2. */
static inline uint8_t
burl_wire_metric_sites(uint8_t metric)
{
    switch (metric) {
    case BURL_METRIC_AVIO:
    case BURL_METRIC_PINV:
        return 7;
    case BURL_METRIC_SYNCHRO:
    case BURL_METRIC_GOLDISC:
    case BURL_METRIC_BLOCKS:
    case BURL_METRIC_LINES:
        return 1;
    default:
        return 3;
    }
}

/*
 * What a, b, c, d and flags are; 0 where not said. ctx: hash of the innermost --context=N call
 * sites. thread: hash of the abstract thread (start routine, creating stack, ordinal).
 *     LOCPAIRS     a earlier site, b later site; c, d ctx of the two; RACY
 *     DEFUSE       a writing site, b reading site
 *     ACCESSPAIRS  a earlier site, b later site, c kind: 0 RW, 1 WW, 2 WR
 *     METHODPAIRS  a FUNC site one thread is inside, b FUNC site of the other's
 *     CONCMETHODS  a <= b, FUNC sites
 *     SYNCHRO      a site of the operation, b enum burl_wire_synchro
 *     HBPAIRS      a earlier site, b later site, c abstract object, d threads of both
 *     AVIO         a, b, c: first, remote, second site; d variable and threads of both; UNSERIAL
 *     GOLDISC      a site, b state 0..3 (SCT, SCL, LS, E), c abstract variable, d thread
 *     PINV         a, b, c: first, remote (0 none), second site; UNSERIAL
 *     BLOCKS       a BLOCK site, d thread
 *     LINES        a the first site of that line (host folds by file and line)
 */
struct burl_wire_cover_item {
    uint8_t metric; /* enum burl_wire_metric */
    uint8_t flags;  /* BURL_COVER_F_* */
    uint16_t tid_a; /* LOCPAIRS: threads of the first time; not part of the item's identity */
    uint16_t tid_b;
    uint16_t pad;
    uint32_t a, b, c, d;
    uint64_t seed;    /* of the execution that covered it first in this process */
    uint32_t exec;    /* ordinal of that execution within its order */
    uint32_t order_n; /* ordinal of the order within the process */
};

static_assert(sizeof(struct burl_wire_cover_item) == 40, "item size is on the wire");

enum burl_wire_cover_flag {
    BURL_COVER_F_RACY = 1u << 0,    /* the first witness was a data race */
    BURL_COVER_F_UNSERIAL = 1u << 1 /* one of the four unserializable triples */
};

/* Outcomes of synchronization operations. X(NAME, "text") */
#define BURL_WIRE_SYNCHRO(X)                     \
    X(VISITED, "visited")                        \
    X(BLOCKED, "had to wait")                    \
    X(BLOCKING, "made another wait")             \
    X(TRY_OK, "try succeeded")                   \
    X(TRY_BUSY, "try failed")                    \
    X(TIMED_OUT, "timed out")                    \
    X(WAITED, "waited")                          \
    X(REWAITED, "waited again in the same loop") \
    X(SPURIOUS, "woken without a signal")        \
    X(NO_WAITER, "had no waiter")                \
    X(ONE_WAITER, "had one waiter")              \
    X(MANY_WAITERS, "had several waiters")       \
    X(IMMEDIATE, "did not wait")                 \
    X(LAST, "arrived last")                      \
    X(NOT_LAST, "arrived before the last")       \
    X(FINISHED, "the thread had ended")          \
    X(RUNNING, "the thread was still running")   \
    X(CAS_OK, "exchanged")                       \
    X(CAS_FAILED, "did not exchange")

enum burl_wire_synchro {
#define BURL_X(name, text) BURL_SYNCHRO_##name,
    BURL_WIRE_SYNCHRO(BURL_X)
#undef BURL_X
        BURL_SYNCHRO__N
};

#define BURL_WIRE_COVER_HASH (1u << 18) /* slots of the index: a power of two */
#define BURL_WIRE_COVER_ITEMS (1u << 17)

/* At ctl.cover_off; absent when that is 0. Pages come when touched. */
struct burl_wire_cover {
    uint32_t n; /* items, all complete below it; grows */
    uint32_t n_lost;
    uint32_t hash[BURL_WIRE_COVER_HASH]; /* index of an item + 1, 0 free; the runtime's */
    struct burl_wire_cover_item items[BURL_WIRE_COVER_ITEMS];
};

#endif
