/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/prune_int.h - the prune file in memory: prune.c matches it, prune_file.c reads and writes.
 */
#ifndef BURL_COVER_PRUNE_INT_H
#define BURL_COVER_PRUNE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "cover/prune.h"

struct burl_prune_entry {
    uint32_t line[3]; /* of `first`, `then`, `because`; from 1 */
    struct burl_cover_site site[2]; /* as written: no path, column 0 is any */
    char *reason;
};

struct burl_prune {
    char *path;
    BURL_VEC(char *) lines; /* without newlines; an entry's are at line[i] - 1 */
    BURL_VEC(struct burl_prune_entry) entries;
};

/* The text of a file; `path` for messages. */
BURL_MUST_CHECK enum burl_status burl__prune_decode(struct burl_prune **out, const char *text,
                                                    size_t n, const char *path,
                                                    struct burl_err *err);
/* "update", "write", "read" */
const char *burl__prune_access(const struct burl_cover_site *s);
/* "queue.c:31:12 read q->head in pop". */
void burl__prune_put_site(struct burl_buf *out, const struct burl_cover_site *s);
/* Appends the three lines of the entry, and the entry itself, which it takes. */
void burl__prune_append(struct burl_prune *p, struct burl_prune_entry *e_owned);
/* Removes entry i and its three lines. */
void burl__prune_delete(struct burl_prune *p, size_t i);

#endif
