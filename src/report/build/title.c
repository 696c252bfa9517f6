/* SPDX-License-Identifier: Apache-2.0 */
/*
 * title.c - the sentences of a finding.
 *
 * Runs in the host. The title is read first and often alone: thread, operation, object and place,
 * in the names of the source. The detail explains what the columns cannot show: wait cycles, the
 * lost wakeup, the free of a block. Both state only what the execution proves.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/number.h"
#include "report/build/build_int.h"
#include "wire/site.h"

#define SHOWN_WAITS 3u /* in a title; the detail has all of them */

struct writer {
    struct burl_finding *f;
    const struct burl__report_walk *w;
    const struct burl_wire_verdict *v;
    char text[BURL_WIRE_TEXT_B + 1]; /* of the verdict */
    struct burl_buf out;
};

/* "writes q->head" */
static void
put_access(const struct writer *w, struct burl_buf *out)
{
    const struct burl_site_info *site = burl_sites_get(w->w->sites, w->v->site);
    bool write = burl__report_is_write(w->v->op) || site->kind == BURL_SITE_WRITE ||
                 site->kind == BURL_SITE_RANGE_WRITE;
    struct burl__report_frame frames[BURL_WIRE_MAX_STACK + 1];
    size_t n;

    if (site->kind == BURL_SITE_CALL && site->variable[0] != '\0') {
        burl_buf_printf(out, "calls %s", site->variable);
        return;
    }
    burl_buf_str_append(out, write ? "writes " : "reads ");
    n = burl__report_wire_frames(w->w->sites, w->v->stack, frames);
    burl__report_put_memory(w->w, w->v->site, w->v->addr, frames, n, out);
}

static void
put_block(const struct burl_finding_block *b, struct burl_buf *out)
{
    char count[BURL_COUNT_B];

    if (b->known && b->size_b > 0)
        burl_buf_printf(out, "a block of %s", burl_count(b->size_b, "byte", count));
    else
        burl_buf_str_append(out, "a heap block");
}

static void
put_wait(const struct writer *w, const struct burl_finding_wait *wait, struct burl_buf *out)
{
    static const struct {
        uint8_t op;
        const char *format;
        const char *noun; /* for an object without a name */
    } rows[] = {
        { BURL_OP_COND_WAIT, "waits for a signal on %s", "a condition" },
        { BURL_OP_COND_WAKE, "was woken and waits for %s", "its mutex" },
        { BURL_OP_SEM_WAIT, "waits for a post of %s", "a semaphore" },
        { BURL_OP_BARRIER_WAIT, "waits at barrier %s for more threads", "" },
        { BURL_OP_BARRIER_LEAVE, "waits at barrier %s for more threads", "" },
        { BURL_OP_FUTEX_WAIT, "waits on futex %s", "" },
        { BURL_OP_FUTEX_WOKEN, "waits on futex %s", "" },
        { BURL_OP_ONCE, "waits for the initialization of %s", "once" },
        { BURL_OP_IO, "waits for input or output", "" },
        { BURL_OP_SLEEP, "sleeps", "" },
    };
    size_t i = 0;

    if (wait->op == BURL_OP_JOIN) {
        burl__report_put(out, w->f, "waits for %T to exit", wait->owner);
        return;
    }
    while (i < sizeof rows / sizeof rows[0] && rows[i].op != wait->op)
        i++;
    if (i < sizeof rows / sizeof rows[0])
        burl__report_put(out, w->f, rows[i].format, wait->name[0] ? wait->name : rows[i].noun);
    else
        burl__report_put(out, w->f, "waits for %s", wait->name[0] ? wait->name : "a lock");
}

static void
put_conversion(void *arg, char conversion, va_list *ap, struct burl_buf *out)
{
    struct writer *w = arg;

    switch (conversion) {
    case 'A':
        put_access(w, out);
        break;
    case 'B':
        put_block(&w->f->block, out);
        break;
    case 'W':
        burl__report_put_place(out, w->f, w->f->tid, &w->f->where);
        break;
    case 'Q':
        put_wait(w, va_arg(*ap, const struct burl_finding_wait *), out);
        break;
    default:
        burl__report_convert(w->f, conversion, ap, out);
        break;
    }
}

/* The conversions of burl__report_put(), and these of the failure:
 *     %A  what the failing access does: "writes q->head"
 *     %B  the heap block
 *     %W  where it failed: " at bank.c:40 in deposit"
 *     %Q  a wait (const struct burl_finding_wait *): "waits for b->m" */
static void
title_say(struct writer *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__text_vformat(&w->out, fmt, ap, put_conversion, w);
    va_end(ap);
}

static const char *
object_name(struct writer *w, const char *noun)
{
    const char *name = burl__report_object_name(&w->w->objects, w->v->addr);

    return name[0] != '\0' ? name : noun;
}

/* ---- waits ------------------------------------------------------------------------- */

/* "T1 deposit holds a->m (taken at bank.c:10) and waits for b->m (bank.c:11)" */
static void
say_cycle_thread(struct writer *w, const struct burl_finding_thread *t,
                 const struct burl_finding_thread *waiter)
{
    const struct burl_finding_lock *lock = burl__report_held_lock(t, waiter->wait.addr);

    title_say(w, "%T", t->tid);
    if (waiter->wait.op != BURL_OP_JOIN) {
        title_say(w, " holds %s", waiter->wait.name[0] ? waiter->wait.name : "a lock");
        if (lock != NULL)
            title_say(w, " (taken at %L)", &lock->taken);
        title_say(w, " and");
    }
    title_say(w, " %Q (%L)\n", &t->wait, &t->wait.loc);
}

/* "'s locks: T1 holds a.m, T2 holds b.m"; nothing if a wait is for something else, or nameless. */
static void
say_locks(struct writer *w, const uint16_t pair[2])
{
    const struct burl_finding_thread *a = burl__report_thread_of(w->f, pair[0]);
    const struct burl_finding_thread *b = burl__report_thread_of(w->f, pair[1]);

    if (a == NULL || b == NULL || a->wait.op == BURL_OP_JOIN || b->wait.op == BURL_OP_JOIN ||
        a->wait.name[0] == '\0' || b->wait.name[0] == '\0')
        return;
    title_say(w, "'s locks: T%u holds %s, T%u holds %s", pair[0], b->wait.name, pair[1],
              a->wait.name);
}

static void
title_cycle(struct writer *w)
{
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    size_t n = burl_verdict_cycle(w->v, cycle);

    if (n == 0) {
        title_say(w, "threads wait for each other's locks");
    } else if (n == 1) {
        const struct burl_finding_thread *t = burl__report_thread_of(w->f, cycle[0]);

        title_say(w, "%T waits for %s, which it already holds", cycle[0],
                  t != NULL && t->wait.name[0] ? t->wait.name : "a lock");
    } else if (n == 2) {
        const uint16_t pair[2] = { cycle[cycle[0] > cycle[1]], cycle[cycle[0] <= cycle[1]] };

        title_say(w, "%T and %T wait for each other", pair[0], pair[1]);
        say_locks(w, pair);
    } else {
        title_say(w, "%zu threads wait for each other in a cycle:", n);
        for (size_t i = 0; i <= n && i < 8; i++)
            title_say(w, "%s T%u", i > 0 ? " ->" : "", cycle[i % n]);
        if (n >= 8)
            title_say(w, " ...");
    }
}

static void
detail_cycle(struct writer *w)
{
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    size_t n = burl_verdict_cycle(w->v, cycle);

    for (size_t i = 0; i < n; i++) {
        const struct burl_finding_thread *t = burl__report_thread_of(w->f, cycle[i]);
        const struct burl_finding_thread *waiter =
            burl__report_thread_of(w->f, cycle[(i + n - 1) % n]);

        if (t != NULL && waiter != NULL)
            say_cycle_thread(w, t, waiter);
    }
}

static void
title_stuck(struct writer *w)
{
    size_t n = 0;
    size_t total = 0;

    for (size_t i = 0; i < w->f->n_threads; i++)
        total += w->f->threads[i].wait.waits;
    title_say(w, "no thread can make progress");
    /* What is not a join comes first: a join only waits for the others. */
    for (unsigned joins = 0; joins < 2; joins++) {
        for (size_t i = 0; i < w->f->n_threads && n < SHOWN_WAITS; i++) {
            const struct burl_finding_thread *t = &w->f->threads[i];

            if (t->wait.waits && (t->wait.op == BURL_OP_JOIN) == (joins == 1))
                title_say(w, "%s %T %Q", n++ == 0 ? ":" : ",", t->tid, &t->wait);
        }
    }
    if (total > n)
        title_say(w, ", and %zu more", total - n);
}

/* The wakeups in the trace of the object a thread waits on. */
static void
detail_wakeups(struct writer *w, const struct burl_finding_thread *t)
{
    const struct burl_finding_wait *wait = &t->wait;
    const char *name = wait->name[0] ? wait->name : "it";
    const struct burl_run *run = w->w->run;
    bool any = false;
    size_t lost = SIZE_MAX;

    if (wait->op != BURL_OP_COND_WAIT && wait->op != BURL_OP_FUTEX_WOKEN)
        return;
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->addr != wait->addr ||
            (ev->kind != BURL_OP_COND_SIGNAL && ev->kind != BURL_OP_COND_BROADCAST &&
             ev->kind != BURL_OP_FUTEX_WAKE))
            continue;
        any = true;
        /* A signal of the thread itself does not count, and one that was followed by others is not
         * the cause. */
        if (ev->tid != t->tid)
            lost = ev->aux == 0 ? i : SIZE_MAX;
    }
    /* The events of a free run are made up: it has no trace, and no steps. */
    if (!any && run->steps > 0 && run->events_dropped == 0)
        title_say(w, "  %s was never signaled in this execution\n", name);
    if (lost != SIZE_MAX) {
        struct burl_finding_loc loc =
            burl__report_loc(w->f->pool, w->w->sites, w->w->user_site[lost]);

        title_say(w, "  lost wakeup: %T signaled %s at step %u (%L) when no thread was waiting\n",
                  run->events[lost].tid, name, run->events[lost].step, &loc);
    }
}

static void
detail_stuck(struct writer *w)
{
    for (size_t i = 0; i < w->f->n_threads; i++) {
        const struct burl_finding_thread *t = &w->f->threads[i];

        if (!t->wait.waits)
            continue;
        title_say(w, "%T %Q (%L)\n", t->tid, &t->wait, &t->wait.loc);
        detail_wakeups(w, t);
    }
}

/* Excludes threads that join a spinning one. */
static bool
is_livelocked(const struct burl_finding_thread *t)
{
    return t->state != BURL_FINDING_THREAD_FINISHED && t->stack.n > 0 &&
           !(t->wait.waits && t->wait.op == BURL_OP_JOIN);
}

static void
title_livelock(struct writer *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->f->n_threads; i++)
        n += is_livelocked(&w->f->threads[i]);
    title_say(w, n == 1 ? "a thread loops without progress" : "threads loop without progress");
    n = 0;
    for (size_t i = 0; i < w->f->n_threads && n < SHOWN_WAITS; i++) {
        const struct burl_finding_thread *t = &w->f->threads[i];

        if (!is_livelocked(t))
            continue;
        title_say(w, "%s %T", n++ == 0 ? ":" : ",", t->tid);
        burl__report_put_place(&w->out, w->f, t->tid, &t->stack.frames[0].loc);
    }
}

/* "T1 loops in worker", "T2 waits for m" */
static void
say_hanging(struct writer *w, const struct burl_finding_thread *t)
{
    if (t->wait.op != BURL_OP_YIELD)
        title_say(w, "%T %Q", t->tid, &t->wait);
    else if (t->wait.loc.func[0] != '\0')
        title_say(w, "%T runs in %s", t->tid, t->wait.loc.func);
    else
        title_say(w, "%T runs", t->tid);
}

/* Threads that run come first, those that wait for others to exit last: as in the verdict. */
static void
title_hang(struct writer *w)
{
    const size_t n = burl_verdict_n_waits(w->v);

    title_say(w, "the program did not end in its time");
    for (size_t i = 0; i < n && i < SHOWN_WAITS; i++) {
        const struct burl_finding_thread *t = burl__report_thread_of(w->f, w->v->waits[i].tid);

        title_say(w, i == 0 ? ": " : ", ");
        if (t != NULL)
            say_hanging(w, t);
    }
    if (w->f->n_threads > SHOWN_WAITS)
        title_say(w, ", and %zu more", w->f->n_threads - SHOWN_WAITS);
}

static void
title_check(struct writer *w)
{
    if (w->v->code > 128)
        title_say(w, "the check was killed by signal %u: %s", (unsigned)w->v->code - 128, w->text);
    else
        title_say(w, "the check failed with exit code %u: %s", (unsigned)w->v->code, w->text);
}

/* ---- memory ------------------------------------------------------------------------ */

static void
title_memory(struct writer *w)
{
    const struct burl_finding_block *b = &w->f->block;
    const bool other = b->free_tid != BURL_TID_NONE && b->free_tid != w->f->tid;

    title_say(w, "%T ", w->f->tid);
    switch (w->v->kind) {
    case BURL_VERDICT_USE_AFTER_FREE:
        title_say(w, "%A%W, in memory that ");
        if (other)
            title_say(w, "%T has freed", b->free_tid);
        else
            title_say(w, b->free_tid == BURL_TID_NONE ? "was freed" : "it has freed itself");
        break;
    case BURL_VERDICT_OVERFLOW:
        title_say(w, "%A%W, %s of %B",
                  b->known && w->v->addr < b->addr ? "before the start" : "beyond the end");
        break;
    case BURL_VERDICT_DOUBLE_FREE:
        title_say(w, "frees %B%W, which ");
        if (other)
            title_say(w, "%T has freed already", b->free_tid);
        else
            title_say(w, "was freed already");
        break;
    default:
        title_say(w, "frees an address that malloc did not return%W");
        break;
    }
}

static void
title_stack(struct writer *w)
{
    const unsigned owner = w->v->origin.tid;

    title_say(w, "%T %A%W, ", w->f->tid);
    if (w->v->kind == BURL_VERDICT_USE_AFTER_RETURN)
        title_say(w, "in the frame of a function of %T that has returned", owner);
    else if (w->v->origin.kind == BURL_ORIGIN_TLS)
        title_say(w, "a thread-local variable of %T, which has exited", owner);
    else
        title_say(w, "in the stack of %T, which has exited", owner);
}

/* ---- the others -------------------------------------------------------------------- */

/* The instrumenter marks both alike (instr/number.c), and the source tells them apart. */
static void
say_no_return(struct writer *w)
{
    const struct burl_site_info *place = burl_sites_get(w->w->sites, w->v->other_site);
    const char *line = burl_sites_source_line(w->w->sites, place, 0);

    if (line != NULL && strstr(line, "unreachable") != NULL)
        title_say(w, " reaches code that is declared unreachable");
    else
        title_say(w, " reaches the end of %s without a value to return: missing return",
                  w->f->where.func);
}

static void
title_signal(struct writer *w)
{
    const char *name = burl__report_signal_name(w->v->code);
    const bool no_return = burl__report_lacks_return(w->v, w->w->sites);

    title_say(w, "%T", w->f->tid);
    if (w->text[0] != '\0')
        title_say(w, " crashes: %s", w->text);
    else if (no_return)
        say_no_return(w);
    else if (w->v->code == SIGSEGV && w->v->addr < 4096)
        title_say(w, " dereferences a null pointer");
    else if (w->v->code == SIGSEGV)
        burl_buf_printf(&w->out, " accesses invalid memory at 0x%llx",
                        (unsigned long long)w->v->addr);
    else if (w->v->code == SIGFPE)
        title_say(w, " causes an arithmetic error");
    else
        title_say(w, " is killed by a signal");
    if (name != NULL)
        title_say(w, " (%s)", name);
    if (burl__report_is_access(w->v->op) && w->v->site != 0 && !w->f->unhooked && !no_return)
        title_say(w, ": it %A");
    title_say(w, "%W");
}

/* The runtime knows a type by what the compiler calls it. */
static char *
exception_type(const struct writer *w)
{
    const char *at = strstr(w->text, BURL_EXCEPTION);
    const char *type = at != NULL ? at + strlen(BURL_EXCEPTION) : "";
    char name[sizeof w->text];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(type, " "), type);
    return at != NULL ? burl_demangle_type(name) : NULL;
}

static void
title_abort(struct writer *w)
{
    static const char word[] = "Assertion `";
    const char *assertion = strstr(w->text, word);
    const bool is_called = strcmp(w->text, "abort") == 0 || strcmp(w->text, "abort() called") == 0;
    char *type = exception_type(w);

    if (assertion != NULL)
        title_say(w, "%T: assertion `%s%W", w->f->tid, assertion + sizeof word - 1);
    else if (type != NULL && burl__report_is_uncaught(w->v, w->w->sites))
        title_say(w, "%T: uncaught exception of type %s%W", w->f->tid, type);
    else if (type != NULL)
        title_say(w, "%T aborts%W, while it handles an exception of type %s", w->f->tid, type);
    else if (w->text[0] != '\0' && !is_called)
        title_say(w, "%T aborts: %s%W", w->f->tid, w->text);
    else
        title_say(w, "%T aborts%W", w->f->tid);
    free(type);
}

static void
title_misuse(struct writer *w)
{
    static const struct {
        uint8_t kind;
        const char *format; /* thread, object */
        const char *noun;
    } rows[] = {
        { BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, "%T unlocks %s%W, which another thread holds",
          "a lock" },
        { BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, "%T unlocks %s%W, which no thread holds", "a lock" },
        { BURL_VERDICT_MISUSE_DESTROY_BUSY, "%T destroys %s%W while it is in use",
          "a sync object" },
        { BURL_VERDICT_MISUSE_RELOCK, "%T locks %s%W while already holding it", "a lock" },
        { BURL_VERDICT_MISUSE_WAIT_UNLOCKED,
          "%T waits on a condition variable without holding %s%W", "its mutex" },
        { BURL_VERDICT_MISUSE_JOIN_TWICE, "%T joins %s%W that was joined or detached before",
          "a thread" },
        { BURL_VERDICT_MISUSE_EXIT_HOLDING, "%T exits while holding %s%W", "a lock" },
        { BURL_VERDICT_MISUSE_REINIT, "%T initializes %s%W while a thread holds it", "a lock" },
        { BURL_VERDICT_MISUSE_DETACH_TWICE, "%T detaches %s%W that was joined or detached before",
          "a thread" },
        { BURL_VERDICT_MISUSE_USE_DESTROYED, "%T uses %s%W after it was destroyed",
          "a sync object" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind == w->v->kind) {
            title_say(w, rows[i].format, w->f->tid, object_name(w, rows[i].noun));
            return;
        }
    }
    title_say(w, "%T misuses %s: %s%W", w->f->tid, object_name(w, "the thread library"),
              w->text[0] != '\0' ? w->text : "see where");
}

static void
title_wild_write(struct writer *w)
{
    if (w->f->tid != BURL_TID_NONE) /* seen before it happened */
        title_say(w, "%T is about to write into burl's control block%W: a wild write", w->f->tid);
    else
        title_say(w, "a wild write of the program overwrote burl's control block: %s", w->text);
}

/* Verdicts that are not findings can be printed too, by replay. */
static void
title_other(struct writer *w)
{
    switch (w->v->kind) {
    case BURL_VERDICT_PASS:
        title_say(w, "the execution passed");
        break;
    case BURL_VERDICT_EXIT_NONZERO:
        burl_buf_printf(&w->out, "the program exited with code %d", w->v->code);
        if (burl_sites_get(w->w->sites, w->v->site)->kind == BURL_SITE_FUNC)
            title_say(w, ": main returned it"); /* a call of exit() has a site of its own */
        else if (w->f->tid != BURL_TID_NONE)
            title_say(w, ": %T%W", w->f->tid);
        break;
    case BURL_VERDICT_NON_LINEARIZABLE:
        title_say(w,
                  w->text[0] != '\0'
                      ? "%s"
                      : "results match no sequential order of the calls (not linearizable)",
                  w->text);
        break;
    case BURL_VERDICT_CUT_STEPS:
        title_say(w, "cut short after %N steps", w->w->run->steps);
        break;
    case BURL_VERDICT_CUT_TIME:
        title_say(w, "cut short: one execution took longer than allowed");
        break;
    case BURL_VERDICT_DIVERGED:
        title_say(w, "the execution diverged from its schedule");
        if (w->w->run->diverged_at != ~0u)
            title_say(w, " at switch %u", w->w->run->diverged_at);
        break;
    case BURL_VERDICT_UNSUPPORTED:
        title_say(w, "the program uses something the runtime cannot control: %s", w->text);
        break;
    default:
        title_say(w, "burl itself failed: %s", w->text[0] != '\0' ? w->text : "?");
        break;
    }
}

static void
title_race(struct writer *w)
{
    burl__report_title_race(w->f, &w->out);
}

static void
detail_race(struct writer *w)
{
    burl__report_detail_race(w->f, &w->out);
}

/* ---- the entry --------------------------------------------------------------------- */

/* Kinds without a row: title_misuse() or title_other(), and the verdict's text as the detail. */
static const struct {
    void (*title)(struct writer *w);
    void (*detail)(struct writer *w);
    bool has_text; /* the title has it already */
} kinds[BURL_VERDICT__N] = {
    [BURL_VERDICT_CRASH_SIGNAL] = { .title = title_signal, .has_text = true },
    [BURL_VERDICT_CRASH_ABORT] = { .title = title_abort, .has_text = true },
    [BURL_VERDICT_USE_AFTER_FREE] = { .title = title_memory },
    [BURL_VERDICT_OVERFLOW] = { .title = title_memory },
    [BURL_VERDICT_DOUBLE_FREE] = { .title = title_memory },
    [BURL_VERDICT_BAD_FREE] = { .title = title_memory },
    [BURL_VERDICT_USE_AFTER_RETURN] = { .title = title_stack },
    [BURL_VERDICT_USE_AFTER_EXIT] = { .title = title_stack },
    [BURL_VERDICT_DEADLOCK_CYCLE] = { title_cycle, detail_cycle, false },
    [BURL_VERDICT_DEADLOCK_STUCK] = { title_stuck, detail_stuck, false },
    [BURL_VERDICT_LIVELOCK] = { .title = title_livelock },
    [BURL_VERDICT_RACE_DATA] = { title_race, detail_race, false },
    [BURL_VERDICT_ATOMICITY_REGION] = { title_race, detail_race, false },
    [BURL_VERDICT_MISUSE_OTHER] = { .title = title_misuse, .has_text = true },
    [BURL_VERDICT_NON_LINEARIZABLE] = { .title = title_other, .has_text = true },
    [BURL_VERDICT_HANG_TIMEOUT] = { .title = title_hang },
    [BURL_VERDICT_CHECK_FAILED] = { .title = title_check, .has_text = true },
    [BURL_VERDICT_WILD_WRITE] = { .title = title_wild_write, .has_text = true },
};

static const char *
take_text(struct writer *w)
{
    const char *text = burl__report_str(w->f->pool, burl_buf_str(&w->out));

    burl_buf_clear(&w->out);
    return text;
}

void
burl__report_title(struct burl_finding *f, const struct burl__report_walk *walk)
{
    struct writer w = { .f = f, .w = walk, .v = &walk->run->verdict };
    const uint8_t kind = w.v->kind;

    snprintf(w.text, sizeof w.text, "%.*s", (int)sizeof w.v->text, w.v->text);
    burl_buf_init(&w.out, BURL_BUF_NO_LIMIT);
    if (kind < BURL_VERDICT__N && kinds[kind].title != NULL)
        kinds[kind].title(&w);
    else if (kind >= BURL_VERDICT_MISUSE_UNLOCK_FOREIGN && kind <= BURL_VERDICT_MISUSE_OTHER)
        title_misuse(&w);
    else
        title_other(&w);
    f->title = take_text(&w);
    if (kind < BURL_VERDICT__N && kinds[kind].detail != NULL)
        kinds[kind].detail(&w);
    else if (w.text[0] != '\0' && burl_verdict_is_finding(kind) && !kinds[kind].has_text)
        title_say(&w, "%s\n", w.text);
    f->detail = take_text(&w);
    burl_buf_deinit(&w.out);
}
