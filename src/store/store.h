/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store.h - what burl remembers: campaigns and findings.
 *
 * State lives in one directory (".burl" by default): burl.db (SQLite, schema
 * versioned, docs/formats/store.md), findings/<n>/ and the lock file. Every
 * function that writes commits with a sync before it returns, so whatever is
 * shown after the call survives kill -9 and power loss.
 *
 * Failures: a directory that cannot be written, a full disk, another burl that
 * holds the campaign lock, a database from a newer burl or a damaged one are
 * each a message that names the file and what to do. All map to exit code 3,
 * except a store that does not exist yet when one is needed (usage).
 *
 * Strings in structs given to us are borrowed and may be NULL (kept or empty);
 * strings in structs we fill are owned by the struct's _deinit.
 */
#ifndef BURL_STORE_STORE_H
#define BURL_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "finding/facts.h"

#define BURL_STORE_SCHEMA_VERSION 7

struct burl_store;

/* Opens the store in `dir`, creating directory and schema when missing. */
BURL_MUST_CHECK enum burl_status burl_store_open(struct burl_store **out, const char *dir,
                                                 struct burl_err *err);
/* Opens for reading; a missing store is BURL_E_USAGE ("run burl test first"). Works in a
 * directory we may not write. */
BURL_MUST_CHECK enum burl_status burl_store_open_readonly(struct burl_store **out,
                                                          const char *dir, struct burl_err *err);
/* NULL is fine. Releases the campaign lock. */
void burl_store_close(struct burl_store *s);
/* The directory as given. Valid while the store is open. */
const char *burl_store_dir(const struct burl_store *s);

/*
 * Takes the lock that one writing command holds at a time. When another process has it, the
 * message says which (pid and command) and the status is BURL_E_IO with sys EWOULDBLOCK.
 * `command` is what the message of others says ("burl test ./prog"). burl_store_campaign_begin()
 * calls it; `burl replay` and readers do not need it. The kernel drops it when we die.
 */
BURL_MUST_CHECK enum burl_status burl_store_lock(struct burl_store *s, const char *command,
                                                 struct burl_err *err);
/* Fails like burl_store_lock() if another process holds the lock of this directory now. For
 * commands that run a program before they open the store. `beside`: a command whose holding does
 * not count, because it is brief ("gen"); NULL: none. Creates nothing. */
BURL_MUST_CHECK enum burl_status burl_store_check_unused(const char *dir, const char *beside,
                                                         struct burl_err *err);

/* One run of a command over one program. */
struct burl_store_campaign {
    const char *command;  /* "test" */
    const char *program;  /* path as given */
    const char *args;     /* JSON array of the program's arguments */
    const char *build_id;
    const char *options;  /* JSON object: the whole configuration */
    const char *engine;
    const char *reset;
    uint64_t    seed;
};

/* Sums. Used for a whole campaign and for one strategy within it. */
struct burl_store_totals {
    uint64_t executions;
    uint64_t steps;
    uint64_t points;
    uint64_t switches;
    uint64_t preemptions;
    uint64_t failures; /* executions whose verdict was a finding */
    uint64_t cut;      /* executions stopped by a bound */
    uint64_t wall_ms;
};

/* Locks the store and records the start; *id is the campaign's number. */
BURL_MUST_CHECK enum burl_status burl_store_campaign_begin(struct burl_store *s,
                                                           const struct burl_store_campaign *c,
                                                           int64_t *id, struct burl_err *err);
struct burl_store_strategy {
    const char *name;
    struct burl_store_totals totals;
};

/* The same for strategies of the campaign, all in one transaction: each costs several waits for the
 * disk. */
BURL_MUST_CHECK enum burl_status burl_store_strategies_update(struct burl_store *s, int64_t id,
                                                              const struct burl_store_strategy *v,
                                                              size_t n, struct burl_err *err);
/* The number of the newest campaign, 0 when there is none: they are numbered from 1. */
BURL_MUST_CHECK enum burl_status burl_store_campaign_last(struct burl_store *s, int64_t *id,
                                                          struct burl_err *err);
struct burl_store_command {
    const char *program;
    const char *args;  /* JSON array */
    int64_t exit_code; /* of the newest campaign; -1: it has not ended */
};

struct burl_store_commands {
    struct burl_store_command *v;
    size_t n;
    size_t cap;
};

/* What campaigns have tested, each once, in the order of the first; `campaign` 0 means any. */
BURL_MUST_CHECK enum burl_status burl_store_command_list(struct burl_store *s, int64_t campaign,
                                                         struct burl_store_commands *out,
                                                         struct burl_err *err);
void burl_store_commands_deinit(struct burl_store_commands *l);
/* Totals, end time, exit code and reason in one transaction; releases the lock. */
BURL_MUST_CHECK enum burl_status burl_store_campaign_end(struct burl_store *s, int64_t id,
                                                         const struct burl_store_totals *t,
                                                         int exit_code, const char *end_reason,
                                                         struct burl_err *err);

struct burl_store_finding {
    int64_t     id;          /* small number the user sees; never used twice */
    const char *fingerprint; /* required; unique in the store */
    const char *kind;        /* required; dotted */
    const char *title;
    const char *program;
    const char *args;        /* JSON array */
    const char *build_id;    /* of the program that showed it last */
    const char *engine;
    const char *reset;
    const char *strategy;    /* that found it */
    const char *schedule;    /* path of the replay schedule, relative to the finding's directory */
    const char *json;        /* the whole finding as in finding.json */
    uint64_t    trace_hash;
    struct burl_finding_facts facts; /* seed, confirmations, sequential; count: added up by upserts.
                                        The fingerprint is the text above */
    int64_t     campaign;    /* that saw it last */
};

/*
 * Records a finding under its fingerprint. New: a row with a new id. Known: `count` is added,
 * last_seen and the numbers are replaced, strings are replaced where the new one is not NULL.
 * *id and *is_new (either may be NULL) say which. Committed and synced on return.
 */
BURL_MUST_CHECK enum burl_status burl_store_finding_upsert(struct burl_store *s,
                                                           const struct burl_store_finding *f,
                                                           int64_t *id, bool *is_new,
                                                           struct burl_err *err);
/* Adds to the count and moves last_seen of a finding met again; json (NULL: it stays) replaces what
 * was there; nothing else changes. */
BURL_MUST_CHECK enum burl_status burl_store_finding_hit(struct burl_store *s, int64_t id,
                                                        uint64_t n, const char *json,
                                                        struct burl_err *err);
/* The id of a fingerprint, 0 when it is not known. */
BURL_MUST_CHECK enum burl_status burl_store_finding_find(struct burl_store *s,
                                                         const char *fingerprint, int64_t *id,
                                                         struct burl_err *err);
/* When a finding was first recorded, in milliseconds since 1970; 0 when there is none. */
BURL_MUST_CHECK enum burl_status burl_store_finding_first_seen(struct burl_store *s, int64_t id,
                                                               int64_t *ms, struct burl_err *err);
/* BURL_E_USAGE with the known range when there is no such finding. */
BURL_MUST_CHECK enum burl_status burl_store_finding_get(struct burl_store *s, int64_t id,
                                                        struct burl_store_finding *out,
                                                        struct burl_err *err);
void burl_store_finding_deinit(struct burl_store_finding *f);

struct burl_store_findings {
    struct burl_store_finding *v;
    size_t n;
    size_t cap;
};

/* All findings in the order of their ids; `campaign` 0 means of any campaign. */
BURL_MUST_CHECK enum burl_status burl_store_finding_list(struct burl_store *s, int64_t campaign,
                                                         struct burl_store_findings *out,
                                                         struct burl_err *err);
void burl_store_findings_deinit(struct burl_store_findings *l);

/* "<dir>/findings/<id>"; `create` makes it. Caller frees *out. */
BURL_MUST_CHECK enum burl_status burl_store_finding_dir(struct burl_store *s, int64_t id,
                                                        bool create, char **out,
                                                        struct burl_err *err);

#endif
