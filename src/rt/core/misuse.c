/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/misuse.c - misuses of the thread library that do not end the execution.
 *
 * Runs in the target, with the turn of the misusing thread. A recorded misuse is a failure of the
 * execution like the verdict it ends with: it has an entry in the result, and the host confirms
 * it by an execution that ends there (order.stop_key). What happens after it is the program's
 * native behavior, so a crash that follows is a finding of its own.
 *
 * An execution that would have passed ends with its first misuse as the verdict
 * (burl__verdict_account()): it is a failing execution.
 *
 * Cost: a misuse that happens again and again costs a hash of five numbers and a look at the table
 * of failures; the verdict is filled once per order and once per execution.
 */
#include <string.h>

#include "core.h"
#include "heap.h"
#include "listener.h"
#include "seal.h"
#include "upcalls.h"
#include "verdict.h"

#define INDEX(kind) ((kind) - BURL_VERDICT_MISUSE_UNLOCK_FOREIGN)
#define BIT(name) (1u << INDEX(BURL_VERDICT_MISUSE_##name))

static_assert(INDEX(BURL_VERDICT_MISUSE_OTHER) < 16, "burl_obj.misuses has a bit for each kind");

/* The kinds of which this one is a consequence when the object has been misused so before: the same
 * bug, which is reported once. */
static const uint16_t causes[16] = {
    /* The thread that lost the lock unlocks it at the end of its critical section. */
    [INDEX(BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED)] =
        BIT(UNLOCK_FOREIGN) | BIT(REINIT) | BIT(WAIT_UNLOCKED),
    [INDEX(BURL_VERDICT_MISUSE_UNLOCK_FOREIGN)] =
        BIT(UNLOCK_FOREIGN) | BIT(REINIT) | BIT(WAIT_UNLOCKED),
    [INDEX(BURL_VERDICT_MISUSE_USE_DESTROYED)] = BIT(DESTROY_BUSY) | BIT(USE_DESTROYED),
    [INDEX(BURL_VERDICT_MISUSE_DESTROY_BUSY)] = BIT(DESTROY_BUSY) | BIT(EXIT_HOLDING) | BIT(RELOCK),
    [INDEX(BURL_VERDICT_MISUSE_REINIT)] = BIT(EXIT_HOLDING),
    [INDEX(BURL_VERDICT_MISUSE_WAIT_UNLOCKED)] = BIT(UNLOCK_FOREIGN),
    [INDEX(BURL_VERDICT_MISUSE_EXIT_HOLDING)] = BIT(EXIT_HOLDING),
};

static bool
is_consequence(struct burl_obj *o, enum burl_wire_verdict_kind kind)
{
    const bool yes = (o->misuses & causes[INDEX(kind)]) != 0;

    o->misuses |= (uint16_t)(1u << INDEX(kind));
    return yes;
}

uint64_t
burl__misuse_key(const struct burl_wire_verdict *v)
{
    uint32_t sites[BURL_WIRE_MISUSE_SITES] = { v->site };

    memcpy(&sites[1], v->sides[0].stack, sizeof sites - sizeof sites[0]);
    return burl_wire_misuse_key(v->kind, sites, BURL_WIRE_MISUSE_SITES);
}

static void
record_misuse(enum burl_wire_verdict_kind kind, uintptr_t addr, const struct burl_thread *target,
              const char *text)
{
    const struct burl_wire_order *order = &burl_rt.ctl->order;
    struct burl_wire_verdict v;
    uint64_t key;

    memset(&v, 0, sizeof v);
    burl__verdict_fill(&v, kind, 0, addr, 0, text);
    if (target != NULL)
        burl__origin_fill_thread(&v.origin, target);
    else
        burl__origin_fill(&v.origin, addr);
    key = burl__misuse_key(&v);
    if ((order->flags & BURL_ORDER_F_STOP_AT_MISUSE) != 0 || key == order->stop_key) {
        burl_rt.exec.verdict.origin = v.origin;
        burl_rt_finding(kind, addr, text);
    }
    /* These two only leave a lock taken. */
    if (kind != BURL_VERDICT_MISUSE_RELOCK && kind != BURL_VERDICT_MISUSE_EXIT_HOLDING)
        BURL_TELL(fact, BURL_FACT_MISUSE);
    burl__seal_open();
    burl__verdict_add_failure(&v, key);
    burl__seal_close();
    if (!burl_rt.exec.misused)
        burl_rt.misuse = v;
    burl_rt.exec.misused = true;
}

void
burl_rt_misuse(enum burl_wire_verdict_kind kind, struct burl_obj *o, const char *text)
{
    if (o->destroyed == BURL_OBJ_FREED)
        burl__heap_check(o->addr, 1); /* ends the execution unless the memory is in use again */
    if (!is_consequence(o, kind))
        record_misuse(kind, o->addr, NULL, text);
}

void
burl_rt_misuse_thread(enum burl_wire_verdict_kind kind, const struct burl_thread *target, bool ends,
                      const char *text)
{
    if (ends) {
        burl__origin_fill_thread(&burl_rt.exec.verdict.origin, target);
        burl_rt_finding(kind, 0, text);
    }
    record_misuse(kind, 0, target, text);
}
