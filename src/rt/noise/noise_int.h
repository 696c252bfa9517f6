/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/noise_int.h - what the files of the noise share.
 */
#ifndef BURL_RT_NOISE_INT_H
#define BURL_RT_NOISE_INT_H

#include "noise.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"
#include "wire/noise.h"

/* A thread at a noise point. */
struct burl_noise_point {
    struct burl_free_thread *f;
    uint32_t site;  /* of the access or the call; 0 unknown */
    uintptr_t addr; /* of an access */
    uint64_t n;     /* its bytes; 0: a call, or a fence */
};

/* ---- noise.c --------------------------------------------------------------------------------- */

/* The setting. It is read from the block once: the program may write anywhere. */
extern struct burl_wire_noise burl__noise;

/* The next draw of f, 64 bits. */
uint64_t burl__noise_draw(struct burl_free_thread *f);
/* May the calling thread be delayed here? */
bool burl__noise_may(const struct burl_free_thread *f);
/* Has the host ended the noise of this run? */
static inline bool
burl__noise_is_stopped(void)
{
    return __atomic_load_n(&burl_rt.ctl->noise_stop, __ATOMIC_RELAXED) != 0; /* soon is enough */
}
/* The counts of f, which no other thread writes. */
struct burl_wire_noise_counts *burl__noise_counts(const struct burl_free_thread *f);

/* 32 bits of a draw as a number below n. */
static inline uint32_t
burl__noise_below(uint32_t bits, uint32_t n)
{
    return (uint32_t)((uint64_t)bits * n >> 32);
}

static inline void
burl__noise_count(uint64_t *at)
{
    /* relaxed: the host may look while the program runs */
    __atomic_store_n(at, *at + 1, __ATOMIC_RELAXED);
}

/* ---- marks of sites (marks.c) ---------------------------------------------------------------- */

void burl__noise_marks_start(void);
/* BURL_NOISE_MARK_* of the site. */
uint32_t burl__noise_marks(uint32_t site);
/* True: it did not have the mark. */
bool burl__noise_mark(uint32_t site, uint32_t mark);
/* Number of the site's variable, 0 unknown. */
uint32_t burl__noise_variable(uint32_t site);
uint32_t burl__noise_n_sites(void);

/* ---- placements: is the point a place of it? ------------------------------------------------- */

bool burl__noise_place_random(const struct burl_noise_point *p); /* place_random.c */
bool burl__noise_place_shared(const struct burl_noise_point *p); /* place_shared.c */
void burl__noise_shared_start(void);
bool burl__noise_place_cover(const struct burl_noise_point *p); /* place_cover.c */
void burl__noise_cover_start(void);
/* At a place of coverage: is noise to be injected with this draw, by frequency and adaptation? */
bool burl__noise_cover_injects(const struct burl_noise_point *p, uint64_t draw);

/* ---- seedings: the calling thread is delayed ------------------------------------------------- */

void burl__noise_seed(uint32_t seeding, uint32_t strength, uint64_t draw); /* seedings.c */
void burl__noise_yield(uint32_t times);                                   /* seed_yield.c */
void burl__noise_sleep(uint32_t ms);                                      /* seed_sleep.c */
void burl__noise_busy_wait(uint32_t ms);                                  /* seed_busy.c */
void burl__noise_wait(uint32_t ms);                                       /* seed_monitor.c */
void burl__noise_synch_yield(uint32_t times);

/* halt.c: halts the calling thread until no other runs. False: another one is halted, or was a
 * moment ago. */
bool burl__noise_halt(uint32_t strength);

/* tamper.c: what remains of the time that the program asked for, when `left` remains of the shorter
 * one and `cut` was cut off. Never more than it asked for. */
uint64_t burl__noise_remaining(uint64_t left, uint64_t cut, uint64_t asked);

/* ---- time ------------------------------------------------------------------------------------ */

#define BURL_NOISE_NS_PER_MS 1000000ull
#define BURL_NOISE_NS_PER_S 1000000000ull

/* Of a clock, in nanoseconds. */
static inline uint64_t
burl__noise_now(clockid_t clock)
{
    struct timespec ts = { 0 };

    BURL_SYS2(SYS_clock_gettime, clock, &ts);
    return (uint64_t)ts.tv_sec * BURL_NOISE_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline struct timespec
burl__noise_timespec(uint64_t ns)
{
    return (struct timespec){ .tv_sec = (time_t)(ns / BURL_NOISE_NS_PER_S),
                              .tv_nsec = (long)(ns % BURL_NOISE_NS_PER_S) };
}

/* Sleeps; a signal ends it early. */
static inline void
burl__noise_pause(uint64_t ns)
{
    struct timespec ts = burl__noise_timespec(ns);

    BURL_SYS2(SYS_nanosleep, &ts, NULL);
}

#endif
