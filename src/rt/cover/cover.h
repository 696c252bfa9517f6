/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/cover.h - what executions cover: the items of wire/cover.h and the names in them.
 *
 * Used by the observers of cover/ (one metric each), by the event stream, and by the hooks. Names
 * are abstract, so that they are the same in the next run and in the next process: a thread is the
 * place that created it, a variable or lock the place that allocated it.
 *
 * In free mode everything but burl_cover_add() and burl__cover_line() is called with the observers'
 * lock held.
 */
#ifndef BURL_RT_COVER_H
#define BURL_RT_COVER_H

#include "rt/core/upcalls.h"
#include "rt/detect/observe.h"

/* A new order begins; before a fork server forks. */
void burl__cover_order(void);

/* Puts an item, unless it is there (metric, a, b, c, d) or was not asked for. True: it is new.
 * seed, exec and order_n are filled in here. From any thread. */
bool burl_cover_add(const struct burl_wire_cover_item *item);

static inline bool
burl__cover_put(enum burl_wire_metric metric, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                uint8_t flags)
{
    const struct burl_wire_cover_item x = {
        .metric = (uint8_t)metric, .flags = flags, .a = a, .b = b, .c = c, .d = d
    };

    return burl_cover_add(&x);
}

/* ---- names (names.c) ----------------------------------------------------------------------- */

/* Never 0. */
uint32_t burl__cover_thread(struct burl_watch *w);
/* Memory as data: where it came from, and the place in it folded, so that a large array does not
 * make as many tasks as it has elements. */
uint32_t burl__cover_variable(uintptr_t addr);
/* Memory as a lock or condition variable: distinguished more finely. 0: no memory of the
 * program. */
uint32_t burl__cover_object(uintptr_t addr);
/* Hash of the innermost order.context calls that w is in; 0 when not asked. */
uint32_t burl__cover_context(const struct burl_watch *w);
/* A place in the program's code. */
uint32_t burl__cover_code(uintptr_t pc);
/* callsite.c: where the function that was just entered was called from; 0 unknown. */
uint32_t burl__cover_call_from(const struct burl_watch *w, uint32_t depth, uintptr_t sp);
void burl__cover_names_begin(void);

/* ---- what names are made of. From any thread; burl__cover_place() looks it up each time. ----- */

#define BURL_FOLD_DATA 64u
#define BURL_FOLD_OBJECT 1024u

enum burl_place_kind { BURL_PLACE_HEAP = 1, BURL_PLACE_STATIC, BURL_PLACE_OTHER };

struct burl_cover_place {
    enum burl_place_kind kind;
    uint32_t base;   /* allocation site, or file */
    uint64_t offset; /* from its start */
};

void burl__cover_place(uintptr_t addr, struct burl_cover_place *p);
/* folded: the place in it, in units of 8 bytes, modulo BURL_FOLD_*. */
uint32_t burl__cover_place_name(enum burl_place_kind kind, uint32_t base, uint64_t folded);
uint32_t burl__cover_thread_name(uint64_t birth, uintptr_t start);

/* Free mode: the block of libc's heap that addr is in, and where it was allocated. */
extern bool (*burl__cover_block)(uintptr_t addr, uint64_t *start, uint32_t *site);

/* Is the site part of an assertion? Such accesses take no part in the metrics of memory. */
bool burl__cover_is_assert(uint32_t site);

/* ---- lines.c --------------------------------------------------------------------------------- */

extern uint8_t *burl__cover_lines; /* a byte per site: executed before; NULL: not asked for */
extern uint32_t burl__cover_n_lines;
void burl__cover_lines_prepare(void);
void burl__cover_line_slow(uint32_t site);

/* The code at this site is executed. From any thread. */
static inline void
burl__cover_line(uint32_t site)
{
    /* acquire: pairs with the store in burl__cover_lines_prepare(), the map is there. relaxed: a
     * thread that comes too early only checks once more */
    if (site < __atomic_load_n(&burl__cover_n_lines, __ATOMIC_ACQUIRE) &&
        __atomic_load_n(&burl__cover_lines[site], __ATOMIC_RELAXED))
        return;
    burl__cover_line_slow(site);
}

#endif
