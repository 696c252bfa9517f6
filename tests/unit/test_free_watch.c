/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_free_watch.c - deadlocks of a free run: the records are made by hand, the process is a child
 * that runs, sleeps or is stopped.
 */
#include "unit.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/free/free_watch.h"

enum { A = 0x1000 };

static struct burl_wire_blocked_table table;
static struct burl_waitfor g;
static struct burl_free_watch watch;
static struct burl_wire_verdict verdict;
static unsigned word;

static void
child_main(bool runs)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        if (!runs)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    }
}

/* Waits until the child is in this state. */
static void
await_state(pid_t pid, char wanted)
{
    char state = 0;
    uint64_t switches;

    while (state != wanted)
        burl_free_watch_task(pid, (unsigned)pid, &state, &switches);
}

/* A child in this state, and the record of its only thread: it waits for A. */
static pid_t
start_child(char state, uint8_t flags)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0)
        child_main(state == 'R');
    await_state(pid, state);
    memset(&table, 0, sizeof table);
    memset(&watch, 0, sizeof watch);
    watch.pid = pid;
    watch.table = &table;
    table.v[0] = (struct burl_wire_blocked){ .seq = 2,
                                             .kernel_tid = (uint32_t)pid,
                                             .tid = 1,
                                             .target = BURL_TID_NONE,
                                             .state = BURL_BLOCKED_WAITS,
                                             .op = BURL_OP_LOCK,
                                             .flags = flags,
                                             .addr = A };
    return pid;
}

static void
end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool
look(void)
{
    return burl_free_watch_look(&watch, &g, &verdict);
}

static void
a_runnable_spinner_is_stuck_only_after_it_failed_again(void **state)
{
    pid_t pid = start_child('R', BURL_BLOCKED_F_SPINS);

    (void)state;
    /* Nothing changes: it gets no processor, or has the lock already. */
    for (int i = 0; i < 5; i++)
        assert_false(look());
    table.v[0].n_failed += 1;
    assert_false(look());
    table.v[0].n_failed += 1;
    assert_true(look());
    assert_int_equal(verdict.kind, BURL_VERDICT_DEADLOCK_STUCK);
    end_child(pid);
}

static void
attempts_of_an_earlier_wait_do_not_count(void **state)
{
    pid_t pid = start_child('R', BURL_BLOCKED_F_SPINS);

    (void)state;
    assert_false(look());
    table.v[0].n_failed += 9;
    table.v[0].seq += 2; /* another wait */
    assert_false(look());
    assert_false(look());
    table.v[0].n_failed += 2;
    assert_true(look());
    end_child(pid);
}

/* A lock that the thread holds itself. */
static void
a_cycle_of_spinners_needs_another_attempt_as_well(void **state)
{
    pid_t pid = start_child('R', BURL_BLOCKED_F_SPINS);

    (void)state;
    table.v[0].locks[0] = (struct burl_wire_blocked_lock){ .addr = A, .mode = BURL_LOCK_EXCLUSIVE };
    table.v[0].n_locks = 1;
    for (int i = 0; i < 5; i++)
        assert_false(look());
    table.v[0].n_failed += 2;
    assert_true(look());
    assert_int_equal(verdict.kind, BURL_VERDICT_MISUSE_RELOCK);
    end_child(pid);
}

static void
a_stopped_process_is_not_deadlocked(void **state)
{
    static const char states[] = { 'R', 'S' };

    (void)state;
    for (size_t i = 0; i < sizeof states; i++) {
        pid_t pid = start_child(states[i], states[i] == 'R' ? BURL_BLOCKED_F_SPINS : 0);

        kill(pid, SIGSTOP);
        await_state(pid, 'T');
        for (int k = 0; k < 5; k++) {
            table.v[0].n_failed += states[i] == 'R' ? 2 : 0;
            assert_false(look());
        }
        end_child(pid);
    }
}

static void
a_sleeping_process_is_deadlocked_and_a_runnable_one_is_not(void **state)
{
    pid_t pid = start_child('S', 0);

    (void)state;
    assert_false(look());
    assert_true(look());
    end_child(pid);
    pid = start_child('R', 0); /* woken, and gets no processor */
    for (int i = 0; i < 5; i++)
        assert_false(look());
    end_child(pid);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_runnable_spinner_is_stuck_only_after_it_failed_again),
        cmocka_unit_test(attempts_of_an_earlier_wait_do_not_count),
        cmocka_unit_test(a_cycle_of_spinners_needs_another_attempt_as_well),
        cmocka_unit_test(a_stopped_process_is_not_deadlocked),
        cmocka_unit_test(a_sleeping_process_is_deadlocked_and_a_runnable_one_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
