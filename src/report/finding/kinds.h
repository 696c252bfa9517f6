/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/kinds.h - what a kind of finding is, in one sentence.
 *
 * docs/reference/finding-kinds.md has the long form; scripts/check-kinds.sh compares the two.
 */
#ifndef BURL_REPORT_KINDS_H
#define BURL_REPORT_KINDS_H

struct burl__report_kind {
    const char *kind;  /* "race.data" */
    const char *name;  /* "DataRace": an identifier for tools */
    const char *title; /* "Data race" */
    const char *what;  /* what has happened: a sentence with full stop */
    const char *fix;   /* how to fix it: a sentence with full stop */
};

/* Never NULL: a kind of a later version has an entry that says nothing but "finding". */
const struct burl__report_kind *burl__report_kind(const char *kind);

#endif
