/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedfile_int.h - the vocabulary of the schedule file, shared by its writer and its reader.
 *
 * Header lines and the names in them are rows of tables, from which both directions
 * follow, so a name cannot be written that is not read. Adding a row is compatible for
 * readers of old files; renaming one is a new version of the format.
 */
#ifndef BURL_ENGINE_SCHEDFILE_INT_H
#define BURL_ENGINE_SCHEDFILE_INT_H

#include "base/linereader.h"
#include "base/verdict.h"
#include "engine/schedule/schedfile.h"
#include "wire/site.h"

#define BURL__SCHEDFILE_MAGIC "burl-schedule"

/* Header lines in the order of the file: X(KEY, "name", type, member of the file,
 * names of NAME, their number). OBSERVE and STOP: since version 2, both or none. DIRECTORY and
 * ENVIRONMENT: since version 3, as needed. */
#define BURL__SCHEDFILE_HEADERS(X)                                                             \
    X(PROGRAM, "program", LIST, argv, NULL, 0)                                                 \
    X(BUILD_ID, "build-id", STRING, build_id, NULL, 0)                                         \
    X(ENGINE, "engine", NAME, engine, burl__schedfile_engine_names, BURL__SCHEDFILE_N_ENGINES) \
    X(STRATEGY, "strategy", NAME, strategy, burl__schedfile_strategy_names, BURL_STRATEGY__N)  \
    X(SEED, "seed", NUMBER, seed, NULL, 0)                                                     \
    X(ORDER, "order", LIST, order_flags, NULL, 0)                                              \
    X(EPOCH, "epoch-ns", NUMBER, epoch_ns, NULL, 0)                                            \
    X(VERDICT, "verdict", NAME, verdict, burl_verdict_names, BURL_VERDICT__N)                  \
    X(FINGERPRINT, "fingerprint", HASH, fingerprint, NULL, 0)                                  \
    X(TRACE_HASH, "trace-hash", HASH, trace_hash, NULL, 0)                                     \
    X(STEPS, "steps", NUMBER, steps, NULL, 0)                                                  \
    X(SWITCHES, "switches", NUMBER, n_switches, NULL, 0)                                       \
    X(OBSERVE, "observe", LIST, observers, NULL, 0)                                            \
    X(STOP, "stop", LIST, stop, NULL, 0)                                                       \
    X(DIRECTORY, "directory", STRING, dir, NULL, 0)                                            \
    X(ENVIRONMENT, "environment", LIST, env, NULL, 0)

enum burl__schedfile_key {
#define BURL_X(key, name, type, member, names, n) BURL__SCHEDFILE_KEY_##key,
    BURL__SCHEDFILE_HEADERS(BURL_X)
#undef BURL_X
        BURL__SCHEDFILE_KEY__N
};

/* Keys that every file has. */
#define BURL__SCHEDFILE_N_REQUIRED BURL__SCHEDFILE_KEY_OBSERVE

enum burl__schedfile_type {
    BURL__SCHEDFILE_LIST, /* words with a function of their own */
    BURL__SCHEDFILE_STRING,
    BURL__SCHEDFILE_NAME, /* a uint32_t, by a table of names */
    BURL__SCHEDFILE_NUMBER,
    BURL__SCHEDFILE_HASH
};

struct burl__schedfile_header {
    const char *name;
    enum burl__schedfile_type type;
    size_t offset; /* of the member of struct burl_schedfile */
    const char *const *names;
    size_t n_names;
};

struct burl__schedfile_flag {
    uint32_t flag; /* BURL_ORDER_F_* */
    const char *name;
};

#define BURL__SCHEDFILE_N_ENGINES 2u
#define BURL__SCHEDFILE_N_WHY BURL_SWITCH_WHY__N
#define BURL__SCHEDFILE_N_FLAGS 4u
#define BURL__SCHEDFILE_N_STOPS 4u

/* What a file may stop at. */
struct burl__schedfile_stop_kind {
    uint32_t kind; /* enum burl_wire_suspect_kind */
    uint32_t n_sites;
    uint32_t n_sites_max;
    const char *name;
};

extern const char *const burl__schedfile_strategy_names[BURL_STRATEGY__N];
extern const char *const burl__schedfile_engine_names[BURL__SCHEDFILE_N_ENGINES];
extern const char *const burl__schedfile_why_names[BURL__SCHEDFILE_N_WHY];
/* These two hold the enumerators' own names; the file has them in lower case with dashes. */
extern const char *const burl__schedfile_op_names[BURL_OP__N];
extern const char *const burl__schedfile_site_kind_names[BURL_SITE__N];
extern const struct burl__schedfile_flag burl__schedfile_flags[BURL__SCHEDFILE_N_FLAGS];
extern const struct burl__schedfile_header burl__schedfile_headers[BURL__SCHEDFILE_KEY__N];
extern const char *const burl__schedfile_observer_names[BURL_OBSERVER__N];
extern const struct burl__schedfile_stop_kind burl__schedfile_stops[BURL__SCHEDFILE_N_STOPS];

/* The kind a site of this operation normally has; others are written out. */
uint8_t burl__schedfile_usual_site_kind(uint8_t op);
/* May the string stand without quotes? Not for the empty string. */
bool burl__schedfile_is_bare(const char *s);
/* The index of a name in a table; enum_names: the table has enumerators, the file their lower case
 * with dashes. */
bool burl__schedfile_find_name(struct burl_span w, const char *const *names, size_t n,
                               bool enum_names, uint64_t *out);

#endif
