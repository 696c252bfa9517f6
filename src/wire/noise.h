/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/noise.h - noise: delays that the runtime injects into free-running threads.
 *
 * A setting says where noise may go (placement), how often, and what a thread does there (seeding).
 * Each placement that applies to a place (random, shared variables, coverage) makes one draw of its
 * own there, and noise is injected if one of them is below the frequency.
 * It is data: a text (base/noise.h), a file, or a vector of genes of `burl tune`. It lies in the
 * control block from the start and does not change; only BURL_ENGINE_FREE reads it.
 *
 * Sites have marks, one byte per site number, which the host carries from run to run: what earlier
 * runs learned is there from the first access on. The runtime adds what it learns.
 *
 * Freestanding.
 */
#ifndef BURL_WIRE_NOISE_H
#define BURL_WIRE_NOISE_H

#include <assert.h>
#include <stdint.h>

#define BURL_NOISE_MAX_FREQ 1000u
#define BURL_NOISE_MAX_STRENGTH 100u
#define BURL_NOISE_STRENGTH 5u /* default */
/* ADAPTED: at the n-th execution of a site in a run, n from 0, the chance is freq * H / (H + n). */
#define BURL_NOISE_HALF 64u
/* One of so many injections halts the thread instead, when `halt` is set. */
#define BURL_NOISE_HALT_ONE_IN 16u
#define BURL_NOISE_HALT_MS 100u /* cap of one halt, times the strength */
/* Threads that run at a time count for themselves: each in the clock slot it has. */
#define BURL_NOISE_SLOTS 256u

/* What a thread does at an injection; s: the strength. X(NAME, "name", "in words") */
#define BURL_WIRE_NOISE_SEEDINGS(X)                                                            \
    X(YIELD, "yield", "gives up the processor s times")                                        \
    X(SLEEP, "sleep", "sleeps s milliseconds")                                                 \
    X(WAIT, "wait", "waits s milliseconds on a monitor of the runtime")                        \
    X(BUSY_WAIT, "busyWait", "spins s milliseconds")                                           \
    X(SYNCH_YIELD, "synchYield", "gives up the processor s times in a monitor of the runtime") \
    X(MIXED, "mixed", "does one of the five, chosen anew each time")

enum burl_wire_noise_seeding {
#define BURL_X(name, text, words) BURL_NOISE_##name,
    BURL_WIRE_NOISE_SEEDINGS(BURL_X)
#undef BURL_X
        BURL_NOISE_SEEDING__N
};

/* Placement at accesses to shared variables; the second gene. "+ random": also at synchronization
 * calls and at accesses that are not shared. */
enum burl_wire_noise_shared {
    BURL_NOISE_SHARED_OFF = 0,    /* random placement only */
    BURL_NOISE_SHARED_ALL_RANDOM, /* all shared variables, + random */
    BURL_NOISE_SHARED_ALL,        /* all shared variables only */
    BURL_NOISE_SHARED_ONE_RANDOM, /* one shared variable, chosen by the seed, + random */
    BURL_NOISE_SHARED_ONE,        /* that variable only */
    BURL_NOISE_SHARED__N,         /* values of the gene */
    BURL_NOISE_SHARED_NONE = BURL_NOISE_SHARED__N /* no gene has it: neither shared variables nor
                                                     random, the places of `cover` only */
};

/* Placement before accesses that were followed by a conflicting one of another thread; the third
 * gene. */
enum burl_wire_noise_cover {
    BURL_NOISE_COVER_OFF = 0,
    BURL_NOISE_COVER_ON,
    BURL_NOISE_COVER_ADAPTED, /* the chance falls with the number of executions of the place */
    BURL_NOISE_COVER__N
};

/* Of a site. */
enum burl_wire_noise_mark {
    BURL_NOISE_MARK_SHARED = 1u << 0,   /* touched memory that another thread has touched */
    BURL_NOISE_MARK_SWITCHED = 1u << 1, /* the next access to its memory was another thread's */
    BURL_NOISE_MARK_SUSPECT = 1u << 2,  /* host: in a suspect of an earlier run or campaign */
    BURL_NOISE_MARK_PAIR = 1u << 3      /* host: in a location pair that is not covered */
};

/* All zero: no noise. */
struct burl_wire_noise {
    uint64_t seed;
    uint32_t freq;     /* per mille, 0..1000; 0: nothing is injected */
    uint32_t strength; /* 1..100 */
    uint32_t seeding;  /* enum burl_wire_noise_seeding */
    uint32_t shared;   /* enum burl_wire_noise_shared */
    uint32_t cover;    /* enum burl_wire_noise_cover */
    uint32_t marks;    /* sites with one of these marks only, SUSPECT or PAIR; 0: does not apply */
    uint32_t halt;     /* 1: now and then one thread is halted until no other can run */
    uint32_t tamper;   /* 1: the program's own sleeps are shortened at random */
    uint32_t variable; /* ONE: number of the chosen variable (burl_noise_marks); 0: the runtime
                          chooses */
    uint32_t pad;
};

static_assert(sizeof(struct burl_wire_noise) == 48, "noise setting is on the wire");

/* What a run injected. */
struct burl_wire_noise_counts {
    uint64_t places;   /* executions of places where noise was possible */
    uint64_t injected; /* at such places */
    uint64_t halted;
    uint64_t tampered;
};

static_assert(sizeof(struct burl_wire_noise_counts) == 32, "noise counts are on the wire");

#endif
