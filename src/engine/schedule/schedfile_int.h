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
#define BURL__SCHEDFILE_N_FLAGS 2u
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

/* ---- schedfile_lex.c --------------------------------------------------------------- */

/* A piece of the text; not NUL-terminated. */
struct burl__lex {
    const char *p;
    size_t n;
};

bool burl__lex_is(struct burl__lex s, const char *text);
void burl__lex_skip(struct burl__lex *s); /* spaces and tabs */
/* Takes the next word off `s`: up to a space; a quoted string is one word, its quotes included.
 * Empty at the end. */
struct burl__lex burl__lex_word(struct burl__lex *s);
/* Digits only, at most `max`. */
bool burl__lex_number(struct burl__lex w, unsigned base, uint64_t max, uint64_t *out);
/* Exactly 16 hex digits, as the writer makes them. */
bool burl__lex_hash(struct burl__lex w, uint64_t *out);
/* The string a word stands for, caller frees; NULL when it is not one. */
char *burl__lex_string(struct burl__lex w);
/* The index of a name in a table; enum_names: the table has enumerators, the file their lower
 * case with dashes. */
bool burl__lex_name(struct burl__lex w, const char *const *names, size_t n, bool enum_names,
                    uint64_t *out);
/* Bytes from outside for a message: short, on one line, without control characters. */
const char *burl__lex_quote(struct burl__lex s, char out[48]);

#endif
