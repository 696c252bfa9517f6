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

#include "base/path.h"
#include "report/report_int.h"
#include "wire/site.h"

#define SHOWN_WAITS 3u /* in a title; the detail has all of them */

struct writer {
    struct burl_finding *f;
    const struct burl__report_walk *w;
    const struct burl_wire_verdict *v;
    struct burl_buf out;
};

static void
put_text(struct writer *w, const char *s)
{
    burl_buf_str_append(&w->out, s);
}

static void
put_thread(struct writer *w, uint16_t tid)
{
    burl__report_put_thread(&w->out, w->f, tid);
}

/* " at bank.c:40 in deposit"; the function is not said when it is the thread's own name. */
static void
put_place(struct writer *w, uint16_t tid, const struct burl_finding_loc *loc)
{
    const struct burl_finding_thread *t = burl__report_thread_of(w->f, tid);

    if (loc->line != 0)
        burl_buf_printf(&w->out, " at %s:%u", burl_path_basename(loc->file), loc->line);
    if (loc->func[0] != '\0' && (t == NULL || strcmp(t->name, loc->func) != 0 || loc->line == 0))
        burl_buf_printf(&w->out, " in %s", loc->func);
}

static void
put_where(struct writer *w)
{
    put_place(w, w->f->tid, &w->f->where);
}

/* "writes q->head" */
static void
put_access(struct writer *w)
{
    const struct burl_site_info *site = burl_sites_get(w->w->sites, w->v->site);
    bool call = site->kind == BURL_SITE_CALL;
    bool write = burl__report_is_write(w->v->op) || site->kind == BURL_SITE_WRITE ||
                 site->kind == BURL_SITE_RANGE_WRITE;

    if (call && site->variable[0] != '\0') {
        burl_buf_printf(&w->out, "calls %s", site->variable);
        return;
    }
    put_text(w, write ? "writes" : "reads");
    put_text(w, " ");
    if (site->variable[0] != '\0')
        burl__report_put_spelled(w->w->sites, site->id, site->variable, &w->out);
    else
        put_text(w, "memory");
}

static const char *
object_name(struct writer *w, const char *noun)
{
    const char *name = burl__report_object_name(&w->w->objects, w->v->addr);

    return name[0] != '\0' ? name : noun;
}

/* ---- waits ------------------------------------------------------------------------- */

static void
put_wait(struct writer *w, const struct burl_finding_thread *t)
{
    const struct burl_finding_wait *wait = &t->wait;
    const char *name = wait->name;

    switch (wait->op) {
    case BURL_OP_JOIN:
        put_text(w, "waits for ");
        if (wait->owner != BURL_TID_NONE)
            put_thread(w, wait->owner);
        else
            put_text(w, "a thread");
        put_text(w, " to exit");
        break;
    case BURL_OP_COND_WAIT:
        burl_buf_printf(&w->out, "waits for a signal on %s", name[0] ? name : "a condition");
        break;
    case BURL_OP_COND_WAKE:
        burl_buf_printf(&w->out, "was woken and waits for %s", name[0] ? name : "its mutex");
        break;
    case BURL_OP_SEM_WAIT:
        burl_buf_printf(&w->out, "waits for a post of %s", name[0] ? name : "a semaphore");
        break;
    case BURL_OP_BARRIER_WAIT:
    case BURL_OP_BARRIER_LEAVE:
        burl_buf_printf(&w->out, "waits at barrier %s for more threads", name);
        break;
    case BURL_OP_FUTEX_WAIT:
    case BURL_OP_FUTEX_WOKEN:
        burl_buf_printf(&w->out, "waits on futex %s", name);
        break;
    case BURL_OP_ONCE:
        burl_buf_printf(&w->out, "waits for the initialization of %s", name[0] ? name : "once");
        break;
    case BURL_OP_IO:
        put_text(w, "waits for input or output");
        break;
    case BURL_OP_SLEEP:
        put_text(w, "sleeps");
        break;
    default:
        burl_buf_printf(&w->out, "waits for %s", name[0] ? name : "a lock");
        break;
    }
}

const struct burl_finding_lock *
burl__report_held_lock(const struct burl_finding_thread *t, uint64_t addr)
{
    for (size_t i = 0; i < t->n_locks; i++) {
        if (t->locks[i].addr == addr)
            return &t->locks[i];
    }
    return NULL;
}

/* "T1 deposit holds a->m (taken at bank.c:10) and waits for b->m (bank.c:11)" */
static void
put_cycle_thread(struct writer *w, const struct burl_finding_thread *t,
                 const struct burl_finding_thread *waiter)
{
    const struct burl_finding_lock *lock = burl__report_held_lock(t, waiter->wait.addr);

    put_thread(w, t->tid);
    if (waiter->wait.op != BURL_OP_JOIN) {
        burl_buf_printf(&w->out, " holds %s", waiter->wait.name[0] ? waiter->wait.name : "a lock");
        if (lock != NULL) {
            put_text(w, " (taken at ");
            burl__report_put_loc(&w->out, &lock->taken);
            put_text(w, ")");
        }
        put_text(w, " and");
    }
    put_text(w, " ");
    put_wait(w, t);
    put_text(w, " (");
    burl__report_put_loc(&w->out, &t->wait.loc);
    put_text(w, ")\n");
}

static void
title_cycle(struct writer *w)
{
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    size_t n = burl_verdict_cycle(w->v, cycle);

    if (n == 0) {
        put_text(w, "threads wait for each other's locks");
    } else if (n == 1) {
        const struct burl_finding_thread *t = burl__report_thread_of(w->f, cycle[0]);

        put_thread(w, cycle[0]);
        burl_buf_printf(&w->out, " waits for %s, which it already holds",
                        t != NULL && t->wait.name[0] ? t->wait.name : "a lock");
    } else if (n == 2) {
        put_thread(w, cycle[0]);
        put_text(w, " and ");
        put_thread(w, cycle[1]);
        put_text(w, " wait for each other");
    } else {
        burl_buf_printf(&w->out, "%zu threads wait for each other in a cycle:", n);
        for (size_t i = 0; i <= n && i < 8; i++)
            burl_buf_printf(&w->out, "%s T%u", i > 0 ? " ->" : "", cycle[i % n]);
        if (n >= 8)
            put_text(w, " ...");
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
            put_cycle_thread(w, t, waiter);
    }
}

static void
title_stuck(struct writer *w)
{
    size_t n = 0;
    size_t total = 0;

    for (size_t i = 0; i < w->f->n_threads; i++)
        total += w->f->threads[i].wait.waits;
    put_text(w, "no thread can make progress");
    /* What is not a join comes first: a join only waits for the others. */
    for (unsigned joins = 0; joins < 2; joins++) {
        for (size_t i = 0; i < w->f->n_threads && n < SHOWN_WAITS; i++) {
            const struct burl_finding_thread *t = &w->f->threads[i];

            if (!t->wait.waits || (t->wait.op == BURL_OP_JOIN) != (joins == 1))
                continue;
            put_text(w, n == 0 ? ": " : ", ");
            put_thread(w, t->tid);
            put_text(w, " ");
            put_wait(w, t);
            n++;
        }
    }
    if (total > n)
        burl_buf_printf(&w->out, ", and %zu more", total - n);
}

/* The wakeups in the trace of the object a thread waits on. */
static void
detail_wakeups(struct writer *w, const struct burl_finding_thread *t)
{
    const struct burl_finding_wait *wait = &t->wait;
    const struct burl_run *run = w->w->run;
    size_t last = SIZE_MAX;
    size_t lost = SIZE_MAX;

    if (wait->op != BURL_OP_COND_WAIT && wait->op != BURL_OP_FUTEX_WOKEN)
        return;
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->addr != wait->addr ||
            (ev->kind != BURL_OP_COND_SIGNAL && ev->kind != BURL_OP_COND_BROADCAST &&
             ev->kind != BURL_OP_FUTEX_WAKE))
            continue;
        last = i;
        /* A signal of the thread itself does not count, and one that was followed by others is not
         * the cause. */
        if (ev->tid != t->tid)
            lost = ev->aux == 0 ? i : SIZE_MAX;
    }
    if (last == SIZE_MAX) {
        if (run->events_dropped == 0)
            burl_buf_printf(&w->out, "  %s was never signaled in this execution\n",
                            wait->name[0] ? wait->name : "it");
        return;
    }
    if (lost != SIZE_MAX) {
        const struct burl_wire_event *ev = &run->events[lost];
        struct burl_finding_loc loc =
            burl__report_loc(w->f->pool, w->w->sites, w->w->user_site[lost]);

        burl_buf_printf(&w->out, "  lost wakeup: ");
        put_thread(w, ev->tid);
        burl_buf_printf(&w->out, " signaled %s at step %u (", wait->name[0] ? wait->name : "it",
                        ev->step);
        burl__report_put_loc(&w->out, &loc);
        put_text(w, ") when no thread was waiting\n");
    }
}

static void
detail_stuck(struct writer *w)
{
    for (size_t i = 0; i < w->f->n_threads; i++) {
        const struct burl_finding_thread *t = &w->f->threads[i];

        if (!t->wait.waits)
            continue;
        put_thread(w, t->tid);
        put_text(w, " ");
        put_wait(w, t);
        put_text(w, " (");
        burl__report_put_loc(&w->out, &t->wait.loc);
        put_text(w, ")\n");
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
    put_text(w, n == 1 ? "a thread loops without progress" : "threads loop without progress");
    n = 0;
    for (size_t i = 0; i < w->f->n_threads && n < SHOWN_WAITS; i++) {
        const struct burl_finding_thread *t = &w->f->threads[i];

        if (!is_livelocked(t))
            continue;
        put_text(w, n++ == 0 ? ": " : ", ");
        put_thread(w, t->tid);
        put_place(w, t->tid, &t->stack.frames[0].loc);
    }
}

/* ---- memory ------------------------------------------------------------------------ */

static void
put_block(struct writer *w)
{
    const struct burl_finding_block *b = &w->f->block;

    if (b->known && b->size_b > 0)
        burl_buf_printf(&w->out, "a block of %llu bytes", (unsigned long long)b->size_b);
    else
        put_text(w, "a heap block");
}

static void
title_memory(struct writer *w)
{
    const struct burl_finding_block *b = &w->f->block;

    put_thread(w, w->f->tid);
    put_text(w, " ");
    switch (w->v->kind) {
    case BURL_VERDICT_USE_AFTER_FREE:
        put_access(w);
        put_where(w);
        put_text(w, ", in memory that ");
        if (b->free_tid != BURL_TID_NONE && b->free_tid != w->f->tid) {
            put_thread(w, b->free_tid);
            put_text(w, " has freed");
        } else {
            put_text(w, b->free_tid == BURL_TID_NONE ? "was freed" : "it has freed itself");
        }
        break;
    case BURL_VERDICT_OVERFLOW:
        put_access(w);
        put_where(w);
        put_text(w, b->known && w->v->addr < b->addr ? ", before the start of "
                                                     : ", beyond the end of ");
        put_block(w);
        break;
    case BURL_VERDICT_DOUBLE_FREE:
        put_text(w, "frees ");
        put_block(w);
        put_where(w);
        put_text(w, ", which ");
        if (b->free_tid != BURL_TID_NONE && b->free_tid != w->f->tid) {
            put_thread(w, b->free_tid);
            put_text(w, " has freed already");
        } else {
            put_text(w, "was freed already");
        }
        break;
    default:
        put_text(w, "frees an address that malloc did not return");
        put_where(w);
        break;
    }
}

/* ---- the others -------------------------------------------------------------------- */

static void
title_signal(struct writer *w)
{
    const char *name = burl__report_signal_name(w->v->code);

    put_thread(w, w->f->tid);
    if (w->v->text[0] != '\0')
        burl_buf_printf(&w->out, " crashes: %.*s", (int)sizeof w->v->text, w->v->text);
    else if ((w->v->code == SIGSEGV || w->v->code == SIGBUS) && w->v->addr < 4096)
        put_text(w, " dereferences a null pointer");
    else if (w->v->code == SIGSEGV)
        burl_buf_printf(&w->out, " accesses invalid memory at 0x%llx",
                        (unsigned long long)w->v->addr);
    else if (w->v->code == SIGFPE)
        put_text(w, " causes an arithmetic error");
    else
        put_text(w, " is killed by a signal");
    if (name != NULL)
        burl_buf_printf(&w->out, " (%s)", name);
    if (burl__report_is_access(w->v->op) && w->v->site != 0) {
        put_text(w, ": it ");
        put_access(w);
    }
    put_where(w);
}

static void
title_abort(struct writer *w)
{
    static const char word[] = "Assertion `";
    char text[BURL_WIRE_TEXT_B + 1];
    const char *assertion;

    snprintf(text, sizeof text, "%.*s", (int)sizeof w->v->text, w->v->text);
    assertion = strstr(text, word);
    put_thread(w, w->f->tid);
    if (assertion != NULL)
        burl_buf_printf(&w->out, ": assertion `%s", assertion + sizeof word - 1);
    else if (text[0] != '\0' && strcmp(text, "abort") != 0)
        burl_buf_printf(&w->out, " aborts: %s", text);
    else
        put_text(w, " calls abort");
    put_where(w);
}

static void
title_misuse(struct writer *w)
{
    static const struct {
        uint8_t kind;
        const char *before;
        const char *noun;
        const char *after;
    } rows[] = {
        { BURL_VERDICT_MISUSE_UNLOCK_FOREIGN, " unlocks ", "a lock",
          ", which another thread holds" },
        { BURL_VERDICT_MISUSE_UNLOCK_UNLOCKED, " unlocks ", "a lock", ", which no thread holds" },
        { BURL_VERDICT_MISUSE_DESTROY_BUSY, " destroys ", "a sync object", " while it is in use" },
        { BURL_VERDICT_MISUSE_RELOCK, " locks ", "a lock", " while already holding it" },
        { BURL_VERDICT_MISUSE_WAIT_UNLOCKED, " waits on a condition variable without holding ",
          "its mutex", "" },
        { BURL_VERDICT_MISUSE_JOIN_TWICE, " joins ", "a thread",
          " that was joined or detached before" },
        { BURL_VERDICT_MISUSE_EXIT_HOLDING, " exits while holding ", "a lock", "" },
        { BURL_VERDICT_MISUSE_REINIT, " initializes ", "a lock", " while a thread holds it" },
        { BURL_VERDICT_MISUSE_DETACH_TWICE, " detaches ", "a thread",
          " that was joined or detached before" },
        { BURL_VERDICT_MISUSE_USE_DESTROYED, " uses ", "a sync object", " after it was destroyed" },
    };

    put_thread(w, w->f->tid);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].kind == w->v->kind) {
            burl_buf_printf(&w->out, "%s%s", rows[i].before, object_name(w, rows[i].noun));
            put_where(w);
            put_text(w, rows[i].after);
            return;
        }
    }
    burl_buf_printf(&w->out, " misuses %s: %.*s", object_name(w, "the thread library"),
                    (int)sizeof w->v->text, w->v->text[0] != '\0' ? w->v->text : "see where");
    put_where(w);
}

/* Verdicts that are not findings can be printed too, by replay. */
static void
title_other(struct writer *w)
{
    const char *text = w->v->text;
    int n = (int)sizeof w->v->text;

    switch (w->v->kind) {
    case BURL_VERDICT_PASS:
        put_text(w, "the execution passed");
        break;
    case BURL_VERDICT_EXIT_NONZERO:
        burl_buf_printf(&w->out, "the program exited with code %d", w->v->code);
        if (burl_sites_get(w->w->sites, w->v->site)->kind == BURL_SITE_FUNC) {
            put_text(w, ": main returned it"); /* a call of exit() has a site of its own */
        } else if (w->f->tid != BURL_TID_NONE) {
            put_text(w, ": ");
            put_thread(w, w->f->tid);
            put_where(w);
        }
        break;
    case BURL_VERDICT_NON_LINEARIZABLE:
        burl_buf_printf(&w->out, "%.*s", n,
                        text[0] != '\0'
                            ? text
                            : "results match no sequential order of the calls (not linearizable)");
        break;
    case BURL_VERDICT_CUT_STEPS:
        burl_buf_printf(&w->out, "cut short after %llu steps",
                        (unsigned long long)w->w->run->steps);
        break;
    case BURL_VERDICT_CUT_TIME:
        put_text(w, "cut short: one execution took longer than allowed");
        break;
    case BURL_VERDICT_DIVERGED:
        put_text(w, "the execution diverged from its schedule");
        if (w->w->run->diverged_at != ~0u)
            burl_buf_printf(&w->out, " at switch %u", w->w->run->diverged_at);
        break;
    case BURL_VERDICT_UNSUPPORTED:
        burl_buf_printf(&w->out, "the program uses something the runtime cannot control: %.*s", n,
                        text);
        break;
    default:
        burl_buf_printf(&w->out, "burl itself failed: %.*s", n, text[0] != '\0' ? text : "?");
        break;
    }
}

static void
title_stack(struct writer *w)
{
    put_thread(w, w->f->tid);
    put_text(w, " ");
    put_access(w);
    put_where(w);
    if (w->v->kind == BURL_VERDICT_USE_AFTER_RETURN) {
        put_text(w, ", in the frame of a function of ");
        put_thread(w, w->v->origin.tid);
        put_text(w, " that has returned");
    } else {
        put_text(w, w->v->origin.kind == BURL_ORIGIN_TLS ? ", a thread-local variable of "
                                                         : ", in the stack of ");
        put_thread(w, w->v->origin.tid);
        put_text(w, ", which has exited");
    }
}

static void
put_title(struct writer *w)
{
    switch (w->v->kind) {
    case BURL_VERDICT_CRASH_SIGNAL:
        title_signal(w);
        break;
    case BURL_VERDICT_CRASH_ABORT:
        title_abort(w);
        break;
    case BURL_VERDICT_USE_AFTER_FREE:
    case BURL_VERDICT_OVERFLOW:
    case BURL_VERDICT_DOUBLE_FREE:
    case BURL_VERDICT_BAD_FREE:
        title_memory(w);
        break;
    case BURL_VERDICT_USE_AFTER_RETURN:
    case BURL_VERDICT_USE_AFTER_EXIT:
        title_stack(w);
        break;
    case BURL_VERDICT_DEADLOCK_CYCLE:
        title_cycle(w);
        break;
    case BURL_VERDICT_DEADLOCK_STUCK:
        title_stuck(w);
        break;
    case BURL_VERDICT_LIVELOCK:
        title_livelock(w);
        break;
    case BURL_VERDICT_RACE_DATA:
    case BURL_VERDICT_ATOMICITY_REGION:
        burl__report_title_race(w->f, &w->out);
        break;
    default:
        if (w->v->kind >= BURL_VERDICT_MISUSE_UNLOCK_FOREIGN &&
            w->v->kind <= BURL_VERDICT_MISUSE_OTHER)
            title_misuse(w);
        else
            title_other(w);
        break;
    }
}

static void
put_detail(struct writer *w)
{
    bool text_in_title =
        w->v->kind == BURL_VERDICT_CRASH_ABORT || w->v->kind == BURL_VERDICT_CRASH_SIGNAL ||
        w->v->kind == BURL_VERDICT_MISUSE_OTHER || w->v->kind == BURL_VERDICT_NON_LINEARIZABLE ||
        !burl_verdict_is_finding(w->v->kind);

    if (w->v->kind == BURL_VERDICT_DEADLOCK_CYCLE)
        detail_cycle(w);
    else if (w->v->kind == BURL_VERDICT_DEADLOCK_STUCK)
        detail_stuck(w);
    else if (w->v->kind == BURL_VERDICT_RACE_DATA || w->v->kind == BURL_VERDICT_ATOMICITY_REGION)
        burl__report_detail_race(w->f, &w->out);
    else if (w->v->text[0] != '\0' && !text_in_title)
        burl_buf_printf(&w->out, "%.*s\n", (int)sizeof w->v->text, w->v->text);
}

void
burl__report_title(struct burl_finding *f, const struct burl__report_walk *walk)
{
    struct writer w = { .f = f, .w = walk, .v = &walk->run->verdict };

    burl_buf_init(&w.out, BURL_BUF_NO_LIMIT);
    put_title(&w);
    f->title = burl__report_str(f->pool, burl_buf_str(&w.out));
    burl_buf_clear(&w.out);
    put_detail(&w);
    f->detail = burl__report_str(f->pool, burl_buf_str(&w.out));
    burl_buf_deinit(&w.out);
}
