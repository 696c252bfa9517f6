/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/verify.h - what is known of suspects over the tests of a suite, and what a finding says
 * about the change.
 *
 * Runs in the host. Pure. The ledger has every pair of accesses, triple and lock cycle that a test
 * reported, by places in the source: the same pair has the same entry in all tests and programs.
 * One that was confirmed is never verified again (SimRT's change to RaceFuzzer, PAPERS 4.7).
 */
#ifndef BURL_REGRESS_VERIFY_H
#define BURL_REGRESS_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/sites.h"
#include "base/vec.h"
#include "regress/select.h"
#include "wire/control.h"

/* ---- pairs ------------------------------------------------------------------------- */

struct burl_regress_suspect {
    uint64_t key;
    uint32_t kind;        /* BURL_REGRESS_RACES, _ATOMICITY or _DEADLOCKS */
    bool impacted;        /* the change impacts one of its places */
    bool confirmed;       /* an execution has shown it */
    uint64_t fingerprint; /* of the finding, 0 none */
    uint64_t runs;        /* n_i: executions that were to show it, of all tests */
    uint32_t n_tests;     /* that reported it */
    char *text;           /* "put.c:41 and take.c:20" */
};

struct burl_regress_ledger {
    BURL_VEC(struct burl_regress_suspect) all; /* in the order of their discovery */
    struct burl_map at; /* from keys to places in it */
};

/* One test's report of one suspect. */
struct burl_regress_sighting {
    uint64_t key;
    uint32_t kind;
    bool impacted;
    bool confirmed;
    uint64_t fingerprint;
    uint64_t runs;
};

/* What kind of bug a suspect can show, BURL_REGRESS_* bits; 0: none of ours. */
uint32_t burl_regress_suspect_kind(const struct burl_wire_suspect *s);
/* The same for the same places, whatever the program, the numbers of its sites and the order in
 * which they were met. A race that happened and one that was predicted have one key. 0: a place is
 * not known. */
uint64_t burl_regress_suspect_key(const struct burl_wire_suspect *s,
                                  const struct burl_sites *sites);
/* "put.c:41 and take.c:20". */
void burl_regress_suspect_text(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                               struct burl_buf *out);

/* The place in ledger.all; `text` is used when the entry is new. */
size_t burl_regress_ledger_note(struct burl_regress_ledger *l,
                                const struct burl_regress_sighting *s, const char *text);
/* Was it confirmed under an earlier test? */
bool burl_regress_ledger_has_confirmed(const struct burl_regress_ledger *l, uint64_t key);
/* Suspects of the kind (BURL_REGRESS_* bits), and of these the confirmed ones. */
size_t burl_regress_ledger_count(const struct burl_regress_ledger *l, uint32_t kinds,
                                 bool confirmed);
/* The sum of n_i. */
uint64_t burl_regress_ledger_runs(const struct burl_regress_ledger *l);
void burl_regress_ledger_deinit(struct burl_regress_ledger *l);

/* ---- the change -------------------------------------------------------------------- */

/* The pairs of I, to be asked for quickly. Zero is empty. */
struct burl_regress_pairset {
    struct burl_map has;
};

/* Takes over the pairs of one subject of the selection. */
void burl_regress_pairset_fill(struct burl_regress_pairset *p,
                               const struct burl_regress_selection *s, uint32_t subject);
bool burl_regress_pairset_has(const struct burl_regress_pairset *p, const struct burl_changes *c,
                              uint64_t hash_a, uint32_t a, uint64_t hash_b, uint32_t b);
void burl_regress_pairset_deinit(struct burl_regress_pairset *p);

/* Does the change impact the access or acquisition at this site? */
bool burl_regress_is_impacted(const struct burl_changes *c, uint64_t module_hash, uint32_t index);

/* ---- findings ---------------------------------------------------------------------- */

enum burl_regress_class {
    BURL_REGRESS_NEW,       /* the base version is not known to have it */
    BURL_REGRESS_FAILS,     /* the test fails without preemption: an ordinary failure, and new */
    BURL_REGRESS_KNOWN,     /* of the base version, too */
    BURL_REGRESS_UNRELATED, /* on accesses that the change does not impact */
    BURL_REGRESS_CLASS__N
};

/* What is known of a finding. */
struct burl_regress_evidence {
    bool alone;       /* it needs no preemption, and is not a race */
    bool failed_base; /* the test failed or hung when the base version was recorded */
    bool shown_base;  /* a build of the base version has shown it */
    bool older;       /* the store had it before the base version was recorded */
    bool on_accesses; /* it is about given accesses: a race, a broken region */
    bool judged;      /* the change of its program was analyzed */
    bool unchanged;   /* the program is that of the base version */
    bool impacted;    /* the change impacts an access or acquisition that it is about */
};

/*
 * The first rule that holds: shown by a build of the base version, KNOWN; not `alone`, in an
 * unchanged program, or on accesses that a judged change does not impact, KNOWN if it is older than
 * the base, else UNRELATED; `alone`, KNOWN if the test failed before, else FAILS; older than the
 * base and not impacted, KNOWN; else NEW. A finding that is older than the base and impacted may
 * have been repaired in between: it is NEW.
 */
enum burl_regress_class burl_regress_classify(const struct burl_regress_evidence *e);
/* "new", "fails", "known", "unrelated". */
const char *burl_regress_class_name(enum burl_regress_class c);

#endif
