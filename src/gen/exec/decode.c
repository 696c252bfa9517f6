/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/decode.c - records of executions (wire/mail.h) as outcomes.
 *
 * Runs in the host on bytes that the tested program may have overwritten: every size is checked
 * against the area, and what does not fit is dropped.
 *
 * The log has two writers. The driver logs the calls of the test, the runtime every public function
 * that is entered and was compiled with hooks, so most calls are logged twice: an entry by the
 * runtime directly after one by the driver, of the same thread and function, is the same call.
 */
#include <string.h>

#include "gen/exec/exec_int.h"

const struct burl_mail_head *
burl__gen_next_record(const void *area, size_t n, size_t *at)
{
    const struct burl_mail_out *out = area;
    const size_t used = n > sizeof *out ? n - sizeof *out : 0;
    const struct burl_mail_head *h;

    if (*at + sizeof *h > used || *at + sizeof *h > out->used_b)
        return NULL;
    h = (const struct burl_mail_head *)(const void *)((const char *)(out + 1) + *at);
    if (h->bytes < sizeof *h || h->bytes > used - *at || h->bytes % 8 != 0 ||
        (uint64_t)h->body_b + (uint64_t)h->log_max * sizeof(struct burl_mail_event) !=
            h->bytes - sizeof *h)
        return NULL;
    *at += h->bytes;
    return h;
}

/* ---- values ------------------------------------------------------------------------ */

static void
add_value(struct burl_gen_outcome *o, const struct burl_mail_value *v, uint32_t call,
          uint32_t param)
{
    struct burl_gen_value *x;

    if (v->kind == BURL_GEN_VALUE_NONE || v->kind > BURL_GEN_VALUE_CHANGED)
        return;
    x = BURL_VEC_ADD(&o->values);
    x->kind = (uint8_t)v->kind;
    x->param = (uint8_t)param;
    x->call = (uint16_t)call;
    x->bits = v->bits;
    if (v->kind == BURL_GEN_VALUE_BYTES) {
        x->length = v->length;
        x->n_bytes = v->n_bytes < BURL_GEN_VALUE_BYTES_B ? v->n_bytes : BURL_GEN_VALUE_BYTES_B;
        memcpy(x->bytes, v->bytes, x->n_bytes);
    }
}

static void
decode_values(const struct burl_mail_value *values, const struct burl_mail_test *t,
              struct burl_gen_outcome *o)
{
    const struct burl_mail_call *calls =
        (const struct burl_mail_call *)(const void *)((const char *)t + t->calls_off);
    const struct burl_mail_arg *args =
        (const struct burl_mail_arg *)(const void *)((const char *)t + t->args_off);

    for (uint32_t i = 0; i < t->n_calls; i++) {
        if (o->state[i] != BURL_GEN_CALL_DONE)
            continue;
        if (calls[i].value < t->n_values)
            add_value(o, &values[calls[i].value], i, 0);
        for (uint32_t k = 0; k < calls[i].n_args; k++) {
            const uint32_t at = args[calls[i].arg + k].value;

            if (at < t->n_values)
                add_value(o, &values[at], i, k + 1);
        }
    }
}

/* ---- events ------------------------------------------------------------------------ */

#define MAX_TIDS 64u
#define MAX_DEPTH 64u

struct frame {
    uint16_t fn;
    bool by_driver; /* logged by the driver, and last of its thread */
    bool hidden;    /* a duplicate of the driver's entry */
};

/* The call stack of one thread of the program. */
struct stack {
    bool is_test; /* it makes calls of the test */
    uint16_t thread;
    uint32_t depth;
    struct frame on[MAX_DEPTH];
};

static void
decode_event(struct stack *s, const struct burl_mail_event *e, struct burl_gen_outcome *o)
{
    const struct burl_gen_event x = { .thread = s->is_test ? s->thread : UINT16_MAX,
                                      .fn = e->fn,
                                      .leave = (e->flags & BURL_MAIL_F_LEAVE) != 0 };
    const bool within = (e->flags & BURL_MAIL_F_WITHIN) != 0;
    struct frame *top = s->depth > 0 && s->depth <= MAX_DEPTH ? &s->on[s->depth - 1] : NULL;
    struct frame f = { .fn = e->fn, .by_driver = !within };

    if (x.leave) {
        if (s->depth == 0)
            return; /* entered before the log began */
        s->depth--;
        f.hidden = top ? top->hidden : true;
        top = s->depth > 0 && s->depth <= MAX_DEPTH ? &s->on[s->depth - 1] : NULL;
    } else {
        /* A duplicate of the call that the driver has just logged? */
        f.hidden = within && top && top->by_driver && top->fn == e->fn;
        if (s->depth < MAX_DEPTH)
            s->on[s->depth] = f;
        s->depth++;
    }
    if (top)
        top->by_driver = false;
    if (!f.hidden)
        BURL_VEC_PUSH(&o->events, x);
}

static void
decode_events(const struct burl_mail_event *log, uint32_t n, const struct burl_gen_model *m,
              struct stack *stacks, struct burl_gen_outcome *o)
{
    /* Threads of the test are identified by the driver's events, anywhere in the log. */
    for (uint32_t i = 0; i < n; i++) {
        if (log[i].tid < MAX_TIDS && (log[i].flags & BURL_MAIL_F_WITHIN) == 0 &&
            log[i].thread < BURL_GEN_MAX_THREADS) {
            stacks[log[i].tid].is_test = true;
            stacks[log[i].tid].thread = log[i].thread;
        }
    }
    BURL_VEC_RESERVE(&o->events, n);
    for (uint32_t i = 0; i < n; i++) {
        if (log[i].tid < MAX_TIDS && log[i].fn < m->fns.n)
            decode_event(&stacks[log[i].tid], &log[i], o);
    }
}

/* ---- the end ----------------------------------------------------------------------- */

static bool
is_cut(uint32_t kind)
{
    return kind == BURL_VERDICT_CUT_STEPS || kind == BURL_VERDICT_CUT_TIME ||
           kind == BURL_VERDICT_LIVELOCK || kind == BURL_VERDICT_DIVERGED ||
           kind == BURL_VERDICT_UNSUPPORTED || kind == BURL_VERDICT_INTERNAL;
}

/* A thread that exits, or ends the process, leaves calls that never return. */
static bool
is_any_running(const struct burl_gen_outcome *o)
{
    for (unsigned i = 0; i < o->n_calls && i < BURL_GEN_MAX_CALLS; i++) {
        if (o->state[i] == BURL_GEN_CALL_RUNNING)
            return true;
    }
    return false;
}

void
burl__gen_judge_end(struct burl_gen_outcome *o, uint32_t body_end)
{
    const uint32_t kind = o->verdict.kind;

    if (is_cut(kind))
        o->end = BURL_GEN_END_CUT;
    else if (kind == BURL_VERDICT_DEADLOCK_CYCLE || kind == BURL_VERDICT_DEADLOCK_STUCK)
        o->end = BURL_GEN_END_BLOCKED;
    else if (kind != BURL_VERDICT_PASS)
        o->end = BURL_GEN_END_FAILED;
    else if (body_end == BURL_MAIL_END_MAKE)
        o->end = BURL_GEN_END_MAKE;
    else
        o->end = body_end == BURL_MAIL_END_ALL && !is_any_running(o) ? BURL_GEN_END_DONE
                                                                     : BURL_GEN_END_CUT;
}

/* The call that was running on the thread that failed. */
static int
find_failed_call(const struct burl_gen_outcome *o, const struct burl_mail_test *t, uint32_t tid,
                 const struct stack *stacks)
{
    uint32_t from = 0;
    uint32_t to = t->n_calls;
    int found = -1;

    if (t->mode != BURL_MAIL_SEQUENTIAL) {
        if (tid < MAX_TIDS && stacks[tid].is_test) {
            from = t->first[stacks[tid].thread];
            to = t->first[stacks[tid].thread + 1u];
        } else if (tid != 0) {
            return -1; /* a thread of the API's own */
        }
    }
    for (uint32_t i = from; i < to; i++) {
        const bool of_threads = i >= t->n_prefix && i < t->first[t->n_threads];

        if (t->mode != BURL_MAIL_SEQUENTIAL && tid == 0 && of_threads)
            continue;
        if (o->state[i] == BURL_GEN_CALL_RUNNING)
            found = (int)i;
    }
    return found;
}

void
burl__gen_decode(const struct burl_mail_head *h, const struct burl_mail_test *t,
                 const struct burl_gen_model *m, struct burl_gen_outcome *o)
{
    const struct burl_mail_body *body = (const struct burl_mail_body *)(const void *)(h + 1);
    const uint8_t *states = (const uint8_t *)(body + 1);
    struct stack stacks[MAX_TIDS];
    uint32_t body_end = BURL_MAIL_END_NONE;

    memset(o, 0, sizeof *o);
    memset(stacks, 0, sizeof stacks);
    o->failed_call = -1;
    o->n_calls = t->n_calls;
    o->seed = h->seed;
    o->trace_hash = h->hash;
    o->steps = h->steps;
    o->own_threads = h->n_threads > 1 + t->n_threads;
    o->contended = h->contended != 0;
    o->verdict.kind = h->kind < BURL_VERDICT__N ? (uint8_t)h->kind : (uint8_t)BURL_VERDICT_INTERNAL;
    o->verdict.code = h->code;
    o->verdict.tid = (uint16_t)h->tid;
    o->verdict.addr = h->addr;
    if (h->body_b == t->body_b) {
        const struct burl_mail_value *values =
            (const struct burl_mail_value *)(const void *)(states + (t->n_calls + 7) / 8 * 8);
        const struct burl_mail_event *log =
            (const struct burl_mail_event *)(const void *)((const char *)body + h->body_b);

        body_end = body->end;
        for (uint32_t i = 0; i < t->n_calls; i++)
            o->state[i] = states[i] <= BURL_GEN_CALL_DONE ? states[i] : 0;
        decode_values(values, t, o);
        decode_events(log, h->log_n < h->log_max ? h->log_n : h->log_max, m, stacks, o);
    }
    burl__gen_judge_end(o, body_end);
    if (o->end == BURL_GEN_END_FAILED)
        o->failed_call = find_failed_call(o, t, h->tid, stacks);
}
