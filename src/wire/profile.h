/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/profile.h - what executions show of a program, for later executions.
 *
 * Two areas of the control block have this shape. `profile_new` is written by the runtime and only
 * grows while a process lives (the host takes over what is new after each order); `profile` is
 * written by the host between rounds and read by strategies, so that what one execution shows
 * never changes another of the same round.
 *
 * Edges: which write a read may see, by sites. CANDIDATE: both were seen to touch the same memory
 * in one execution, one of the threads another; SEEN: the read has read what the write wrote.
 * Write 0 is the value from before the threads began to share it ("initial").
 *
 * Pairs: two accesses of different threads to the same bytes, one of them writing, by sites and in
 * order. Not SEEN: both were seen to touch the same memory in one execution; SEEN: the later one
 * came with no other access in between (a location pair). With LOCKS the sites are of two requests:
 * a thread that held one lock requested another (an edge of the lock order). For the host only:
 * strategies never read them.
 *
 * Variables: how often each thread touches which shared memory or sync object, in one execution
 * with BURL_ORDER_F_PROFILE (`profile_new`: the last such; `profile`: the mean of all so far). It
 * is an estimate of the next one.
 */
#ifndef BURL_WIRE_PROFILE_H
#define BURL_WIRE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#define BURL_PROFILE_EDGES 8192u /* a table with open addressing; power of two */
#define BURL_PROFILE_EDGES_MAX (BURL_PROFILE_EDGES / 4 * 3) /* entries it takes */
#define BURL_PROFILE_PAIRS 8192u
#define BURL_PROFILE_PAIR_SLOTS (BURL_PROFILE_PAIRS * 2) /* of the index; power of two */
#define BURL_PROFILE_VARS 256u
#define BURL_PROFILE_TIDS 128u /* threads with a number; later ones count as the last */

enum burl_profile_edge_flag {
    BURL_EDGE_F_CANDIDATE = 1u << 0,
    BURL_EDGE_F_SEEN = 1u << 1, /* by another thread than the one that wrote */
    BURL_EDGE_F_OWN = 1u << 2,  /* the same thread wrote and read */
    BURL_EDGE_F_SHUT = 1u << 3  /* of the read: it saw what its thread had written in the same
                                   critical section; others under locks do not get in between */
};

struct burl_profile_edge {
    uint32_t write;  /* site, 0: initial */
    uint32_t read;   /* site; 0: the entry is empty */
    uint16_t flags;  /* enum burl_profile_edge_flag */
    uint16_t after;  /* places that its thread had read from before it first read there: the most */
    uint16_t writer; /* least number of a thread that wrote there, BURL_TID_NONE: initial */
    uint16_t reader; /* least number of a thread that read there */
    uint64_t seed;   /* SEEN: of the first execution of this process that showed it, so that its
                       schedule can be made again. Processes take orders in the order of the work
                       list: of several, the earliest work's is the campaign's first */
};

enum burl_profile_pair_flag { BURL_PAIR_F_SEEN = 1u << 0, BURL_PAIR_F_LOCKS = 1u << 1 };

struct burl_profile_pair {
    uint32_t earlier; /* sites; never 0 */
    uint32_t later;
    uint32_t flags; /* enum burl_profile_pair_flag */
    uint32_t pad;
    uint64_t seed; /* SEEN: as of an edge */
};

enum burl_profile_var_kind { BURL_PROFILE_MEMORY = 0, BURL_PROFILE_SYNC };

struct burl_profile_var {
    uint64_t addr; /* where accesses begin, or of the sync object */
    uint32_t kind; /* enum burl_profile_var_kind */
    uint32_t total;
    uint16_t count[BURL_PROFILE_TIDS]; /* operations on it, by thread number */
};

struct burl_wire_profile {
    uint32_t n_edges;    /* entries in use, for the cost of looking */
    uint32_t edges_lost; /* found no room */
    uint32_t n_vars;
    uint32_t n_threads;                 /* of the profiled execution; `profile`: the most */
    uint32_t ops[BURL_PROFILE_TIDS];    /* scheduling points of each thread in it */
    uint16_t parent[BURL_PROFILE_TIDS]; /* the thread that created it */
    struct burl_profile_var vars[BURL_PROFILE_VARS];
    struct burl_profile_edge edges[BURL_PROFILE_EDGES];
    /* From here on profile_new only. The index makes a list of them, so that the host reads as many
     * as there are. */
    uint32_t n_pairs;
    uint32_t pairs_lost;                          /* found no room */
    uint16_t pair_index[BURL_PROFILE_PAIR_SLOTS]; /* place in pairs + 1, 0: free */
    struct burl_profile_pair pairs[BURL_PROFILE_PAIRS];
};

/* What is handed to strategies. */
#define BURL_PROFILE_IN_FORCE_B offsetof(struct burl_wire_profile, n_pairs)

/* Where an edge or a pair is looked for first, in a table of `slots`, a power of two. */
static inline uint32_t
burl_profile_slot(uint32_t first, uint32_t second, uint32_t slots)
{
    uint64_t h = ((uint64_t)first << 32 | second) * 0x9e3779b97f4a7c15ull;

    return (uint32_t)(h >> 40) & (slots - 1);
}

#endif
