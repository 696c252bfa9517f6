/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/cover.c - the set of items in shared memory.
 *
 * Runs in the target. The area (struct burl_wire_cover) is the control block's, so it outlives
 * snapshots and the children of a fork server. Open addressing; nothing is ever taken out.
 *
 * INV-C1: an item is complete before n counts it, and a slot of the index that names an item at or
 * beyond n is free. So an execution that is cut in the middle of an insertion, by a signal or with
 * its whole process, leaves nothing behind that matters: the slot is used again, and when another
 * item gets that place, a slot that names it out of turn is only a comparison more.
 *
 * One thread at a time inserts: in controlled mode there is no other, in free mode there is a lock
 * of this process. A handler that interrupts its own thread there adds nothing, and counts that.
 */
#include <string.h>

#include "bytes.h"
#include "rt/core/core.h"
#include "rt/core/sys.h"

#define SLOTS BURL_WIRE_COVER_HASH
#define COVER_BITS (~(BURL_OB(LOCPAIRS) - 1u))

static struct burl_wire_cover *area;
static uint32_t n_orders;
static uint32_t lock; /* free mode: insertions; a leaf */
static __thread bool inserting;

void
burl__cover_order(void)
{
    n_orders++;
    if ((burl_rt.ctl->order.observers & BURL_OB(LINES)) != 0 && burl_rt.ctl->cover_off != 0)
        burl__cover_lines_prepare();
}

void
burl__cover_begin(uint32_t mask)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    area = NULL;
    if ((mask & COVER_BITS) == 0)
        return;
    if (ctl->cover_off != 0)
        area = (struct burl_wire_cover *)(void *)((char *)ctl + ctl->cover_off);
    memset(burl__stripes, 0, sizeof burl__stripes);
    burl__cover_names_begin();
}

static uint32_t
item_slot(const struct burl_wire_cover_item *x)
{
    uint64_t h = burl_wire_mix((uint64_t)x->a << 32 | x->b, (uint64_t)x->c << 32 | x->d);

    return (uint32_t)burl_wire_mix(h, x->metric) & (SLOTS - 1);
}

static bool
item_is(const struct burl_wire_cover_item *x, const struct burl_wire_cover_item *y)
{
    return x->a == y->a && x->b == y->b && x->c == y->c && x->d == y->d && x->metric == y->metric;
}

/* Is it there? *at: the slot it is in or belongs in; SLOTS: no room in the index. */
static bool
item_find(const struct burl_wire_cover *c, const struct burl_wire_cover_item *x, uint32_t n,
          uint32_t *at)
{
    uint32_t i = item_slot(x);

    for (uint32_t k = 0; k < SLOTS; k++, i = (i + 1) & (SLOTS - 1)) {
        uint32_t v = __atomic_load_n(&c->hash[i], __ATOMIC_RELAXED); /* n was read with acquire */

        if (v == 0 || v > n) {
            *at = i;
            return false;
        }
        if (item_is(&c->items[v - 1], x))
            return true;
    }
    *at = SLOTS;
    return false;
}

static uint32_t
n_items(const struct burl_wire_cover *c)
{
    /* pairs with the release store in item_insert(): the items below are complete */
    uint32_t n = __atomic_load_n(&c->n, __ATOMIC_ACQUIRE);

    return n < BURL_WIRE_COVER_ITEMS ? n : BURL_WIRE_COVER_ITEMS;
}

static bool
item_insert(struct burl_wire_cover *c, const struct burl_wire_cover_item *x)
{
    uint32_t n = n_items(c);
    struct burl_wire_cover_item *item = &c->items[n];
    uint32_t at;

    if (item_find(c, x, n, &at))
        return false;
    if (n == BURL_WIRE_COVER_ITEMS || at == SLOTS) {
        __atomic_fetch_add(&c->n_lost, 1, __ATOMIC_RELAXED); /* a number for people */
        return false;
    }
    *item = *x;
    item->seed = burl_rt.in_execution ? burl_rt.exec.seed : burl_rt.ctl->order.first_seed;
    item->exec = (uint32_t)(item->seed - burl_rt.ctl->order.first_seed);
    item->order_n = n_orders != 0 ? n_orders - 1 : 0;
    __atomic_store_n(&c->hash[at], n + 1, __ATOMIC_RELAXED); /* counts when n does */
    __atomic_store_n(&c->n, n + 1, __ATOMIC_RELEASE); /* pairs with n_items(), and the host */
    return true;
}

bool
burl_cover_add(const struct burl_wire_cover_item *item)
{
    struct burl_wire_cover *c = area;
    uint32_t at;
    bool is_new;

    if (c == NULL || item_find(c, item, n_items(c), &at))
        return false;
    if (burl_rt.in_execution)
        return item_insert(c, item);
    if (inserting) {
        __atomic_fetch_add(&c->n_lost, 1, __ATOMIC_RELAXED); /* a number for people */
        return false;
    }
    inserting = true;
    burl__spin_lock(&lock);
    is_new = item_insert(c, item);
    inserting = false; /* before a handler can run */
    burl__spin_unlock(&lock);
    return is_new;
}
