/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - finding.json: everything a finding knows, for machines.
 *
 * Runs in the host. The document is described in docs/formats/finding.md; a change of meaning
 * bumps BURL_REPORT_JSON_SCHEMA, additions do not. Hashes and addresses are hex strings
 * because readers with doubles would round them. Unknown things are null or absent
 * arrays are empty, never invented.
 */
#include "base/json.h"
#include "report/report_int.h"

static void
put_tid(struct burl_json_writer *w, const char *key, uint16_t tid)
{
    burl_json_key(w, key);
    if (tid == BURL_TID_NONE)
        burl_json_null(w);
    else
        burl_json_u64(w, tid);
}

static void
put_hash_value(struct burl_json_writer *w, uint64_t x)
{
    char text[17];

    for (unsigned i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[(x >> (60 - 4 * i)) & 15];
    text[16] = '\0';
    burl_json_str(w, text);
}

static void
put_hash(struct burl_json_writer *w, const char *key, uint64_t x)
{
    burl_json_key(w, key);
    put_hash_value(w, x);
}

static void
put_loc(struct burl_json_writer *w, const char *key, const struct burl_finding_loc *loc)
{
    burl_json_key(w, key);
    if (loc->site == 0) {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    burl_json_kv_str(w, "file", loc->file);
    burl_json_kv_u64(w, "line", loc->line);
    burl_json_kv_u64(w, "column", loc->column);
    burl_json_kv_str(w, "function", loc->func);
    burl_json_kv_str(w, "source", loc->source);
    burl_json_object_end(w);
}

static void
put_stack(struct burl_json_writer *w, const char *key, const struct burl_finding_stack *stack)
{
    burl_json_key(w, key);
    burl_json_array_begin(w);
    for (size_t i = 0; i < stack->n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "function", stack->frames[i].loc.func);
        burl_json_kv_bool(w, "exact", stack->frames[i].exact);
        if (stack->frames[i].after != 0)
            burl_json_kv_u64(w, "after_line", stack->frames[i].after);
        burl_json_kv_bool(w, "system", stack->frames[i].system);
        put_loc(w, "at", &stack->frames[i].loc);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
put_wait(struct burl_json_writer *w, const struct burl_finding_wait *wait)
{
    burl_json_key(w, "waits");
    if (!wait->waits) {
        burl_json_null(w);
        return;
    }
    burl_json_object_begin(w);
    burl_json_kv_str(w, "op", burl_op_text(wait->op));
    burl_json_kv_str(w, "object", wait->name);
    burl_json_kv_hex(w, "address", wait->addr);
    put_tid(w, "owner", wait->owner);
    burl_json_kv_bool(w, "in_cycle", wait->in_cycle);
    put_loc(w, "at", &wait->loc);
    burl_json_object_end(w);
}

static void
put_thread(struct burl_json_writer *w, const struct burl_finding_thread *t)
{
    static const char *const states[] = {
        [BURL_FINDING_THREAD_READY] = "ready",     [BURL_FINDING_THREAD_FAILED] = "failed",
        [BURL_FINDING_THREAD_WAITING] = "waiting", [BURL_FINDING_THREAD_FINISHED] = "finished",
        [BURL_FINDING_THREAD_UNKNOWN] = "unknown",
    };

    burl_json_object_begin(w);
    burl_json_kv_u64(w, "id", t->tid);
    burl_json_kv_str(w, "name", t->name);
    burl_json_kv_str(w, "state", states[t->state]);
    burl_json_kv_u64(w, "operations", t->n_ops);
    put_tid(w, "creator", t->creator);
    put_loc(w, "created", &t->created);
    put_stack(w, "stack", &t->stack);
    burl_json_key(w, "locks");
    burl_json_array_begin(w);
    for (size_t i = 0; i < t->n_locks; i++) {
        const struct burl_finding_lock *l = &t->locks[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "object", l->name);
        burl_json_kv_hex(w, "address", l->addr);
        burl_json_kv_str(w, "mode", l->mode);
        burl_json_kv_u64(w, "depth", l->depth);
        burl_json_kv_u64(w, "step", l->step);
        put_loc(w, "taken", &l->taken);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    put_wait(w, &t->wait);
    burl_json_object_end(w);
}

static void
put_op(struct burl_json_writer *w, const struct burl_finding_step *s)
{
    burl_json_kv_str(w, "type", "op");
    burl_json_kv_u64(w, "step", s->step);
    burl_json_kv_u64(w, "thread", s->tid);
    burl_json_kv_u64(w, "thread_op", s->thread_op);
    burl_json_kv_str(w, "op", burl_op_text(s->op));
    burl_json_kv_str(w, "object", s->what);
    burl_json_kv_hex(w, "address", s->addr);
    burl_json_kv_u64(w, "bytes", s->size_b == 255 ? s->aux : s->size_b);
    if (s->flags & BURL_EV_F_VALUE)
        burl_json_kv_hex(w, "value", s->value);
    if (s->flags & BURL_EV_F_AFTER)
        burl_json_kv_hex(w, "after", s->after);
    if (s->other != BURL_TID_NONE)
        burl_json_kv_u64(w, "other_thread", s->other);
    burl_json_kv_bool(w, "blocked", (s->flags & BURL_EV_F_BLOCKED) != 0);
    burl_json_kv_bool(w, "timeout", (s->flags & BURL_EV_F_TIMEOUT) != 0);
    burl_json_kv_bool(w, "unsuccessful", (s->flags & BURL_EV_F_FAILED) != 0);
    burl_json_kv_bool(w, "spurious", (s->flags & BURL_EV_F_SPURIOUS) != 0);
    burl_json_kv_bool(w, "injected", (s->flags & BURL_EV_F_INJECTED) != 0);
    burl_json_kv_bool(w, "failure", s->failure);
    burl_json_kv_str(w, "text", s->text);
    put_loc(w, "at", &s->loc);
}

static void
put_switch(struct burl_json_writer *w, const struct burl_finding_step *s)
{
    static const char *const whys[] = {
        [BURL_SWITCH_PREEMPT] = "preempt",
        [BURL_SWITCH_BLOCKED] = "blocked",
        [BURL_SWITCH_FINISHED] = "finished",
        [BURL_SWITCH_YIELD] = "yield",
    };

    burl_json_kv_str(w, "type", "switch");
    burl_json_kv_u64(w, "from", s->tid);
    burl_json_kv_u64(w, "to", s->next);
    burl_json_kv_str(w, "why", s->why <= BURL_SWITCH_YIELD ? whys[s->why] : NULL);
    burl_json_kv_str(w, "pending_op", s->op != BURL_OP_NONE ? burl_op_text(s->op) : NULL);
    burl_json_kv_str(w, "text", s->text);
    put_loc(w, "at", &s->loc);
}

static void
put_steps(struct burl_json_writer *w, const struct burl_finding *f)
{
    burl_json_key(w, "steps");
    burl_json_array_begin(w);
    for (size_t i = 0; i < f->n_steps; i++) {
        const struct burl_finding_step *s = &f->steps[i];

        burl_json_object_begin(w);
        if (s->type == BURL_FINDING_STEP_OP) {
            put_op(w, s);
        } else if (s->type == BURL_FINDING_STEP_SWITCH) {
            put_switch(w, s);
        } else {
            burl_json_kv_str(w, "type", "skip");
            burl_json_kv_u64(w, "operations", s->n_skipped);
            put_tid(w, "thread", s->tid);
        }
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
    burl_json_kv_hex(w, "address", b->addr);
    burl_json_kv_u64(w, "bytes", b->size_b);
    put_tid(w, "allocated_by", b->alloc_tid);
    burl_json_kv_u64(w, "allocated_step", b->alloc_step);
    put_stack(w, "allocated_stack", &b->alloc_stack);
    put_tid(w, "freed_by", b->free_tid);
    burl_json_kv_u64(w, "freed_step", b->free_step);
    put_stack(w, "freed_stack", &b->free_stack);
    burl_json_object_end(w);
}

static void
put_side(struct burl_json_writer *w, const struct burl_finding_side *s)
{
    burl_json_object_begin(w);
    burl_json_kv_u64(w, "thread", s->tid);
    burl_json_kv_str(w, "op", s->frees ? "free" : burl_op_text(s->op));
    burl_json_kv_bool(w, "write", s->write);
    burl_json_kv_bool(w, "atomic", s->atomic);
    burl_json_kv_bool(w, "near", s->near);
    burl_json_kv_str(w, "object", s->what);
    burl_json_kv_hex(w, "address", s->addr);
    burl_json_kv_u64(w, "bytes", s->size_b);
    burl_json_key(w, "step");
    if (s->in_trace)
        burl_json_u64(w, s->step);
    else
        burl_json_null(w);
    burl_json_kv_str(w, "text", s->text);
    put_loc(w, "at", &s->loc);
    put_stack(w, "stack", &s->stack);
    burl_json_key(w, "locks");
    burl_json_array_begin(w);
    for (size_t i = 0; i < s->n_locks; i++) {
        const struct burl_finding_lock *l = &s->locks[i];

        burl_json_object_begin(w);
        burl_json_kv_str(w, "object", l->name);
        burl_json_kv_hex(w, "address", l->addr);
        burl_json_kv_str(w, "mode", l->mode);
        put_loc(w, "taken", &l->taken);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_json_kv_u64(w, "more_locks", s->n_more_locks);
    burl_json_object_end(w);
}

static void
put_memory(struct burl_json_writer *w, const struct burl_finding *f)
{
    static const char *const kinds[] = {
        [BURL_ORIGIN_UNKNOWN] = "unknown", [BURL_ORIGIN_HEAP] = "heap",
        [BURL_ORIGIN_GLOBAL] = "global",   [BURL_ORIGIN_STACK] = "stack",
        [BURL_ORIGIN_TLS] = "tls",
    };
    const struct burl_finding_memory *m = &f->memory;

    burl_json_key(w, "memory");
    burl_json_object_begin(w);
    burl_json_kv_str(w, "kind", kinds[m->kind]);
    burl_json_kv_str(w, "name", m->name);
    burl_json_kv_str(w, "symbol", m->symbol);
    burl_json_kv_hex(w, "address", m->addr);
    burl_json_kv_u64(w, "bytes", m->size_b);
    burl_json_kv_hex(w, "block_address", m->block_addr);
    burl_json_kv_u64(w, "block_bytes", m->block_b);
    put_tid(w, "thread", m->tid);
    put_loc(w, "allocated", &m->made);
    put_stack(w, "allocated_stack", &m->stack);
    burl_json_object_end(w);
}

static void
put_orders(struct burl_json_writer *w, const struct burl_finding_orders *o)
{
    static const char *const words[] = {
        [BURL_FINDING_OUTCOME_UNKNOWN] = "unknown",
        [BURL_FINDING_OUTCOME_SAME] = "same",
        [BURL_FINDING_OUTCOME_DIFFERS] = "differs",
        [BURL_FINDING_OUTCOME_ONE_ORDER] = "one-order",
    };

    burl_json_key(w, "orders");
    burl_json_object_begin(w);
    burl_json_kv_str(w, "outcome", words[o->outcome]);
    burl_json_kv_bool(w, "failing", o->failing);
    burl_json_key(w, "failure");
    if (o->failure != 0)
        put_hash_value(w, o->failure);
    else
        burl_json_null(w);
    burl_json_key(w, "ends");
    burl_json_array_begin(w);
    for (unsigned i = 0; i < 2 && o->outcome != BURL_FINDING_OUTCOME_UNKNOWN; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "first", o->first[i]);
        burl_json_kv_str(w, "end", o->ends[i][0] != '\0' ? o->ends[i] : NULL);
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
    burl_json_key(w, "accesses");
    burl_json_array_begin(w);
    put_side(w, &f->sides[0]);
    put_side(w, &f->sides[1]);
    burl_json_array_end(w);
    put_memory(w, f);
    put_orders(w, &f->orders);
    burl_json_key(w, "pairs");
    burl_json_array_begin(w);
    for (size_t i = 0; i < f->n_pairs; i++) {
        const struct burl_finding_pair *p = &f->pairs[i];

        burl_json_object_begin(w);
        burl_json_kv_u64(w, "count", p->count);
        burl_json_key(w, "accesses");
        burl_json_array_begin(w);
        for (unsigned k = 0; k < 2; k++) {
            burl_json_object_begin(w);
            burl_json_kv_str(w, "op", burl_op_text(p->op[k]));
            burl_json_kv_str(w, "object", p->what[k]);
            put_loc(w, "at", &p->loc[k]);
            burl_json_object_end(w);
        }
        burl_json_array_end(w);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
    burl_json_kv_str(w, "region", f->region);
}

static void
put_execution(struct burl_json_writer *w, const struct burl_finding *f)
{
    burl_json_key(w, "execution");
    burl_json_object_begin(w);
    burl_json_kv_str(w, "command", f->command);
    burl_json_kv_str(w, "build_id", f->build_id);
    burl_json_kv_str(w, "engine", f->engine);
    burl_json_kv_str(w, "strategy", f->strategy);
    burl_json_kv_u64(w, "seed", f->facts.seed);
    burl_json_kv_u64(w, "steps", f->n_exec_steps);
    burl_json_kv_u64(w, "switches", f->n_switches);
    burl_json_kv_u64(w, "preemptions", f->n_preemptions);
    burl_json_kv_u64(w, "spurious_wakeups", f->n_spurious);
    burl_json_kv_u64(w, "faults", f->n_faults);
    burl_json_kv_str(w, "needs", f->needs);
    burl_json_key(w, "minimised");
    if (f->facts.minimize_execs == 0) {
        burl_json_null(w);
    } else {
        burl_json_object_begin(w);
        burl_json_kv_u64(w, "preemptions_found", f->facts.n_preemptions_found);
        burl_json_kv_u64(w, "executions", f->facts.minimize_execs);
        burl_json_kv_bool(w, "complete", f->facts.minimized_fully);
        burl_json_object_end(w);
    }
    put_hash(w, "trace_hash", f->trace_hash);
    burl_json_kv_u64(w, "operations_traced", f->n_ops);
    burl_json_kv_u64(w, "operations_shown", f->n_ops_shown);
    burl_json_kv_u64(w, "events_dropped", f->events_dropped);
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
    burl_json_kv_str(w, "kind", p->kind);
    burl_json_kv_str(w, "sentence", p->sentence);
    burl_json_key(w, "steps");
    burl_json_array_begin(w);
    for (size_t i = 0; i < p->n_steps; i++)
        burl_json_u64(w, p->steps[i]);
    burl_json_array_end(w);
    burl_json_object_end(w);
}

void
burl_report_json(const struct burl_finding *f, struct burl_buf *out)
{
    struct burl_json_writer w;

    burl_json_writer_init(&w, out, 2);
    burl_json_object_begin(&w);
    burl_json_kv_u64(&w, "burl_finding", BURL_REPORT_JSON_SCHEMA);
    burl_json_kv_u64(&w, "number", f->number);
    burl_json_kv_str(&w, "kind", f->kind);
    put_hash(&w, "fingerprint", f->facts.fingerprint);
    burl_json_kv_str(&w, "cause", f->cause);
    burl_json_kv_str(&w, "title", f->title);
    burl_json_kv_str(&w, "detail", f->detail);
    put_pattern(&w, &f->pattern);
    if (f->predicted[0] != '\0')
        burl_json_kv_str(&w, "predicted", f->predicted);
    burl_json_kv_bool(&w, "sequential", f->facts.sequential);
    burl_json_kv_u64(&w, "count", f->facts.count);
    if (f->facts.found.after > 0) {
        burl_json_kv_u64(&w, "found_after", f->facts.found.after);
        burl_json_kv_u64(&w, "found_execution", f->facts.found.execution);
        burl_json_kv_i64(&w, "found_ms", f->facts.found.ms);
    }
    burl_json_kv_u64(&w, "confirmed", f->facts.confirmed);
    burl_json_kv_u64(&w, "confirm_tries", f->facts.confirm_tries);
    burl_json_kv_i64(&w, "code", f->code);
    put_tid(&w, "thread", f->tid);
    burl_json_kv_hex(&w, "address", f->addr);
    put_loc(&w, "where", &f->where);
    burl_json_kv_str(&w, "replay", f->replay);
    burl_json_kv_str(&w, "schedule", f->schedule);
    put_execution(&w, f);
    burl_json_key(&w, "threads");
    burl_json_array_begin(&w);
    for (size_t i = 0; i < f->n_threads; i++)
        put_thread(&w, &f->threads[i]);
    burl_json_array_end(&w);
    put_steps(&w, f);
    put_block(&w, &f->block);
    put_race(&w, f);
    burl_json_key(&w, "output");
    burl_json_array_begin(&w);
    for (size_t i = 0; i < f->n_output; i++)
        burl_json_str(&w, f->output[i]);
    burl_json_array_end(&w);
    burl_json_kv_bool(&w, "output_cut", f->output_cut);
    burl_json_kv_str(&w, "problem", f->problem);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
}
