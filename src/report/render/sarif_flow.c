/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sarif_flow.c - the interleaving of a finding as SARIF thread flows.
 *
 * Runs in the host. One thread flow for each thread, in the order of their first steps;
 * `executionOrder` is the number of the step in the execution, so viewers can merge the flows
 * into the interleaving. Steps are unique and ascend; should a damaged file say otherwise, the
 * order of the list wins. A free run has no steps: its flows are the two accesses of a race in
 * their order, or the operations in which the threads of a deadlock wait, which have no order.
 */
#include <stdlib.h>
#include <string.h>

#include "report/render/render_int.h"
#include "report/render/sarif_int.h"
#include "wire/event.h"

struct flows {
    const struct burl__sarif *s;
    const struct burl_finding *f;
    uint32_t *order; /* of each step; 0: it is no operation */
};

/* The words of SARIF for what an operation does; NULL none. */
static const char *const *
kinds_of(uint8_t op)
{
    static const char *const acquire[] = { "acquire", "lock", NULL };
    static const char *const release[] = { "release", "lock", NULL };
    static const char *const memory[] = { "memory", "value", NULL };
    static const char *const alloc[] = { "acquire", "memory", NULL };
    static const char *const freed[] = { "release", "memory", NULL };

    switch (op) {
    case BURL_OP_LOCK:
    case BURL_OP_TRYLOCK:
    case BURL_OP_TIMEDLOCK:
    case BURL_OP_RDLOCK:
    case BURL_OP_WRLOCK:
        return acquire;
    case BURL_OP_UNLOCK:
    case BURL_OP_RWUNLOCK:
        return release;
    case BURL_OP_READ:
    case BURL_OP_WRITE:
    case BURL_OP_ATOMIC_LOAD:
    case BURL_OP_ATOMIC_STORE:
    case BURL_OP_ATOMIC_RMW:
    case BURL_OP_ATOMIC_CAS:
        return memory;
    case BURL_OP_ALLOC:
        return alloc;
    case BURL_OP_FREE:
        return freed;
    default:
        return NULL;
    }
}

static void
put_kinds(struct burl_json_writer *w, uint8_t op, bool failure)
{
    const char *const *kinds = kinds_of(op);

    if (kinds == NULL && !failure)
        return;
    burl_json_kv_array(w, "kinds");
    for (; kinds != NULL && *kinds != NULL; kinds++)
        burl_json_str(w, *kinds);
    if (failure)
        burl_json_str(w, "danger");
    burl_json_array_end(w);
}

/* The value of the variable after the operation, where it is known. */
static void
put_state(struct burl_json_writer *w, const struct burl_finding_step *st)
{
    struct burl_buf name = BURL_BUF_INIT;
    struct burl_buf value = BURL_BUF_INIT;
    const bool wrote = (st->flags & BURL_EV_F_AFTER) != 0;

    if (st->what[0] == '\0' || (!wrote && (st->flags & BURL_EV_F_VALUE) == 0))
        return;
    burl__report_value(&value, wrote ? st->after : st->value, st->size_b, BURL_VALUE_UNKNOWN);
    burl__doc_put_clean(&name, st->what);
    burl_json_kv_object(w, "state");
    burl_json_kv_object(w, burl_buf_str(&name));
    burl_json_kv_str(w, "text", burl_buf_str(&value));
    burl_json_object_end(w);
    burl_json_object_end(w);
    burl_buf_deinit(&name);
    burl_buf_deinit(&value);
}

static bool
is_in_pattern(const struct burl_finding *f, uint32_t step)
{
    for (size_t i = 0; i < f->pattern.n_steps; i++) {
        if (f->pattern.steps[i] == step)
            return true;
    }
    return false;
}

/* The preemption that follows the operation; NULL when there is none. */
static const struct burl_finding_step *
preemption_after(const struct burl_finding *f, size_t i)
{
    const struct burl_finding_step *next = i + 1 < f->n_steps ? &f->steps[i + 1] : NULL;

    return next != NULL && next->type == BURL_FINDING_STEP_SWITCH && next->preemption ? next : NULL;
}

static void
put_step(const struct flows *fl, size_t i)
{
    const struct burl_finding_step *st = &fl->f->steps[i];
    const struct burl_finding_step *preemption = preemption_after(fl->f, i);
    struct burl_json_writer *w = fl->s->w;
    struct burl_buf text = BURL_BUF_INIT;

    burl_buf_str_append(&text, st->text[0] != '\0' ? st->text : burl_op_text(st->op));
    if (preemption != NULL)
        burl_buf_printf(&text, "; then %s", preemption->text);
    burl_json_object_begin(w);
    burl_json_key(w, "location");
    burl__sarif_put_location(fl->s, &st->loc, burl_buf_str(&text), 0);
    burl_json_kv_u64(w, "executionOrder", fl->order[i]);
    burl_json_kv_u64(w, "nestingLevel", 0);
    burl_json_kv_str(w, "importance",
                     st->failure || preemption != NULL || is_in_pattern(fl->f, st->step)
                         ? "essential"
                         : "important");
    put_kinds(w, st->op, st->failure);
    put_state(w, st);
    burl_json_object_end(w);
    burl_buf_deinit(&text);
}

static void
begin_flow(const struct flows *fl, uint16_t tid)
{
    struct burl_buf label = BURL_BUF_INIT;

    burl__report_put(&label, fl->f, "%T", (unsigned)tid);
    burl_json_object_begin(fl->s->w);
    burl__sarif_put_string(fl->s->w, "id", burl_buf_str(&label));
    burl_json_kv_array(fl->s->w, "locations");
    burl_buf_deinit(&label);
}

static void
end_flow(const struct flows *fl)
{
    burl_json_array_end(fl->s->w);
    burl_json_object_end(fl->s->w);
}

static bool
is_op_of(const struct burl_finding_step *st, uint16_t tid)
{
    return st->type == BURL_FINDING_STEP_OP && st->tid == tid;
}

/* True when an earlier step was of this thread: its flow has been written. */
static bool
is_written(const struct burl_finding *f, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (is_op_of(&f->steps[k], f->steps[i].tid))
            return true;
    }
    return false;
}

static void
put_steps(const struct flows *fl)
{
    const struct burl_finding *f = fl->f;

    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type != BURL_FINDING_STEP_OP || is_written(f, i))
            continue;
        begin_flow(fl, f->steps[i].tid);
        for (size_t k = i; k < f->n_steps; k++) {
            if (is_op_of(&f->steps[k], f->steps[i].tid))
                put_step(fl, k);
        }
        end_flow(fl);
    }
}

static void
put_side(const struct flows *fl, unsigned i)
{
    const struct burl_finding_side *side = &fl->f->sides[i];
    struct burl_json_writer *w = fl->s->w;
    struct burl_buf text = BURL_BUF_INIT;

    burl__report_put(&text, fl->f, "%T %s %s", (unsigned)side->tid, side->verb,
                     side->what[0] != '\0' ? side->what : "memory");
    begin_flow(fl, side->tid);
    burl_json_object_begin(w);
    burl_json_key(w, "location");
    burl__sarif_put_location(fl->s, &side->loc, burl_buf_str(&text), 0);
    if (side->stack.n > 0) {
        burl_json_key(w, "stack");
        burl__sarif_put_stack(fl->s, &side->stack, side->tid, burl_buf_str(&text));
    }
    burl_json_kv_u64(w, "executionOrder", i + 1);
    burl_json_kv_u64(w, "nestingLevel", 0);
    burl_json_kv_str(w, "importance", "essential");
    put_kinds(w, side->op, true);
    burl_json_object_end(w);
    end_flow(fl);
    burl_buf_deinit(&text);
}

static void
put_wait(const struct flows *fl, const struct burl_finding_thread *t)
{
    struct burl_json_writer *w = fl->s->w;
    struct burl_buf text = BURL_BUF_INIT;

    burl_buf_str_append(&text, "blocked: ");
    burl__report_put_wait(&text, &t->wait);
    begin_flow(fl, t->tid);
    for (size_t i = 0; i < t->n_locks; i++) {
        struct burl_buf held = BURL_BUF_INIT;

        burl_buf_printf(&held, "holds %s", t->locks[i].name);
        burl_json_object_begin(w);
        burl_json_key(w, "location");
        burl__sarif_put_location(fl->s, &t->locks[i].taken, burl_buf_str(&held), 0);
        burl_json_kv_str(w, "importance", "important");
        put_kinds(w, BURL_OP_LOCK, false);
        burl_json_object_end(w);
        burl_buf_deinit(&held);
    }
    burl_json_object_begin(w);
    burl_json_key(w, "location");
    burl__sarif_put_location(fl->s, &t->wait.loc, burl_buf_str(&text), 0);
    burl_json_kv_str(w, "importance", "essential");
    put_kinds(w, t->wait.op, true);
    burl_json_object_end(w);
    end_flow(fl);
    burl_buf_deinit(&text);
}

static uint32_t *
number_steps(const struct burl_finding *f)
{
    uint32_t *order = burl_xcalloc(f->n_steps + 1, sizeof *order);
    uint32_t last = 0;

    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type != BURL_FINDING_STEP_OP)
            continue;
        last = f->steps[i].step > last ? f->steps[i].step : last + 1;
        order[i] = last;
    }
    return order;
}

static bool
has_wait(const struct burl_finding *f)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].wait.waits)
            return true;
    }
    return false;
}

static bool
has_ops(const struct burl_finding *f)
{
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP)
            return true;
    }
    return false;
}

void
burl__sarif_put_flows(const struct burl__sarif *s, const struct burl_finding *f)
{
    struct flows fl = { .s = s, .f = f };
    const bool ops = has_ops(f);

    if (!ops && f->n_sides == 0 && !has_wait(f))
        return;
    fl.order = number_steps(f);
    burl_json_kv_array(s->w, "codeFlows");
    burl_json_object_begin(s->w);
    if (f->pattern.sentence[0] != '\0')
        burl__sarif_put_message(s->w, "message", f->pattern.sentence);
    burl_json_kv_array(s->w, "threadFlows");
    if (ops)
        put_steps(&fl);
    for (unsigned i = 0; !ops && i < f->n_sides; i++)
        put_side(&fl, i);
    for (size_t i = 0; !ops && f->n_sides == 0 && i < f->n_threads; i++) {
        if (f->threads[i].wait.waits)
            put_wait(&fl, &f->threads[i]);
    }
    burl_json_array_end(s->w);
    burl_json_object_end(s->w);
    burl_json_array_end(s->w);
    free(fl.order);
}
