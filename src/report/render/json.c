/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - finding.json: everything a finding knows, for machines.
 *
 * Runs in the host. The document is described in docs/formats/finding.md; a change of meaning
 * bumps BURL_REPORT_JSON_SCHEMA, additions do not. Hashes and addresses are hex strings
 * because readers with doubles would round them. Unknown things are null or absent
 * arrays are empty, never invented.
 */
#include <stdio.h>

#include "base/json.h"
#include "report/finding/codes.h"
#include "report/text/text.h"

static void
put_hash(struct burl_json_writer *w, uint64_t x)
{
    char text[17];

    snprintf(text, sizeof text, "%016llx", (unsigned long long)x);
    burl_json_str(w, text);
}

static void
put_loc(struct burl_json_writer *w, const struct burl_finding_loc *loc)
{
    if (loc->site == 0) {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    burl__json_put(w, "file:s line:u column:u function:s source:s", loc->file, loc->line,
                   loc->column, loc->func, loc->source);
    burl_json_object_end(w);
}

static void put_stack(struct burl_json_writer *w, const struct burl_finding_stack *stack);

static void
put_conversion(struct burl_json_writer *w, char type, va_list *ap)
{
    unsigned tid;

    switch (type) {
    case 'T':
        tid = va_arg(*ap, unsigned);
        burl__json_put(w, "o", tid != BURL_TID_NONE, (uint64_t)tid);
        break;
    case 'H':
        put_hash(w, va_arg(*ap, uint64_t));
        break;
    case 'L':
        put_loc(w, va_arg(*ap, const struct burl_finding_loc *));
        break;
    default:
        put_stack(w, va_arg(*ap, const struct burl_finding_stack *));
        break;
    }
}

/* The types of burl__json_put(), and these:
 *     T  a thread (unsigned), null for BURL_TID_NONE
 *     H  a hash (uint64_t), 16 digits
 *     L  a place (const struct burl_finding_loc *)
 *     S  a stack (const struct burl_finding_stack *) */
static void
put_members(struct burl_json_writer *w, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl__json_vput(w, fmt, ap, put_conversion);
    va_end(ap);
}

static void
put_stack(struct burl_json_writer *w, const struct burl_finding_stack *stack)
{
    burl_json_array_begin(w);
    for (size_t i = 0; i < stack->n; i++) {
        const struct burl_finding_frame *fr = &stack->frames[i];

        burl_json_object_begin(w);
        put_members(w, "function:s exact:b", fr->loc.func, fr->exact);
        if (fr->after != 0)
            put_members(w, "after_line:u", fr->after);
        if (fr->failed)
            put_members(w, "failed:b", true);
        if (stack->left_out > 0 && i == stack->left_at)
            put_members(w, "left_out:u", (unsigned)stack->left_out);
        put_members(w, "system:b at:L", fr->system, &fr->loc);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

/* `held`: at the end, with depth and step. */
static void
put_locks(struct burl_json_writer *w, const struct burl_finding_lock *locks, size_t n, bool held)
{
    burl_json_kv_array(w, "locks");
    for (size_t i = 0; i < n; i++) {
        const struct burl_finding_lock *l = &locks[i];

        burl_json_object_begin(w);
        put_members(w, "object:s address:x mode:s", l->name, l->addr, l->mode);
        if (held)
            put_members(w, "depth:u step:u", l->depth, l->step);
        put_members(w, "taken:L", &l->taken);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
put_thread(struct burl_json_writer *w, const struct burl_finding_thread *t)
{
    const struct burl_finding_wait *wait = &t->wait;

    burl_json_object_begin(w);
    put_members(w, "id:u name:s state:s operations:n creator:T created:L stack:S", t->tid, t->name,
                burl__report_word(&burl__report_states, t->state), t->n_ops, t->creator,
                &t->created, &t->stack);
    put_locks(w, t->locks, t->n_locks, true);
    burl_json_key(w, "waits");
    if (wait->waits) {
        burl_json_object_begin(w);
        put_members(w, "op:s object:s address:x owner:T in_cycle:b at:L", burl_op_text(wait->op),
                    wait->name, wait->addr, wait->owner, wait->in_cycle, &wait->loc);
        burl_json_object_end(w);
    } else {
        burl_json_null(w);
    }
    burl_json_object_end(w);
}

static void
put_op(struct burl_json_writer *w, const struct burl_finding_step *s)
{
    put_members(w, "type:s step:u thread:u thread_op:u op:s object:s address:x bytes:n", "op",
                s->step, s->tid, s->thread_op, burl_op_text(s->op), s->what, s->addr,
                s->size_b == 255 ? s->aux : (uint64_t)s->size_b);
    if (s->flags & BURL_EV_F_VALUE)
        put_members(w, "value:x", s->value);
    if (s->flags & BURL_EV_F_AFTER)
        put_members(w, "after:x", s->after);
    if (s->other != BURL_TID_NONE)
        put_members(w, "other_thread:u", s->other);
    if (s->minor)
        put_members(w, "minor:b", true);
    put_members(w, "blocked:b timeout:b unsuccessful:b spurious:b injected:b failure:b text:s at:L",
                (s->flags & BURL_EV_F_BLOCKED) != 0, (s->flags & BURL_EV_F_TIMEOUT) != 0,
                (s->flags & BURL_EV_F_FAILED) != 0, (s->flags & BURL_EV_F_SPURIOUS) != 0,
                (s->flags & BURL_EV_F_INJECTED) != 0, s->failure, s->text, &s->loc);
}

static void
put_switch(struct burl_json_writer *w, const struct burl_finding_step *s)
{
    put_members(w, "type:s from:u to:u why:s pending_op:s text:s at:L", "switch", s->tid, s->next,
                burl__report_word(&burl__report_whys, s->why),
                s->op != BURL_OP_NONE ? burl_op_text(s->op) : NULL, s->text, &s->loc);
}

static void
put_steps(struct burl_json_writer *w, const struct burl_finding *f)
{
    burl_json_kv_array(w, "steps");
    for (size_t i = 0; i < f->n_steps; i++) {
        const struct burl_finding_step *s = &f->steps[i];

        burl_json_object_begin(w);
        if (s->type == BURL_FINDING_STEP_OP)
            put_op(w, s);
        else if (s->type == BURL_FINDING_STEP_SWITCH)
            put_switch(w, s);
        else
            put_members(w, "type:s operations:n thread:T", "skip", s->n_skipped, s->tid);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
put_block(struct burl_json_writer *w, const struct burl_finding_block *b)
{
    burl_json_key(w, "block");
    if (!b->known) {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    put_members(w, "address:x bytes:n allocated_by:T allocated_step:u allocated_stack:S", b->addr,
                b->size_b, b->alloc_tid, b->alloc_step, &b->alloc_stack);
    put_members(w, "freed_by:T freed_step:u freed_stack:S", b->free_tid, b->free_step,
                &b->free_stack);
    burl_json_object_end(w);
}

static void
put_side(struct burl_json_writer *w, const struct burl_finding_side *s)
{
    burl_json_object_begin(w);
    put_members(w, "thread:u op:s write:b atomic:b near:b object:s address:x bytes:u step:o text:s",
                s->tid, s->frees ? "free" : burl_op_text(s->op), s->write, s->atomic, s->near,
                s->what, s->addr, s->size_b, s->in_trace, (uint64_t)s->step, s->text);
    put_members(w, "at:L stack:S", &s->loc, &s->stack);
    put_locks(w, s->locks, s->n_locks, false);
    put_members(w, "more_locks:u", s->n_more_locks);
    burl_json_object_end(w);
}

static void
put_memory(struct burl_json_writer *w, const struct burl_finding *f)
{
    const struct burl_finding_memory *m = &f->memory;

    burl_json_kv_object(w, "memory");
    put_members(w, "kind:s name:s symbol:s address:x bytes:n block_address:x block_bytes:n",
                burl__report_word(&burl__report_origins, m->kind), m->name, m->symbol, m->addr,
                m->size_b, m->block_addr, m->block_b);
    put_members(w, "thread:T allocated:L allocated_stack:S", m->tid, &m->made, &m->stack);
    burl_json_object_end(w);
}

static void
put_orders(struct burl_json_writer *w, const struct burl_finding_orders *o)
{
    burl_json_kv_object(w, "orders");
    put_members(w, "outcome:s failing:b", burl__report_word(&burl__report_outcomes, o->outcome),
                o->failing);
    if (o->failure != 0)
        put_members(w, "failure:H", o->failure);
    else
        put_members(w, "failure:s", NULL);
    burl_json_kv_array(w, "ends");
    for (unsigned i = 0; i < 2 && o->outcome != BURL_FINDING_OUTCOME_UNKNOWN; i++) {
        burl_json_object_begin(w);
        put_members(w, "first:s end:e", o->first[i], o->ends[i]);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_json_object_end(w);
}

/* Members of races and atomicity violations: absent for other kinds. */
static void
put_race(struct burl_json_writer *w, const struct burl_finding *f)
{
    if (f->n_sides == 0)
        return;
    burl_json_kv_array(w, "accesses");
    put_side(w, &f->sides[0]);
    put_side(w, &f->sides[1]);
    burl_json_array_end(w);
    put_memory(w, f);
    put_orders(w, &f->orders);
    burl_json_kv_array(w, "pairs");
    for (size_t i = 0; i < f->n_pairs; i++) {
        const struct burl_finding_pair *p = &f->pairs[i];

        burl_json_object_begin(w);
        put_members(w, "count:n", p->count);
        burl_json_kv_array(w, "accesses");
        for (unsigned k = 0; k < 2; k++) {
            burl_json_object_begin(w);
            put_members(w, "op:s object:s at:L", burl_op_text(p->op[k]), p->what[k], &p->loc[k]);
            burl_json_object_end(w);
        }
        burl_json_array_end(w);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    put_members(w, "region:s", f->region);
}

static void
put_execution(struct burl_json_writer *w, const struct burl_finding *f)
{
    burl_json_kv_object(w, "execution");
    put_members(w,
                "command:s build_id:s engine:s strategy:s seed:n steps:n switches:u preemptions:u",
                f->command, f->build_id, f->engine, f->strategy, f->facts.seed, f->n_exec_steps,
                f->n_switches, f->n_preemptions);
    put_members(w, "spurious_wakeups:u faults:u needs:s", f->n_spurious, f->n_faults, f->needs);
    burl_json_key(w, "minimised");
    if (f->facts.minimize_execs == 0) {
        burl_json_null(w);
    } else {
        burl_json_object_begin(w);
        put_members(w, "preemptions_found:u executions:n complete:b", f->facts.n_preemptions_found,
                    f->facts.minimize_execs, f->facts.minimized_fully);
        burl_json_object_end(w);
    }
    put_members(w, "trace_hash:H operations_traced:n operations_shown:n events_dropped:n",
                f->trace_hash, f->n_ops, f->n_ops_shown, f->events_dropped);
    burl_json_object_end(w);
}

static void
put_pattern(struct burl_json_writer *w, const struct burl_finding_pattern *p)
{
    burl_json_key(w, "pattern");
    if (p->kind[0] == '\0') {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    put_members(w, "kind:s sentence:s", p->kind, p->sentence);
    burl_json_kv_array(w, "steps");
    for (size_t i = 0; i < p->n_steps; i++)
        burl_json_u64(w, p->steps[i]);
    burl_json_array_end(w);
    burl_json_object_end(w);
}

static void
put_check(struct burl_json_writer *w, const struct burl_finding *f)
{
    if (f->check[0] == '\0')
        return;
    burl_json_kv_object(w, "check");
    put_members(w, "command:s exit:i", f->check, (int64_t)f->code);
    burl_json_kv_array(w, "output");
    for (size_t i = 0; i < f->n_check_output; i++)
        burl_json_str(w, f->check_output[i]);
    burl_json_array_end(w);
    put_members(w, "output_cut:b", f->check_cut);
    burl_json_object_end(w);
}

void
burl_report_json_value(const struct burl_finding *f, struct burl_json_writer *w)
{
    burl_json_object_begin(w);
    put_members(w, "burl_finding:u number:u kind:s fingerprint:H cause:s title:s detail:s",
                BURL_REPORT_JSON_SCHEMA, f->number, f->kind, f->facts.fingerprint, f->cause,
                f->title, f->detail);
    put_pattern(w, &f->pattern);
    if (f->predicted[0] != '\0')
        put_members(w, "predicted:s", f->predicted);
    put_members(w, "sequential:b always:b count:n", f->facts.sequential, f->facts.always,
                f->facts.count);
    if (f->facts.of > 0)
        put_members(w, "shown:n of:n", f->facts.shown, f->facts.of);
    if (f->again[0] != '\0')
        put_members(w, "noise:s again:s", f->noise, f->again);
    put_check(w, f);
    if (f->facts.found.after > 0)
        put_members(w, "found_after:n found_execution:n found_ms:i", f->facts.found.after,
                    f->facts.found.execution, f->facts.found.ms);
    put_members(w,
                "confirmed:u confirm_tries:u code:i thread:T address:x where:L replay:s schedule:s",
                f->facts.confirmed, f->facts.confirm_tries, (int64_t)f->code, f->tid, f->addr,
                &f->where, f->replay, f->schedule);
    put_execution(w, f);
    burl_json_kv_array(w, "threads");
    for (size_t i = 0; i < f->n_threads; i++)
        put_thread(w, &f->threads[i]);
    burl_json_array_end(w);
    put_steps(w, f);
    put_block(w, &f->block);
    put_race(w, f);
    burl_json_kv_array(w, "output");
    for (size_t i = 0; i < f->n_output; i++)
        burl_json_str(w, f->output[i]);
    burl_json_array_end(w);
    put_members(w, "output_cut:b problem:s", f->output_cut, f->problem);
    burl_json_object_end(w);
}

void
burl_report_json(const struct burl_finding *f, struct burl_buf *out)
{
    struct burl_json_writer w;

    burl_json_writer_init(&w, out, 2);
    burl_report_json_value(f, &w);
    burl_json_writer_finish(&w);
}
