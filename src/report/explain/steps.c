/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps.c - the selected operations, switches and gaps, in order.
 *
 * Runs in the host. Takes the weights of choose.c, reduced by slice.c, keeps the heaviest
 * operations up to the limit (of equals the later one, since a failure is nearer to its cause than
 * to its beginning) and turns them into the rows that renderers show.
 */
#include "base/compare.h"
#include "report/explain/pattern_int.h"

#define DEFAULT_STEPS 40u  /* more cannot be followed */
#define SCREEN_STEPS 24u   /* fit a screen with the head and the stacks around them; */
#define MAJOR_STEPS 16u    /* of more a short report shows so many, and gaps */
#define LIVELOCK_STEPS 12u /* the iterations of a livelock are all alike */

/* A gap of fewer private operations than this is not worth a row of its own. */
#define SMALL_GAP 12u
#define SMALL_GAP_WORTH 3u

struct builder {
    struct burl_finding *f;
    const struct burl__report_walk *w;
    uint8_t *is_major; /* per event: a short report shows it too */
    BURL_VEC(struct burl_finding_step) steps;
    struct burl_buf text;
    bool every; /* all operations are wanted */
};

static size_t
default_steps(const struct burl__report_walk *w)
{
    return w->run->verdict.kind == BURL_VERDICT_LIVELOCK ? LIVELOCK_STEPS : DEFAULT_STEPS;
}

struct candidate {
    size_t event;
    uint8_t weight;
};

#define HEAVIER(e) (e)->weight, (e)->event

static int
compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;

    return BURL_COMPARE(y, x, HEAVIER);
}

/* Clears the weights of all but the heaviest `max`. */
static void
keep_heaviest(uint8_t *weight, size_t n, size_t max)
{
    struct {
        BURL_VEC_OF(struct candidate);
    } list = { 0 };

    for (size_t i = 0; i < n; i++) {
        if (weight[i] != 0)
            BURL_VEC_PUSH(&list, (struct candidate){ i, weight[i] });
    }
    if (list.n > max) {
        qsort(list.v, list.n, sizeof *list.v, compare_candidates);
        for (size_t i = max; i < list.n; i++)
            weight[list.v[i].event] = 0;
    }
    BURL_VEC_FREE(&list);
}

static size_t
count_shown(const uint8_t *shown, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += shown[i] != 0;
    return sum;
}

static const char *
take_text(struct builder *b)
{
    const char *s = burl__report_str(b->f->pool, burl_buf_str(&b->text));

    burl_buf_clear(&b->text);
    return s;
}

static struct burl_finding_step *
add_step(struct builder *b, enum burl_finding_step_type type, uint16_t tid)
{
    struct burl_finding_step *s = BURL_VEC_ADD(&b->steps);

    s->type = (uint8_t)type;
    s->tid = tid;
    s->next = BURL_TID_NONE;
    s->other = BURL_TID_NONE;
    s->what = "";
    return s;
}

static void
add_op(struct builder *b, size_t i, bool failure)
{
    const struct burl_wire_event *ev = &b->w->run->events[i];
    struct burl_finding_step *s = add_step(b, BURL_FINDING_STEP_OP, ev->tid);

    s->op = ev->kind;
    s->flags = ev->flags;
    s->size_b = ev->size_b;
    s->failure = failure;
    if ((ev->kind == BURL_OP_CREATE || ev->kind == BURL_OP_JOIN || ev->kind == BURL_OP_CANCEL) &&
        ev->aux < BURL_TID_NONE)
        s->other = (uint16_t)ev->aux;
    s->step = ev->step;
    s->thread_op = ev->op;
    s->addr = ev->addr;
    s->aux = ev->aux;
    s->value = ev->value;
    s->after = ev->after;
    s->minor = !failure && !b->is_major[i];
    burl__report_what(b->w, ev, &b->text);
    s->what = take_text(b);
    burl__report_phrase(b->w, ev, &b->text);
    s->text = take_text(b);
    s->loc = burl__report_loc(b->f->pool, b->w->sites, b->w->user_site[i]);
}

/* Rows of plain accesses that say the same at the same line, as those of the insides of a container
 * do, are one row: the first. Returns whether the last step was such a repetition. */
static bool
drop_repeated(struct builder *b)
{
    struct burl_finding_step *last = &b->steps.v[b->steps.n - 1];
    struct burl_finding_step *before = b->steps.n > 1 ? last - 1 : NULL;

    if (before == NULL || before->type != BURL_FINDING_STEP_OP || before->failure ||
        last->failure || before->tid != last->tid || before->loc.line != last->loc.line ||
        (last->op != BURL_OP_READ && last->op != BURL_OP_WRITE) ||
        strcmp(before->text, last->text) != 0 || strcmp(before->loc.file, last->loc.file) != 0)
        return false;
    before->minor = before->minor && last->minor;
    b->steps.n--;
    return true;
}

static void
add_skip(struct builder *b, uint64_t n, uint16_t tid)
{
    struct burl_finding_step *s = add_step(b, BURL_FINDING_STEP_SKIP, tid);

    s->n_skipped = n;
    s->text = burl__report_skip_text(b->f->pool, n);
    s->loc = burl__report_loc(b->f->pool, b->w->sites, 0);
}

static void
add_switch(struct builder *b, const struct burl__report_left *left, const size_t *next, size_t from,
           uint16_t to)
{
    const struct burl_wire_event *ev = &b->w->run->events[from];
    struct burl_finding_step *s;

    /* The exit of a thread is an operation of its own: a second row would only repeat it. An
     * unknown reason is not worth a row. */
    if (left->why == BURL_SWITCH_FINISHED || left->why == BURL__REPORT_WHY_UNKNOWN)
        return;
    s = add_step(b, BURL_FINDING_STEP_SWITCH, ev->tid);
    s->op = left->kind;
    s->why = left->why;
    s->preemption = left->why == BURL_SWITCH_PREEMPT;
    s->next = to;
    burl__report_put_switch(b->w, left, from, next[from], to, &b->text);
    s->text = take_text(b);
    s->loc = burl__report_loc(b->f->pool, b->w->sites, left->site);
}

/* The failure itself, if it is not an operation of the trace. */
static void
add_ending(struct builder *b, uint16_t tid, uint8_t op, uint32_t site, uint64_t addr,
           uint16_t other, const struct burl_finding_loc *loc, const char *result)
{
    struct burl_finding_step *s = add_step(b, BURL_FINDING_STEP_OP, tid);

    s->op = op;
    s->failure = true;
    s->addr = addr;
    s->step = (uint32_t)b->w->run->steps;
    s->what = burl__report_str(b->f->pool, burl__report_object_name(&b->w->objects, addr));
    if (op != BURL_OP_NONE) {
        burl__report_pending(b->w, op, site, addr, &b->text);
        if (op == BURL_OP_JOIN && other != BURL_TID_NONE)
            burl_buf_printf(&b->text, " T%u", other);
        burl_buf_str_append(&b->text, ": ");
    }
    burl_buf_str_append(&b->text, result);
    s->text = take_text(b);
    s->loc = *loc;
}

static const char *
result_text(const struct burl__report_walk *w, const struct burl_wire_verdict *v)
{
    switch (v->kind) {
    case BURL_VERDICT_CRASH_ABORT:
        return memmem(v->text, sizeof v->text, "Assertion `", 11) != NULL ? "assertion fails"
               : burl__report_is_uncaught(v, w->sites)                    ? "uncaught exception"
                                                                          : "aborts";
    case BURL_VERDICT_CRASH_SIGNAL:
        return "crashes";
    case BURL_VERDICT_ATOMICITY_REGION:
        return "not atomic";
    case BURL_VERDICT_NON_LINEARIZABLE:
        return "results not linearizable";
    default:
        return "fails";
    }
}

static void
add_endings(struct builder *b)
{
    const struct burl_wire_verdict *v = &b->w->run->verdict;
    const struct burl_finding_loc *where = &b->f->where;
    const bool livelock = v->kind == BURL_VERDICT_LIVELOCK;
    /* The last operation is not what failed. */
    const bool no_op =
        v->kind == BURL_VERDICT_CRASH_ABORT || v->kind == BURL_VERDICT_NON_LINEARIZABLE;

    for (size_t i = 0; i < b->f->n_threads; i++) {
        const struct burl_finding_wait *wait = &b->f->threads[i].wait;

        if (wait->waits && (v->kind == BURL_VERDICT_DEADLOCK_CYCLE
                                ? wait->in_cycle
                                : v->kind == BURL_VERDICT_DEADLOCK_STUCK || livelock))
            add_ending(b, b->f->threads[i].tid, wait->op, wait->loc.site, wait->addr, wait->owner,
                       &wait->loc, livelock && wait->op != BURL_OP_JOIN ? "repeatedly" : "forever");
    }
    if (v->tid == BURL_TID_NONE || where->site == 0 || v->kind == BURL_VERDICT_PASS)
        return;
    if (b->f->n_sides == 2 && v->kind == BURL_VERDICT_RACE_DATA)
        add_ending(b, b->f->sides[1].tid, v->sides[1].op, v->sides[1].site, v->sides[1].addr,
                   BURL_TID_NONE, &b->f->sides[1].loc, "races");
    else
        add_ending(b, v->tid, no_op ? BURL_OP_NONE : v->op, where->site, no_op ? 0 : v->addr,
                   BURL_TID_NONE, where, result_text(b->w, v));
}

/* Operations that are not shown, on one side of a switch. */
struct gap {
    uint64_t n;
    uint64_t n_worth; /* would have been shown with a higher limit */
    uint16_t tid;
    bool several; /* threads */
};

static void
gap_add(struct gap *g, uint16_t tid, bool worth)
{
    g->several = g->several || (g->n > 0 && g->tid != tid);
    g->tid = tid;
    g->n++;
    g->n_worth += worth;
}

/* Shows the gap, if it is worth a row, and closes it. */
static void
gap_end(struct builder *b, struct gap *g)
{
    if (g->n_worth >= SMALL_GAP_WORTH || g->n >= SMALL_GAP)
        add_skip(b, g->n, g->several ? BURL_TID_NONE : g->tid);
    *g = (struct gap){ 0 };
}

static void
build_steps(struct builder *b, const uint8_t *shown, const bool *worth,
            const struct burl__report_left *left, const size_t *next, size_t failing)
{
    const struct burl_run *run = b->w->run;
    struct gap before = { 0 };   /* since the last row */
    struct gap after = { 0 };    /* since the last change of thread after it */
    size_t prev = SIZE_MAX;      /* last operation */
    size_t last_left = SIZE_MAX; /* last operation before a change of thread, since the last row */

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (!burl__report_is_op(ev->kind) || ev->tid >= b->w->n_threads)
            continue;
        if (prev != SIZE_MAX && run->events[prev].tid != ev->tid) {
            before.several = before.several || (before.n > 0 && after.n > 0);
            before.n += after.n;
            before.n_worth += after.n_worth;
            before.tid = before.n > after.n ? before.tid : after.tid;
            after = (struct gap){ 0 };
            last_left = prev;
        }
        prev = i;
        if (!shown[i]) {
            gap_add(last_left != SIZE_MAX ? &after : &before, ev->tid, worth[i]);
            continue;
        }
        gap_end(b, &before);
        if (last_left != SIZE_MAX)
            add_switch(b, &left[last_left], next, last_left, ev->tid);
        gap_end(b, &after);
        add_op(b, i, i == failing || i == b->w->side_event[0] || i == b->w->side_event[1]);
        if (b->every || !drop_repeated(b))
            b->f->n_ops_shown++;
        last_left = SIZE_MAX;
    }
    gap_end(b, &before);
    gap_end(b, &after);
}

void
burl__report_choose(struct burl_finding *f, const struct burl__report_walk *w,
                    const struct burl_report_facts *facts)
{
    const size_t max_steps = facts->max_steps;
    struct builder b = { .f = f, .w = w, .every = max_steps == SIZE_MAX };
    size_t n = w->run->n_events;
    struct burl__report_left *left = burl__report_find_switches(w);
    size_t *next = burl__report_find_neighbors(w, true);
    uint8_t *shown = burl__report_weigh(w, left);
    bool *worth = burl_xcalloc(n + 1, sizeof *worth);
    size_t failing = burl__report_failing_event(w);
    struct burl__report_causes causes;
    size_t *roots;
    size_t n_roots;

    burl__report_causes_init(&causes, w, f, left, next);
    causes.facts = facts;
    for (size_t i = 0; i < n; i++)
        worth[i] = shown[i] != 0;
    burl__report_pattern(f, &causes, &roots, &n_roots);
    burl__report_slice(f, &causes, roots, n_roots, shown);
    burl__report_causes_deinit(&causes);
    burl_buf_init(&b.text, BURL_BUF_NO_LIMIT);
    if (max_steps == SIZE_MAX)
        memset(shown, 1, n);
    else
        keep_heaviest(shown, n, max_steps > 0 ? max_steps : default_steps(w));
    b.is_major = burl_xmemdup(shown, n + 1);
    if (max_steps == 0 && count_shown(shown, n) > SCREEN_STEPS)
        keep_heaviest(b.is_major, n, MAJOR_STEPS);
    /* What the sentence about the pattern speaks of is never folded. */
    for (size_t i = 0; i < n_roots; i++)
        b.is_major[roots[i]] = 1;
    free(roots);
    build_steps(&b, shown, worth, left, next, failing);
    if (n > 0 && failing == SIZE_MAX)
        add_endings(&b);

    f->n_steps = b.steps.n;
    f->steps = burl__report_alloc(f->pool, b.steps.n, sizeof *f->steps);
    if (b.steps.n > 0)
        memcpy(f->steps, b.steps.v, b.steps.n * sizeof *f->steps);
    BURL_VEC_FREE(&b.steps);
    burl_buf_deinit(&b.text);
    free(left);
    free(next);
    free(shown);
    free(b.is_major);
    free(worth);
}
