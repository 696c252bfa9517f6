/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_explain.c - what people read about a finding, on executions made by hand.
 *
 * The golden files are interface: a change of them is a change for users and is
 * reviewed as one. Beside them are the laws that no golden file shows: what is chosen, and
 * that nothing breaks when parts are missing.
 */
#include "base/json.h"
#include "trace_build.h"

static const char *const argv_bank[] = { "./bank", "3" };

static const struct burl_report_facts facts = {
    .number = 3,
    .argv = argv_bank,
    .n_argv = 2,
    .build_id = "8f3a5c0011223344",
    .engine = "fibers",
    .strategy = "pct",
    .facts.seed = 42,
    .facts.count = 41,
    .facts.confirmed = 20,
    .facts.confirm_tries = 20,
    .replay = "burl replay 3",
    .schedule = ".burl/findings/3/schedule.txt",
};

enum { TOTAL = 0x4000, LOCK_A = 0x5000, LOCK_B = 0x5040, BAL_A = 0x5030, BAL_B = 0x5070 };

/* ---- the executions ---------------------------------------------------------------- */

static void
start_thread(struct tb *b, uint16_t tid, uint32_t create, uint32_t func)
{
    (void)create;
    tb_event(b, tid, BURL_OP_START, 0, 0, 0);
    tb_enter(b, tid, func);
}

/* Two deposits, one of which is lost. */
static void
make_lost_update(struct tb *b)
{
    uint32_t f_main, f_worker, f_deposit, c1, c2, j1, j2, rd, wr, check;

    tb_init(b, "bank.c");
    f_main = tb_func(b, "main", "main(void)");
    f_worker = tb_func(b, "worker", "worker(void *arg)");
    f_deposit = tb_func(b, "deposit", "deposit(int n)");
    c1 = tb_call(b, "main", "pthread_create(&a", "pthread_create");
    c2 = tb_call(b, "main", "pthread_create(&b", "pthread_create");
    j1 = tb_call(b, "main", "pthread_join(a", "pthread_join");
    j2 = tb_call(b, "main", "pthread_join(b", "pthread_join");
    rd = tb_site(b, BURL_SITE_READ, "deposit", "int old = total", "total", "total");
    wr = tb_site(b, BURL_SITE_WRITE, "deposit", "total = old + n", "total =", "total");
    check = tb_site(b, BURL_SITE_READ, "main", "assert(total == 120)", "total", "total");

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, f_main);
    for (unsigned i = 0; i < 5; i++) /* private, before any thread */
        tb_write(b, 0, wr, 0x9000 + 4 * i, 0, i);
    tb_event(b, 0, BURL_OP_CREATE, c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, j1, 1, BURL_SWITCH_BLOCKED);
    start_thread(b, 1, c1, f_worker);
    tb_enter(b, 1, f_deposit);
    for (unsigned i = 0; i < 30; i++) /* private to T1 */
        tb_write(b, 1, wr, 0xa000 + 4 * i, 0, i);
    tb_read(b, 1, rd, TOTAL, 100);
    tb_switch(b, 1, BURL_OP_WRITE, wr, 2, BURL_SWITCH_PREEMPT);
    start_thread(b, 2, c2, f_worker);
    tb_enter(b, 2, f_deposit);
    tb_read(b, 2, rd, TOTAL, 100);
    tb_write(b, 2, wr, TOTAL, 100, 110);
    tb_leave(b, 2);
    tb_leave(b, 2);
    tb_event(b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_write(b, 1, wr, TOTAL, 110, 110);
    tb_leave(b, 1);
    tb_leave(b, 1);
    tb_event(b, 1, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(b, 1, BURL_OP_NONE, 0, 0, BURL_SWITCH_FINISHED);
    tb_event(b, 0, BURL_OP_JOIN, j1, 0, 1)->flags = BURL_EV_F_BLOCKED;
    tb_event(b, 0, BURL_OP_JOIN, j2, 0, 2);
    tb_read(b, 0, check, TOTAL, 110);
    b->events.v[b->events.n - 1].flags |= BURL_EV_F_LAST;

    b->run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b->run.verdict.tid = 0;
    b->run.verdict.op = BURL_OP_READ;
    b->run.verdict.code = 6;
    b->run.verdict.site = check;
    b->run.verdict.stack[0] = f_main;
    snprintf(b->run.verdict.text, sizeof b->run.verdict.text, "%s",
             "bank.c:56: main: Assertion `total == 120' failed");
    b->run.output = (char *)"opening\nbank: bank.c:56: main: Assertion `total == 120' failed.\n";
    b->run.output_b = strlen(b->run.output);
}

/* Two transfers in opposite directions. */
static void
make_deadlock(struct tb *b)
{
    uint32_t f_main, f_mover, f_transfer, c1, c2, l1, l2, join;

    tb_init(b, "bank.c");
    f_main = tb_func(b, "main", "main(void)");
    f_mover = tb_func(b, "mover", "mover(void *arg)");
    f_transfer = tb_func(b, "transfer", "transfer(struct acct *from");
    c1 = tb_call(b, "main", "pthread_create(&a", "pthread_create");
    c2 = tb_call(b, "main", "pthread_create(&b", "pthread_create");
    l1 = tb_call(b, "transfer", "pthread_mutex_lock(&from->lock)", "pthread_mutex_lock");
    l2 = tb_call(b, "transfer", "pthread_mutex_lock(&to->lock)", "pthread_mutex_lock");
    join = tb_call(b, "main", "pthread_join(a", "pthread_join");

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, f_main);
    tb_event(b, 0, BURL_OP_CREATE, c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, join, 1, BURL_SWITCH_BLOCKED);
    start_thread(b, 1, c1, f_mover);
    tb_enter(b, 1, f_transfer);
    tb_event(b, 1, BURL_OP_LOCK, l1, LOCK_A, 0);
    tb_switch(b, 1, BURL_OP_LOCK, l2, 2, BURL_SWITCH_PREEMPT);
    start_thread(b, 2, c2, f_mover);
    tb_enter(b, 2, f_transfer);
    tb_event(b, 2, BURL_OP_LOCK, l1, LOCK_B, 0);
    tb_switch(b, 2, BURL_OP_LOCK, l2, 1, BURL_SWITCH_BLOCKED);

    b->run.verdict.kind = BURL_VERDICT_DEADLOCK_CYCLE;
    b->run.verdict.n_waits = 2;
    b->run.verdict.waits[0] = (struct burl_wire_wait){
        .addr = LOCK_B, .site = l2, .tid = 1, .owner = 2, .kind = BURL_OP_LOCK
    };
    b->run.verdict.waits[1] = (struct burl_wire_wait){
        .addr = LOCK_A, .site = l2, .tid = 2, .owner = 1, .kind = BURL_OP_LOCK
    };
}

/* The signal comes between the test and the wait. */
static void
make_lost_wakeup(struct tb *b)
{
    enum { MUTEX = 0x7000, COND = 0x7028, COUNT = 0x7058 };
    uint32_t f_main, f_prod, f_cons, c1, c2, lp, sig, up, lc, wait, test, bump, join;

    tb_init(b, "queue.c");
    f_main = tb_func(b, "main", "main(void)");
    f_prod = tb_func(b, "producer", "producer(void *arg)");
    f_cons = tb_func(b, "consumer", "consumer(void *arg)");
    c1 = tb_call(b, "main", "pthread_create(&c", "pthread_create");
    c2 = tb_call(b, "main", "pthread_create(&p", "pthread_create");
    lp = tb_call(b, "producer", "pthread_mutex_lock(&q->m)", "pthread_mutex_lock");
    bump = tb_site(b, BURL_SITE_WRITE, "producer", "q->count++", "q->count", "q->count");
    sig = tb_call(b, "producer", "pthread_cond_signal(", "pthread_cond_signal");
    up = tb_call(b, "producer", "pthread_mutex_unlock(&q->m)", "pthread_mutex_unlock");
    test = tb_site(b, BURL_SITE_READ, "consumer", "while (q->count == 0)", "q->count", "q->count");
    lc = tb_call(b, "consumer", "        pthread_mutex_lock(&q->m)", "pthread_mutex_lock");
    wait = tb_call(b, "consumer", "pthread_cond_wait(", "pthread_cond_wait");
    join = tb_call(b, "main", "pthread_join(c", "pthread_join");

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, f_main);
    tb_event(b, 0, BURL_OP_CREATE, c1, 0, 1);
    tb_event(b, 0, BURL_OP_CREATE, c2, 0, 2);
    tb_switch(b, 0, BURL_OP_JOIN, join, 1, BURL_SWITCH_BLOCKED);
    start_thread(b, 1, c1, f_cons);
    tb_read(b, 1, test, COUNT, 0);
    tb_switch(b, 1, BURL_OP_LOCK, lc, 2, BURL_SWITCH_PREEMPT);
    start_thread(b, 2, c2, f_prod);
    tb_event(b, 2, BURL_OP_LOCK, lp, MUTEX, 0);
    tb_write(b, 2, bump, COUNT, 0, 1);
    tb_event(b, 2, BURL_OP_COND_SIGNAL, sig, COND, 0);
    tb_event(b, 2, BURL_OP_UNLOCK, up, MUTEX, 0);
    tb_leave(b, 2);
    tb_event(b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_event(b, 1, BURL_OP_LOCK, lc, MUTEX, 0);
    tb_event(b, 1, BURL_OP_COND_WAIT, wait, COND, MUTEX);

    b->run.verdict.kind = BURL_VERDICT_DEADLOCK_STUCK;
    b->run.verdict.n_waits = 2;
    b->run.verdict.waits[0] = (struct burl_wire_wait){
        .addr = 0x1, .site = join, .tid = 0, .owner = 1, .kind = BURL_OP_JOIN
    };
    b->run.verdict.waits[1] = (struct burl_wire_wait){
        .addr = COND, .site = wait, .tid = 1, .owner = BURL_TID_NONE, .kind = BURL_OP_COND_WAIT
    };
}

/* main frees the queue while the consumer still looks at it. */
static void
make_use_after_free(struct tb *b)
{
    enum { BLOCK = 0x8000, COUNT = 0x8058, Q = 0x4100 };
    uint32_t f_main, f_cons, f_free, alloc, c1, fr, test, setq;

    tb_init(b, "queue.c");
    f_main = tb_func(b, "main", "main(void)");
    f_cons = tb_func(b, "consumer", "consumer(void *arg)");
    f_free = tb_func(b, "queue_free", "queue_free(struct queue *dead)");
    alloc = tb_call(b, "main", "calloc(1", "calloc");
    setq = tb_site(b, BURL_SITE_WRITE, "main", "q = calloc(1", "q =", "q");
    c1 = tb_call(b, "main", "pthread_create(&c", "pthread_create");
    fr = tb_call(b, "queue_free", "free(dead)", "free");
    test = tb_site(b, BURL_SITE_READ, "consumer", "while (q->count == 0)", "q->count", "q->count");

    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, f_main);
    tb_event(b, 0, BURL_OP_ALLOC, alloc, BLOCK, 96);
    tb_write(b, 0, setq, Q, 0, BLOCK);
    tb_event(b, 0, BURL_OP_CREATE, c1, 0, 1);
    tb_switch(b, 0, BURL_OP_FREE, fr, 1, BURL_SWITCH_PREEMPT);
    start_thread(b, 1, c1, f_cons);
    tb_read(b, 1, test, COUNT, 0);
    tb_switch(b, 1, BURL_OP_READ, test, 0, BURL_SWITCH_PREEMPT);
    tb_enter(b, 0, f_free);
    tb_event(b, 0, BURL_OP_FREE, fr, BLOCK, 96);
    tb_switch(b, 0, BURL_OP_JOIN, 0, 1, BURL_SWITCH_BLOCKED);
    tb_read(b, 1, test, COUNT, 0);

    b->run.verdict.kind = BURL_VERDICT_USE_AFTER_FREE;
    b->run.verdict.tid = 1;
    b->run.verdict.op = BURL_OP_READ;
    b->run.verdict.site = test;
    b->run.verdict.addr = COUNT;
    b->run.verdict.stack[0] = f_cons;
}

/* More threads than columns. */
static void
make_crowd(struct tb *b)
{
    uint32_t f_worker, rd, wr;

    tb_init(b, "bank.c");
    f_worker = tb_func(b, "worker", "worker(void *arg)");
    rd = tb_site(b, BURL_SITE_READ, "deposit", "int old = total", "total", "total");
    wr = tb_site(b, BURL_SITE_WRITE, "deposit", "total = old + n", "total =", "total");
    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    for (uint16_t t = 1; t <= 12; t++)
        tb_event(b, 0, BURL_OP_CREATE, 0, 0, t);
    for (uint16_t t = 1; t <= 12; t++) {
        start_thread(b, t, 0, f_worker);
        tb_read(b, t, rd, TOTAL, 100);
        tb_switch(b, t, BURL_OP_WRITE, wr, (uint16_t)(t < 12 ? t + 1 : 1), BURL_SWITCH_PREEMPT);
    }
    for (uint16_t t = 1; t <= 12; t++)
        tb_write(b, t, wr, TOTAL, 100 + t, 101 + t);
    b->run.verdict.kind = BURL_VERDICT_EXIT_NONZERO;
    b->run.verdict.tid = 12;
    b->run.verdict.code = 1;
    b->run.verdict.op = BURL_OP_WRITE;
    b->run.verdict.site = wr;
}

/* ---- golden ------------------------------------------------------------------------ */

static void
check_text(struct tb *b, const char *golden, const struct burl_report_style *style,
           const struct burl_report_facts *with)
{
    struct burl_finding *f = tb_finding(b, with);
    struct burl_buf out = BURL_BUF_INIT;

    burl_report_line(f, style, &out);
    burl_buf_char(&out, '\n');
    burl_report_text(f, style, &out);
    tb_check_read(f);
    tb_golden(golden, burl_buf_str(&out));
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(b);
}

static const struct burl_report_style ascii = { .width = 100 };

static void
a_lost_update_reads_well(void **state)
{
    struct tb b;

    (void)state;
    make_lost_update(&b);
    check_text(&b, "lost-update.txt", &ascii, &facts);
}

static void
the_same_with_unicode_and_color(void **state)
{
    const struct burl_report_style style = { .width = 90, .color = true, .unicode = true };
    struct tb b;

    (void)state;
    make_lost_update(&b);
    check_text(&b, "lost-update-color.txt", &style, &facts);
}

static void
a_deadlock_reads_well(void **state)
{
    struct tb b;

    (void)state;
    make_deadlock(&b);
    check_text(&b, "deadlock.txt", &ascii, &facts);
}

static void
a_narrow_terminal_is_respected(void **state)
{
    const struct burl_report_style style = { .width = 64 };
    struct tb b;

    (void)state;
    make_deadlock(&b);
    check_text(&b, "deadlock-narrow.txt", &style, &facts);
}

static void
a_lost_wakeup_names_the_lost_signal(void **state)
{
    struct tb b;

    (void)state;
    make_lost_wakeup(&b);
    check_text(&b, "lost-wakeup.txt", &ascii, &facts);
}

static void
a_use_after_free_shows_both_stacks(void **state)
{
    struct tb b;

    (void)state;
    make_use_after_free(&b);
    check_text(&b, "use-after-free.txt", &ascii, &facts);
}

static void
many_threads_become_a_list(void **state)
{
    struct burl_report_facts sequential = facts;
    struct tb b;

    (void)state;
    sequential.facts.sequential = true;
    make_crowd(&b);
    check_text(&b, "crowd.txt", &ascii, &sequential);
}

static void
the_trace_has_every_event(void **state)
{
    struct burl_buf out = BURL_BUF_INIT;
    struct tb b;
    size_t lines = 0;

    (void)state;
    make_lost_update(&b);
    tb_run(&b);
    burl_report_trace(&b.run, b.table, &ascii, &out);
    for (const char *p = burl_buf_str(&out); *p != '\0'; p++)
        lines += *p == '\n';
    assert_true(lines >= b.events.n);
    tb_golden("lost-update-trace.txt", burl_buf_str(&out));
    burl_buf_deinit(&out);
    tb_deinit(&b);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void
json_has_the_same_content(void **state)
{
    struct burl_json_value *doc = NULL;
    const struct burl_json_value *thread;
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct burl_err err;
    struct tb b;
    uint64_t n;

    (void)state;
    make_deadlock(&b);
    f = tb_finding(&b, &facts);
    burl_report_json(f, &out);
    tb_golden("deadlock.json", burl_buf_str(&out));
    EXPECT_OK(burl_json_parse(&doc, out.p, out.n, &err), &err);
    assert_true(burl_json_as_u64(burl_json_get(doc, "burl_finding"), &n));
    assert_int_equal(n, BURL_REPORT_JSON_SCHEMA);
    assert_string_equal(burl_json_as_str(burl_json_get(doc, "kind"), ""), "deadlock.cycle");
    assert_string_equal(burl_json_as_str(burl_json_get(doc, "title"), ""), f->title);
    assert_int_equal(burl_json_count(burl_json_get(doc, "threads")), 3);
    assert_int_equal(burl_json_count(burl_json_get(doc, "steps")), f->n_steps);
    thread = burl_json_at(burl_json_get(doc, "threads"), 1);
    assert_string_equal(burl_json_as_str(burl_json_get(thread, "state"), ""), "waiting");
    assert_int_equal(burl_json_count(burl_json_get(thread, "locks")), 1);
    assert_true(
        burl_json_as_bool(burl_json_get(burl_json_get(thread, "waits"), "in_cycle"), false));
    burl_json_free(doc);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* ---- laws -------------------------------------------------------------------------- */

static void
the_number_of_steps_is_respected(void **state)
{
    struct burl_report_facts few = facts;
    struct burl_finding *f;
    struct tb b;

    (void)state;
    make_lost_update(&b);
    few.max_steps = 6;
    f = tb_finding(&b, &few);
    assert_int_equal(f->n_ops_shown, 6);
    burl_report_finding_free(f);

    few.max_steps = SIZE_MAX;
    f = tb_finding(&b, &few);
    assert_int_equal(f->n_ops_shown, f->n_ops);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
the_preempted_accesses_are_kept_when_little_fits(void **state)
{
    struct burl_report_facts few = facts;
    struct burl_finding *f;
    bool read_1 = false;
    bool write_2 = false;
    struct tb b;

    (void)state;
    make_lost_update(&b);
    few.max_steps = 5;
    f = tb_finding(&b, &few);
    for (size_t i = 0; i < f->n_steps; i++) {
        const struct burl_finding_step *s = &f->steps[i];

        read_1 = read_1 || (s->op == BURL_OP_READ && s->tid == 1 && s->addr == TOTAL);
        write_2 = write_2 || (s->op == BURL_OP_WRITE && s->tid == 2 && s->addr == TOTAL);
    }
    assert_true(read_1);
    assert_true(write_2);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
private_data_are_not_shown(void **state)
{
    struct burl_finding *f;
    struct tb b;

    (void)state;
    make_lost_update(&b);
    f = tb_finding(&b, &facts);
    for (size_t i = 0; i < f->n_steps; i++)
        assert_false(f->steps[i].type == BURL_FINDING_STEP_OP && f->steps[i].addr >= 0x9000);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
a_condition_wait_releases_and_retakes_its_mutex(void **state)
{
    struct burl_finding *f;
    struct tb b;

    (void)state;
    make_lost_wakeup(&b);
    f = tb_finding(&b, &facts);
    assert_int_equal(f->threads[1].n_locks, 0);
    burl_report_finding_free(f);

    tb_event(&b, 1, BURL_OP_COND_WAKE, b.run.verdict.waits[1].site, 0x7000, 0);
    f = tb_finding(&b, &facts);
    assert_int_equal(f->threads[1].n_locks, 1);
    assert_string_equal(f->threads[1].locks[0].name, "q->m");
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
a_report_without_names_is_still_a_report(void **state)
{
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;
    struct tb b;

    (void)state;
    make_deadlock(&b);
    f = burl_report_finding_new(tb_run(&b), NULL, NULL);
    burl_report_text(f, NULL, &out);
    EXPECT_CONTAINS(burl_buf_str(&out), "T1 and T2 wait for each other");
    EXPECT_CONTAINS(burl_buf_str(&out), "mutex#1");
    burl_report_json(f, &out);
    burl_report_trace(tb_run(&b), NULL, NULL, &out);
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
an_execution_without_a_trace_has_a_title(void **state)
{
    struct burl_run run = { .diverged_at = ~0u };
    struct burl_finding *f;
    struct burl_buf out = BURL_BUF_INIT;

    (void)state;
    run.verdict.kind = BURL_VERDICT_EXIT_NONZERO;
    run.verdict.code = 3;
    run.verdict.tid = 0;
    f = burl_report_finding_new(&run, NULL, NULL);
    EXPECT_CONTAINS(f->title, "the program exited with code 3");
    assert_int_equal(f->n_steps, 0);
    burl_report_text(f, NULL, &out);
    EXPECT_CONTAINS(burl_buf_str(&out), "exit.nonzero");
    burl_buf_deinit(&out);
    burl_report_finding_free(f);
}

static uint64_t
next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return *s >> 17;
}

/* The trace area is another process's memory: any bytes may be in it. */
static void
nonsense_events_do_no_harm(void **state)
{
    uint64_t seed = unit_seed();

    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct burl_finding *f;
        struct burl_buf out = BURL_BUF_INIT;
        struct tb b;

        make_lost_update(&b);
        for (size_t i = 0; i < b.events.n; i++) {
            unsigned char *p = (unsigned char *)&b.events.v[i];

            if (next_random(&seed) % 3 == 0)
                p[next_random(&seed) % sizeof b.events.v[i]] = (unsigned char)next_random(&seed);
        }
        for (size_t i = 0; i < sizeof b.run.verdict; i++) {
            if (next_random(&seed) % 40 == 0)
                ((unsigned char *)&b.run.verdict)[i] = (unsigned char)next_random(&seed);
        }
        b.run.events_dropped = next_random(&seed) % 2;
        f = tb_finding(&b, &facts);
        burl_report_text(f, &ascii, &out);
        burl_report_json(f, &out);
        burl_report_line(f, &ascii, &out);
        burl_report_trace(&b.run, b.table, &ascii, &out);
        assert_true(out.n > 0);
        burl_buf_deinit(&out);
        burl_report_finding_free(f);
        tb_deinit(&b);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lost_update_reads_well),
        cmocka_unit_test(the_same_with_unicode_and_color),
        cmocka_unit_test(a_deadlock_reads_well),
        cmocka_unit_test(a_narrow_terminal_is_respected),
        cmocka_unit_test(a_lost_wakeup_names_the_lost_signal),
        cmocka_unit_test(a_use_after_free_shows_both_stacks),
        cmocka_unit_test(many_threads_become_a_list),
        cmocka_unit_test(the_trace_has_every_event),
        cmocka_unit_test(json_has_the_same_content),
        cmocka_unit_test(the_number_of_steps_is_respected),
        cmocka_unit_test(the_preempted_accesses_are_kept_when_little_fits),
        cmocka_unit_test(private_data_are_not_shown),
        cmocka_unit_test(a_condition_wait_releases_and_retakes_its_mutex),
        cmocka_unit_test(a_report_without_names_is_still_a_report),
        cmocka_unit_test(an_execution_without_a_trace_has_a_title),
        cmocka_unit_test(nonsense_events_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
