/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_from_verdict.c - findings of free runs, which have a verdict and no trace.
 */
#include "trace_build.h"

enum { HITS = 0x4010, TABLE_LOCK = 0x4040, BLOCK = 0x600000000010, COUNT = 0x600000000038 };

static const char *const argv_races[] = { "./races" };
static const struct burl_report_facts facts = {
    .number = 3, .argv = argv_races, .n_argv = 1, .engine = "free", .facts.count = 9
};

struct free_run {
    struct tb b;
    struct burl_wire_event births[2];
    struct burl_report_free free_run;
};

/* T5 writes under a lock what T9 reads; T0 allocated it; T5 was created by T0, T9 by T7. */
static void
make(struct free_run *r)
{
    struct burl_wire_verdict *v = &r->b.run.verdict;
    uint32_t f_main, f_make, f_pusher, f_poller, c1, c2, lock, push, poll, alloc;

    memset(r, 0, sizeof *r);
    tb_init(&r->b, "races.c");
    f_main = tb_func(&r->b, "main", "main(void)");
    f_make = tb_func(&r->b, "make_queue", "make_queue(void)");
    f_pusher = tb_func(&r->b, "pusher", "pusher(void *arg)");
    f_poller = tb_func(&r->b, "poller", "poller(void *arg)");
    c1 = tb_call(&r->b, "main", "pthread_create(&a", "pthread_create");
    c2 = tb_call(&r->b, "main", "pthread_create(&b", "pthread_create");
    lock = tb_call(&r->b, "pusher", "pthread_mutex_lock(&q->m)", "pthread_mutex_lock");
    push = tb_site(&r->b, BURL_SITE_WRITE, "pusher", "q->count++", "q->count", "q->count");
    poll = tb_site(&r->b, BURL_SITE_READ, "poller", "while (mine->count", "mine->count",
                   "mine->count");
    alloc = tb_call(&r->b, "make_queue", "calloc(1", "calloc");
    tb_run(&r->b);
    v->kind = BURL_VERDICT_RACE_DATA;
    v->tid = 9;
    v->op = BURL_OP_READ;
    v->site = poll;
    v->addr = COUNT;
    v->stack[0] = f_poller;
    v->n_sides = 2;
    v->sides[0] = (struct burl_wire_side){
        .addr = COUNT, .site = push, .size_b = 4, .tid = 5, .op = BURL_OP_WRITE, .n_locks = 1
    };
    v->sides[0].stack[0] = f_pusher;
    v->sides[0].locks[0] = (struct burl_wire_lock){ .addr = BLOCK, .site = lock };
    v->sides[1] = (struct burl_wire_side){
        .addr = COUNT, .site = poll, .size_b = 4, .tid = 9, .op = BURL_OP_READ
    };
    v->sides[1].stack[0] = f_poller;
    v->origin = (struct burl_wire_origin){
        .kind = BURL_ORIGIN_HEAP, .addr = BLOCK, .size_b = 48, .site = alloc, .tid = 0
    };
    v->origin.stack[0] = f_make;
    v->origin.stack[1] = f_main;
    r->births[0] = (struct burl_wire_event){ .kind = BURL_OP_CREATE, .aux = 5, .site = c1 };
    r->births[1] =
        (struct burl_wire_event){ .kind = BURL_OP_CREATE, .tid = 7, .aux = 9, .site = c2 };
    r->free_run = (struct burl_report_free){ .births = r->births, .n_births = 2 };
}

static struct burl_finding *
finding_of(const struct free_run *r)
{
    return burl_report_finding_from_verdict(&r->b.run.verdict, &r->free_run, r->b.table, &facts);
}

static const struct burl_finding_thread *
thread(const struct burl_finding *f, uint16_t tid)
{
    for (size_t i = 0; i < f->n_threads; i++) {
        if (f->threads[i].tid == tid)
            return &f->threads[i];
    }
    fail_msg("no thread T%u", tid);
    return NULL;
}

static void
threads_have_names_and_births(void **state)
{
    struct burl_finding *f;
    struct free_run r;

    (void)state;
    make(&r);
    f = finding_of(&r);
    assert_int_equal(f->n_threads, 3);
    assert_string_equal(thread(f, 5)->name, "pusher");
    assert_string_equal(thread(f, 9)->name, "poller");
    assert_string_equal(thread(f, 0)->name, "main");
    assert_int_equal(thread(f, 5)->creator, 0);
    assert_int_equal(thread(f, 9)->creator, 7);
    assert_int_not_equal(thread(f, 5)->created.line, 0);
    assert_int_not_equal(thread(f, 9)->created.line, thread(f, 5)->created.line);
    EXPECT_CONTAINS(f->title, "T5 pusher writes");
    EXPECT_CONTAINS(f->title, "T9 poller reads");
    burl_report_finding_free(f);
    tb_deinit(&r.b);
}

static void
nothing_is_invented(void **state)
{
    struct burl_finding *f;
    struct free_run r;
    struct burl_buf text = BURL_BUF_INIT;

    (void)state;
    make(&r);
    f = finding_of(&r);
    assert_int_equal(f->n_steps, 0);
    assert_int_equal(f->n_ops, 0);
    assert_int_equal(f->n_preemptions, 0);
    assert_int_equal(thread(f, 5)->state, BURL_FINDING_THREAD_UNKNOWN);
    assert_int_equal(thread(f, 5)->stack.n, 0);
    assert_int_equal(f->n_sides, 2);
    assert_int_equal(f->sides[0].n_locks, 1);
    assert_false(f->sides[0].in_trace);
    assert_int_equal(f->memory.kind, BURL_ORIGIN_HEAP);
    burl_report_text(f, NULL, &text);
    tb_check_read(f);
    assert_null(strstr(burl_buf_str(&text), "how it happened"));
    assert_null(strstr(burl_buf_str(&text), "step "));
    EXPECT_CONTAINS(burl_buf_str(&text), "make_queue");
    EXPECT_CONTAINS(burl_buf_str(&text), "48 bytes");
    EXPECT_CONTAINS(burl_buf_str(&text), "created by T7 at races.c");
    burl_buf_deinit(&text);
    burl_report_finding_free(f);
    tb_deinit(&r.b);
}

static void
it_is_the_same_bug_as_in_a_controlled_run(void **state)
{
    struct burl_finding *f;
    struct burl_finding *g;
    struct free_run r;

    (void)state;
    make(&r);
    f = finding_of(&r);
    g = burl_report_finding_new(&r.b.run, r.b.table, &facts);
    assert_true(f->facts.fingerprint == g->facts.fingerprint);
    assert_string_equal(f->cause, g->cause);
    burl_report_finding_free(g);
    burl_report_finding_free(f);
    tb_deinit(&r.b);
}

static void
less_is_enough(void **state)
{
    struct burl_finding *f;
    struct free_run r;
    struct burl_wire_verdict *v = &r.b.run.verdict;

    (void)state;
    make(&r);
    /* No births, no stacks, no memory, numbers that are none. */
    r.free_run = (struct burl_report_free){ .output = "last words\n", .output_b = 11 };
    memset(v->sides[0].stack, 0, sizeof v->sides[0].stack);
    memset(v->sides[1].stack, 0, sizeof v->sides[1].stack);
    memset(v->stack, 0, sizeof v->stack);
    memset(&v->origin, 0, sizeof v->origin);
    v->n_waits = UINT32_MAX;
    v->sides[0].n_locks = UINT32_MAX;
    f = finding_of(&r);
    EXPECT_CONTAINS(f->title, "data race on");
    assert_int_equal(f->n_output, 1);
    burl_report_finding_free(f);
    /* A crash: one thread, with its stack. */
    memset(v, 0, sizeof *v);
    v->kind = BURL_VERDICT_CRASH_SIGNAL;
    v->code = 11;
    v->tid = 5;
    v->stack[0] = r.b.sites.v[2].id;
    f = finding_of(&r);
    assert_int_equal(f->n_threads, 1);
    assert_string_equal(f->threads[0].name, "pusher");
    assert_int_equal(f->threads[0].state, BURL_FINDING_THREAD_FAILED);
    burl_report_finding_free(f);
    /* Not even which thread. */
    v->tid = BURL_TID_NONE;
    v->stack[0] = 0;
    f = finding_of(&r);
    assert_int_equal(f->n_threads, 0);
    burl_report_finding_free(f);
    tb_deinit(&r.b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_names_and_births),
        cmocka_unit_test(nothing_is_invented),
        cmocka_unit_test(it_is_the_same_bug_as_in_a_controlled_run),
        cmocka_unit_test(less_is_enough),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
