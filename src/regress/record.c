/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/record.c - recording a version of a suite; contract in record.h.
 *
 * Runs in the host. The store has a row for every test of the suite from the beginning, pending, so
 * that an interrupted recording is known to be incomplete.
 */
#include "regress/record.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/proc.h"
#include "regress/objects.h"
#include "regress/record_int.h"
#include "wire/version.h"

/* One recording. */
struct session {
    const struct burl_record_config *c;
    struct burl_store *store;
    struct burl_record_result *result;
    int64_t version;
    int64_t start_ms;
    int64_t deadline_ms;                   /* -1 none */
    BURL_VEC(struct burl_store_test) rows; /* as the suite; ix is the index */
    struct burl_objects objects;
    struct burl_record_at at;
    bool cleared; /* something was forgotten */
};

bool
burl_record_is_kept(const struct burl_store_test *t)
{
    return t->state == BURL_TEST_RECORDED || t->state == BURL_TEST_FAILED ||
           t->state == BURL_TEST_HUNG;
}

const char *
burl_record_state_name(int64_t state)
{
    static const char *const names[] = {
        [BURL_TEST_PENDING] = "pending",       [BURL_TEST_RECORDED] = "recorded",
        [BURL_TEST_FAILED] = "failed",         [BURL_TEST_HUNG] = "hung",
        [BURL_TEST_SKIPPED] = "skipped",       [BURL_TEST_UNINSTRUMENTED] = "not instrumented",
        [BURL_TEST_UNSTARTED] = "not started",
    };

    return state >= 0 && (size_t)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

static void BURL_PRINTF(2, 3) note(const struct session *x, const char *fmt, ...)
{
    va_list ap;
    char *text;

    if (!x->c->note)
        return;
    va_start(ap, fmt);
    text = burl_xvasprintf(fmt, ap);
    va_end(ap);
    x->c->note(x->c->arg, text);
    free(text);
}

/* ---- rows ---------------------------------------------------------------------------- */

static void
free_row(struct burl_store_test *t)
{
    free(t->name);
    free(t->command);
    free(t->why);
}

static struct burl_store_test
copy_row(const struct burl_store_test *t)
{
    struct burl_store_test out = *t;

    out.name = burl_xstrdup(t->name);
    out.command = t->command ? burl_xstrdup(t->command) : NULL;
    out.why = t->why ? burl_xstrdup(t->why) : NULL;
    return out;
}

static char *
command_json(const struct burl_suite_test *t)
{
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_json_writer w;

    burl_json_writer_init(&w, &b, 0);
    burl_json_array_begin(&w);
    for (size_t i = 0; t->argv[i]; i++)
        burl_json_str(&w, t->argv[i]);
    burl_json_array_end(&w);
    burl_json_writer_finish(&w);
    while (b.n > 0 && b.p[b.n - 1] == '\n')
        burl_buf_truncate(&b, b.n - 1);
    return burl_buf_take(&b, NULL);
}

static void
make_rows(struct session *x)
{
    for (size_t i = 0; i < x->c->suite->tests.n; i++) {
        struct burl_store_test *t = BURL_VEC_ADD(&x->rows);

        t->ix = (int64_t)i;
        t->name = burl_xstrdup(x->c->suite->tests.v[i].name);
        t->command = command_json(&x->c->suite->tests.v[i]);
    }
}

static enum burl_status
take_row(void *arg, const struct burl_store_test *t, struct burl_err *err)
{
    struct session *x = arg;
    struct burl_store_test *row;

    (void)err;
    BURL_ASSERT(t->ix >= 0 && (size_t)t->ix < x->rows.n);
    row = &x->rows.v[t->ix];
    free_row(row);
    *row = copy_row(t);
    return BURL_OK;
}

static enum burl_status
sync_rows(struct session *x, struct burl_err *err)
{
    enum burl_status st = burl_store_tests_sync(x->store, x->version, x->rows.v, x->rows.n, err);

    return st == BURL_OK ? burl_store_tests_each(x->store, x->version, take_row, x, err) : st;
}

/* Hung tests are not repeated: each costs its whole time limit, and the next one hangs as well. */
static bool
is_complete(const struct session *x, const struct burl_store_test *t)
{
    return t->state == BURL_TEST_HUNG ||
           (burl_record_is_kept(t) && t->runs >= (int64_t)x->c->repeat);
}

static bool
is_wanted(const struct session *x, const struct burl_store_test *t)
{
    return !x->c->only || fnmatch(x->c->only, t->name, 0) == 0;
}

/* Their rows are replaced when they were run. */
static void
forget_wanted(struct session *x)
{
    for (size_t i = 0; i < x->rows.n; i++) {
        struct burl_store_test *t = &x->rows.v[i];

        if (!is_wanted(x, t))
            continue;
        t->state = BURL_TEST_PENDING;
        t->runs = 0;
        free(t->why);
        t->why = NULL;
    }
}

/* ---- what was recorded before -------------------------------------------------------- */

static enum burl_status
know_history(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
             struct burl_err *err)
{
    struct session *x = arg;
    struct burl_history h;
    enum burl_status st;

    (void)ix;
    burl_history_init(&h);
    st = burl_history_read(&h, bytes, n, err);
    if (st == BURL_OK)
        burl_objects_know(&x->objects, &h);
    else
        burl_err_prefix(err, "the history of %s is damaged; record with --fresh", key);
    burl_history_deinit(&h);
    return st;
}

/* Why what is there cannot be continued; NULL: it can. With --only, --fresh concerns the tests that
 * match (forget_wanted()). */
static enum burl_status
find_reason_to_clear(struct session *x, const struct burl_store_version *was, char **reason,
                     struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    const char *changed;

    *reason = NULL;
    if (x->c->fresh && !x->c->only) {
        *reason = burl_xstrdup("");
    } else if (was->wire != BURL_WIRE_VERSION) {
        *reason = burl_xasprintf("another version of burl recorded %s; recording it again",
                                 x->c->version);
    } else {
        st = burl_store_histories_each(x->store, x->version, know_history, x, err);
        changed = st == BURL_OK ? burl_objects_changed(&x->objects) : NULL;
        if (changed)
            *reason = burl_xasprintf("%s was built again since version %s was recorded; recording "
                                     "the version again",
                                     changed, x->c->version);
    }
    return st;
}

static enum burl_status
open_version(struct session *x, struct burl_err *err)
{
    char *identity = burl_suite_identity(x->c->suite);
    struct burl_store_version was = { 0 };
    char *reason = NULL;
    bool found = false;
    enum burl_status st = burl_store_version_get(x->store, x->c->version, &found, &was, err);

    if (st == BURL_OK)
        st = burl_store_version_open(x->store, x->c->version, identity, &x->version, err);
    if (st == BURL_OK && found)
        st = find_reason_to_clear(x, &was, &reason, err);
    if (st == BURL_OK && reason) {
        if (*reason)
            note(x, "%s", reason);
        burl_objects_deinit(&x->objects);
        burl_objects_init(&x->objects, x->c->suite, x->store);
        st = burl_store_version_clear(x->store, x->version, err);
        x->cleared = true;
    }
    if (st == BURL_OK)
        st = sync_rows(x, err);
    if (st == BURL_OK && x->c->fresh)
        forget_wanted(x);
    burl_store_version_deinit(&was);
    free(reason);
    free(identity);
    return st;
}

/* ---- one test ------------------------------------------------------------------------ */

static void
tick(void *arg)
{
    struct session *x = arg;
    const int64_t now = burl_now_ms();

    x->at.elapsed_ms = now - x->start_ms;
    x->at.left_ms = x->deadline_ms < 0 ? -1 : x->deadline_ms > now ? x->deadline_ms - now : 0;
    if (x->c->tick)
        x->c->tick(x->c->arg, &x->at);
}

/* Adds what earlier runs of the test executed. */
static enum burl_status
merge_stored(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
             struct burl_err *err)
{
    struct burl__record_run *run = arg;
    struct burl_history stored;
    enum burl_status st;

    (void)ix;
    burl_history_init(&stored);
    st = burl_history_read(&stored, bytes, n, err);
    for (size_t i = 0; st == BURL_OK && i < run->histories.n; i++) {
        if (strcmp(run->histories.v[i].program, key) == 0) {
            burl_history_merge(&run->histories.v[i], &stored);
            burl_history_deinit(&stored);
            return BURL_OK;
        }
    }
    if (st == BURL_OK)
        BURL_VEC_PUSH(&run->histories, stored);
    else
        burl_history_deinit(&stored);
    return st;
}

/* Writes the row and its histories. */
static enum burl_status
put_test(struct session *x, const struct burl_store_test *t, const struct burl__record_run *run,
         struct burl_err *err)
{
    const size_t n = run->histories.n;
    struct burl_buf *bufs = burl_xcalloc(n, sizeof *bufs);
    const char **keys = burl_xcalloc(n, sizeof *keys);
    const void **bytes = burl_xcalloc(n, sizeof *bytes);
    size_t *sizes = burl_xcalloc(n, sizeof *sizes);
    enum burl_status st;

    for (size_t i = 0; i < n; i++) {
        burl_buf_init(&bufs[i], BURL_BUF_NO_LIMIT);
        burl_history_write(&run->histories.v[i], &bufs[i]);
        keys[i] = run->histories.v[i].program;
        bytes[i] = bufs[i].p;
        sizes[i] = bufs[i].n;
    }
    st = burl_store_test_put(x->store, x->version, t, keys, bytes, sizes, n, err);
    for (size_t i = 0; i < n; i++)
        burl_buf_deinit(&bufs[i]);
    free(bufs);
    free(keys);
    free(bytes);
    free(sizes);
    return st;
}

/* Two paths of one program, for example by a link, are one key: merges their histories. */
static void
merge_equal_programs(struct burl__record_run *run)
{
    size_t kept = 0;

    for (size_t i = 0; i < run->histories.n; i++) {
        struct burl_history *h = &run->histories.v[i];
        size_t k = 0;

        while (k < kept && strcmp(run->histories.v[k].program, h->program) != 0)
            k++;
        if (k < kept) {
            burl_history_merge(&run->histories.v[k], h);
            burl_history_deinit(h);
        } else {
            run->histories.v[kept++] = *h;
        }
    }
    run->histories.n = kept;
}

/* Copies bitcode; a history whose files are gone is dropped, and the test stays pending. */
static enum burl_status
take_objects(struct session *x, struct burl__record_run *run, struct burl_err *err)
{
    enum burl_objects_result result = BURL_OBJECTS_KEPT;
    struct burl_err why = { 0 };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < run->histories.n && st == BURL_OK && result == BURL_OBJECTS_KEPT; i++)
        st = burl_objects_take(&x->objects, &run->histories.v[i], &result, &why);
    if (st != BURL_OK || result == BURL_OBJECTS_REBUILT) {
        if (err)
            *err = why;
        return why.code;
    }
    if (result == BURL_OBJECTS_LOST) {
        for (size_t i = 0; i < run->histories.n; i++)
            burl_history_deinit(&run->histories.v[i]);
        run->histories.n = 0;
        run->state = BURL_TEST_PENDING;
        free(run->why);
        run->why = burl_xstrdup(why.msg);
    }
    merge_equal_programs(run);
    return BURL_OK;
}

/* The state after one more run: a failure among several runs is not forgotten. */
static void
update_row(struct burl_store_test *t, struct burl__record_run *run)
{
    const bool had_history = burl_record_is_kept(t);
    const bool failed_before = t->state == BURL_TEST_FAILED;

    t->wall_ms = run->wall_ms;
    t->runs = had_history ? t->runs + 1 : 1;
    if (failed_before && run->state == BURL_TEST_RECORDED)
        return;
    t->state = run->state;
    free(t->why);
    t->why = run->why;
    run->why = NULL;
}

/* One more run of a test. *stop: it was interrupted, or there is no time left. */
static enum burl_status
record_once(struct session *x, struct burl_store_test *t, bool *stop, struct burl_err *err)
{
    const struct burl_suite_test *test = &x->c->suite->tests.v[t->ix];
    const bool had_history = burl_record_is_kept(t);
    struct burl__record_run run;
    enum burl_status st = burl__record_run(x->c, test, x->deadline_ms, tick, x, &run, err);

    x->result->interrupted |= run.interrupted;
    x->result->out_of_time |= run.out_of_time;
    *stop = run.interrupted || run.out_of_time;
    if (st == BURL_OK && !*stop) {
        st = take_objects(x, &run, err);
        if (st == BURL_OK && had_history)
            st = burl_store_test_histories(x->store, x->version, t->name, merge_stored, &run, err);
        /* A repetition that did not work leaves what earlier ones recorded. */
        if (st == BURL_OK && had_history && run.state != BURL_TEST_RECORDED &&
            run.state != BURL_TEST_FAILED && run.state != BURL_TEST_HUNG) {
            t->runs++;
        } else if (st == BURL_OK) {
            update_row(t, &run);
        }
        if (st == BURL_OK)
            st = put_test(x, t, &run, err);
    }
    burl__record_run_deinit(&run);
    return st;
}

/* All runs of a test that are due. */
static enum burl_status
record_test(struct session *x, struct burl_store_test *t, bool *stop, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    *stop = false;
    x->at.name = t->name;
    do {
        *stop = x->c->interrupts && *x->c->interrupts > 0;
        x->result->interrupted |= *stop;
        if (!*stop)
            st = record_once(x, t, stop, err);
    } while (st == BURL_OK && !*stop && burl_record_is_kept(t) && !is_complete(x, t));
    tick(x);
    if (st == BURL_OK && !*stop && x->c->done)
        x->c->done(x->c->arg, &x->at, t);
    return st;
}

/* ---- the recording ------------------------------------------------------------------- */

static enum burl_status
record_all(struct session *x, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    size_t n_before = 0;
    bool stop = false;

    for (size_t i = 0; i < x->rows.n; i++) {
        x->at.n += is_wanted(x, &x->rows.v[i]);
        n_before += is_wanted(x, &x->rows.v[i]) && is_complete(x, &x->rows.v[i]);
    }
    if (x->at.n == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "no test of %s matches \"%s\"",
                            x->c->suite->source, x->c->only);
    x->result->n_before = n_before;
    if (n_before > 0 && n_before < x->at.n)
        note(x, "continuing version %s: %zu of %zu tests recorded", x->c->version, n_before,
             x->at.n);
    for (size_t i = 0; i < x->rows.n && st == BURL_OK && !stop; i++) {
        if (!is_wanted(x, &x->rows.v[i]))
            continue;
        x->at.test++;
        if (!is_complete(x, &x->rows.v[i]))
            st = record_test(x, &x->rows.v[i], &stop, err);
    }
    return st;
}

static void
fill_result(struct session *x)
{
    struct burl_record_result *r = x->result;

    r->n_suite = x->rows.n;
    for (size_t i = 0; i < x->rows.n; i++)
        if (is_wanted(x, &x->rows.v[i]))
            BURL_VEC_PUSH(&r->tests, copy_row(&x->rows.v[i]));
    for (size_t i = 0; i < x->objects.files.n; i++)
        r->n_modules += x->objects.files.v[i].modules.n;
    r->n_objects = x->objects.files.n;
    r->wall_ms = burl_now_ms() - x->start_ms;
}

static enum burl_status
make_bitcode_directory(struct burl_store *s, struct burl_err *err)
{
    return burl_fs_mkdir_inside(burl_store_dir(s), "regress", err);
}

enum burl_status
burl_record(const struct burl_record_config *c, struct burl_store *s,
            struct burl_record_result *result, struct burl_err *err)
{
    struct session x = { .c = c, .store = s, .result = result, .deadline_ms = -1 };
    enum burl_status st;

    *result = (struct burl_record_result){ 0 };
    x.start_ms = burl_now_ms();
    if (c->time_ms > 0)
        x.deadline_ms = x.start_ms + (int64_t)c->time_ms;
    burl_objects_init(&x.objects, c->suite, s);
    make_rows(&x);
    st = burl_store_lock(s, "burl regress record", err);
    if (st == BURL_OK)
        st = make_bitcode_directory(s, err);
    if (st == BURL_OK)
        st = open_version(&x, err);
    if (st == BURL_OK)
        st = record_all(&x, err);
    if (st == BURL_OK && x.cleared && !result->interrupted)
        burl_objects_sweep(s);
    fill_result(&x);
    burl_objects_deinit(&x.objects);
    for (size_t i = 0; i < x.rows.n; i++)
        free_row(&x.rows.v[i]);
    BURL_VEC_FREE(&x.rows);
    return st;
}

void
burl_record_result_deinit(struct burl_record_result *r)
{
    for (size_t i = 0; i < r->tests.n; i++)
        free_row(&r->tests.v[i]);
    BURL_VEC_FREE(&r->tests);
}
