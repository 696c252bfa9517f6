/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/pairs.h - Algorithms 3 and 4: pairs of rows of D that a thread and another one can make
 * unserializable, and which of them a client can bring to meet.
 *
 * A pair (a, b) stands for the triple previous(a), current(b), current(a): one thread executes a's
 * call, another one b's, on one object.
 */
#ifndef BURL_SYNTH_PAIRS_H
#define BURL_SYNTH_PAIRS_H

#include "synth/access.h"
#include "synth/setters.h"

enum burl_synth_for {
    BURL_SYNTH_ATOMICITY = 0, /* an unserializable triple */
    BURL_SYNTH_RACE,          /* two accesses without a common lock, one of them a write */
    BURL_SYNTH_DEADLOCK,      /* nested locks in opposite orders; no pairs of rows */
    BURL_SYNTH_FOR__N
};

/* Why a pair was kept or dropped. */
enum burl_synth_fate {
    BURL_SYNTH_KEPT = 0,    /* no common lock */
    BURL_SYNTH_KEPT_SETTER, /* the common lock is above the object, and a setter parts its owners */
    BURL_SYNTH_OWN_LOCK,    /* the common lock is in the object itself */
    BURL_SYNTH_GLOBAL_LOCK, /* one that every client shares */
    BURL_SYNTH_NO_SETTER    /* above the object, and no public function sets what is between */
};

struct burl_synth_pair {
    enum burl_synth_for what;
    size_t a; /* rows of D */
    size_t b;
    size_t n_same; /* pairs that differ from this one in the field only, itself included */
    size_t first_raw; /* of these in `raw`, after the scan */
    enum burl_synth_fate fate;
    int dominant;  /* steps of a's path to the owner of the common lock; -1 none */
    struct burl_synth_setter set_a; /* KEPT_SETTER: both set one object, as far from the accessed */
    struct burl_synth_setter set_b;
};

/* A pair before those that differ in the field only were merged. */
struct burl_synth_raw_pair {
    size_t pair; /* that it became */
    size_t a;
    size_t b;
};

#define BURL_SYNTH_MAX_RAW 1000000u /* bounds memory; a large library has billions */

struct burl_synth_pairs {
    BURL_VEC_OF(struct burl_synth_pair);
    BURL_VEC(struct burl_synth_raw_pair) raw;
    uint64_t n_left_out; /* raw pairs beyond BURL_SYNTH_MAX_RAW */
};

/* The triple of kinds is unserializable; `previous` NONE: there is none. */
bool burl_synth_is_unserializable(uint8_t previous, uint8_t remote, uint8_t current);
/* Adds the pairs of one kind to *out, without a fate. */
void burl_synth_pairs_find(struct burl_synth_pairs *out, const struct burl_synth_table *t,
                           enum burl_synth_for what);
/* Decides the fate of every pair. */
void burl_synth_pairs_scan(struct burl_synth_pairs *pairs, const struct burl_synth_table *t);
void burl_synth_pairs_deinit(struct burl_synth_pairs *pairs);

#endif
