/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pattern.c - the sentence of a bug's pattern, on executions made by hand.
 *
 * Each pattern stands beside its nearest miss: an execution that differs in the one thing that
 * makes the sentence true. There the sentence must not appear; another true one may.
 */
#include "pattern_rig.h"

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
             "T2 writes len at line 7 between T1's check at line 5 and its use at line "
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
             "T2 writes len at line 7 after T1's check at line 5, while T1 is "
             "preempted at line 24");
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
    tb_read(&b, 2, s.copy, LEN, 3); /* shared, but not in the way */
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
             "T2 writes count at line 8 between T1's read and write at line 8, which "
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
             "top is changed by T2 at line 16 and back by T2 at line 17 between "
             "T1's read at line 14 and its compare-exchange at line 15, which succeeds");
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
    /* b must be shared to count: a thread writes it later. */
    tb_write(&b, 1, s.set_b, B, 0, 1);
    abort_in(&b, 3, "half-updated",
             "T3 reads a at line 11 after T1's write at line 9 but b at line 11 before "
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
             "T3 reads a at line 11 before T1's write at line 9 but b at line 11 after "
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
           "T2 uses p at line 13 before T1 sets it at line 12");
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
             "T3 writes full at line 23 after T2 signals at line 22 and before "
             "T1, woken at line 19, uses it at line 20 without repeating its check at line 18");
}

/* A later signal without waiters is not the one that woke it. */
static void
the_signal_that_woke_is_named(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t more = tb_call(&b, "worker", "signal_more(&c)", "signal_more");

    (void)state;
    make_woken(&b, &s, s.take_full, more);
    abort_in(&b, 1, "no-recheck",
             "T3 writes full at line 23 after T2 signals at line 22 and before "
             "T1, woken at line 19, uses it at line 20 without repeating its check at line 18");
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
           "T2 signals c at line 22 before T1 waits for it at line 19, and it is "
           "not signaled again");
}

/* The early signal woke a thread; and one that came later is no early one. */
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
           "T2 signals c at line 22, which wakes T3 and not T1, which waits for "
           "it too at line 19, and it is not signaled again");
}

/* Two were signaled before the first came back: whom the last signal woke is not known. */
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
           "T2 signals c at line 22, which wakes T1; it waits again at line 19, and "
           "no further signal comes");
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
           "T1 waits at line 19 for a signal on c and has held m1 since line 24, for which "
           "T2 waits at line 24");
}

static void
lock_cycle(void **state)
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
           "T1 waits at line 25 for m2, which T2 has held since line 25, and T2 "
           "waits at line 24 for m1, which T1 has held since line 24");
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
           "T2 frees p at line 26 before T1 reads len at line 28");
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
    struct burl_report_facts facts = { .facts.sequential = true };
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

/* ---- tried before it is said -------------------------------------------------------- */

struct answers {
    enum burl_run_moved v[4];
    unsigned n;
};

static enum burl_run_moved
answer(void *arg, const struct burl_run_move *move)
{
    struct answers *a = arg;

    assert_int_not_equal(move->held, move->until);
    return a->n < 4 ? a->v[a->n++] : BURL_MOVED_NOT;
}

/* A check that was overtaken; both orders that the sentence blames are asked for. */
static void
expect_when(enum burl_run_moved first, enum burl_run_moved second, const char *kind)
{
    struct answers a = { .v = { first, second } };
    struct burl_report_facts facts = { .moved = answer, .moved_arg = &a };
    struct tb b;
    struct sites s = begin(&b);
    struct burl_finding *f;

    tb_read(&b, 1, s.check_len, LEN, 3);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_read(&b, 1, s.use_len, LEN, 0);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, &facts);
    assert_string_equal(f->pattern.kind, kind);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
a_cause_is_said_when_the_failure_goes_without_it(void **state)
{
    (void)state;
    expect_when(BURL_MOVED_PASSES, BURL_MOVED_PASSES, "check-then-act");
    expect_when(BURL_MOVED_PASSES, BURL_MOVED_NOT, "check-then-act");
    expect_when(BURL_MOVED_NOT, BURL_MOVED_PASSES, "check-then-act");
}

static void
a_cause_is_not_said_when_the_failure_stays_or_nobody_knows(void **state)
{
    (void)state;
    expect_when(BURL_MOVED_FAILS, BURL_MOVED_PASSES, "");
    expect_when(BURL_MOVED_PASSES, BURL_MOVED_FAILS, "");
    expect_when(BURL_MOVED_NOT, BURL_MOVED_NOT, "");
}

/* main sets up, creates T2 and is preempted. `tid` wrote what T2 reads. */
static void
half_done_by(uint16_t tid, const char *kind)
{
    struct tb b;
    struct sites s;

    s = begin(&b);
    b.events.n = 0;
    memset(b.n_ops, 0, sizeof b.n_ops);
    b.switches.n = 0;
    tb_event(&b, 0, BURL_OP_START, 0, 0, 0);
    tb_event(&b, 0, BURL_OP_CREATE, s.create, 0, 1);
    if (tid == 0)
        tb_write(&b, 0, s.set_a, A, 0, 1);
    tb_event(&b, 0, BURL_OP_CREATE, s.create, 0, 2);
    stop_before(&b, 0, BURL_OP_CREATE, s.create, 1);
    tb_event(&b, 1, BURL_OP_START, 0, 0, 0);
    if (tid == 1)
        tb_write(&b, 1, s.set_a, A, 0, 1);
    stop_before(&b, 1, BURL_OP_WRITE, s.set_p, 2);
    tb_event(&b, 2, BURL_OP_START, 0, 0, 0);
    tb_read(&b, 2, s.read_a, A, 1);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 2;
    abort_in(&b, 2, kind,
             kind ? "T2 reads a at line 11 after T1's write at line 9, while T1 "
                    "is preempted at line 12"
                  : NULL);
}

static void
what_was_written_before_a_thread_was_made_is_no_cause(void **state)
{
    (void)state;
    half_done_by(0, NULL);
    half_done_by(1, "half-done");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cause_is_said_when_the_failure_goes_without_it),
        cmocka_unit_test(a_cause_is_not_said_when_the_failure_stays_or_nobody_knows),
        cmocka_unit_test(what_was_written_before_a_thread_was_made_is_no_cause),
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
        cmocka_unit_test(lock_cycle),
        cmocka_unit_test(freed_by_another),
        cmocka_unit_test(freed_by_itself),
        cmocka_unit_test(a_sequential_failure_is_no_matter_of_what_came_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
