/* SPDX-License-Identifier: Apache-2.0 */
/*
 * from_json.c - a finding read back from its finding.json, for `burl report`.
 *
 * Runs in the host, on bytes from outside: a store may come from another machine. The inverse of
 * render/json.c: what was written and read is written the same. A member of another type than the
 * format has, or a number out of its range, means a damaged file; a missing member is unknown, and
 * members of later versions are ignored.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/verdict.h"
#include "report/build/build_int.h"
#include "report/finding/codes.h"
#include "wire/event.h"

struct reader {
    struct burl_finding_pool *pool;
    struct burl_err *err;
    enum burl_status st;                   /* sticky: the first failure */
    const struct burl_report_files *files; /* NULL: names stay as they are */
};

typedef const struct burl_json_value value;

static void
fail(struct reader *r, const char *key, const char *expected)
{
    if (r->st == BURL_OK)
        r->st = burl_err_set(r->err, BURL_E_FORMAT, 0, "\"%.40s\" is not %s", key, expected);
}

static bool
is_absent(value *v)
{
    return v == NULL || v->type == BURL_JSON_NULL;
}

static const char *
read_str(struct reader *r, const char *key, value *v)
{
    if (is_absent(v))
        return "";
    if (v->type != BURL_JSON_STRING)
        fail(r, key, "a string");
    return burl__report_str(r->pool, burl_json_as_str(v, ""));
}

static uint64_t
read_number(struct reader *r, const char *key, value *v, uint64_t max)
{
    uint64_t x = 0;

    if (is_absent(v))
        return 0;
    if (!burl_json_as_u64(v, &x) || x > max) {
        fail(r, key, "a number in its range");
        return 0;
    }
    return x;
}

/* 16 hex digits. */
static uint64_t
read_hash(struct reader *r, const char *key, value *v)
{
    const char *s = burl_json_as_str(v, "");

    if (is_absent(v))
        return 0;
    if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16) {
        fail(r, key, "a hash of 16 hex digits");
        return 0;
    }
    return strtoull(s, NULL, 16);
}

static int64_t
read_signed(struct reader *r, const char *key, value *v)
{
    int64_t x = 0;

    if (!is_absent(v) && !burl_json_as_i64(v, &x))
        fail(r, key, "a number");
    return x;
}

static bool
read_bool(struct reader *r, const char *key, value *v)
{
    if (!is_absent(v) && v->type != BURL_JSON_BOOL)
        fail(r, key, "true or false");
    return burl_json_as_bool(v, false);
}

static void read_loc(struct reader *r, const char *key, value *v, struct burl_finding_loc *loc);
static void read_stack(struct reader *r, const char *key, value *v, struct burl_finding_stack *s);

static void
read_member(struct reader *r, const char *key, char type, value *v, void *to)
{
    switch (type) {
    case 's':
        *(const char **)to = read_str(r, key, v);
        break;
    case 'u':
        *(uint32_t *)to = (uint32_t)read_number(r, key, v, UINT32_MAX);
        break;
    case 'n':
    case 'x':
        *(uint64_t *)to = read_number(r, key, v, UINT64_MAX);
        break;
    case 'i':
        *(int64_t *)to = read_signed(r, key, v);
        break;
    case 'b':
        *(bool *)to = read_bool(r, key, v);
        break;
    case 'T':
        *(uint16_t *)to = BURL_TID_NONE;
        if (!is_absent(v))
            *(uint16_t *)to = (uint16_t)read_number(r, key, v, BURL_TID_NONE - 1);
        break;
    case 'H':
        *(uint64_t *)to = read_hash(r, key, v);
        break;
    case 'O':
        /* A word of a later version is an unknown operation. */
        if (!burl__report_op(read_str(r, key, v), to))
            *(uint8_t *)to = is_absent(v) ? BURL_OP_NONE : UINT8_MAX;
        break;
    case 'L':
        read_loc(r, key, v, to);
        break;
    default:
        read_stack(r, key, v, to);
        break;
    }
}

/* Members as put_members() of render/json.c writes them, "key:type"; a pointer for each:
 *     s const char **      u uint32_t *       n, x uint64_t *     i int64_t *      b bool *
 *     T uint16_t *         H uint64_t *       O uint8_t *, an operation
 *     L struct burl_finding_loc *             S struct burl_finding_stack * */
static void
read_members(struct reader *r, value *obj, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    for (; *fmt != '\0'; fmt += strspn(fmt, " ")) {
        const size_t n = strcspn(fmt, ":");
        char key[40] = "";

        memcpy(key, fmt, n < sizeof key ? n : sizeof key - 1);
        read_member(r, key, fmt[n + 1], burl_json_get(obj, key), va_arg(ap, void *));
        fmt += n + 2;
    }
    va_end(ap);
}

/* The elements of an array, all of which must be objects; absent is empty. */
static value *
array_of(struct reader *r, value *obj, const char *key, size_t *n)
{
    value *v = burl_json_get(obj, key);

    *n = 0;
    if (is_absent(v))
        return NULL;
    if (v->type != BURL_JSON_ARRAY) {
        fail(r, key, "an array");
        return NULL;
    }
    for (size_t i = 0; i < v->n; i++) {
        if (v->items[i].type != BURL_JSON_OBJECT) {
            fail(r, key, "an array of objects");
            return NULL;
        }
    }
    *n = v->n;
    return v->items;
}

/* A member that is an object; NULL when it is absent. */
static value *
object_of(struct reader *r, value *obj, const char *key)
{
    value *v = burl_json_get(obj, key);

    if (is_absent(v))
        return NULL;
    if (v->type == BURL_JSON_OBJECT)
        return v;
    fail(r, key, "an object");
    return NULL;
}

static const char **
read_lines(struct reader *r, value *obj, const char *key, size_t *n)
{
    value *v = burl_json_get(obj, key);
    const char **lines;

    *n = 0;
    if (is_absent(v))
        return NULL;
    if (v->type != BURL_JSON_ARRAY) {
        fail(r, key, "an array");
        return NULL;
    }
    lines = burl__report_alloc(r->pool, v->n, sizeof *lines);
    for (size_t i = 0; i < v->n; i++)
        lines[i] = read_str(r, key, &v->items[i]);
    *n = v->n;
    return lines;
}

static void
read_loc(struct reader *r, const char *key, value *v, struct burl_finding_loc *loc)
{
    *loc = (struct burl_finding_loc){ .file = "", .func = "", .source = "" };
    if (is_absent(v))
        return;
    if (v->type != BURL_JSON_OBJECT) {
        fail(r, key, "a place");
        return;
    }
    loc->site = 1; /* the number was of another process: what counts is that there is a place */
    read_members(r, v, "file:s line:u column:u function:s source:s", &loc->file, &loc->line,
                 &loc->column, &loc->func, &loc->source);
    if (r->files != NULL)
        loc->file = r->files->find(r->files->arg, loc->file);
    loc->file = burl__report_file(r->pool, loc->file);
}

static void
read_stack(struct reader *r, const char *key, value *v, struct burl_finding_stack *s)
{
    *s = (struct burl_finding_stack){ 0 };
    if (is_absent(v))
        return;
    if (v->type != BURL_JSON_ARRAY) {
        fail(r, key, "a stack");
        return;
    }
    s->frames = burl__report_alloc(r->pool, v->n, sizeof *s->frames);
    s->n = v->n;
    for (size_t i = 0; i < v->n; i++) {
        struct burl_finding_frame *fr = &s->frames[i];
        const char *func = "";
        uint32_t left_out = 0;

        read_members(r, &v->items[i], "at:L function:s exact:b after_line:u system:b failed:b",
                     &fr->loc, &func, &fr->exact, &fr->after, &fr->system, &fr->failed);
        read_members(r, &v->items[i], "left_out:u", &left_out);
        fr->loc.func = func;
        if (left_out > 0) {
            s->left_out = left_out;
            s->left_at = i;
        }
    }
}

static struct burl_finding_lock *
read_locks(struct reader *r, value *obj, size_t *n)
{
    value *v = array_of(r, obj, "locks", n);
    struct burl_finding_lock *locks = burl__report_alloc(r->pool, *n, sizeof *locks);

    for (size_t i = 0; i < *n; i++) {
        struct burl_finding_lock *l = &locks[i];

        read_members(r, &v[i], "object:s address:x mode:s depth:u step:u taken:L", &l->name,
                     &l->addr, &l->mode, &l->depth, &l->step, &l->taken);
    }
    return locks;
}

static void
read_code(struct reader *r, value *obj, const char *key, const struct burl__report_codes *codes,
          uint8_t *code)
{
    value *v = burl_json_get(obj, key);

    if (!is_absent(v) && !burl__report_code(codes, burl_json_as_str(v, ""), code))
        fail(r, key, "a known word");
}

static void
read_thread(struct reader *r, value *v, struct burl_finding_thread *t)
{
    struct burl_finding_wait *wait = &t->wait;
    value *waits = object_of(r, v, "waits");

    t->state = BURL_FINDING_THREAD_UNKNOWN;
    read_members(r, v, "id:T name:s operations:n creator:T created:L stack:S", &t->tid, &t->name,
                 &t->n_ops, &t->creator, &t->created, &t->stack);
    if (t->tid == BURL_TID_NONE)
        fail(r, "id", "the number of a thread");
    read_code(r, v, "state", &burl__report_states, &t->state);
    t->locks = read_locks(r, v, &t->n_locks);
    wait->waits = waits != NULL;
    read_members(r, waits, "op:O object:s address:x owner:T in_cycle:b at:L", &wait->op,
                 &wait->name, &wait->addr, &wait->owner, &wait->in_cycle, &wait->loc);
}

static uint8_t
flag_of(struct reader *r, value *v, const char *key, uint8_t flag)
{
    return read_bool(r, key, burl_json_get(v, key)) ? flag : 0;
}

static void
read_op(struct reader *r, value *v, struct burl_finding_step *s)
{
    uint64_t bytes = 0;

    s->type = BURL_FINDING_STEP_OP;
    read_members(r, v, "step:u thread:T thread_op:u op:O object:s address:x bytes:n", &s->step,
                 &s->tid, &s->thread_op, &s->op, &s->what, &s->addr, &bytes);
    read_members(r, v, "value:x after:x other_thread:T failure:b minor:b text:s at:L", &s->value,
                 &s->after, &s->other, &s->failure, &s->minor, &s->text, &s->loc);
    s->size_b = bytes < 255 ? (uint8_t)bytes : 255;
    s->aux = bytes;
    if (!is_absent(burl_json_get(v, "value")))
        s->flags |= BURL_EV_F_VALUE;
    if (!is_absent(burl_json_get(v, "after")))
        s->flags |= BURL_EV_F_AFTER;
    s->flags |= flag_of(r, v, "blocked", BURL_EV_F_BLOCKED);
    s->flags |= flag_of(r, v, "timeout", BURL_EV_F_TIMEOUT);
    s->flags |= flag_of(r, v, "unsuccessful", BURL_EV_F_FAILED);
    s->flags |= flag_of(r, v, "spurious", BURL_EV_F_SPURIOUS);
    s->flags |= flag_of(r, v, "injected", BURL_EV_F_INJECTED);
}

static void
read_step(struct reader *r, value *v, struct burl_finding_step *s)
{
    const char *type = read_str(r, "type", burl_json_get(v, "type"));

    s->next = s->other = BURL_TID_NONE;
    s->what = s->text = s->loc.file = s->loc.func = s->loc.source = "";
    if (strcmp(type, "op") == 0) {
        read_op(r, v, s);
    } else if (strcmp(type, "switch") == 0) {
        s->type = BURL_FINDING_STEP_SWITCH;
        s->why = UINT8_MAX;
        read_members(r, v, "from:T to:T pending_op:O text:s at:L", &s->tid, &s->next, &s->op,
                     &s->text, &s->loc);
        read_code(r, v, "why", &burl__report_whys, &s->why);
        s->preemption = s->why == BURL_SWITCH_PREEMPT;
        if (s->next == BURL_TID_NONE)
            fail(r, "to", "the number of a thread");
    } else if (strcmp(type, "skip") == 0) {
        s->type = BURL_FINDING_STEP_SKIP;
        read_members(r, v, "operations:n thread:T", &s->n_skipped, &s->tid);
        s->text = burl__report_skip_text(r->pool, s->n_skipped);
    } else {
        fail(r, "type", "\"op\", \"switch\" or \"skip\"");
    }
    if (s->tid == BURL_TID_NONE && s->type != BURL_FINDING_STEP_SKIP)
        fail(r, "thread", "the number of a thread");
}

static void
read_side(struct reader *r, value *v, struct burl_finding_side *s)
{
    read_members(r, v, "thread:T op:O write:b atomic:b near:b object:s address:x bytes:u step:u",
                 &s->tid, &s->op, &s->write, &s->atomic, &s->near, &s->what, &s->addr, &s->size_b,
                 &s->step);
    read_members(r, v, "text:s at:L stack:S more_locks:u", &s->text, &s->loc, &s->stack,
                 &s->n_more_locks);
    s->frees = strcmp(burl_json_as_str(burl_json_get(v, "op"), ""), "free") == 0;
    s->verb = s->frees ? "frees" : burl__report_verb(s->op);
    s->in_trace = !is_absent(burl_json_get(v, "step"));
    s->locks = read_locks(r, v, &s->n_locks);
    if (v != NULL && s->tid == BURL_TID_NONE)
        fail(r, "thread", "the number of a thread");
}

static void
read_orders(struct reader *r, value *v, struct burl_finding_orders *o)
{
    size_t n;
    value *ends = array_of(r, v, "ends", &n);

    o->first[0] = o->first[1] = o->ends[0] = o->ends[1] = "";
    read_code(r, v, "outcome", &burl__report_outcomes, &o->outcome);
    read_members(r, v, "failing:b failure:H", &o->failing, &o->failure);
    for (size_t i = 0; i < n && i < 2; i++)
        read_members(r, &ends[i], "first:s end:s", &o->first[i], &o->ends[i]);
}

static void
read_pairs(struct reader *r, value *root, struct burl_finding *f)
{
    value *pairs = array_of(r, root, "pairs", &f->n_pairs);

    f->pairs = burl__report_alloc(r->pool, f->n_pairs, sizeof *f->pairs);
    for (size_t i = 0; i < f->n_pairs; i++) {
        struct burl_finding_pair *p = &f->pairs[i];
        size_t n;
        value *v = array_of(r, &pairs[i], "accesses", &n);

        if (n != 2) {
            fail(r, "accesses", "an array of two");
            return;
        }
        read_members(r, &pairs[i], "count:n", &p->count);
        for (unsigned k = 0; k < 2; k++)
            read_members(r, &v[k], "op:O object:s at:L", &p->op[k], &p->what[k], &p->loc[k]);
    }
}

static void
read_race(struct reader *r, value *root, struct burl_finding *f)
{
    struct burl_finding_memory *m = &f->memory;
    value *memory = object_of(r, root, "memory");
    size_t n;
    value *sides = array_of(r, root, "accesses", &n);

    read_members(r, memory, "name:s symbol:s address:x bytes:n block_address:x block_bytes:n",
                 &m->name, &m->symbol, &m->addr, &m->size_b, &m->block_addr, &m->block_b);
    read_members(r, memory, "thread:T allocated:L allocated_stack:S", &m->tid, &m->made, &m->stack);
    read_code(r, memory, "kind", &burl__report_origins, &m->kind);
    read_orders(r, object_of(r, root, "orders"), &f->orders);
    read_pairs(r, root, f);
    if (n != 0 && n != 2)
        fail(r, "accesses", "an array of two");
    f->n_sides = n == 2 ? 2 : 0;
    for (unsigned i = 0; i < 2; i++)
        read_side(r, n == 2 ? &sides[i] : NULL, &f->sides[i]);
}

static void
read_execution(struct reader *r, value *v, struct burl_finding *f)
{
    value *minimized = object_of(r, v, "minimised");

    read_members(r, v,
                 "command:s build_id:s engine:s strategy:s seed:n steps:n switches:u preemptions:u",
                 &f->command, &f->build_id, &f->engine, &f->strategy, &f->facts.seed,
                 &f->n_exec_steps, &f->n_switches, &f->n_preemptions);
    read_members(r, v, "spurious_wakeups:u faults:u needs:s trace_hash:H", &f->n_spurious,
                 &f->n_faults, &f->needs, &f->trace_hash);
    read_members(r, v, "operations_traced:n operations_shown:n events_dropped:n", &f->n_ops,
                 &f->n_ops_shown, &f->events_dropped);
    read_members(r, minimized, "preemptions_found:u executions:n complete:b",
                 &f->facts.n_preemptions_found, &f->facts.minimize_execs,
                 &f->facts.minimized_fully);
}

static void
read_pattern(struct reader *r, value *v, struct burl_finding_pattern *p)
{
    value *steps = burl_json_get(v, "steps");
    uint32_t *numbers = burl__report_alloc(r->pool, burl_json_count(steps), sizeof *numbers);

    read_members(r, v, "kind:s sentence:s", &p->kind, &p->sentence);
    for (size_t i = 0; i < burl_json_count(steps); i++)
        numbers[i] = (uint32_t)read_number(r, "steps", burl_json_at(steps, i), UINT32_MAX);
    p->steps = numbers;
    p->n_steps = burl_json_count(steps);
}

static void
read_block(struct reader *r, value *v, struct burl_finding_block *b)
{
    b->known = v != NULL;
    read_members(r, v, "address:x bytes:n allocated_by:T allocated_step:u allocated_stack:S",
                 &b->addr, &b->size_b, &b->alloc_tid, &b->alloc_step, &b->alloc_stack);
    read_members(r, v, "freed_by:T freed_step:u freed_stack:S", &b->free_tid, &b->free_step,
                 &b->free_stack);
}

static void
read_check(struct reader *r, value *v, struct burl_finding *f)
{
    read_members(r, v, "command:s output_cut:b", &f->check, &f->check_cut);
    f->check_output = read_lines(r, v, "output", &f->n_check_output);
}

static void
read_happened(struct reader *r, value *root, struct burl_finding *f)
{
    value *v = array_of(r, root, "threads", &f->n_threads);

    f->threads = burl__report_alloc(r->pool, f->n_threads, sizeof *f->threads);
    for (size_t i = 0; i < f->n_threads; i++)
        read_thread(r, &v[i], &f->threads[i]);
    v = array_of(r, root, "steps", &f->n_steps);
    f->steps = burl__report_alloc(r->pool, f->n_steps, sizeof *f->steps);
    for (size_t i = 0; i < f->n_steps; i++)
        read_step(r, &v[i], &f->steps[i]);
    read_block(r, object_of(r, root, "block"), &f->block);
    read_race(r, root, f);
    f->output = read_lines(r, root, "output", &f->n_output);
}

static void
read_finding(struct reader *r, value *root, struct burl_finding *f)
{
    int64_t code = 0;

    read_members(r, root, "number:u kind:s fingerprint:H cause:s title:s detail:s predicted:s",
                 &f->number, &f->kind, &f->facts.fingerprint, &f->cause, &f->title, &f->detail,
                 &f->predicted);
    read_pattern(r, object_of(r, root, "pattern"), &f->pattern);
    read_members(r, root, "sequential:b always:b count:n shown:n of:n noise:s again:s",
                 &f->facts.sequential, &f->facts.always, &f->facts.count, &f->facts.shown,
                 &f->facts.of, &f->noise, &f->again);
    read_check(r, object_of(r, root, "check"), f);
    read_members(r, root, "found_after:n found_execution:n found_ms:i", &f->facts.found.after,
                 &f->facts.found.execution, &f->facts.found.ms);
    read_members(r, root, "confirmed:u confirm_tries:u code:i thread:T address:x where:L",
                 &f->facts.confirmed, &f->facts.confirm_tries, &code, &f->tid, &f->addr, &f->where);
    read_members(r, root, "replay:s schedule:s region:s output_cut:b problem:s", &f->replay,
                 &f->schedule, &f->region, &f->output_cut, &f->problem);
    if (code < INT32_MIN || code > INT32_MAX)
        fail(r, "code", "a number in its range");
    f->code = (int32_t)code;
    read_execution(r, object_of(r, root, "execution"), f);
    read_happened(r, root, f);
}

/* BURL_VERDICT__N: a kind that no execution has by itself. */
static uint8_t
verdict_of(const char *kind)
{
    uint8_t v = 0;

    while (v < BURL_VERDICT__N && strcmp(burl_verdict_name(v), kind) != 0)
        v++;
    return v;
}

static enum burl_status
check_version(value *root, struct burl_err *err)
{
    uint64_t version = 0;

    if (root->type != BURL_JSON_OBJECT ||
        !burl_json_as_u64(burl_json_get(root, "burl_finding"), &version) || version == 0)
        return burl_err_set(err, BURL_E_FORMAT, 0, "it is not a finding of burl");
    if (version > BURL_REPORT_JSON_SCHEMA)
        return burl_err_set(err, BURL_E_FORMAT, 0,
                            "it has version %llu of the format, and this burl reads up to %u; use "
                            "the burl that wrote it",
                            (unsigned long long)version, BURL_REPORT_JSON_SCHEMA);
    return BURL_OK;
}

static struct burl_finding *
new_finding(struct reader *r, value *root)
{
    struct burl_finding *f = burl_xcalloc(1, sizeof *f);

    f->pool = r->pool = burl_xcalloc(1, sizeof *f->pool);
    read_finding(r, root, f);
    return f;
}

enum burl_status
burl_report_finding_read(struct burl_finding **out, const char *json, size_t n,
                         struct burl_err *err)
{
    return burl_report_finding_read_files(out, json, n, NULL, err);
}

enum burl_status
burl_report_finding_read_files(struct burl_finding **out, const char *json, size_t n,
                               const struct burl_report_files *files, struct burl_err *err)
{
    struct burl_json_value *root = NULL;
    struct reader r = { .err = err, .st = BURL_OK, .files = files };
    enum burl_status st = burl_json_parse(&root, json, n, err);

    *out = NULL;
    if (st == BURL_OK)
        st = check_version(root, err);
    if (st == BURL_OK) {
        *out = new_finding(&r, root);
        if ((*out)->kind[0] == '\0')
            fail(&r, "kind", "there");
        (*out)->verdict = verdict_of((*out)->kind);
        st = r.st;
    }
    if (st != BURL_OK) {
        burl_report_finding_free(*out);
        *out = NULL;
    }
    burl_json_free(root);
    return st;
}

struct burl_finding *
burl_report_finding_bare(uint32_t number, const char *kind, const char *title, uint64_t fingerprint,
                         const char *problem)
{
    struct burl_err ignored;
    struct reader r = { .err = &ignored, .st = BURL_OK };
    struct burl_finding *f = new_finding(&r, NULL);

    f->number = number;
    f->kind = burl__report_str(f->pool, kind);
    f->title = burl__report_str(f->pool, title);
    f->verdict = verdict_of(f->kind);
    f->facts.fingerprint = fingerprint;
    f->problem = burl__report_str(f->pool, problem);
    return f;
}
