/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/fuzz_synth_record.c - the reader of recorded seeds takes any bytes, and the analysis
 * any record that was read.
 *
 * Laws: a refusal has a message and leaves log and script as they were; in what is accepted every
 * call has its events in the log and its objects in the script, and everything that is made of it
 * ends.
 *
 * Random bytes are hardly ever a record. So the first byte says how to take the rest: as the record
 * itself, as small numbers that events are made of, or as such with calls that begin and end in
 * turn.
 */
#define BURL_FUZZ_MAKE_SEEDS
#include "fuzz.h"

#include "../unit/gen_decls.h"
#include "synth/access.h"
#include "synth/pairs.h"
#include "synth/record.h"
#include "synth/share.h"
#include "wire/record.h"

#define EVENT_BYTES 6u
#define MAX_EVENTS 400u

const char *const burl_fuzz_seeds[] = { "", NULL };
const char *const burl_fuzz_words[] = { "\1\1", "\5", "\377\377\377\377\377\377", NULL };

static struct burl_gen_model *
model(void)
{
    static struct burl_gen_model m;

    if (m.decls == NULL) {
        BURL_ASSERT(burl__gen_decls_parse(&m.decls, burl_test_queue_json,
                                          strlen(burl_test_queue_json), NULL) == BURL_OK);
        m.header = "queue.h";
        BURL_ASSERT(burl__gen_guess(&m, NULL, NULL) == BURL_OK);
    }
    return &m;
}

/* ---- records from small numbers ------------------------------------------------------------ */

/* kind, flags, site, address, size, value: one byte each. Few addresses, so that accesses meet. */
static struct burl_record_event
event_of(const uint8_t *b)
{
    return (struct burl_record_event){ .kind = b[0],
                                       .flags = b[1],
                                       .site = b[2],
                                       .addr = 0x1000 + (uint64_t)(b[3] & 31) * 8,
                                       .size_b = b[4],
                                       .value = b[5] < 32 ? 0x1000 + (uint64_t)b[5] * 8 : b[5] };
}

/* Makes an event possible where it stands. *fn: the function that is running; -1 none. */
static void
repair(struct burl_record_event *e, int *fn)
{
    const struct burl_gen_model *m = model();
    const bool is_of_call = e->kind >= BURL_RECORD_ARG && e->kind <= BURL_RECORD_LEAVE;

    e->kind = (uint16_t)(e->kind % (BURL_RECORD_JUMP + 1));
    if (e->kind == 0 || e->kind == BURL_RECORD_BYTES || (*fn < 0 && is_of_call))
        e->kind = BURL_RECORD_ENTER;
    if (e->kind == BURL_RECORD_ENTER && *fn >= 0)
        e->kind = BURL_RECORD_ACCESS;
    if (e->kind == BURL_RECORD_ENTER) {
        e->site %= (uint32_t)m->fns.n;
        e->size_b = m->fns.v[e->site].params.n;
        *fn = (int)e->site;
    } else if (e->kind == BURL_RECORD_LEAVE && *fn >= 0) {
        e->site = (uint32_t)*fn;
        *fn = -1;
    } else if (e->kind == BURL_RECORD_ARG && *fn >= 0) {
        e->site %= (uint32_t)(m->fns.v[*fn].params.n + 1);
        if (e->site == m->fns.v[*fn].params.n)
            e->kind = BURL_RECORD_ACCESS;
    } else if (e->kind == BURL_RECORD_JUMP) {
        *fn = -1;
    }
}

/* Of n numbers; *area_b bytes, owned. */
static void *
record_of(const uint8_t *data, size_t n, bool repaired, size_t *area_b)
{
    size_t n_events = n / EVENT_BYTES < MAX_EVENTS ? n / EVENT_BYTES : MAX_EVENTS;
    struct burl_record_head *h;
    struct burl_record_event *e;
    int fn = -1;

    *area_b = sizeof *h + n_events * sizeof *e;
    h = burl_xcalloc(1, *area_b);
    h->n = (uint32_t)n_events;
    h->n_lost = n % EVENT_BYTES == 1;
    e = (struct burl_record_event *)(void *)(h + 1);
    for (size_t i = 0; i < n_events; i++)
        e[i] = event_of(data + i * EVENT_BYTES);
    for (size_t i = 0; repaired && i < n_events; i++)
        repair(&e[i], &fn);
    return h;
}

/* ---- laws ---------------------------------------------------------------------------------- */

static void
check_calls(const struct burl_synth_log *log, const struct burl_synth_script *script)
{
    BURL_ASSERT(log->calls.n == script->calls.n);
    for (size_t i = 0; i < log->calls.n; i++) {
        const struct burl_synth_call *c = &log->calls.v[i];
        const struct burl_gen_call *g = &script->calls.v[i].c;

        BURL_ASSERT(c->first <= log->events.n && c->n_events <= log->events.n - c->first);
        BURL_ASSERT(c->fn == g->fn && c->n_args == g->args.n);
        BURL_ASSERT(g->slot < (int)script->objects.n);
        for (size_t k = 0; k < g->args.n; k++)
            BURL_ASSERT(g->args.v[k].kind != BURL_GEN_ARG_SLOT ||
                        (g->args.v[k].i >= 0 && (size_t)g->args.v[k].i < script->objects.n));
    }
}

static void
check_slices(const struct burl_synth_script *script)
{
    bool *given = burl_xcalloc(script->objects.n + 1, sizeof *given);

    for (size_t i = 0; i < script->calls.n; i++) {
        struct burl_synth_slice s = burl_synth_slice_of(script, i, given);

        for (size_t k = 0; k < s.n; k++)
            BURL_ASSERT(s.v[k] < i && (k == 0 || s.v[k - 1] < s.v[k]));
        BURL_VEC_FREE(&s);
    }
    free(given);
}

static void
check_analysis(const struct burl_synth_log *log, const struct burl_synth_script *script)
{
    struct burl_synth_table t = burl_synth_analyze(log);
    struct burl_synth_pairs pairs = { 0 };

    for (int what = BURL_SYNTH_ATOMICITY; what <= BURL_SYNTH_RACE; what++)
        burl_synth_pairs_find(&pairs, &t, (enum burl_synth_for)what);
    burl_synth_pairs_scan(&pairs, &t);
    for (size_t i = 0; i < pairs.n; i++) {
        struct burl_gen_test test;

        if (burl_synth_share_pair(&test, &pairs.v[i], &t, script, model()) == BURL_SYNTH_BUILT)
            burl_gen_test_deinit(&test);
    }
    burl_synth_pairs_deinit(&pairs);
    burl_synth_table_deinit(&t);
}

static void
check_record(const void *area, size_t area_b)
{
    struct burl_synth_log log = { 0 };
    struct burl_synth_script script = { 0 };
    struct burl_synth_record_info info;
    struct burl_err err = { 0 };

    if (burl_synth_record_scan(&info, model(), area, area_b, &err) != BURL_OK)
        BURL_ASSERT(err.code == BURL_E_TARGET && err.msg[0] != '\0');
    burl_synth_record_info_deinit(&info);
    /* Twice: the second seed follows the first in log and script. */
    for (int i = 0; i < 2; i++) {
        const size_t n_calls = log.calls.n;
        const size_t n_events = log.events.n;
        const size_t n_objects = script.objects.n;

        if (burl_synth_record_read(&log, &script, model(), i, area, area_b, &err) == BURL_OK)
            continue;
        BURL_ASSERT(err.code == BURL_E_TARGET && err.msg[0] != '\0');
        BURL_ASSERT(log.calls.n == n_calls && script.calls.n == n_calls);
        BURL_ASSERT(log.events.n == n_events && script.objects.n == n_objects);
    }
    check_calls(&log, &script);
    check_slices(&script);
    check_analysis(&log, &script);
    burl_synth_script_deinit(&script);
    burl_synth_log_deinit(&log);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = size > 0 ? size - 1 : 0;
    void *area;

    if (size == 0)
        return 0;
    if (data[0] == 0)
        area = burl_xmemdup(data + 1, n);
    else
        area = record_of(data + 1, n, data[0] > 1, &n);
    check_record(area, n);
    free(area);
    return 0;
}

/* ---- seeds --------------------------------------------------------------------------------- */

/* A call of the function: its arguments, a lock with two accesses inside, its result. */
static void
put_call(struct burl_buf *b, const char *name, uint8_t object)
{
    const int fn = burl_gen_model_fn(model(), name);
    const size_t n = model()->fns.v[fn].params.n;

    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_ENTER, 0, (uint8_t)fn, 0, (uint8_t)n, 0 }, 6);
    for (size_t k = 0; k < n; k++)
        burl_buf_append(b, (uint8_t[]){ BURL_RECORD_ARG, 0, (uint8_t)k, 0, 32, k ? 40 : object },
                        6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_ALLOC, 0, 9, object, 32, 0 }, 6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_LOCK, 0, 7, object, 0, 0 }, 6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_ACCESS, 1, 1, (uint8_t)(object + 1), 8, 0 }, 6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_UNLOCK, 0, 8, object, 0, 0 }, 6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_ACCESS, 18, 2, (uint8_t)(object + 1), 8, 3 }, 6);
    burl_buf_append(b, (uint8_t[]){ BURL_RECORD_LEAVE, 0, (uint8_t)fn, 0, 8, object }, 6);
}

static void
burl_fuzz_make_seeds(struct fuzz_corpus *c)
{
    static const char *const names[] = { "queue_new",  "queue_push", "queue_new", "queue_push",
                                         "queue_pop",  "queue_size", "queue_pop", "queue_copy",
                                         "queue_free", "queue_push" };
    struct burl_buf b = BURL_BUF_INIT;
    size_t n;
    void *area;

    burl_buf_append(&b, "\1", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (burl_gen_model_fn(model(), names[i]) >= 0)
            put_call(&b, names[i], i < 2 ? 4 : 12);
    }
    BURL_VEC_PUSH(c, (struct fuzz_input){ burl_xmemdup(b.p, b.n), b.n });
    for (int i = 0; i < 3; i++) { /* most accepted records come from these */
        b.p[0] = 2;
        BURL_VEC_PUSH(c, (struct fuzz_input){ burl_xmemdup(b.p, b.n), b.n });
    }
    area = record_of((const uint8_t *)b.p + 1, b.n - 1, false, &n);
    burl_buf_deinit(&b);
    burl_buf_append(&b, "\0", 1);
    burl_buf_append(&b, area, n);
    BURL_VEC_PUSH(c, (struct fuzz_input){ burl_xmemdup(b.p, b.n), b.n });
    burl_buf_deinit(&b);
    free(area);
}
