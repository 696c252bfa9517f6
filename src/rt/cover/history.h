/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/history.h - what came between two consecutive accesses of one thread to a byte.
 *
 * The common half of AVIO and PINV: each keeps a history of its own and says what to do with a
 * triple.
 */
#ifndef BURL_RT_COVER_HISTORY_H
#define BURL_RT_COVER_HISTORY_H

#include "bytes.h"

/* A thread's last access to some bytes, and others' since. */
struct burl_local {
    struct burl_local *next;
    struct burl_mark first; /* mask: bytes it still is the last one for */
    struct burl_mark *between;
};

struct burl_history {
    struct burl_marks marks;
    struct burl_local *unused;
    /* first and `a`, of one thread, with `remote` in between; NULL: with nothing in between on some
     * byte. */
    void (*triple)(const struct burl_mark *first, const struct burl_mark *remote,
                   struct burl_watch *w, const struct burl_access *a, uintptr_t addr);
};

void burl__history_begin(struct burl_history *h);
/* who: kept in the marks as ctx. */
void burl__history_access(struct burl_history *h, struct burl_watch *w,
                          const struct burl_access *a, uint32_t who);
void burl__history_forget(struct burl_history *h, uintptr_t addr, uint64_t n);

#define BURL_HISTORY_LIFE(history)                                             \
    BURL_METRIC_LIFE(&(history)->marks.granules, burl__history_begin(history), \
                     burl__history_forget(history, addr, n))

#endif
