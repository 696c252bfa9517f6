/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/record.c - from the bytes of the recorder to log and script.
 *
 * An argument is written as C if its role in the model says how: an object that an earlier call of
 * the seed made, a number, a string, a payload that no code looks into. For a callback that is used
 * in the call only, for its context and for a plain struct of zeros there is a stand-in that the
 * driver has. Anything else is `unwritten`: the seed alone has it.
 */
#include "synth/record.h"

#include "wire/record.h"

#define PAYLOAD_B 64 /* of the driver's payloads */

struct reader {
    struct burl_synth_log *log;
    struct burl_synth_script *script;
    const struct burl_gen_model *m;
    int seed;
    uint64_t data; /* variables of the program */
    uint64_t data_end;
    unsigned nth;                /* calls so far */
    BURL_VEC(uint64_t) payloads; /* addresses, in order of appearance */
    /* the call that is read */
    bool inside;
    struct burl_synth_call call;
    struct burl_synth_script_call out;
    const char *bytes[BURL_SYNTH_MAX_PARAMS];
    size_t n_bytes[BURL_SYNTH_MAX_PARAMS];
    uint64_t made[BURL_SYNTH_MAX_PARAMS]; /* OUT */
};

static enum burl_status
damaged(struct burl_err *err, const char *what)
{
    return burl_err_set(err, BURL_E_TARGET, 0, "the record of a seed is damaged: %s", what);
}

/* ---- arguments --------------------------------------------------------------------------- */

static int64_t
sign_extended(const struct burl_gen_param *p, uint64_t bits)
{
    unsigned unused = p->size_b > 0 && p->size_b < 8 ? 64 - 8u * p->size_b : 0;

    if (p->is_unsigned)
        return (int64_t)(bits << unused >> unused);
    return (int64_t)(bits << unused) >> unused;
}

static double
real_of(const struct burl_gen_param *p, uint64_t bits)
{
    double d;
    float f;

    if (p->size_b == 4) {
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    memcpy(&d, &bits, sizeof d);
    return d;
}

static int64_t
payload_number(struct reader *r, uint64_t addr)
{
    size_t i = 0;

    while (i < r->payloads.n && r->payloads.v[i] != addr)
        i++;
    if (i == r->payloads.n)
        BURL_VEC_PUSH(&r->payloads, addr);
    return (int64_t)(i % BURL_GEN_PAYLOADS);
}

static bool
bytes_write(const struct reader *r, size_t k, struct burl_gen_arg *a)
{
    if (r->bytes[k] == NULL || r->n_bytes[k] >= BURL_GEN_MAX_BYTES)
        return false;
    a->kind = BURL_GEN_ARG_BYTES;
    a->n_bytes = (uint16_t)r->n_bytes[k];
    memcpy(a->bytes, r->bytes[k], r->n_bytes[k]);
    return true;
}

/* The initial value of a scalar that the call reads and writes. */
static bool
inout_write(const struct reader *r, const struct burl_gen_param *p, size_t k,
            struct burl_gen_arg *a)
{
    uint64_t bits = 0;

    if (r->bytes[k] == NULL || r->n_bytes[k] > sizeof bits)
        return false;
    memcpy(&bits, r->bytes[k], r->n_bytes[k]);
    a->kind = p->is_real ? BURL_GEN_ARG_REAL : BURL_GEN_ARG_INT;
    a->i = sign_extended(p, bits);
    if (p->is_real)
        a->real = real_of(p, bits);
    return true;
}

/* A buffer that the call fills; its length is an argument as well. */
static bool
buffer_write(const struct reader *r, const struct burl_gen_param *p, struct burl_gen_arg *a)
{
    const uint64_t n = p->partner >= 0 ? r->call.args[p->partner].bits : BURL_GEN_MAX_BYTES;
    const unsigned each = p->size_b > 1 ? p->size_b : 1;

    if (n > BURL_GEN_MAX_BYTES / each)
        return false;
    a->i = (int64_t)(n * each);
    return true;
}

static int
object_find(const struct reader *r, uint64_t addr)
{
    return burl_synth_script_object(r->script, r->seed, r->script->calls.n, addr);
}

static int
object_add(struct reader *r, uint64_t addr, int type, int param, bool by_client)
{
    BURL_VEC_PUSH(&r->script->objects, (struct burl_synth_object){ .addr = addr,
                                                                   .seed = r->seed,
                                                                   .made = r->script->calls.n,
                                                                   .ended = SIZE_MAX,
                                                                   .type = type,
                                                                   .param = param,
                                                                   .by_client = by_client });
    return (int)r->script->objects.n - 1;
}

/* An object that no call made is the client's own work: it has a number as well, and is not
 * written. */
static bool
object_write(struct reader *r, const struct burl_gen_param *p, size_t k, struct burl_gen_arg *a)
{
    const uint64_t addr = r->call.args[k].bits;

    a->kind = BURL_GEN_ARG_SLOT;
    a->i = object_find(r, addr);
    if (a->i < 0)
        a->i = object_add(r, addr, p->type, (int)k, true);
    return !r->script->objects.v[a->i].by_client;
}

static bool
is_zero(const struct reader *r, size_t k)
{
    for (size_t i = 0; r->bytes[k] != NULL && i < r->n_bytes[k]; i++) {
        if (r->bytes[k][i] != '\0')
            return false;
    }
    return r->bytes[k] != NULL;
}

/* Something in the call reads or writes what the pointer leads to. */
static bool
is_accessed(const struct reader *r, uint64_t addr)
{
    for (size_t i = r->call.first; i < r->log->events.n; i++) {
        const struct burl_synth_event *e = &r->log->events.v[i];

        if (e->kind == BURL_SYNTH_ACCESS && e->addr < addr + PAYLOAD_B &&
            e->addr + e->size_b > addr)
            return true;
    }
    return false;
}

/* The library keeps the pointer. */
static bool
is_stored(const struct reader *r, uint64_t pointer)
{
    for (size_t i = r->call.first; i < r->log->events.n; i++) {
        const struct burl_synth_event *e = &r->log->events.v[i];

        if (e->kind == BURL_SYNTH_ACCESS && (e->access & BURL_SYNTH_WRITE) != 0 &&
            (e->flags & BURL_SYNTH_F_POINTER) != 0 && e->value == pointer)
            return true;
    }
    return false;
}

/* The argument as a literal or an object; false: it cannot be written. */
static bool
argument_write(struct reader *r, const struct burl_gen_param *p, size_t k, struct burl_gen_arg *a)
{
    uint64_t bits = r->call.args[k].bits;

    switch (p->role) {
    case BURL_GEN_ROLE_INT:
    case BURL_GEN_ROLE_BOOL:
        a->kind = BURL_GEN_ARG_INT;
        a->i = sign_extended(p, bits);
        return true;
    case BURL_GEN_ROLE_REAL:
        a->kind = BURL_GEN_ARG_REAL;
        a->real = real_of(p, bits);
        return true;
    case BURL_GEN_ROLE_LENGTH:
    case BURL_GEN_ROLE_FIXED:
    case BURL_GEN_ROLE_STORAGE: /* see objects_made() */
    case BURL_GEN_ROLE_OUT_OBJECT:
        return true;
    default:
        break;
    }
    if (bits == 0) {
        a->kind = BURL_GEN_ARG_NULL;
        return true;
    }
    switch (p->role) {
    case BURL_GEN_ROLE_OBJECT:
        return object_write(r, p, k, a);
    case BURL_GEN_ROLE_STRING:
    case BURL_GEN_ROLE_BYTES_IN:
        return bytes_write(r, k, a);
    case BURL_GEN_ROLE_BYTES_OUT:
        return buffer_write(r, p, a);
    case BURL_GEN_ROLE_INOUT_VALUE:
        return inout_write(r, p, k, a);
    case BURL_GEN_ROLE_PAYLOAD:
        a->kind = BURL_GEN_ARG_PAYLOAD;
        a->i = payload_number(r, bits);
        return !is_accessed(r, bits);
    case BURL_GEN_ROLE_CALLBACK:
        a->kind = BURL_GEN_ARG_CALLBACK;
        return !is_stored(r, bits);
    case BURL_GEN_ROLE_RECORD:
        return is_zero(r, k);
    default:
        return p->role == BURL_GEN_ROLE_OUT_VALUE || p->role == BURL_GEN_ROLE_CONTEXT;
    }
}

/* ---- objects ----------------------------------------------------------------------------- */

/* The object that the call made; a pointer to one that the client has already makes none. */
static void
objects_made(struct reader *r, const struct burl_gen_fn *f)
{
    int param = burl_gen_fn_made_param(f);
    uint64_t addr = r->call.result;

    if (param >= 0)
        addr = f->params.v[param].role == BURL_GEN_ROLE_STORAGE ? r->call.args[param].bits
                                                                : r->made[param];
    else if (f->result != BURL_GEN_RESULT_OBJECT)
        return;
    if (addr == 0 || object_find(r, addr) >= 0)
        return;
    r->out.c.slot = object_add(r, addr, burl_gen_fn_made_type(f), param, false);
    if (param >= 0) {
        r->out.c.args.v[param].kind = BURL_GEN_ARG_SLOT;
        r->out.c.args.v[param].i = r->out.c.slot;
    }
}

static void
objects_ended(struct reader *r, const struct burl_gen_fn *f)
{
    for (size_t k = 0; k < f->params.n; k++) {
        const struct burl_gen_arg *a = &r->out.c.args.v[k];
        bool ends = f->params.v[k].consumes || (f->kind == BURL_GEN_DESTROY && f->self == (int)k);

        if (ends && a->kind == BURL_GEN_ARG_SLOT)
            r->script->objects.v[a->i].ended = r->script->calls.n;
    }
}

/* ---- calls ------------------------------------------------------------------------------- */

static enum burl_status
call_enter(struct reader *r, const struct burl_record_event *e, struct burl_err *err)
{
    const struct burl_gen_fn *f;

    if (r->inside || e->site >= r->m->fns.n)
        return damaged(err, "a call inside another one, or of no function");
    f = &r->m->fns.v[e->site];
    if (e->size_b != f->params.n || f->params.n > BURL_SYNTH_MAX_PARAMS)
        return damaged(err, "wrong number of arguments");
    memset(r->bytes, 0, sizeof r->bytes);
    memset(r->made, 0, sizeof r->made);
    r->inside = true;
    r->call = (struct burl_synth_call){
        .fn = (int)e->site,
        .seed = r->seed,
        .nth = r->nth++,
        .is_life_cycle = f->kind == BURL_GEN_MAKE || f->kind == BURL_GEN_DESTROY,
        .is_end = f->kind == BURL_GEN_DESTROY,
        .result_type = f->result == BURL_GEN_RESULT_OBJECT ? f->result_type : -1,
        .n_args = (unsigned)f->params.n,
        .first = r->log->events.n
    };
    for (size_t k = 0; k < f->params.n; k++)
        r->call.args[k].type = -1;
    return BURL_OK;
}

static enum burl_status
call_argument(struct reader *r, const struct burl_record_event *e, struct burl_err *err)
{
    const struct burl_gen_param *p;

    if (!r->inside || e->site >= r->call.n_args)
        return damaged(err, "an argument of no call");
    p = &r->m->fns.v[r->call.fn].params.v[e->site];
    r->call.args[e->site] = (struct burl_synth_arg){
        .bits = e->value,
        .object_b = e->size_b,
        .type = p->role == BURL_GEN_ROLE_OBJECT || p->role == BURL_GEN_ROLE_STORAGE ? p->type : -1
    };
    return BURL_OK;
}

/* Parameters that say something about each other come from the seed together. */
static void
join_params(struct reader *r, const struct burl_gen_fn *f)
{
    uint32_t functions = 0;

    for (size_t k = 0; k < f->params.n; k++) {
        const struct burl_gen_param *p = &f->params.v[k];
        const uint32_t both = p->partner >= 0 ? 1u << p->partner | 1u << k : 0;

        if ((r->out.only_seed & both) != 0)
            r->out.only_seed |= both;
        if (p->role == BURL_GEN_ROLE_CALLBACK || p->role == BURL_GEN_ROLE_CONTEXT)
            functions |= 1u << k;
    }
    if ((r->out.only_seed & functions) != 0)
        r->out.only_seed |= functions;
}

static void
arguments_write(struct reader *r, const struct burl_gen_fn *f)
{
    for (size_t k = 0; k < f->params.n; k++) {
        struct burl_gen_arg a = { .kind = BURL_GEN_ARG_ROLE };

        if (!argument_write(r, &f->params.v[k], k, &a)) {
            r->out.unwritten = (int)k;
            r->out.only_seed |= 1u << k;
            if (a.kind != BURL_GEN_ARG_SLOT)
                a.kind = BURL_GEN_ARG_NULL;
        }
        BURL_VEC_PUSH(&r->out.c.args, a);
    }
    join_params(r, f);
}

static bool
is_pointer(enum burl_gen_role role)
{
    return role != BURL_GEN_ROLE_INT && role != BURL_GEN_ROLE_BOOL && role != BURL_GEN_ROLE_REAL &&
           role != BURL_GEN_ROLE_LENGTH && role != BURL_GEN_ROLE_CALLBACK &&
           role != BURL_GEN_ROLE_FIXED;
}

/* The call reads it and no more: two executions that share it do not disturb each other. */
static bool
is_read_only(const struct burl_gen_param *p)
{
    return (p->role == BURL_GEN_ROLE_STRING || p->role == BURL_GEN_ROLE_BYTES_IN ||
            p->role == BURL_GEN_ROLE_RECORD) &&
           strncmp(p->ctype, "const ", 6) == 0;
}

/* An argument leads to a variable of the program, and no call of the library gave it out. */
static bool
uses_static(const struct reader *r, const struct burl_gen_fn *f)
{
    for (size_t k = 0; k < f->params.n; k++) {
        const struct burl_gen_param *p = &f->params.v[k];
        const uint64_t bits = r->call.args[k].bits;
        const struct burl_gen_arg *a = &r->out.c.args.v[k];
        const struct burl_synth_object *o =
            a->kind == BURL_GEN_ARG_SLOT ? &r->script->objects.v[a->i] : NULL;
        const bool is_given_out =
            o != NULL && !o->by_client &&
            (o->param < 0 ||
             r->m->fns.v[r->script->calls.v[o->made].c.fn].params.v[o->param].role !=
                 BURL_GEN_ROLE_STORAGE);

        if (is_pointer(p->role) && !is_read_only(p) && !is_given_out && bits >= r->data &&
            bits < r->data_end)
            return true;
    }
    return false;
}

static enum burl_status
call_leave(struct reader *r, const struct burl_record_event *e, struct burl_err *err)
{
    const struct burl_gen_fn *f;

    if (!r->inside || e->site != (uint32_t)r->call.fn)
        return damaged(err, "the end of no call");
    f = &r->m->fns.v[r->call.fn];
    r->inside = false;
    r->call.result = e->value;
    r->call.n_events = r->log->events.n - r->call.first;
    r->out = (struct burl_synth_script_call){ .c = { .fn = r->call.fn, .slot = -1 },
                                              .seed = r->seed,
                                              .unwritten = -1 };
    arguments_write(r, f);
    if (!burl_gen_fn_has_thunk(f))
        r->out.unwritten = 0;
    r->out.uses_static = uses_static(r, f);
    objects_made(r, f);
    objects_ended(r, f);
    BURL_VEC_PUSH(&r->log->calls, r->call);
    BURL_VEC_PUSH(&r->script->calls, r->out);
    return BURL_OK;
}

/* The call that is read did not return: neither do its effects count. */
static void
call_leave_out(struct reader *r)
{
    if (r->inside)
        r->log->events.n = r->call.first;
    r->inside = false;
}

/* ---- events ------------------------------------------------------------------------------ */

static void
event_add(struct reader *r, const struct burl_record_event *e)
{
    struct burl_synth_event to = {
        .site = e->site, .addr = e->addr, .size_b = e->size_b, .value = e->value
    };

    to.kind = (uint8_t)(e->kind - BURL_RECORD_ACCESS + BURL_SYNTH_ACCESS);
    to.access = (uint8_t)((e->flags & BURL_RECORD_F_READ ? BURL_SYNTH_READ : 0) |
                          (e->flags & BURL_RECORD_F_WRITE ? BURL_SYNTH_WRITE : 0));
    to.flags = (uint16_t)((e->flags & BURL_RECORD_F_ATOMIC ? BURL_SYNTH_F_ATOMIC : 0) |
                          (e->flags & BURL_RECORD_F_SHARED ? BURL_SYNTH_F_SHARED : 0) |
                          (e->flags & BURL_RECORD_F_VALUE ? BURL_SYNTH_F_POINTER : 0));
    BURL_VEC_PUSH(&r->log->events, to);
}

/* The event at *at; *at moves behind it and its bytes, which are left in *bytes. NULL: damaged, or
 * (with is_full) the list ends within it. */
static const struct burl_record_event *
event_next(const struct burl_record_event *all, size_t n, size_t *at, const char **bytes)
{
    const struct burl_record_event *e = &all[(*at)++];
    const size_t left = n - *at;

    *bytes = NULL;
    if (e->kind != BURL_RECORD_BYTES)
        return e;
    if (e->size_b > left * sizeof *e)
        return NULL;
    *bytes = (const char *)&all[*at];
    *at += BURL_RECORD_PLACES(e->size_b);
    return e;
}

static enum burl_status
event_read(struct reader *r, const struct burl_record_event *e, const char *bytes,
           struct burl_err *err)
{
    switch (e->kind) {
    case BURL_RECORD_ENTER:
        return call_enter(r, e, err);
    case BURL_RECORD_ARG:
        return call_argument(r, e, err);
    case BURL_RECORD_LEAVE:
        return call_leave(r, e, err);
    case BURL_RECORD_OUT:
        if (r->inside && e->site < r->call.n_args)
            r->made[e->site] = e->value;
        return BURL_OK;
    case BURL_RECORD_BYTES:
        if (!r->inside || e->site >= r->call.n_args)
            return damaged(err, "bytes of no argument");
        r->bytes[e->site] = bytes;
        r->n_bytes[e->site] = e->size_b;
        return BURL_OK;
    case BURL_RECORD_THREAD:
        return BURL_OK;
    case BURL_RECORD_JUMP:
        call_leave_out(r);
        return BURL_OK;
    default:
        if (e->kind > BURL_RECORD_FREE || e->kind < BURL_RECORD_ENTER)
            return damaged(err, "an unknown event");
        event_add(r, e);
        return BURL_OK;
    }
}

/* The events of a record, *n of them; NULL: damaged. */
static const struct burl_record_event *
events_of(const void *area, size_t area_b, size_t *n, struct burl_err *err)
{
    const struct burl_record_head *h = area;
    const size_t room =
        area_b >= sizeof *h ? (area_b - sizeof *h) / sizeof(struct burl_record_event) : 0;

    if (area_b < sizeof *h || h->n > room) {
        (void)!damaged(err, "more events than there is room for");
        return NULL;
    }
    *n = h->n;
    return (const struct burl_record_event *)(const void *)(h + 1);
}

static void
undo(struct reader *r, size_t n_calls, size_t n_events, size_t n_objects)
{
    for (size_t i = n_calls; i < r->script->calls.n; i++)
        burl_gen_call_deinit(&r->script->calls.v[i].c);
    r->script->calls.n = n_calls;
    r->script->objects.n = n_objects;
    r->log->calls.n = n_calls;
    r->log->events.n = n_events;
    r->log->seeds.n--;
}

enum burl_status
burl_synth_record_read(struct burl_synth_log *log, struct burl_synth_script *script,
                       const struct burl_gen_model *m, int seed, const void *area, size_t area_b,
                       struct burl_err *err)
{
    struct reader r = { .log = log, .script = script, .m = m, .seed = seed };
    const size_t n_calls = log->calls.n;
    const size_t n_events = log->events.n;
    const size_t n_objects = script->objects.n;
    enum burl_status st = BURL_OK;
    size_t n = 0;
    const struct burl_record_event *all = events_of(area, area_b, &n, err);
    const char *bytes;

    if (all == NULL)
        return BURL_E_TARGET;
    r.data = ((const struct burl_record_head *)area)->data;
    r.data_end = ((const struct burl_record_head *)area)->data_end;
    BURL_VEC_PUSH(&log->seeds, log->events.n);
    for (size_t at = 0; st == BURL_OK && at < n;) {
        const struct burl_record_event *e = event_next(all, n, &at, &bytes);

        if (e != NULL)
            st = event_read(&r, e, bytes, err);
        else if (((const struct burl_record_head *)area)->n_lost > 0)
            break;
        else
            st = damaged(err, "bytes without an end");
    }
    if (st != BURL_OK)
        undo(&r, n_calls, n_events, n_objects);
    else
        call_leave_out(&r);
    BURL_VEC_FREE(&r.payloads);
    return st;
}

/* ---- before it is read ------------------------------------------------------------------- */

void
burl_synth_record_info_deinit(struct burl_synth_record_info *i)
{
    BURL_VEC_FREE(&i->threads);
}

static void
add_once(struct burl_synth_record_info *info, int fn)
{
    for (size_t i = 0; i < info->threads.n; i++) {
        if (info->threads.v[i] == fn)
            return;
    }
    BURL_VEC_PUSH(&info->threads, fn);
}

enum burl_status
burl_synth_record_scan(struct burl_synth_record_info *info, const struct burl_gen_model *m,
                       const void *area, size_t area_b, struct burl_err *err)
{
    const struct burl_record_head *h = area;
    size_t n = 0;
    const struct burl_record_event *all = events_of(area, area_b, &n, err);
    const char *bytes;
    int fn = -1;

    *info = (struct burl_synth_record_info){ .last_fn = -1 };
    if (all == NULL)
        return BURL_E_TARGET;
    info->is_full = h->n_lost > 0;
    for (size_t at = 0; at < n;) {
        const struct burl_record_event *e = event_next(all, n, &at, &bytes);

        if (e == NULL)
            break;
        if (e->kind == BURL_RECORD_ENTER && e->site < m->fns.n) {
            fn = info->last_fn = (int)e->site;
        } else if (e->kind == BURL_RECORD_LEAVE || e->kind == BURL_RECORD_JUMP) {
            info->n_calls += e->kind == BURL_RECORD_LEAVE;
            fn = -1;
        } else if (e->kind == BURL_RECORD_THREAD && fn >= 0) {
            add_once(info, fn);
        } else if (e->kind == BURL_RECORD_THREAD) {
            info->n_own_threads++;
        }
    }
    info->is_inside = fn >= 0;
    return BURL_OK;
}
