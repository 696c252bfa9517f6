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
#include "engine/schedule/schedfile.h"
#include "wire/site.h"

#define BURL__SCHEDFILE_MAGIC "burl-schedule"

enum burl__schedfile_key {
    BURL__SCHEDFILE_KEY_PROGRAM = 0,
    BURL__SCHEDFILE_KEY_BUILD_ID,
    BURL__SCHEDFILE_KEY_ENGINE,
    BURL__SCHEDFILE_KEY_STRATEGY,
    BURL__SCHEDFILE_KEY_SEED,
    BURL__SCHEDFILE_KEY_ORDER,
    BURL__SCHEDFILE_KEY_EPOCH,
    BURL__SCHEDFILE_KEY_VERDICT,
    BURL__SCHEDFILE_KEY_FINGERPRINT,
    BURL__SCHEDFILE_KEY_TRACE_HASH,
    BURL__SCHEDFILE_KEY_STEPS,
    BURL__SCHEDFILE_KEY_SWITCHES,
    BURL__SCHEDFILE_KEY_OBSERVE, /* this and the next: version 2, both or none */
    BURL__SCHEDFILE_KEY_STOP,
    BURL__SCHEDFILE_KEY__N
};

/* Keys that every file has. */
#define BURL__SCHEDFILE_N_REQUIRED BURL__SCHEDFILE_KEY_OBSERVE

struct burl__schedfile_flag {
    uint32_t flag; /* BURL_ORDER_F_* */
    const char *name;
};

#define BURL__SCHEDFILE_N_ENGINES 2u
#define BURL__SCHEDFILE_N_WHY BURL_SWITCH_WHY__N
#define BURL__SCHEDFILE_N_FLAGS 3u
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
extern const char *const burl__schedfile_key_names[BURL__SCHEDFILE_KEY__N];
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
