/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/resolve.h - from an expression to the variable of the user it stands for.
 */
#ifndef BURL_REPORT_RESOLVE_H
#define BURL_REPORT_RESOLVE_H

#include "report/finding/walk.h"

struct burl__report_name {
    char *text;        /* "x.m", "q->head"; NULL unknown */
    char *member;      /* "Account::m"; NULL unknown */
    char *owner;       /* "Account" */
    uint32_t offset_b; /* of the member in its owner; BURL_NAME_NONE unknown */
    uint32_t inside;   /* FUNC site of the library function that was called on it, 0 none */
    bool deref;        /* text is a pointer to it */
    bool object;       /* text begins at a variable */
    bool climbed;      /* it was found in a caller */
    bool known;
};

/* What a place of the innermost of `n` frames (outermost first) stands for. */
bool burl__report_resolve(const struct burl_sites *sites, const struct burl__report_frame *frames,
                          size_t n, const struct burl_place *p, struct burl__report_name *out);
/* The same of an argument of a call, or the pointer of a store, at `site` of that frame. */
bool burl__report_resolve_call(const struct burl_sites *sites,
                               const struct burl__report_frame *frames, size_t n, uint32_t site,
                               uint32_t position, struct burl__report_name *out);
/* The object on which the user's code called a method of a library that is in progress. */
bool burl__report_resolve_inside(const struct burl_sites *sites,
                                 const struct burl__report_frame *frames, size_t n,
                                 struct burl__report_name *out);
void burl__report_name_deinit(struct burl__report_name *n);
/* access.c: notes the object of which the named thing at `addr` is a member. */
void burl__report_count_object(struct burl__report_accesses *l, const struct burl__report_name *n,
                               uint64_t addr);
/* access.c: notes the variable through which a named thing at `addr` was reached. */
void burl__report_note_root(struct burl__report_accesses *l, const struct burl__report_name *n,
                            uint64_t addr);
/* The member of the variable that is its object, if one is: "a.m". Else of the class, with the
 * number of the object if there are several: "Account::m#2". */
void burl__report_put_member(const struct burl__report_accesses *l, const char *owner,
                             const char *member, uint32_t offset_b, uint64_t addr,
                             struct burl_buf *out);
/* Text, else member. */
void burl__report_put_name(const struct burl__report_name *n, struct burl_buf *out);

#endif
