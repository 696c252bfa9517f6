/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/schedule/schedfile.h - the schedule file: a readable text form of wire/schedule.h.
 *
 * Runs in the host. One switch per line, keyed by thread and site, with a header that says what
 * was run and what it showed, an end line that betrays truncation and a checksum line that
 * betrays damage (`checksum none` is accepted from people who edit by hand). The grammar is
 * in docs/formats/schedule.md.
 *
 * The decoder trusts nothing: every number is bounded, every line is checked, every refusal
 * names the line, the reason and what to do. For the same program decode(encode(x)) is x.
 * Site numbers change when a program is rebuilt; the decoder then finds the sites again by
 * module hash, by source position, or by function and variable, and counts what it lost.
 */
#ifndef BURL_ENGINE_SCHEDFILE_H
#define BURL_ENGINE_SCHEDFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sites.h"
#include "wire/control.h"
#include "wire/schedule.h"

/* The newest version, which has choices and stops at a misuse. What was read from an older file, in
 * which the seed decides (BURL_ORDER_F_SEED_CHOICES), is written as such: version 2 with a stop, 1
 * without. All are read. */
#define BURL_SCHEDFILE_VERSION 3u

/* Bounds of the decoder. A minimized schedule has tens of switches; these only keep a damaged or
 * hostile file from taking the machine's memory. */
#define BURL_SCHEDFILE_MAX_B (64u << 20)
#define BURL_SCHEDFILE_MAX_SWITCHES (1u << 20)
#define BURL_SCHEDFILE_MAX_ARGS 4096u

struct burl_schedfile {
    /* What was run. Strings are owned; NULL counts as "". */
    char **argv;          /* argv[0] is the program as the user named it */
    size_t n_argv;
    char *dir;            /* its working directory, absolute; NULL: wherever it is replayed */
    char **env;           /* "NAME=VALUE", added to the environment of the replay */
    size_t n_env;
    char *build_id;       /* of the program, opaque text without spaces; "" unknown */
    uint32_t engine;      /* enum burl_wire_engine */
    uint32_t strategy;    /* enum burl_wire_strategy that found it */
    uint32_t param;       /* the strategy's parameter */
    uint64_t seed;        /* feeds what is no choice of the schedule in the replay */
    uint32_t order_flags; /* BURL_ORDER_F_ALL_POINTS, _STRICT_TIME and _SEED_CHOICES (versions 1 and
                             2); others are not kept */
    uint64_t epoch_ns;    /* virtual wall clock at the start */

    /* What it showed. */
    uint32_t verdict;     /* enum burl_wire_verdict_kind */
    uint64_t fingerprint; /* of the finding, 0 unknown */
    uint64_t trace_hash;  /* 0 unknown */
    uint64_t steps;

    struct burl_wire_switch *switches;
    size_t n_switches;

    /* Where it was ended: at what an observer reported (race.data, atomicity.region) or at a
     * misuse; stop.n_sites 0: nowhere. PAIR: it ran to its end, and the pair was covered. */
    uint32_t observers;        /* BURL_OB() bits that the replay needs */
    struct burl_wire_watch stop; /* kind: RACE, REGION, PAIR or MISUSE */
    uint8_t stop_ops[BURL_WIRE_MAX_SITES];

    /* Filled by the decoder. */
    bool   same_build;    /* the build id given to the decoder equals the file's */
    bool   checksum_none; /* edited by hand: the content was not verified */
    size_t n_exact;       /* switches whose site was found by module hash and index, or had none */
    size_t n_position;    /* found by source position */
    size_t n_moved;       /* found by function and variable at another line */
    size_t n_unresolved;  /* not found: site 0, followed by operation count alone */
    size_t n_stop_lost;   /* sites of the stop that were not found: it cannot be stopped at */
};

/* Why a file was refused. The status is BURL_E_FORMAT (BURL_E_LIMIT for BOUNDS) in each case. */
enum burl_schedfile_fault {
    BURL_SCHEDFILE_FAULT_NONE = 0,
    BURL_SCHEDFILE_FAULT_FOREIGN,   /* not a schedule at all */
    BURL_SCHEDFILE_FAULT_VERSION,   /* of another version */
    BURL_SCHEDFILE_FAULT_TRUNCATED, /* the end is missing */
    BURL_SCHEDFILE_FAULT_CORRUPT,   /* the checksum does not match the content */
    BURL_SCHEDFILE_FAULT_SYNTAX,    /* a line does not follow the grammar */
    BURL_SCHEDFILE_FAULT_BOUNDS     /* more than we accept */
};

struct burl_schedfile_options {
    const struct burl_sites *sites; /* of the program to replay; NULL: sites stay unresolved */
    const char *build_id;           /* of that program, NULL or "" unknown */
    bool accept_edited;             /* take a file whose checksum does not match */
    const char *name;               /* for messages, e.g. the path; NULL "schedule" */
};

/* Zero-initializes. */
void burl_schedfile_init(struct burl_schedfile *f);
void burl_schedfile_deinit(struct burl_schedfile *f);

/* Appends the text to `out`. `sites` (may be NULL) gives positions and names. BURL_E_LIMIT when
 * `out` is full or a bound above is exceeded; BURL_E_INTERNAL for enums out of range. */
BURL_MUST_CHECK enum burl_status burl_schedfile_encode(const struct burl_schedfile *f,
                                                       const struct burl_sites *sites,
                                                       struct burl_buf *out,
                                                       struct burl_err *err);

/* Decodes all of `text`. On failure `f` is empty, *fault (may be NULL) says which kind, and err
 * has the sentence. */
BURL_MUST_CHECK enum burl_status burl_schedfile_decode(struct burl_schedfile *f, const char *text,
                                                       size_t n,
                                                       const struct burl_schedfile_options *opts,
                                                       enum burl_schedfile_fault *fault,
                                                       struct burl_err *err);

/* The same from and to a file; writing replaces atomically. */
BURL_MUST_CHECK enum burl_status burl_schedfile_read(struct burl_schedfile *f, const char *path,
                                                     const struct burl_schedfile_options *opts,
                                                     enum burl_schedfile_fault *fault,
                                                     struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_schedfile_write(const struct burl_schedfile *f,
                                                      const struct burl_sites *sites,
                                                      const char *path, struct burl_err *err);

/* The operation of an access at a site of this kind (enum burl_wire_site_kind); NONE: no access. */
uint8_t burl_schedfile_access_op(uint8_t site_kind);

/* Puts what the file says about the stop into an order: observers, watch, stop_key, flags. */
void burl_schedfile_stop(const struct burl_schedfile *f, struct burl_wire_order *order);

/* "nonpreemptive", "pct", ...: the names of the file, of --strategy and of reports; NULL when out
 * of range. */
const char *burl_schedfile_strategy_name(uint32_t strategy);
const char *burl_schedfile_engine_name(uint32_t engine);

#endif
