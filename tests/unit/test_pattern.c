/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pattern.c - the sentence of a bug's pattern, on executions made by hand.
 *
 * Each pattern stands beside its nearest miss: an execution that differs in the one thing that
 * makes the sentence true. There the sentence must not appear; another true one may.
 */
#include "trace_build.h"

enum { LEN = 0x4000, COUNT = 0x4010, A = 0x4020, B = 0x4030, P = 0x4040, TOP = 0x4050 };
enum { FULL = 0x4060, COND = 0x5000, MUTEX = 0x5100, M1 = 0x5200, M2 = 0x5300, BLOCK = 0x8000 };

struct sites {
    uint32_t func, create, join;
    uint32_t check_len, use_len, set_len, read_count, write_count;
    uint32_t set_a, set_b, read_a, read_b, set_p, read_p;
    uint32_t load_top, cas_top, set_top, reset_top;
    uint32_t check_full, wait, take_full, fill, signal, steal, lock1, lock2, release, copy, later;
};

static struct sites
begin(struct tb *b)
{
    struct sites s = { 0 };

    tb_init(b, "pattern.c");
    s.func = tb_func(b, "worker", "void worker(void)");
    s.create = tb_call(b, "worker", "void worker(void)", "worker");
    s.join = tb_call(b, "worker", "void worker(void)", "worker");
#define ACCESS(name, kind, line, token, var) \
    s.name = tb_site(b, BURL_SITE_##kind, "worker", line, token, var)
    ACCESS(check_len, READ, "if (len > 0)", "len", "len");
    ACCESS(use_len, READ, "use(buf[len])", "len", "len");
    ACCESS(set_len, WRITE, "len = 0", "len", "len");
    ACCESS(read_count, READ, "count = count + 1", "count +", "count");
    ACCESS(write_count, WRITE, "count = count + 1", "count =", "count");
    ACCESS(set_a, WRITE, "    a = 1", "a", "a");
    ACCESS(set_b, WRITE, "    b = 1", "b", "b");
    ACCESS(read_a, READ, "sum(a, b)", "a,", "a");
    ACCESS(read_b, READ, "sum(a, b)", "b)", "b");
    ACCESS(set_p, WRITE, "p = make()", "p", "p");
    ACCESS(read_p, READ, "p->x = 1", "p", "p");
    ACCESS(load_top, READ, "old = atomic_load", "top", "top");
    ACCESS(cas_top, WRITE, "compare_exchange(", "top", "top");
    ACCESS(set_top, WRITE, "atomic_store(&top, other)", "top", "top");
    ACCESS(reset_top, WRITE, "atomic_store(&top, again)", "top", "top");
    ACCESS(check_full, READ, "if (full == 0)", "full", "full");
    ACCESS(take_full, READ, "full--", "full", "full");
    ACCESS(fill, WRITE, "full = 1", "full", "full");
    ACCESS(steal, WRITE, "full = 0", "full", "full");
    ACCESS(copy, READ, "copy = len", "len", "len");
    ACCESS(later, READ, "later = len", "len", "len");
#undef ACCESS
    s.wait = tb_call(b, "worker", "wait_on(&c)", "wait_on");
    s.signal = tb_call(b, "worker", "signal_it(&c)", "signal_it");
    s.lock1 = tb_call(b, "worker", "lock(&m1)", "lock");
    s.lock2 = tb_call(b, "worker", "lock(&m2)", "lock");
    s.release = tb_call(b, "worker", "free(p)", "free");
    tb_event(b, 0, BURL_OP_START, 0, 0, 0);
    tb_enter(b, 0, s.func);
    for (uint16_t t = 1; t <= 3; t++)
        tb_event(b, 0, BURL_OP_CREATE, s.create, 0, t);
    tb_switch(b, 0, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    for (uint16_t t = 1; t <= 3; t++) {
        tb_event(b, t, BURL_OP_START, 0, 0, 0);
        tb_enter(b, t, s.func);
    }
    return s;
}

static void
stop_before(struct tb *b, uint16_t tid, uint8_t kind, uint32_t site, uint16_t next)
{
    tb_switch(b, tid, kind, site, next, BURL_SWITCH_PREEMPT);
}

/* Ends the execution with a failure of `tid` and looks at what is said. NULL: nothing. */
static void
expect(struct tb *b, uint8_t verdict, uint16_t tid, const char *kind, const char *sentence)
{
    struct burl_finding *f;

    b->run.verdict.kind = verdict;
    b->run.verdict.tid = tid;
    f = tb_finding(b, NULL);
    assert_string_equal(f->pattern.kind, kind != NULL ? kind : "");
    assert_string_equal(f->pattern.sentence, sentence != NULL ? sentence : "");
    for (size_t i = 0; i < f->pattern.n_steps; i++)
        assert_true(f->pattern.steps[i] < b->step);
    burl_report_finding_free(f);
    tb_deinit(b);
}

static void
abort_in(struct tb *b, uint16_t tid, const char *kind, const char *sentence)
{
    expect(b, BURL_VERDICT_CRASH_ABORT, tid, kind, sentence);
}

/* ---- one variable ------------------------------------------------------------------ */

static void
check_then_act(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 1, s.check_len, LEN, 3);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_read(&b, 1, s.use_len, LEN, 0);
    abort_in(&b, 1, "check-then-act",
             "thread 2 writes len at line 7 between thread 1's check at line 5 and its use at line "
             "6");
}

/* The same with a write that changes nothing. */
static void
a_write_that_changes_nothing_explains_nothing(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 1, s.check_len, LEN, 0);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 0, 0);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_read(&b, 1, s.use_len, LEN, 0);
    abort_in(&b, 1, NULL, NULL);
}

/* What a thread read in one call and again in the next was not meant to stay the same. */
static void
two_calls_are_two_stories(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    for (size_t i = 0; i < b.sites.n; i++)
        b.sites.v[i].func_id = s.func;
    tb_enter(&b, 1, s.func);
    tb_read(&b, 1, s.check_len, LEN, 3);
    tb_leave(&b, 1);
    stop_before(&b, 1, BURL_OP_LOCK, s.lock1, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_event(&b, 1, BURL_OP_LOCK, s.lock1, M1, 0);
    tb_enter(&b, 1, s.func);
    tb_read(&b, 1, s.use_len, LEN, 0);
    abort_in(&b, 1, "stale-check",
             "thread 2 writes len at line 7 after thread 1's check at line 5, while thread 1 is "
             "stopped at line 24");
}

/* Nothing comes between what main set up and what it finds when the other thread is made later. */
static void
what_was_set_up_is_not_overwritten(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_write(&b, 0, s.set_len, LEN, 0, 3);
    tb_event(&b, 0, BURL_OP_CREATE, s.create, 0, 4);
    stop_before(&b, 0, BURL_OP_READ, s.use_len, 4);
    tb_event(&b, 4, BURL_OP_START, 0, 0, 0);
    tb_enter(&b, 4, s.func);
    tb_write(&b, 4, s.set_len, LEN, 3, 0);
    tb_event(&b, 4, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 4, BURL_OP_NONE, 0, 0, BURL_SWITCH_FINISHED);
    tb_read(&b, 0, s.use_len, LEN, 0);
    abort_in(&b, 0, NULL, NULL);
}

/* The write is the thread's own. */
static void
a_thread_does_not_disturb_itself(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 2, s.copy, LEN, 3); /* shared, but in nobody's way */
    tb_read(&b, 1, s.check_len, LEN, 3);
    tb_write(&b, 1, s.set_len, LEN, 3, 0);
    tb_read(&b, 1, s.use_len, LEN, 0);
    abort_in(&b, 1, NULL, NULL);
}

static void
lost_update(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 1, s.read_count, COUNT, 5);
    stop_before(&b, 1, BURL_OP_WRITE, s.write_count, 2);
    tb_read(&b, 2, s.read_count, COUNT, 5);
    tb_write(&b, 2, s.write_count, COUNT, 5, 6);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_write(&b, 1, s.write_count, COUNT, 6, 6);
    tb_read(&b, 0, s.read_count, COUNT, 6);
    abort_in(&b, 0, "lost-update",
             "thread 2 writes count at line 8 between thread 1's read and write at line 8, which "
             "overwrites it");
}

/* An atomic update loses nothing. */
static void
an_atomic_update_is_not_lost(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 1, s.read_count, COUNT, 5);
    stop_before(&b, 1, BURL_OP_ATOMIC_RMW, s.write_count, 2);
    tb_write(&b, 2, s.write_count, COUNT, 5, 6);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_write(&b, 1, s.write_count, COUNT, 6, 7);
    b.events.v[b.events.n - 1].kind = BURL_OP_ATOMIC_RMW;
    tb_read(&b, 0, s.read_count, COUNT, 7);
    abort_in(&b, 0, NULL, NULL);
}

/* The memory was freed and given out again in between: another variable. */
static void
reused_memory_is_another_variable(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_read(&b, 1, s.copy, BLOCK, 5);
    stop_before(&b, 1, BURL_OP_READ, s.later, 2);
    tb_event(&b, 2, BURL_OP_FREE, s.release, BLOCK, 16);
    tb_event(&b, 2, BURL_OP_ALLOC, s.release, BLOCK, 16);
    tb_write(&b, 2, s.set_len, BLOCK, 5, 6);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_read(&b, 1, s.later, BLOCK, 6);
    abort_in(&b, 1, NULL, NULL);
}

static void
make_aba(struct tb *b, const struct sites *s, uint64_t back)
{
    tb_read(b, 1, s->load_top, TOP, 7);
    stop_before(b, 1, BURL_OP_ATOMIC_CAS, s->cas_top, 2);
    tb_write(b, 2, s->set_top, TOP, 7, 8);
    tb_write(b, 2, s->reset_top, TOP, 8, back);
    tb_event(b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_write(b, 1, s->cas_top, TOP, back, 9);
    b->events.v[b->events.n - 1].kind = BURL_OP_ATOMIC_CAS;
}

static void
there_and_back(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_aba(&b, &s, 7);
    abort_in(&b, 1, "aba",
             "top is changed by thread 2 at line 16 and back by thread 2 at line 17 between thread "
             "1's read at line 14 and its compare-exchange at line 15, which succeeds");
}

/* It failed, as it should: no harm came of it. */
static void
a_compare_exchange_that_fails_is_right(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_aba(&b, &s, 10);
    b.events.v[b.events.n - 1].flags = BURL_EV_F_VALUE | BURL_EV_F_FAILED;
    abort_in(&b, 1, NULL, NULL);
}

/* ---- two variables, order ---------------------------------------------------------- */

static void
half_updated(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_write(&b, 1, s.set_a, A, 0, 1);
    stop_before(&b, 1, BURL_OP_WRITE, s.set_b, 3);
    tb_read(&b, 3, s.read_a, A, 1);
    tb_read(&b, 3, s.read_b, B, 0);
    /* b must be shared to count: somebody writes it later. */
    tb_write(&b, 1, s.set_b, B, 0, 1);
    abort_in(&b, 3, "half-updated",
             "thread 3 reads a at line 11 after thread 1's write at line 9 but b at line 11 before "
             "its write at line 10");
}

static void
updated_as_a_whole(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_write(&b, 1, s.set_a, A, 0, 1);
    tb_write(&b, 1, s.set_b, B, 0, 1);
    tb_switch(&b, 1, BURL_OP_JOIN, s.join, 3, BURL_SWITCH_BLOCKED);
    tb_read(&b, 3, s.read_a, A, 1);
    tb_read(&b, 3, s.read_b, B, 1);
    abort_in(&b, 3, NULL, NULL);
}

static void
torn_read(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_write(&b, 0, s.set_a, A, 9, 0); /* not the first write of it */
    tb_read(&b, 3, s.read_a, A, 0);
    stop_before(&b, 3, BURL_OP_READ, s.read_b, 1);
    tb_write(&b, 1, s.set_a, A, 0, 1);
    tb_write(&b, 1, s.set_b, B, 0, 1);
    tb_event(&b, 1, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 1, BURL_OP_NONE, 0, 3, BURL_SWITCH_FINISHED);
    tb_read(&b, 3, s.read_b, B, 1);
    abort_in(&b, 3, "torn-read",
             "thread 3 reads a at line 11 before thread 1's write at line 9 but b at line 11 after "
             "its write at line 10");
}

static void
make_crash(struct tb *b, const struct sites *s)
{
    tb_read(b, 2, s->read_p, P, 0);
    b->events.v[b->events.n - 1].size_b = 8;
    b->run.verdict.addr = 8;
}

static void
used_too_early(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    stop_before(&b, 1, BURL_OP_WRITE, s.set_p, 2);
    b.switches.v[b.switches.n - 1].op = b.n_ops[1];
    make_crash(&b, &s);
    expect(&b, BURL_VERDICT_CRASH_SIGNAL, 2, "used-too-early",
           "thread 2 uses p at line 13 before thread 1 sets it at line 12");
}

/* It had been set, and to nothing: not too early. */
static void
set_to_nothing_is_not_too_early(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_write(&b, 2, s.set_p, P, 0, 0);
    stop_before(&b, 1, BURL_OP_WRITE, s.set_p, 2);
    make_crash(&b, &s);
    expect(&b, BURL_VERDICT_CRASH_SIGNAL, 2, NULL, NULL);
}

/* ---- waiting ----------------------------------------------------------------------- */

static void
make_woken(struct tb *b, const struct sites *s, uint32_t next_read, uint32_t more)
{
    tb_read(b, 1, s->check_full, FULL, 0);
    tb_event(b, 1, BURL_OP_COND_WAIT, s->wait, COND, MUTEX);
    tb_switch(b, 1, BURL_OP_COND_WAKE, s->wait, 2, BURL_SWITCH_BLOCKED);
    tb_write(b, 2, s->fill, FULL, 0, 1);
    tb_event(b, 2, BURL_OP_COND_SIGNAL, s->signal, COND, 1);
    if (more != 0)
        tb_event(b, 2, BURL_OP_COND_SIGNAL, more, COND, 0);
    stop_before(b, 2, BURL_OP_UNLOCK, s->signal, 3);
    tb_write(b, 3, s->steal, FULL, 1, 0);
    tb_event(b, 3, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(b, 3, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_event(b, 1, BURL_OP_COND_WAKE, s->wait, COND, 0)->flags = BURL_EV_F_BLOCKED;
    tb_read(b, 1, next_read, FULL, 0);
}

static void
not_checked_again(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_woken(&b, &s, s.take_full, 0);
    abort_in(&b, 1, "no-recheck",
             "thread 3 writes full at line 23 after thread 2 signals at line 22 and before thread "
             "1, woken at line 19, uses it at line 20 without its check at line 18");
}

/* A later signal that nobody waits for any more is not the one that woke it. */
static void
the_signal_that_woke_is_named(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t more = tb_call(&b, "worker", "signal_more(&c)", "signal_more");

    (void)state;
    make_woken(&b, &s, s.take_full, more);
    abort_in(&b, 1, "no-recheck",
             "thread 3 writes full at line 23 after thread 2 signals at line 22 and before thread "
             "1, woken at line 19, uses it at line 20 without its check at line 18");
}

static void
checked_again(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    struct burl_finding *f;

    (void)state;
    make_woken(&b, &s, s.check_full, 0);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_string_not_equal(f->pattern.kind, "no-recheck");
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
make_stuck(struct tb *b, const struct sites *s)
{
    tb_event(b, 1, BURL_OP_COND_WAIT, s->wait, COND, MUTEX);
    b->run.verdict.n_waits = 1;
    b->run.verdict.waits[0] = (struct burl_wire_wait){
        .addr = COND, .site = s->wait, .tid = 1, .owner = BURL_TID_NONE, .kind = BURL_OP_COND_WAIT
    };
}

static void
lost_wakeup(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 0);
    make_stuck(&b, &s);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, "lost-wakeup",
           "thread 2 signals c at line 22 before thread 1 waits for it at line 19, and nobody does "
           "so again");
}

/* The early signal woke somebody; and one that came later is no early one. */
static void
a_wakeup_that_arrived_is_not_lost(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 1);
    make_stuck(&b, &s);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, NULL, NULL);
    s = begin(&b);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 0);
    make_stuck(&b, &s);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 0);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, NULL, NULL);
}

static void
wake(struct tb *b, const struct sites *s, uint16_t tid)
{
    tb_event(b, tid, BURL_OP_COND_WAKE, s->wait, MUTEX, 0)->flags = BURL_EV_F_BLOCKED;
}

static void
one_of_two_is_woken(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_stuck(&b, &s);
    tb_event(&b, 3, BURL_OP_COND_WAIT, s.wait, COND, MUTEX);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 1);
    wake(&b, &s, 3);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, "one-woken",
           "thread 2 signals c at line 22, which wakes thread 3 and not thread 1, which waits for "
           "it too at line 19, and nobody does so again");
}

/* Two were signalled before the first came back: whom the last signal woke is not known. */
static void
whom_a_signal_woke_is_not_guessed(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_stuck(&b, &s);
    tb_event(&b, 3, BURL_OP_COND_WAIT, s.wait, COND, MUTEX);
    tb_event(&b, 0, BURL_OP_COND_WAIT, s.wait, COND, MUTEX);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 1);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 1);
    wake(&b, &s, 3);
    wake(&b, &s, 0);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, NULL, NULL);
}

static void
woken_and_waiting_again(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_event(&b, 1, BURL_OP_COND_WAIT, s.wait, COND, MUTEX);
    tb_event(&b, 2, BURL_OP_COND_SIGNAL, s.signal, COND, 1);
    wake(&b, &s, 1);
    make_stuck(&b, &s);
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, "waits-again",
           "thread 2 signals c at line 22, which wakes thread 1; it waits again at line 19, and "
           "nobody signals any more");
}

static void
waiting_with_what_another_needs(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_event(&b, 1, BURL_OP_LOCK, s.lock1, M1, 0);
    make_stuck(&b, &s);
    b.run.verdict.n_waits = 2;
    b.run.verdict.waits[1] = (struct burl_wire_wait){
        .addr = M1, .site = s.lock1, .tid = 2, .owner = 1, .kind = BURL_OP_LOCK
    };
    expect(&b, BURL_VERDICT_DEADLOCK_STUCK, BURL_TID_NONE, "wait-holding",
           "thread 1 waits at line 19 for a signal on c and has held m1 since line 24, for which "
           "thread 2 waits at line 24");
}

static void
circle(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    tb_event(&b, 1, BURL_OP_LOCK, s.lock1, M1, 0);
    stop_before(&b, 1, BURL_OP_LOCK, s.lock2, 2);
    tb_event(&b, 2, BURL_OP_LOCK, s.lock2, M2, 0);
    b.run.verdict.n_waits = 2;
    b.run.verdict.waits[0] = (struct burl_wire_wait){
        .addr = M2, .site = s.lock2, .tid = 1, .owner = 2, .kind = BURL_OP_LOCK
    };
    b.run.verdict.waits[1] = (struct burl_wire_wait){
        .addr = M1, .site = s.lock1, .tid = 2, .owner = 1, .kind = BURL_OP_LOCK
    };
    expect(&b, BURL_VERDICT_DEADLOCK_CYCLE, BURL_TID_NONE, "deadlock-circle",
           "thread 1 waits at line 25 for m2, which thread 2 has held since line 25, and thread 2 "
           "waits at line 24 for m1, which thread 1 has held since line 24");
}

/* ---- the heap ---------------------------------------------------------------------- */

static void
make_free(struct tb *b, const struct sites *s, uint16_t by)
{
    tb_event(b, 0, BURL_OP_ALLOC, s->set_p, BLOCK, 16);
    tb_event(b, by, BURL_OP_FREE, s->release, BLOCK, 16);
    tb_read(b, 1, s->later, BLOCK + 4, 5);
    b->run.verdict.op = BURL_OP_READ;
    b->run.verdict.site = s->later;
    b->run.verdict.addr = BLOCK + 4;
}

static void
freed_by_another(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_free(&b, &s, 2);
    expect(&b, BURL_VERDICT_USE_AFTER_FREE, 1, "use-after-free",
           "thread 2 frees p at line 26 before thread 1 reads len at line 28");
}

static void
freed_by_itself(void **state)
{
    struct tb b;
    struct sites s = begin(&b);

    (void)state;
    make_free(&b, &s, 1);
    expect(&b, BURL_VERDICT_USE_AFTER_FREE, 1, NULL, NULL);
}

/* When it fails without a preemption too, what a preemption separates is no reason; who freed the
 * block is. */
static void
a_sequential_failure_is_no_matter_of_what_came_between(void **state)
{
    struct burl_report_facts facts = { .sequential = true };
    struct tb b;
    struct sites s = begin(&b);
    struct burl_finding *f;

    (void)state;
    make_free(&b, &s, 2);
    b.run.verdict.kind = BURL_VERDICT_USE_AFTER_FREE;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, &facts);
    assert_string_equal(f->pattern.kind, "use-after-free");
    burl_report_finding_free(f);
    tb_deinit(&b);
    s = begin(&b);
    tb_read(&b, 1, s.check_len, LEN, 3);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_read(&b, 1, s.use_len, LEN, 0);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, &facts);
    assert_string_equal(f->pattern.sentence, "");
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* ---- places and names -------------------------------------------------------------- */

/* The reader has been told where it failed: lines of another file need its name. */
static void
lines_of_another_file_are_said_with_it(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t fails = tb_site(&b, BURL_SITE_CALL, "main", "later = len", "later", "abort");

    (void)state;
    b.sites.v[b.sites.n - 1].file = "other.c";
    tb_read(&b, 1, s.check_len, LEN, 3);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_read(&b, 1, s.use_len, LEN, 0);
    b.run.verdict.site = fails;
    abort_in(&b, 1, "check-then-act",
             "thread 2 writes len at pattern.c:7 between thread 1's check at pattern.c:5 and its "
             "use at pattern.c:6");
}

/* What the last operation of an execution acts on, as its row says it. */
static void
expect_what(uint8_t kind, const char *line, const char *token, const char *variable,
            const char *what)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t site = tb_site(&b, kind, "worker", line, token, variable);
    const struct burl_run *run;
    struct burl_finding *f;
    unsigned n = 0;

    if (kind == BURL_SITE_CALL)
        tb_event(&b, 1, BURL_OP_COND_SIGNAL, site, COND, 0);
    else
        tb_read(&b, 1, site, A, 1);
    tb_write(&b, 2, s.set_a, A, 1, 2);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    run = tb_run(&b); /* makes the table */
    f = burl_report_finding_new(run, b.table, &(struct burl_report_facts){ .max_steps = SIZE_MAX });
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP && f->steps[i].tid == 1 &&
            f->steps[i].loc.site == site) {
            assert_string_equal(f->steps[i].what, what);
            n++;
        }
    }
    assert_int_equal(n, 1);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
names_are_spelled_as_in_the_source(void **state)
{
    (void)state;
    expect_what(BURL_SITE_WRITE, "table[i].state = 1", "= 1", "table[].state", "table[i].state");
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "part[0]", "part[]", "part[0]");
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "part[k]", "part[]", "part[k]");
    /* Which of the two is not clear, and what is not there is not made up. */
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "+", "part[]", "part[]");
    expect_what(BURL_SITE_WRITE, "table[i].state = 1", "= 1", "other[].state", "other[].state");
    expect_what(BURL_SITE_WRITE, "accounts_[who] = n", "= n", "operator[]()", "accounts_[who]");
    expect_what(BURL_SITE_WRITE, "accounts_[who].n = 2", "= 2", "operator[]().n",
                "accounts_[who].n");
    expect_what(BURL_SITE_READ, "return ok ? *value", "*value", "operator*()", "*value");
    expect_what(BURL_SITE_CALL, "c_.wait(g)", "wait",
                "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "c_");
}

/* ---- the slice --------------------------------------------------------------------- */

static bool
shows(const struct burl_finding *f, uint32_t step)
{
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP && f->steps[i].step == step)
            return true;
    }
    return false;
}

static size_t
count_preemptions_shown(const struct burl_finding *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_steps; i++)
        n += f->steps[i].preemption;
    return n;
}

/* Of a hundred turns the one that matters is shown, with what it depends on. */
static void
only_what_matters_is_shown(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t lock, first, other, second, noise, check;
    const struct burl_run *run;
    struct burl_finding *f;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        noise = b.step;
        tb_read(&b, 3, s.read_a, A, i);
        tb_write(&b, 3, s.set_a, A, i, i + 1);
    }
    tb_read(&b, 2, s.read_a, A, 100); /* shared, and of no consequence */
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    lock = b.step;
    tb_event(&b, 1, BURL_OP_LOCK, s.lock1, M1, 0);
    first = b.step;
    tb_read(&b, 1, s.read_count, COUNT, 5);
    stop_before(&b, 1, BURL_OP_WRITE, s.write_count, 2);
    other = b.step;
    tb_write(&b, 2, s.write_count, COUNT, 5, 6);
    for (unsigned i = 0; i < 100; i++)
        tb_read(&b, 2, s.read_b, B, i);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    second = b.step;
    tb_write(&b, 1, s.write_count, COUNT, 6, 6);
    tb_event(&b, 1, BURL_OP_UNLOCK, s.lock1, M1, 0);
    tb_switch(&b, 1, BURL_OP_JOIN, s.join, 0, BURL_SWITCH_BLOCKED);
    check = b.step;
    tb_read(&b, 0, s.read_count, COUNT, 6);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 0;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, first) && shows(f, other) && shows(f, second) && shows(f, check));
    assert_true(shows(f, lock));
    assert_false(shows(f, noise));
    assert_int_equal(count_preemptions_shown(f), 1);
    assert_true(f->n_ops_shown < 20);
    burl_report_finding_free(f);
    /* All of it when that is asked for. tb_run makes the table anew, so it goes first. */
    run = tb_run(&b);
    f = burl_report_finding_new(run, b.table, &(struct burl_report_facts){ .max_steps = SIZE_MAX });
    assert_true(shows(f, noise));
    assert_int_equal(f->n_ops_shown, f->n_ops);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* The write that a failing check saw, what its line read, and no other write. */
static void
a_read_brings_the_write_it_saw(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t old, seen, reader;
    struct burl_finding *f;

    (void)state;
    old = b.step;
    tb_write(&b, 2, s.fill, FULL, 0, 1);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 3, BURL_SWITCH_BLOCKED);
    tb_read(&b, 3, s.copy, A, 1);
    seen = b.step;
    tb_write(&b, 3, s.steal, FULL, 1, 0);
    tb_switch(&b, 3, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    reader = b.step;
    tb_read(&b, 1, s.check_full, FULL, 0);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, seen) && shows(f, reader));
    assert_false(shows(f, old));
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* A value that a thread has updated several times goes back to who gave it the value first; what was
 * there before the thread was made goes without saying. */
static void
a_chain_of_updates_begins_with_another_thread(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t origin, reader;
    struct burl_finding *f;

    (void)state;
    origin = b.step;
    tb_write(&b, 2, s.fill, COUNT, 0, 1);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    for (unsigned i = 1; i < 9; i++) {
        tb_read(&b, 1, s.read_count, COUNT, i);
        tb_write(&b, 1, s.write_count, COUNT, i, i + 1);
    }
    reader = b.step;
    tb_read(&b, 1, s.copy, COUNT, 9);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, origin) && shows(f, reader));
    assert_false(shows(f, origin + 2));
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* A value that another thread made of one that nobody had written: who wrote it too late is shown,
 * and said when it was stopped right before. */
static void
made_of_what_was_read_too_early(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t read_in = tb_site(&b, BURL_SITE_READ, "worker", "out = in + 1", "in +", "in");
    const uint32_t set_out = tb_site(&b, BURL_SITE_WRITE, "worker", "out = in + 1", "out", "out");
    const uint32_t set_in = tb_site(&b, BURL_SITE_WRITE, "worker", "in = 41", "in", "in");
    uint32_t late;
    struct burl_finding *f;

    (void)state;
    tb_read(&b, 2, s.read_b, B, 0);
    stop_before(&b, 2, BURL_OP_WRITE, set_in, 3);
    tb_read(&b, 3, read_in, A, 0);
    tb_write(&b, 3, set_out, COUNT, 0, 1);
    tb_event(&b, 3, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 3, BURL_OP_NONE, 0, 2, BURL_SWITCH_FINISHED);
    late = b.step;
    tb_write(&b, 2, set_in, A, 0, 41);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    tb_read(&b, 1, s.read_count, COUNT, 1);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, late));
    assert_string_equal(f->pattern.sentence,
                        "thread 3 reads in at line 30 before thread 2 sets it at line 31");
    burl_report_finding_free(f);
    tb_deinit(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_then_act),
        cmocka_unit_test(a_write_that_changes_nothing_explains_nothing),
        cmocka_unit_test(two_calls_are_two_stories),
        cmocka_unit_test(what_was_set_up_is_not_overwritten),
        cmocka_unit_test(a_thread_does_not_disturb_itself),
        cmocka_unit_test(lost_update),
        cmocka_unit_test(an_atomic_update_is_not_lost),
        cmocka_unit_test(reused_memory_is_another_variable),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(a_compare_exchange_that_fails_is_right),
        cmocka_unit_test(half_updated),
        cmocka_unit_test(updated_as_a_whole),
        cmocka_unit_test(torn_read),
        cmocka_unit_test(used_too_early),
        cmocka_unit_test(set_to_nothing_is_not_too_early),
        cmocka_unit_test(not_checked_again),
        cmocka_unit_test(the_signal_that_woke_is_named),
        cmocka_unit_test(checked_again),
        cmocka_unit_test(lost_wakeup),
        cmocka_unit_test(a_wakeup_that_arrived_is_not_lost),
        cmocka_unit_test(one_of_two_is_woken),
        cmocka_unit_test(whom_a_signal_woke_is_not_guessed),
        cmocka_unit_test(woken_and_waiting_again),
        cmocka_unit_test(waiting_with_what_another_needs),
        cmocka_unit_test(circle),
        cmocka_unit_test(freed_by_another),
        cmocka_unit_test(freed_by_itself),
        cmocka_unit_test(a_sequential_failure_is_no_matter_of_what_came_between),
        cmocka_unit_test(lines_of_another_file_are_said_with_it),
        cmocka_unit_test(names_are_spelled_as_in_the_source),
        cmocka_unit_test(only_what_matters_is_shown),
        cmocka_unit_test(a_read_brings_the_write_it_saw),
        cmocka_unit_test(a_chain_of_updates_begins_with_another_thread),
        cmocka_unit_test(made_of_what_was_read_too_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
