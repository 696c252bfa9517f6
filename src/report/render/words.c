/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - the sentences that the text of a finding and its page share.
 *
 * Runs in the host.
 */
#include "base/number.h"
#include "report/render/render_int.h"

void
burl__report_held_words(struct burl_buf *out, const struct burl_finding *f,
                        const struct burl_finding_lock *l)
{
    burl_buf_printf(out, "holds %s", l->name[0] != '\0' ? l->name : "a lock");
    if (l->mode[0] != '\0')
        burl_buf_printf(out, " for %s", l->mode);
    if (l->depth > 1)
        burl_buf_printf(out, " %u times", l->depth);
    if (l->taken.site != 0 || l->depth > 0)
        burl__report_put(out, f, ", taken at %L", &l->taken);
    /* A free run has no steps, and the locks of an access have none. */
    if (f->n_steps > 0 && l->depth > 0)
        burl_buf_printf(out, " (step %u)", l->step);
}

/* ---- the cause --------------------------------------------------------------------- */

bool
burl__report_is_central(const struct burl_finding_thread *th)
{
    return th->state == BURL_FINDING_THREAD_FAILED || th->wait.in_cycle;
}

/* Deadlocks: the threads at the end show every wait with its stack and locks. */
static bool
shows_waits(const struct burl_finding *f)
{
    bool all = f->n_threads > 0 && f->n_threads <= BURL__REPORT_THREADS;

    /* The detail of one that cannot be replayed says more than the waits. */
    if (strncmp(f->kind, "deadlock.", 9) != 0)
        return false;
    for (size_t i = 0; i < f->n_threads && all; i++)
        all = !f->threads[i].wait.waits || f->threads[i].stack.n > 0;
    return all;
}

/* What the detail says about waits that are shown elsewhere: its indented lines. */
static void
put_notes(struct burl_buf *out, const char *detail)
{
    for (const char *p = detail; *p != '\0';) {
        const size_t indent = strspn(p, " ");
        const size_t n = strcspn(p + indent, "\n");

        if (indent > 0)
            burl_buf_printf(out, "%.*s\n", (int)n, p + indent);
        p += indent + n;
        p += *p == '\n';
    }
}

void
burl__report_cause(const struct burl_finding *f, bool verbose, struct burl__report_cause *c,
                   struct burl_buf *detail)
{
    const bool waits = !verbose && shows_waits(f);

    *c = (struct burl__report_cause){
        .schedule = "", .needs = f->needs, .pattern = "", .predicted = verbose ? f->predicted : ""
    };
    if (f->facts.always)
        c->schedule = "Every execution fails like this: it needs no particular interleaving.";
    else if (f->facts.sequential)
        c->schedule = "This also fails without preemption.";
    if (!waits || f->verdict != BURL_VERDICT_DEADLOCK_CYCLE)
        c->pattern = f->pattern.sentence;
    if (!waits)
        burl_buf_str_append(detail, f->detail);
    else if (f->pattern.sentence[0] == '\0')
        put_notes(detail, f->detail);
}

/* ---- threads ----------------------------------------------------------------------- */

void
burl__report_put_wait(struct burl_buf *out, const struct burl_finding_wait *wait)
{
    burl_buf_str_append(out, burl__report_pending_words(wait->op));
    if (wait->op == BURL_OP_JOIN && wait->owner != BURL_TID_NONE)
        burl_buf_printf(out, " T%u", wait->owner);
    else if (wait->name[0] != '\0')
        burl_buf_printf(out, " %s", wait->name);
}

void
burl__report_state_words(struct burl_buf *out, const struct burl_finding *f,
                         const struct burl_finding_thread *th)
{
    static const char *const states[] = {
        [BURL_FINDING_THREAD_READY] = "runnable",        [BURL_FINDING_THREAD_FAILED] = "failed",
        [BURL_FINDING_THREAD_WAITING] = "blocked",       [BURL_FINDING_THREAD_FINISHED] = "exited",
        [BURL_FINDING_THREAD_UNKNOWN] = "state unknown",
    };
    const bool runs =
        f->verdict == BURL_VERDICT_HANG_TIMEOUT && th->state == BURL_FINDING_THREAD_READY;

    burl_buf_str_append(out, runs ? "running" : states[th->state]);
    if (th->wait.waits) {
        burl_buf_str_append(out, ": ");
        burl__report_put_wait(out, &th->wait);
    }
}

/* ---- races ------------------------------------------------------------------------- */

const char *
burl__report_sides_title(const struct burl_finding *f)
{
    /* The kind of a failure that no replay reproduces is no verdict. */
    return f->verdict == BURL_VERDICT_ATOMICITY_REGION ? "the region and the access in between"
                                                       : "the two accesses";
}

void
burl__report_side_words(struct burl_buf *out, const struct burl_finding *f,
                        const struct burl_finding_side *s)
{
    burl_buf_printf(out, "%s %s", s->verb,
                    s->what[0] != '\0'          ? s->what
                    : f->memory.name[0] != '\0' ? f->memory.name
                                                : "memory");
    burl_buf_printf(out, ", %u byte%s", s->size_b, s->size_b == 1 ? "" : "s");
    if (s->near)
        burl_buf_str_append(out, ", near this line");
    if (s->in_trace)
        burl_buf_printf(out, " (step %u)", s->step);
}

void
burl__report_memory_words(struct burl_buf *out, const struct burl_finding *f)
{
    const struct burl_finding_memory *m = &f->memory;
    char count[BURL_COUNT_B];

    if (m->kind == BURL_ORIGIN_GLOBAL) {
        burl_buf_printf(out, "the global variable %s", m->symbol[0] != '\0' ? m->symbol : m->name);
        if (m->block_b > 0)
            burl_buf_printf(out, " (%s at 0x%llx)", burl_count(m->block_b, "byte", count),
                            (unsigned long long)m->block_addr);
    } else if (m->kind == BURL_ORIGIN_HEAP) {
        burl_buf_printf(out, "a heap block of %s", burl_count(m->block_b, "byte", count));
        if (m->tid != BURL_TID_NONE || m->made.site != 0)
            burl_buf_str_append(out, ", allocated");
        if (m->tid != BURL_TID_NONE)
            burl__report_put(out, f, " by %T", m->tid);
        if (m->stack.n == 0 && m->made.site != 0)
            burl__report_put(out, f, " at %L", &m->made);
    } else {
        burl__report_put(out, f, "%s of %T",
                         m->kind == BURL_ORIGIN_STACK ? "the stack" : "the thread-local storage",
                         m->tid);
    }
}

const char *
burl__report_outcome_words(uint8_t outcome)
{
    static const char *const words[] = {
        [BURL_FINDING_OUTCOME_UNKNOWN] = "",
        [BURL_FINDING_OUTCOME_SAME] = "the same",
        [BURL_FINDING_OUTCOME_DIFFERS] = "they differ",
        [BURL_FINDING_OUTCOME_ONE_ORDER] = "only one was reproduced",
    };

    return words[outcome];
}

const char *
burl__report_pairs_title(const struct burl_finding *f)
{
    return f->n_sides == 2 && (f->sides[0].frees || f->sides[1].frees)
               ? "also with the freeing of this block"
               : "also on this variable";
}

void
burl__report_pair_words(struct burl_buf *out, const struct burl_finding *f,
                        const struct burl_finding_pair *p)
{
    for (unsigned k = 0; k < 2; k++) {
        burl__report_put(out, f, "%s%s at %L", k > 0 ? " and " : "", burl_op_text(p->op[k]),
                         &p->loc[k]);
        if (p->loc[k].func[0] != '\0' && p->loc[k].line != 0)
            burl__report_put(out, f, " in %s", p->loc[k].func);
    }
}

/* ---- how often, how sure ----------------------------------------------------------- */

static void
put_number(struct burl_buf *out, uint64_t n)
{
    char text[BURL_NUMBER_B];

    burl_buf_str_append(out, burl_number(n, text));
}

/* "1 time", "2,000 times" */
void
burl__report_put_count(struct burl_buf *out, uint64_t n, const char *noun)
{
    char count[BURL_COUNT_B];

    burl_buf_str_append(out, burl_count(n, noun, count));
}

static void
put_frequency(const struct burl_finding_facts *x, struct burl_buf *line)
{
    if (x->of > 0 && x->shown > 0) {
        burl_buf_str_append(line, "in ");
        put_number(line, x->shown);
        burl_buf_str_append(line, " of ");
        burl__report_put_count(line, x->of, "execution");
        burl_buf_str_append(line, " under noise, ");
    } else if (x->of > 0) {
        burl_buf_str_append(line, "without noise only, ");
    } else if (x->count > 0) {
        burl_buf_str_append(line, "seen ");
        burl__report_put_count(line, x->count, "time");
        burl_buf_str_append(line, ", ");
    }
    if (x->confirm_tries > 0)
        burl_buf_printf(line, "confirmed %u of %u, ", x->confirmed, x->confirm_tries);
}

void
burl__report_facts_words(struct burl_buf *out, const struct burl_finding *f, bool verbose)
{
    const struct burl_finding_facts *x = &f->facts;
    const size_t mark = out->n;

    put_frequency(x, out);
    if (f->engine[0] != '\0' && verbose)
        burl_buf_printf(out, "engine %s, ", f->engine);
    if (f->strategy[0] != '\0')
        burl_buf_printf(out, "found by %s with seed %llu%s", f->strategy,
                        (unsigned long long)x->seed, x->found.execution > 0 ? " " : ", ");
    if (x->found.execution > 0) {
        burl_buf_str_append(out, "after ");
        burl__report_put_count(out, x->found.execution, "execution");
        burl_buf_str_append(out, ", ");
    }
    if (verbose) {
        if (x->minimize_execs > 0 && x->n_preemptions_found > f->n_preemptions) {
            burl_buf_str_append(out, "minimized from ");
            burl__report_put_count(out, x->n_preemptions_found, "preemption");
            burl_buf_printf(out, " to %u in ", f->n_preemptions);
            burl__report_put_count(out, x->minimize_execs, "execution");
            burl_buf_str_append(out, ", ");
        }
        burl_buf_printf(out, "fingerprint %016llx, ", (unsigned long long)x->fingerprint);
    }
    if (out->n > mark)
        burl_buf_truncate(out, out->n - 2); /* the last comma */
}
