/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/suppress.h - rules for known findings that are not to be reported.
 *
 * Runs in the host. The file format is docs/formats/suppressions.md. A rule is matched against the
 * names of the places of a finding, never against addresses or numbers, so that it survives
 * rebuilds. A rule is about pairs of places: a known, harmless race at one place says nothing about
 * other places of the same variable. Each rule counts its matches: a rule without matches is stale,
 * and the summary says so.
 *
 * A NULL `struct burl_suppress` means: no rules.
 */
#ifndef BURL_REPORT_SUPPRESS_H
#define BURL_REPORT_SUPPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sites.h"
#include "wire/control.h"

enum burl_suppress_about {
    BURL_SUPPRESS_ANY = 0,
    BURL_SUPPRESS_RACE,
    BURL_SUPPRESS_DEADLOCK,
    BURL_SUPPRESS_ATOMICITY,
    BURL_SUPPRESS__N
};

struct burl_suppress_rule {
    uint8_t about;       /* enum burl_suppress_about */
    uint32_t line;       /* in its file */
    const char *pattern; /* * is any text, ? any character */
    uint64_t n_findings; /* hidden so far: burl_suppress_hide_*() */
    uint64_t n_suspects;
};

struct burl_suppress;

/* Reads a file of rules. An unreadable file or a malformed line is BURL_E_USAGE with "file:line:
 * reason"; no rule of such a file is used. */
BURL_MUST_CHECK enum burl_status burl_suppress_read(struct burl_suppress **out, const char *path,
                                                    struct burl_err *err);
/* The same from memory; `name` is used in messages. */
BURL_MUST_CHECK enum burl_status burl_suppress_parse(struct burl_suppress **out, const char *name,
                                                     const char *text, size_t n,
                                                     struct burl_err *err);
void burl_suppress_free(struct burl_suppress *s);

/* The first rule that matches, NULL when none does. Lives as long as `s`. */
struct burl_suppress_rule *burl_suppress_verdict(struct burl_suppress *s,
                                                 const struct burl_wire_verdict *v,
                                                 const struct burl_sites *sites);
struct burl_suppress_rule *burl_suppress_suspect(struct burl_suppress *s,
                                                 const struct burl_wire_suspect *x,
                                                 const struct burl_sites *sites);

/* Counts what a rule hid: a finding by its fingerprint, a suspect by its key; each once. */
void burl_suppress_hide_finding(struct burl_suppress *s, struct burl_suppress_rule *rule,
                                uint64_t fingerprint);
void burl_suppress_hide_suspect(struct burl_suppress *s, struct burl_suppress_rule *rule,
                                uint64_t key);

/* The file's name, "" for NULL. */
const char *burl_suppress_name(const struct burl_suppress *s);
size_t burl_suppress_count(const struct burl_suppress *s);
const struct burl_suppress_rule *burl_suppress_at(const struct burl_suppress *s, size_t i);
/* "race", "deadlock", "atomicity", "any". */
const char *burl_suppress_about_name(uint8_t about);

/* Whether all of `text` fits `pattern`. */
bool burl_suppress_glob(const char *pattern, const char *text);

#endif
