/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/annotate.c - what the macros of include/burl/burl.h call, in both modes. Without a
 * supervisor they do nothing.
 */
#include "rt/core/core.h"
#include "rt/free/free.h"

BURL_EXPORT void __burl_benign_race(const volatile void *addr, size_t size, const char *why);
BURL_EXPORT void __burl_hb_before(const volatile void *obj);
BURL_EXPORT void __burl_hb_after(const volatile void *obj);
void burl__order_before(const volatile void *obj); /* for rt/interpose/ompt.h */
void burl__order_after(const volatile void *obj);
BURL_EXPORT void __burl_ignore(int reads, int writes);
BURL_EXPORT void __burl_region_begin(const char *name);
BURL_EXPORT void __burl_region_end(void);

/* The calling thread, when it is controlled and observed; leave with burl_rt_leave(). */
static struct burl_thread *
enter_watched(void)
{
    struct burl_thread *t = burl_rt_enter();

    if (t != NULL && (burl_ob_mask == 0 || t->watch == NULL)) {
        burl_rt_leave(t);
        return NULL;
    }
    return t;
}

BURL_EXPORT void
__burl_benign_race(const volatile void *addr, size_t size, const char *why)
{
    struct burl_thread *t = enter_watched();

    (void)why; /* for readers of the source */
    if (burl_free_me != NULL)
        burl_free_benign((uintptr_t)addr, size);
    if (t == NULL)
        return;
    burl_ob_benign((uintptr_t)addr, size, burl_ob_alloc);
    burl_rt_leave(t);
}

/* lasting: every schedule has the edge. */
static void
put_edge(const volatile void *obj, bool lasting)
{
    struct burl_thread *t = enter_watched();

    burl_free_hb_before((const void *)obj, lasting);
    if (t == NULL)
        return;
    (lasting ? burl_ob_send_order : burl_ob_send)(t->watch, burl_ob_user_object((const void *)obj));
    burl_rt_leave(t);
}

static void
get_edge(const volatile void *obj, bool lasting)
{
    struct burl_thread *t = enter_watched();

    burl_free_hb_after((const void *)obj, lasting);
    if (t == NULL)
        return;
    (lasting ? burl_ob_receive_order : burl_ob_receive)(t->watch,
                                                        burl_ob_user_object((const void *)obj));
    burl_rt_leave(t);
}

BURL_EXPORT void
__burl_hb_before(const volatile void *obj)
{
    put_edge(obj, false);
}

BURL_EXPORT void
__burl_hb_after(const volatile void *obj)
{
    get_edge(obj, false);
}

void
burl__order_before(const volatile void *obj)
{
    put_edge(obj, true);
}

void
burl__order_after(const volatile void *obj)
{
    get_edge(obj, true);
}

/* An END without a BEGIN changes nothing. */
static uint32_t
nest(uint32_t depth, int change)
{
    return change < 0 && depth == 0 ? 0 : depth + (uint32_t)change;
}

BURL_EXPORT void
__burl_ignore(int reads, int writes)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_thread *t = enter_watched();

    if (f != NULL) {
        f->ignore_reads = nest(f->ignore_reads, reads);
        f->ignore_writes = nest(f->ignore_writes, writes);
        burl_free_special_changed(f);
    }
    if (t == NULL)
        return;
    t->watch->ignore_reads = nest(t->watch->ignore_reads, reads);
    t->watch->ignore_writes = nest(t->watch->ignore_writes, writes);
    burl_rt_leave(t);
}

BURL_EXPORT void
__burl_region_begin(const char *name)
{
    struct burl_thread *t = enter_watched();

    burl_free_region(true, name);
    if (t == NULL)
        return;
    if (t->watch->region_depth == 0)
        t->watch->region_name = name;
    burl_ob_region_begin(t->watch);
    burl_rt_leave(t);
}

BURL_EXPORT void
__burl_region_end(void)
{
    struct burl_thread *t = enter_watched();

    burl_free_region(false, NULL);
    if (t == NULL)
        return;
    burl_ob_region_end(t->watch);
    burl_rt_leave(t);
}
