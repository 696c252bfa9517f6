/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c - the pattern of a bug, in one sentence.
 *
 * Runs in the host. Patterns that follow from the kind of the finding come first (wait cycles, lost
 * wakeups, freed blocks and destroyed objects); then patterns of data, the special before the
 * general. If no pattern matches there is no sentence. Races have two accesses and nothing in
 * between: their title is the sentence.
 */
#include "report/explain/pattern_int.h"

/* ---- cycles ------------------------------------------------------------------------ */

static const char *
lock_name(const struct burl_finding_wait *wait)
{
    return wait->name[0] != '\0' ? wait->name : "a lock";
}

/* "waits at line 11 for thread 2 to exit", "waits at line 11 for b, which thread 2 holds .." */
static void
add_wait(struct burl__report_sentence *s, const struct burl_finding_thread *t,
         const struct burl_finding_lock *held, uint16_t holder)
{
    burl__sentence_add(s, "%I waits%S for ", t->tid, t->wait.loc.site);
    if (t->wait.op == BURL_OP_JOIN)
        burl__sentence_add(s, "%I to exit", holder);
    else
        burl__sentence_add(s, "%s, which %I has held%H", lock_name(&t->wait), holder, &held->taken);
}

/* Names the operation that took the lock, when the trace has it. */
static void
use_acquire(struct burl__report_sentence *s, uint16_t tid, const struct burl_finding_lock *lock)
{
    const struct burl_run *run = s->w->run;

    burl__sentence_use_site(s, lock->taken.site);
    for (size_t i = 0; i < run->n_events && s->n_events < BURL__REPORT_MAX_WORDS; i++) {
        if (run->events[i].step == lock->step && run->events[i].tid == tid &&
            burl__report_is_sync(run->events[i].kind))
            s->events[s->n_events++] = i;
    }
}

static bool
match_cycle(struct burl__report_sentence *s)
{
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    const size_t n = burl_verdict_cycle(&s->w->run->verdict, cycle);

    burl__sentence_begin(s, n == 1 ? "double-lock" : "deadlock-circle", 0);
    if (n == 0 || n > 4) /* more than a sentence holds: the report lists them */
        return false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            const struct burl_finding_thread *t = burl__report_thread_of(s->f, cycle[i]);
            const struct burl_finding_thread *holder =
                burl__report_thread_of(s->f, cycle[(i + 1) % n]);
            const struct burl_finding_lock *lock;

            if (t == NULL || holder == NULL)
                return false;
            lock = burl__report_held_lock(holder, t->wait.addr);
            if (lock == NULL && t->wait.op != BURL_OP_JOIN)
                return false;
            if (pass == 0) {
                burl__sentence_use_site(s, t->wait.loc.site);
                if (lock != NULL)
                    use_acquire(s, holder->tid, lock);
                continue;
            }
            if (i > 0)
                burl__sentence_add(s, i + 1 == n ? ", and " : ", ");
            add_wait(s, t, lock, holder->tid);
        }
    }
    return true;
}

/* ---- wakeups ----------------------------------------------------------------------- */

static bool
is_wakeup(uint8_t kind)
{
    return kind == BURL_OP_COND_SIGNAL || kind == BURL_OP_COND_BROADCAST;
}

/* The signals for a thread that waits forever. */
struct wakeup {
    size_t wait;   /* its last */
    size_t signal; /* the last one of another thread, SIZE_MAX none */
    size_t woken;  /* the wakeup it caused, SIZE_MAX none or not known */
};

static bool
is_woken_from(const struct burl__report_sentence *s, size_t i, uint64_t cond)
{
    const struct burl_run *run = s->w->run;

    if (run->events[i].kind != BURL_OP_COND_WAKE || (run->events[i].flags & BURL_EV_F_TIMEOUT))
        return false;
    for (size_t k = i; k > 0; k--) {
        const struct burl_wire_event *ev = &run->events[k - 1];

        if (ev->tid == run->events[i].tid && ev->kind == BURL_OP_COND_WAIT)
            return ev->addr == cond;
    }
    return false;
}

static struct wakeup
find_wakeup(const struct burl__report_sentence *s, const struct burl_finding_thread *t)
{
    const struct burl_run *run = s->w->run;
    struct wakeup u = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
    uint64_t under_way = 0; /* woken, and still in the wait */
    bool sure = false;      /* the next thread to return is the one that the last signal woke */

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->addr == t->wait.addr && ev->kind == BURL_OP_COND_WAIT && ev->tid == t->tid)
            u.wait = i;
        if (ev->addr == t->wait.addr && is_wakeup(ev->kind)) {
            sure = under_way == 0 && ev->aux == 1;
            under_way += ev->aux;
            u.woken = SIZE_MAX;
            if (ev->tid != t->tid)
                u.signal = i;
        } else if (is_woken_from(s, i, t->wait.addr)) {
            u.woken = sure ? i : u.woken;
            sure = false;
            under_way -= under_way > 0;
        }
    }
    return u;
}

/* "T2 signals c at line 9" */
static void
add_signal(struct burl__report_sentence *s, size_t signal)
{
    const bool one = sentence_event(s, signal)->kind == BURL_OP_COND_SIGNAL;

    burl__sentence_add(s, "%T %s %O%L", signal, one ? "signals" : "broadcasts", signal, signal);
}

/* The last signal came before the wait, and woke no thread or another one. */
static bool
match_lost_wakeup(struct burl__report_causes *c, struct burl__report_sentence *s,
                  const struct burl_finding_thread *t, const struct wakeup *u)
{
    const bool other = u->woken != SIZE_MAX && sentence_event(s, u->woken)->tid != t->tid;

    if (u->signal > u->wait ||
        (sentence_event(s, u->signal)->aux != 0 &&
         (!other || sentence_event(s, u->signal)->kind != BURL_OP_COND_SIGNAL)))
        return false;
    burl__sentence_begin(s, "lost-wakeup", 2, u->signal, u->wait);
    burl__sentence_blame(s, u->signal, u->wait);
    add_signal(s, u->signal);
    if (sentence_event(s, u->signal)->aux != 0) {
        burl__sentence_use_event(s, u->woken);
        burl__sentence_add(s, ", which wakes %T,", u->woken);
    }
    burl__sentence_add(s, " before %I waits for it%L, and it is not signaled again", t->tid,
                       u->wait);
    return burl__sentence_confirm(c, s);
}

/* Several threads waited, one signal came, and it woke another. */
static bool
match_one_woken(struct burl__report_sentence *s, const struct burl_finding_thread *t,
                const struct wakeup *u)
{
    if (u->signal < u->wait || u->woken == SIZE_MAX || sentence_event(s, u->woken)->tid == t->tid ||
        sentence_event(s, u->signal)->kind != BURL_OP_COND_SIGNAL ||
        sentence_event(s, u->signal)->aux == 0)
        return false;
    burl__sentence_begin(s, "one-woken", 3, u->wait, u->signal, u->woken);
    add_signal(s, u->signal);
    burl__sentence_add(s,
                       ", which wakes %T and not %I, which waits for it too%L, and it is not "
                       "signaled again",
                       u->woken, t->tid, u->wait);
    return !s->unknown;
}

/* The thread was woken and waited again, and no signal followed. */
static bool
match_waits_again(struct burl__report_sentence *s, const struct burl_finding_thread *t,
                  const struct wakeup *u)
{
    if (u->signal > u->wait || u->woken > u->wait || sentence_event(s, u->woken)->tid != t->tid)
        return false;
    burl__sentence_begin(s, "waits-again", 3, u->signal, u->woken, u->wait);
    add_signal(s, u->signal);
    burl__sentence_add(s, ", which wakes %I; it waits again%L, and no further signal comes", t->tid,
                       u->wait);
    return !s->unknown;
}

/* The thread waits for a signal and holds a lock that another thread needs. */
static bool
match_wait_holding(struct burl__report_sentence *s, const struct burl_finding_thread *t)
{
    for (size_t i = 0; i < s->f->n_threads; i++) {
        const struct burl_finding_thread *o = &s->f->threads[i];
        const struct burl_finding_lock *lock =
            o->wait.waits && o->tid != t->tid ? burl__report_held_lock(t, o->wait.addr) : NULL;
        const bool named = t->wait.name[0] != '\0';

        if (lock == NULL)
            continue;
        burl__sentence_begin(s, "wait-holding", 0);
        burl__sentence_use_site(s, t->wait.loc.site);
        burl__sentence_use_site(s, o->wait.loc.site);
        use_acquire(s, t->tid, lock);
        burl__sentence_add(s, "%I waits%S for a signal%s%s and has held %s%H, for which %I waits%S",
                           t->tid, t->wait.loc.site, named ? " on " : "", t->wait.name,
                           lock_name(&o->wait), &lock->taken, o->tid, o->wait.loc.site);
        return !s->unknown;
    }
    return false;
}

static bool
match_stuck(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < s->f->n_threads; i++) {
        const struct burl_finding_thread *t = &s->f->threads[i];
        struct wakeup u;

        if (!t->wait.waits || t->wait.op != BURL_OP_COND_WAIT)
            continue;
        if (match_wait_holding(s, t))
            return true;
        u = find_wakeup(s, t);
        if (u.wait != SIZE_MAX && u.signal != SIZE_MAX &&
            (match_lost_wakeup(c, s, t, &u) || match_one_woken(s, t, &u) ||
             match_waits_again(s, t, &u)))
            return true;
    }
    return false;
}

/* ---- gone already ------------------------------------------------------------------ */

/* Two operations on one object, of two threads: "thread 2 <verb> x at line 3 <word> thread 1
 * ..." */
static bool
match_gone(struct burl__report_sentence *s, const char *kind, size_t first, const char *verb,
           const char *word, size_t second, const char *use)
{
    if (first == SIZE_MAX || second == SIZE_MAX || first >= second ||
        sentence_event(s, first)->tid == sentence_event(s, second)->tid)
        return false;
    burl__sentence_begin(s, kind, 2, first, second);
    burl__sentence_add(s, "%T %s %O%L %s %T %s %O%L", first, verb, first, first, word, second, use,
                       second, second);
    return !s->unknown;
}

static bool
match_memory(struct burl__report_sentence *s)
{
    const struct burl__report_walk *w = s->w;
    const size_t failing = burl__report_failing_event(w);
    const bool write =
        failing != SIZE_MAX && burl__report_is_write(sentence_event(s, failing)->kind);

    if (w->run->verdict.kind == BURL_VERDICT_USE_AFTER_FREE)
        return match_gone(s, "use-after-free", w->block_free, "frees", "before", failing,
                          write ? "writes" : "reads");
    if (w->run->verdict.kind == BURL_VERDICT_DOUBLE_FREE)
        return match_gone(s, "double-free", w->block_free, "frees", "and", failing, "frees");
    return false;
}

/* The last operation of this kind on the verdict's object, before the failing one. */
static size_t
last_on_object(const struct burl__report_walk *w, uint8_t kind, size_t before)
{
    for (size_t i = before < w->run->n_events ? before : w->run->n_events; i > 0; i--) {
        const struct burl_wire_event *ev = &w->run->events[i - 1];

        if (ev->kind == kind && ev->addr == w->run->verdict.addr)
            return i - 1;
    }
    return SIZE_MAX;
}

/* A thread holds or waits for the object that is destroyed. */
static bool
match_busy(struct burl__report_sentence *s, size_t failing)
{
    const uint64_t addr = s->w->run->verdict.addr;

    for (size_t i = 0; i < s->f->n_threads; i++) {
        const struct burl_finding_thread *t = &s->f->threads[i];
        const struct burl_finding_lock *lock = burl__report_held_lock(t, addr);
        const bool waits = t->wait.waits && t->wait.addr == addr;

        if (t->tid == sentence_event(s, failing)->tid || (lock == NULL && !waits))
            continue;
        burl__sentence_begin(s, "torn-down-in-use", 1, failing);
        burl__sentence_use_site(s, lock != NULL ? lock->taken.site : t->wait.loc.site);
        burl__sentence_add(s, "%T destroys %O%L while %I ", failing, failing, failing, t->tid);
        if (lock != NULL)
            burl__sentence_add(s, "has held it%H", &lock->taken);
        else
            burl__sentence_add(s, "waits for it%S", t->wait.loc.site);
        return true;
    }
    return false;
}

static bool
match_relock(struct burl__report_sentence *s, size_t failing)
{
    const struct burl_finding_thread *t =
        burl__report_thread_of(s->f, sentence_event(s, failing)->tid);
    const struct burl_finding_lock *lock =
        t != NULL ? burl__report_held_lock(t, s->w->run->verdict.addr) : NULL;

    if (lock == NULL || lock->step >= sentence_event(s, failing)->step)
        return false;
    burl__sentence_begin(s, "double-lock", 1, failing);
    burl__sentence_use_site(s, lock->taken.site);
    burl__sentence_add(s, "%T locks %O%L, which it has held%H", failing, failing, failing,
                       &lock->taken);
    return true;
}

static bool
say_misuse(struct burl__report_sentence *s)
{
    const struct burl__report_walk *w = s->w;
    const size_t failing = burl__report_failing_event(w);

    if (w->run->verdict.addr == 0 || failing == SIZE_MAX ||
        sentence_event(s, failing)->addr != w->run->verdict.addr)
        return false;
    switch (w->run->verdict.kind) {
    case BURL_VERDICT_MISUSE_USE_DESTROYED:
        return match_gone(s, "use-after-teardown", last_on_object(w, BURL_OP_DESTROY, failing),
                          "destroys", "before", failing, "uses");
    case BURL_VERDICT_MISUSE_DESTROY_BUSY:
        return match_busy(s, failing);
    case BURL_VERDICT_MISUSE_RELOCK:
        return match_relock(s, failing);
    default:
        return false;
    }
}

/* ---- the entry --------------------------------------------------------------------- */

/* If it also fails without preemption, no interleaving of accesses is the cause. */
static bool
say_data(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    if (s->f->facts.sequential)
        return false;
    return burl__report_pattern_recheck(c, s) || burl__report_pattern_aba(c, s) ||
           burl__report_pattern_data(c, s) || burl__report_pattern_together(c, s) ||
           burl__report_pattern_early(c, s) || burl__report_pattern_half_done(c, s) ||
           burl__report_pattern_stale(c, s);
}

static bool
recognize_pattern(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    const uint8_t kind = s->w->run->verdict.kind;

    if (!burl_verdict_is_finding(kind))
        return false;
    switch (kind) {
    case BURL_VERDICT_RACE_DATA:
    case BURL_VERDICT_ATOMICITY_REGION:
    case BURL_VERDICT_LIVELOCK:
        return false;
    case BURL_VERDICT_DEADLOCK_CYCLE:
        return match_cycle(s);
    case BURL_VERDICT_DEADLOCK_STUCK:
        return match_stuck(c, s);
    case BURL_VERDICT_USE_AFTER_FREE:
    case BURL_VERDICT_DOUBLE_FREE:
        return match_memory(s) || say_data(c, s);
    default:
        if (kind >= BURL_VERDICT_MISUSE_UNLOCK_FOREIGN && kind <= BURL_VERDICT_MISUSE_OTHER)
            return say_misuse(s);
        return say_data(c, s);
    }
}

void
burl__report_pattern(struct burl_finding *f, struct burl__report_causes *c, size_t **events,
                     size_t *n_events)
{
    struct burl__report_sentence s = { .w = c->w, .f = f };
    uint32_t *steps;

    *events = NULL;
    *n_events = 0;
    f->pattern = (struct burl_finding_pattern){ .kind = "", .sentence = "" };
    burl_buf_init(&s.out, BURL_BUF_NO_LIMIT);
    if (recognize_pattern(c, &s) && !s.unknown) {
        steps = burl__report_alloc(f->pool, s.n_events, sizeof *steps);
        for (size_t i = 0; i < s.n_events; i++)
            steps[i] = c->w->run->events[s.events[i]].step;
        f->pattern.kind = s.kind;
        f->pattern.sentence = burl__report_str(f->pool, burl_buf_str(&s.out));
        f->pattern.steps = steps;
        f->pattern.n_steps = s.n_events;
        *events = burl_xmemdup(s.events, s.n_events * sizeof *s.events);
        *n_events = s.n_events;
    }
    burl_buf_deinit(&s.out);
}
