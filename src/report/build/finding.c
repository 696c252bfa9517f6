/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding.c - assembles the model of report/finding/finding.h.
 *
 * Runs in the host. One walk over the trace gives the state of all threads at the end; here it is
 * turned into named places. Positions inside system headers mean nothing to a user, so a place in
 * one is shown as the user's function that called into it.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>

#include "base/path.h"
#include "base/printable.h"
#include "base/verdict.h"
#include "report/build/build_int.h"
#include "wire/site.h"

#define OUTPUT_LINES 10u /* the relevant output of a program is near its end */

/* ---- threads ----------------------------------------------------------------------- */

/* The place of a wait inside the library, as the user's function that called it. */
static uint32_t
user_place(const struct burl__report_walk *w, uint16_t tid, uint32_t site)
{
    const struct burl__report_thread *t = burl__report_walk_thread(w, tid);
    uint32_t frame = 0;

    if (t != NULL && burl_site_is_system(burl_sites_get(w->sites, site)))
        frame = burl__report_user_frame(w->sites, t->stack.v, t->stack.n);
    return frame != 0 ? frame : site;
}

/* The verdict lists the threads it is about. Other blocked threads are known from their last
 * switch, if they have no operation after it. */
static void
infer_wait(struct burl_finding *f, struct burl_finding_thread *t, const struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;
    const struct burl_wire_switch *last = NULL;
    const struct burl_wire_event *ev = NULL;

    for (size_t i = run->n_switches; i > 0 && last == NULL; i--) {
        if (run->switches[i - 1].tid == t->tid && !burl_switch_is_choice(run->switches[i - 1].why))
            last = &run->switches[i - 1];
    }
    for (size_t i = run->n_events; i > 0 && ev == NULL; i--) {
        if (run->events[i - 1].tid == t->tid && burl__report_is_op(run->events[i - 1].kind))
            ev = &run->events[i - 1];
    }
    if (last == NULL || last->why != BURL_SWITCH_BLOCKED || t->tid == run->verdict.tid ||
        (ev != NULL && last->op <= ev->op))
        return;
    t->wait.waits = true;
    t->wait.op = last->kind;
    /* A wait for a signal is an event before it blocks. */
    if (ev != NULL && ev->kind == last->kind && ev->site == last->site && ev->addr != 0) {
        t->wait.addr = ev->addr;
        t->wait.name = burl__report_str(f->pool, burl__report_object_name(&w->objects, ev->addr));
    }
    t->wait.loc = burl__report_loc(f->pool, w->sites, user_place(w, t->tid, last->site));
}

static void
fill_wait(struct burl_finding *f, struct burl_finding_thread *t, const struct burl__report_walk *w)
{
    const struct burl_wire_wait *wait = burl__report_wait_of(&w->run->verdict, t->tid);
    uint16_t cycle[BURL_WIRE_MAX_CYCLE];
    size_t n_cycle = burl_verdict_cycle(&w->run->verdict, cycle);

    t->wait.name = "";
    t->wait.owner = BURL_TID_NONE;
    t->wait.loc =
        burl__report_loc(f->pool, w->sites, wait != NULL ? user_place(w, t->tid, wait->site) : 0);
    if (wait == NULL) {
        infer_wait(f, t, w);
        return;
    }
    t->wait.waits = true;
    t->wait.op = wait->kind;
    t->wait.addr = wait->addr;
    t->wait.owner = wait->owner;
    t->wait.name = burl__report_str(f->pool, burl__report_object_name(&w->objects, wait->addr));
    for (size_t i = 0; i < n_cycle; i++)
        t->wait.in_cycle = t->wait.in_cycle || cycle[i] == t->tid;
}

static void
fill_locks(struct burl_finding *f, struct burl_finding_thread *t,
           const struct burl__report_thread *from, const struct burl__report_walk *w)
{
    t->n_locks = from->held.n;
    t->locks = burl__report_alloc(f->pool, t->n_locks, sizeof *t->locks);
    for (size_t i = 0; i < t->n_locks; i++) {
        const struct burl__report_held *h = &from->held.v[i];

        t->locks[i] = burl__report_lock(f, w, h->addr, h->site);
        t->locks[i].mode = h->op == BURL_OP_RDLOCK   ? "reading"
                           : h->op == BURL_OP_WRLOCK ? "writing"
                                                     : "";
        t->locks[i].depth = h->depth;
        t->locks[i].step = h->step;
    }
}

struct burl_finding_lock
burl__report_lock(struct burl_finding *f, const struct burl__report_walk *w, uint64_t addr,
                  uint32_t site)
{
    return (struct burl_finding_lock){
        .addr = addr,
        .name = burl__report_str(f->pool, burl__report_object_name(&w->objects, addr)),
        .taken = burl__report_loc(f->pool, w->sites, site),
    };
}

static void
fill_thread(struct burl_finding *f, struct burl_finding_thread *t, uint16_t tid,
            const struct burl__report_walk *w)
{
    const struct burl_wire_verdict *v = &w->run->verdict;
    const struct burl__report_thread *from = &w->threads[tid];
    const bool failed = tid == v->tid;
    uint32_t at = from->last_site;

    t->tid = tid;
    t->name = burl__report_str(f->pool, burl__report_thread_name(w, tid));
    t->creator = from->creator;
    t->created = burl__report_loc(f->pool, w->sites, from->create_site);
    t->n_ops = from->n_ops;
    fill_wait(f, t, w);
    fill_locks(f, t, from, w);
    t->state = failed           ? BURL_FINDING_THREAD_FAILED
               : t->wait.waits  ? BURL_FINDING_THREAD_WAITING
               : from->finished ? BURL_FINDING_THREAD_FINISHED
                                : BURL_FINDING_THREAD_READY;
    if (burl__report_wait_of(v, tid) != NULL)
        at = burl__report_wait_of(v, tid)->site;
    else if (t->wait.waits && t->wait.loc.site != 0)
        at = t->wait.loc.site;
    if (failed && v->site != 0)
        at = v->site;
    /* The verdict has the failing thread's stack at the failure, which the trace may have lost. */
    if (failed && burl__report_depth(v->stack) > from->stack.n)
        t->stack = burl__report_wire_stack(f->pool, w->sites, v->stack, at);
    else if (!from->finished || failed)
        t->stack = burl__report_stack(f->pool, w->sites, from->stack.v, from->stack.n, at);
}

static void
fill_threads(struct burl_finding *f, const struct burl__report_walk *w)
{
    f->threads = burl__report_alloc(f->pool, w->n_threads, sizeof *f->threads);
    for (size_t i = 0; i < w->n_threads; i++) {
        if (w->threads[i].seen)
            fill_thread(f, &f->threads[f->n_threads++], (uint16_t)i, w);
    }
}

/* ---- the rest ---------------------------------------------------------------------- */

/* Stacks of the block's allocation and release, taken while the walk passes them. */
static void
on_event(struct burl__report_walk *w, size_t i, void *arg)
{
    struct burl_finding *f = arg;
    struct burl_finding_block *b = &f->block;
    const struct burl_wire_event *ev = &w->run->events[i];
    struct burl_finding_stack stack;

    burl__report_race_event(f, w, i);
    if (i != w->block_alloc && i != w->block_free)
        return;
    stack = burl__report_stack(f->pool, w->sites, w->threads[ev->tid].stack.v,
                               w->threads[ev->tid].stack.n, ev->site);
    if (i == w->block_alloc) {
        b->alloc_tid = ev->tid;
        b->alloc_step = ev->step;
        b->alloc_stack = stack;
    } else {
        b->free_tid = ev->tid;
        b->free_step = ev->step;
        b->free_stack = stack;
    }
}

static void
fill_output(struct burl_finding *f, const struct burl_run *run)
{
    size_t end = run->output != NULL ? run->output_b : 0;
    size_t n = 0;

    f->output = burl__report_alloc(f->pool, OUTPUT_LINES, sizeof *f->output);
    while (end > 0 && (run->output[end - 1] == '\n' || run->output[end - 1] == '\r'))
        end--;
    while (end > 0 && n < OUTPUT_LINES) {
        size_t start = end;
        char *line;

        while (start > 0 && run->output[start - 1] != '\n')
            start--;
        line = burl__report_alloc(f->pool, end - start + 1, 1);
        /* Control characters would move the cursor of the user's terminal. */
        for (size_t i = start; i < end; i++)
            line[i - start] = (unsigned char)run->output[i] < ' ' || run->output[i] == 0x7f
                                  ? ' '
                                  : run->output[i];
        f->output[OUTPUT_LINES - ++n] = line;
        end = start > 0 ? start - 1 : 0;
    }
    f->output_cut = end > 0;
    memmove(f->output, f->output + (OUTPUT_LINES - n), n * sizeof *f->output);
    f->n_output = n;
}

/* The first lines that the user's check printed. */
static void
fill_check(struct burl_finding *f, const struct burl_report_facts *facts)
{
    const char *p = facts->check_output != NULL ? facts->check_output : "";

    f->check = burl__report_str(f->pool, facts->check);
    f->check_output = burl__report_alloc(f->pool, OUTPUT_LINES, sizeof *f->check_output);
    while (*p != '\0' && f->n_check_output < OUTPUT_LINES) {
        const size_t n = strcspn(p, "\r\n");
        char *line = burl__report_alloc(f->pool, n + 1, 1);

        memcpy(line, p, n);
        burl_printable_fix_n(line, n, false);
        f->check_output[f->n_check_output++] = line;
        p += n;
        p += strspn(p, "\r");
        p += *p == '\n';
    }
    f->check_cut = *p != '\0';
}

static void
fill_facts(struct burl_finding *f, const struct burl_report_facts *facts)
{
    struct burl_buf command = BURL_BUF_INIT;

    f->number = facts->number;
    f->facts = facts->facts;
    f->replay = burl__report_str(f->pool, facts->replay);
    f->noise = burl__report_str(f->pool, facts->noise);
    f->again = burl__report_str(f->pool, facts->again);
    fill_check(f, facts);
    f->schedule = burl__report_str(f->pool, facts->schedule);
    f->engine = burl__report_str(f->pool, facts->engine);
    f->strategy = burl__report_str(f->pool, facts->strategy);
    f->build_id = burl__report_str(f->pool, facts->build_id);
    for (size_t i = 0; i < facts->n_argv; i++)
        burl_buf_printf(&command, "%s%s", i > 0 ? " " : "", facts->argv[i]);
    f->command = burl__report_take(f->pool, &command);
}

bool
burl__report_lacks_return(const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    const struct burl_site_info *place = burl_sites_get(sites, v->other_site);

    return v->kind == BURL_VERDICT_CRASH_SIGNAL && (v->code == SIGILL || v->code == SIGTRAP) &&
           place->kind == BURL_SITE_PLACE && strcmp(place->variable, BURL_WIRE_NO_RETURN) == 0;
}

/* Where it failed: the verdict's site, or the user's function that called the library. */
static uint32_t
failing_site(const struct burl_wire_verdict *v, const struct burl_sites *sites)
{
    if (burl__report_lacks_return(v, sites))
        return v->other_site;
    if (!burl_site_is_system(burl_sites_get(sites, v->site)))
        return v->site;
    for (size_t i = 0; i < BURL_WIRE_MAX_STACK && v->stack[i] != 0; i++) {
        if (!burl_site_is_system(burl_sites_get(sites, v->stack[i])))
            return v->stack[i];
    }
    return v->site;
}

/* The runtime cuts the head of a path that does not fit its text: `name` is the rest of `file`. */
static bool
is_rest_of(const char *name, const char *file)
{
    static const size_t shortest_rest_b = 64;
    const size_t n = strlen(name);
    const size_t n_file = strlen(file);

    return n >= shortest_rest_b && n < n_file && strcmp(file + n_file - n, name) == 0;
}

/* A failed assertion has its place in its text: "dir/file.c:40: func: Assertion ...". That is
 * better than the last operation, which may be in a function that the condition called. */
static void
place_assertion(struct burl_finding *f, const struct burl_wire_verdict *v,
                const struct burl_sites *sites)
{
    struct burl_site_info place = *burl_sites_get(sites, v->site);
    char text[BURL_WIRE_TEXT_B + 1];
    char *colon;
    char *end;
    unsigned long line;

    snprintf(text, sizeof text, "%.*s", (int)sizeof v->text, v->text);
    colon = strchr(text, ':');
    if (v->kind != BURL_VERDICT_CRASH_ABORT || strstr(text, "Assertion `") == NULL || colon == NULL)
        return;
    line = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || *end != ':' || line == 0 || line > UINT32_MAX)
        return;
    *colon = '\0';
    if (f->where.line == line &&
        (strcmp(burl_path_basename(f->where.file), burl_path_basename(text)) == 0 ||
         is_rest_of(text, f->where.file)))
        return;
    if (!is_rest_of(text, place.file))
        place.file = text;
    place.line = (uint32_t)line;
    f->where.file = burl__report_file(f->pool, place.file);
    f->where.line = place.line;
    f->where.column = 0;
    f->where.source = burl__report_source(f->pool, sites, &place);
    f->where.func = "";
}

/* Why names or source lines may be missing or wrong; the lines are shown all the same, since a
 * mere touch of a file makes it newer than the program. */
static const char *
find_problem(struct burl_finding *f, const struct burl_sites *sites)
{
    if (burl_sites_problem(sites) != NULL)
        return burl__report_str(f->pool, burl_sites_problem(sites));
    for (size_t i = 0; i < f->n_steps; i++) {
        const struct burl_site_info *site = burl_sites_get(sites, f->steps[i].loc.site);

        if (burl_sites_source_stale(sites, site))
            return burl__report_fmt(
                f->pool,
                "%s changed after the program was built: the source lines shown may not match",
                burl_path_basename(site->file));
    }
    return "";
}

/* The failure is real and its schedule is not its cause: says so instead of what to replay. */
static void
put_not_reproducible(struct burl_finding *f, const char *how)
{
    f->kind = BURL_KIND_NOT_REPRODUCIBLE;
    f->title = burl__report_fmt(f->pool, "%s; no replay of the schedule reproduces it", f->title);
    f->detail = burl__report_fmt(
        f->pool,
        "%s"
        "Executions of the campaign failed this way, and their schedule did not give the same "
        "execution again: %s. The failure depends on something else than the order of the threads. "
        "Likely causes:\n"
        "- uninitialized memory: a local variable or a block of malloc that is read before it is "
        "written (valgrind and -fsanitize=memory find it)\n"
        "- addresses: pointers that are compared, hashed or printed\n"
        "- the time of day, or a counter of the processor\n"
        "- random numbers\n"
        "- files, sockets or shared memory that earlier executions have left\n"
        "There is no schedule to replay. `burl test --check-determinism` looks for the first step "
        "that differs between two runs of one schedule.\n",
        f->detail, how);
}

struct burl_finding *
burl_report_finding_new(const struct burl_run *run, const struct burl_sites *sites,
                        const struct burl_report_facts *facts)
{
    static const struct burl_report_facts no_facts = { 0 };
    struct burl_finding *f = burl_xcalloc(1, sizeof *f);
    const struct burl_wire_verdict *v = &run->verdict;
    struct burl__report_walk w;
    struct burl_buf cause = BURL_BUF_INIT;

    if (facts == NULL)
        facts = &no_facts;
    f->pool = burl_xcalloc(1, sizeof *f->pool);
    f->verdict = v->kind;
    f->kind = burl_verdict_name(v->kind);
    f->code = v->code;
    f->tid = v->tid;
    f->addr = v->addr;
    f->where = burl__report_loc(f->pool, sites, failing_site(v, sites));
    place_assertion(f, v, sites);
    f->events_dropped = run->events_dropped;
    f->n_exec_steps = run->steps;
    f->trace_hash = run->trace_hash;
    for (size_t i = 0; i < run->n_switches; i++) {
        f->n_switches += !burl_switch_is_choice(run->switches[i].why);
        f->n_preemptions += run->switches[i].why == BURL_SWITCH_PREEMPT;
    }
    burl__report_needs(f, run, sites);
    fill_facts(f, facts);
    f->facts.fingerprint = facts->not_reproducible != NULL
                               ? burl_fingerprint_not_reproducible(v, sites, &cause)
                               : burl_fingerprint(v, sites, &cause);
    f->cause = burl__report_take(f->pool, &cause);
    fill_output(f, run);

    burl__report_walk_init(&w, run, sites);
    f->block.alloc_tid = BURL_TID_NONE;
    f->block.free_tid = BURL_TID_NONE;
    burl__report_walk_run(&w, on_event, f);
    f->block.known = w.block_known;
    f->block.addr = w.block_addr;
    f->block.size_b = w.block_size_b;
    f->n_ops = w.n_ops;
    fill_threads(f, &w);
    burl__report_fault(f, v, sites);
    burl__report_race(f, &w, facts);
    burl__report_choose(f, &w, facts);
    burl__report_title(f, &w);
    if (facts->not_reproducible != NULL)
        put_not_reproducible(f, facts->not_reproducible);
    f->problem = find_problem(f, sites);
    burl__report_walk_deinit(&w);
    return f;
}

void
burl_report_finding_free(struct burl_finding *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->pool->n; i++)
        free(f->pool->v[i]);
    BURL_VEC_FREE(f->pool);
    free(f->pool);
    free(f);
}
