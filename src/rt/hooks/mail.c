/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/mail.c - the runtime's side of wire/mail.h: tests for the driver of `burl gen`, records of
 * executions, and the verdict of a generated test whose results are impossible.
 *
 * Runs in the target. Everything about the record under way lies in the out-area itself, which is
 * shared: in fork mode the child writes it, and the server closes it for a child that was lost.
 *
 * The log has an order and no lock. Controlled, one thread runs at a time; free, the index is an
 * atomic that no detector sees, so that the log adds no order between the threads that a race
 * could hide behind. It does cost time at each public call, and so makes rare overlaps no likelier.
 */
#include <stdlib.h>
#include <string.h>

#include "mail.h"
#include "rt/core/core.h"
#include "rt/core/real.h"
#include "rt/core/sys.h"
#include "rt/core/verdict.h"
#include "rt/free/free.h"

BURL_EXPORT const void *__burl_mail_in(size_t *n);
BURL_EXPORT void *__burl_mail_record(size_t body_b, uint32_t log_max);
BURL_EXPORT void __burl_mail_event(uint32_t thread, uint32_t fn, int leave);
BURL_EXPORT void __burl_non_linearizable(const char *text);
BURL_EXPORT int __burl_contended(void);

bool burl_mail_logs;

static struct burl_mail_out *
out_area(void)
{
    return (struct burl_mail_out *)(void *)((char *)burl_rt.ctl + burl_rt.ctl->mail_out_off);
}

static const struct burl_mail_test *
in_area(void)
{
    return (const struct burl_mail_test *)(const void *)((const char *)burl_rt.ctl +
                                                         burl_rt.ctl->mail_in_off);
}

static bool
has_mail(void)
{
    return burl_rt.ctl != NULL && (burl_rt.ctl->order.flags & BURL_ORDER_F_MAIL) != 0;
}

/* The record under way; NULL: there is none. */
static struct burl_mail_head *
current(void)
{
    struct burl_mail_out *out = out_area();
    struct burl_mail_head *h;

    if (out->n_records == 0 || out->last_off >= BURL_MAIL_OUT_B)
        return NULL;
    h = (struct burl_mail_head *)(void *)((char *)(out + 1) + out->last_off);
    return h->done == 0 ? h : NULL;
}

/* An execution that begins anew (the engine had to grow) takes its record again. */
void
burl__mail_begin(uint64_t seed)
{
    struct burl_mail_out *out;
    struct burl_mail_head *h;

    burl_mail_logs = false;
    if (BURL_LIKELY(!has_mail()))
        return;
    out = out_area();
    h = current();
    if (h != NULL) {
        out->used_b = out->last_off;
        out->n_records--;
    }
    if (sizeof *out + out->used_b + sizeof *h > BURL_MAIL_OUT_B) {
        out->n_lost++;
        out->last_off = BURL_MAIL_OUT_B;
        return;
    }
    out->last_off = out->used_b;
    out->used_b += (uint32_t)sizeof *h;
    h = (struct burl_mail_head *)(void *)((char *)(out + 1) + out->last_off);
    memset(h, 0, sizeof *h);
    h->bytes = (uint32_t)sizeof *h;
    h->ordinal = burl_rt.ctl->result.n_done;
    h->seed = seed;
    out->n_records++;
}

void
burl__mail_finish(const struct burl_exec *e, uint64_t key)
{
    const struct burl_wire_verdict *v = &e->verdict;
    struct burl_mail_head *h;

    burl_mail_logs = false;
    if (BURL_LIKELY(!has_mail()))
        return;
    h = current();
    if (h == NULL)
        return;
    h->hash = e->hash;
    h->steps = e->steps;
    h->n_threads = e->n_threads;
    h->contended = e->contended;
    h->key = key;
    h->kind = v->kind;
    h->code = v->code;
    h->tid = v->tid;
    h->addr = v->addr;
    h->done = 1;
}

/* ---- for the driver ---------------------------------------------------------------- */

BURL_EXPORT const void *
__burl_mail_in(size_t *n)
{
    *n = 0;
    if (!has_mail() || in_area()->magic != BURL_MAIL_MAGIC)
        return NULL;
    *n = in_area()->total_b;
    return in_area();
}

/* Another time: monotonic clocks begin elsewhere, and everything takes longer. Between two readings
 * of a clock other threads may pass, so no difference of times is a result to compare; it shows in
 * that it changes with this. */
static void
shift_time(uint64_t shift)
{
    if (shift == 0 || burl_self == NULL)
        return;
    burl_rt.exec.now_ns += (shift % 1009 + 1) * 86400000000000ull;
    burl_rt.exec.slow_ns = (uint32_t)(shift % 997 + 1) * 1013;
    burl_rt.exec.late_ns = (shift % 3 + 1) * 1370000007;
}

BURL_EXPORT void *
__burl_mail_record(size_t body_b, uint32_t log_max)
{
    struct burl_mail_head *h;
    struct burl_mail_out *out;
    size_t more = body_b + log_max * sizeof(struct burl_mail_event);

    if (!has_mail())
        return NULL;
    if (burl_self == NULL)
        burl__mail_begin(0);
    out = out_area();
    h = current();
    if (h == NULL || h->body_b != 0)
        return NULL;
    if (body_b % 8 != 0 || sizeof *out + out->used_b + more > BURL_MAIL_OUT_B) {
        out->n_lost++;
        return NULL;
    }
    h->body_b = (uint32_t)body_b;
    h->log_max = log_max;
    h->bytes += (uint32_t)more;
    out->used_b += (uint32_t)more;
    memset(h + 1, 0, more);
    burl_mail_logs = in_area()->mode != BURL_MAIL_SEQUENTIAL;
    shift_time(in_area()->shift);
    return h + 1;
}

static void
log_event(uint16_t tid, uint32_t thread, uint32_t fn, uint32_t flags)
{
    struct burl_mail_head *h = current();
    struct burl_mail_event *e;
    uint32_t at;

    if (h == NULL)
        return;
    /* relaxed: the host reads when all threads are gone; the index alone is the order */
    at = __atomic_fetch_add(&h->log_n, 1, __ATOMIC_RELAXED);
    /* relaxed: as above. A free execution has no end that could say it: the process exits. */
    if (burl_free_gave_up())
        __atomic_store_n(&h->contended, 1, __ATOMIC_RELAXED);
    if (at >= h->log_max)
        return;
    e = (struct burl_mail_event *)(void *)((char *)(h + 1) + h->body_b) + at;
    e->tid = tid;
    e->thread = (uint16_t)thread;
    e->fn = (uint16_t)fn;
    e->flags = (uint16_t)flags;
}

static uint16_t
own_tid(void)
{
    if (burl_self != NULL)
        return burl_self->tid;
    return burl_free_me != NULL ? burl_free_me->tid : BURL_TID_NONE;
}

BURL_EXPORT void
__burl_mail_event(uint32_t thread, uint32_t fn, int leave)
{
    if (burl_mail_logs)
        log_event(own_tid(), thread, fn, leave ? BURL_MAIL_F_LEAVE : 0);
}

void
burl__mail_within(uint32_t site, bool leave)
{
    const struct burl_mail_test *t = in_area();
    const struct burl_mail_site *s =
        (const struct burl_mail_site *)(const void *)((const char *)t + t->sites_off);
    uint32_t lo = 0;
    uint32_t hi = t->n_sites;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;

        if (s[mid].site < site)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < t->n_sites && s[lo].site == site)
        log_event(own_tid(), BURL_MAIL_NONE, s[lo].fn,
                  BURL_MAIL_F_WITHIN | (leave ? BURL_MAIL_F_LEAVE : 0));
}

void
burl__mail_left(const struct burl_thread *t, uint32_t depth)
{
    for (uint32_t d = t->depth; d > depth; d--) {
        if (d <= BURL_SHADOW_DEPTH)
            burl__mail_within(t->stack[d - 1].func, true);
    }
}

void
burl__mail_left_free(const struct burl_free_thread *f, uint32_t depth)
{
    for (uint32_t d = f->depth; d > depth; d--) {
        if (d <= BURL_FREE_DEPTH)
            burl__mail_within(burl__site_of(f->stack[d - 1]), true);
    }
}

/* ---- for generated tests ------------------------------------------------------------ */

/* Calls one after the other have no such failure, so the table of a generated test cannot know its
 * results. */
BURL_EXPORT int
__burl_contended(void)
{
    return burl_self != NULL ? burl_rt.exec.contended : burl_free_gave_up();
}

BURL_EXPORT void
__burl_non_linearizable(const char *text)
{
    struct burl_thread *t = burl_self;

    if (t != NULL) {
        t->inside = 1; /* the place of the failure is the call, not the last access before it */
        burl_rt_end(BURL_VERDICT_NON_LINEARIZABLE, 0, 0, 0, text);
    }
    if (burl_free_me != NULL) {
        burl_free_non_linearizable(text);
    } else {
        BURL_SYS3(SYS_write, 2, text, strlen(text));
        BURL_SYS3(SYS_write, 2, "\n", 1);
    }
    BURL_REAL(abort)();
    __builtin_unreachable();
}
