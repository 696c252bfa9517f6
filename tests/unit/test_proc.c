/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_proc.c - laws of base/proc.h.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"

static struct burl_proc_output
run_shell(const char *script, int timeout_ms, size_t limit_b)
{
    const char *const argv[] = { "sh", "-c", script, NULL };
    struct burl_proc_opts opts = { .argv = argv, .in = BURL_PROC_NULL };
    struct burl_proc_output out;
    struct burl_err err = { 0 };

    EXPECT_OK(burl_proc_capture(&out, &opts, timeout_ms, limit_b, &err), &err);
    return out;
}

static void
capture_keeps_both_streams_and_the_code(void **state)
{
    struct burl_proc_output out = run_shell("echo one; echo two >&2; exit 7", -1, 1000);

    (void)state;
    assert_string_equal(out.out, "one\n");
    assert_string_equal(out.err, "two\n");
    assert_true(out.status.exited);
    assert_int_equal(out.status.code, 7);
    assert_false(out.status.timed_out);
    burl_proc_output_deinit(&out);
}

static void
signals_are_told_from_codes(void **state)
{
    struct burl_proc_output out = run_shell("kill -SEGV $$", -1, 1000);
    char text[100];

    (void)state;
    assert_false(out.status.exited);
    assert_int_equal(out.status.signal, SIGSEGV);
    EXPECT_CONTAINS(burl_proc_describe(&out.status, text, sizeof text), "signal 11");
    burl_proc_output_deinit(&out);
}

static volatile sig_atomic_t n_signals, n_unknown;

static void
count_sender(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)context;
    n_signals++;
    n_unknown += !burl_proc_is_known(info->si_pid);
}

/* In the parent, before fork() returns. */
static void
wait_for_signal(void)
{
    sigset_t pending;

    do {
        sigpending(&pending);
    } while (n_signals == 0 && !sigismember(&pending, SIGUSR2));
}

/* A child may send a signal before its parent goes on behind fork(). */
static void
senders_of_early_signals_are_known(void **state)
{
    struct sigaction sa = { .sa_sigaction = count_sender, .sa_flags = SA_SIGINFO | SA_RESTART };
    struct sigaction old;
    struct burl_proc_output out;

    (void)state;
    sigaction(SIGUSR2, &sa, &old);
    assert_int_equal(pthread_atfork(NULL, wait_for_signal, NULL), 0);
    out = run_shell("kill -USR2 $PPID", -1, 1000);
    burl_proc_output_deinit(&out);
    sigaction(SIGUSR2, &old, NULL);
    assert_int_equal(n_signals, 1);
    assert_int_equal(n_unknown, 0);
}

/* Without a word of ours SIGTERM has its default; ignored at the start it stays so. */
static void
ignored_signals_are_ignored(void **state)
{
    const char *const argv[] = { "sh", "-c", "kill -TERM $$; echo alive", NULL };
    const int ignore[] = { SIGTERM };
    struct burl_proc_opts opts = { .argv = argv, .in = BURL_PROC_NULL };
    struct burl_proc_output out;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_proc_capture(&out, &opts, -1, 1000, &err), &err);
    assert_int_equal(out.status.signal, SIGTERM);
    burl_proc_output_deinit(&out);
    opts.ignore = ignore;
    opts.n_ignore = 1;
    EXPECT_OK(burl_proc_capture(&out, &opts, -1, 1000, &err), &err);
    assert_string_equal(out.out, "alive\n");
    burl_proc_output_deinit(&out);
}

/* Far more than a pipe holds: the child must not block on what we drop. */
static void
output_over_the_limit_is_dropped_not_blocked(void **state)
{
    struct burl_proc_output out =
        run_shell("head -c 1000000 /dev/zero; echo end >&2", 30000, 10000);

    (void)state;
    assert_true(out.truncated);
    assert_true(out.out_n <= 10000);
    assert_string_equal(out.err, "end\n");
    assert_int_equal(out.status.code, 0);
    burl_proc_output_deinit(&out);
}

/* The grandchild holds the pipe open: only killing the group ends the wait. */
static void
timeout_kills_the_whole_group(void **state)
{
    struct timespec a;
    struct timespec b;
    struct burl_proc_output out;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &a);
    out = run_shell("sleep 60 & echo $!; wait", 300, 1000);
    clock_gettime(CLOCK_MONOTONIC, &b);
    assert_true(out.status.timed_out);
    assert_int_equal(out.status.signal, SIGKILL);
    assert_true(b.tv_sec - a.tv_sec < 30);
    /* The grandchild is dead or a zombie of init by now; a live one would accept signal 0
     * for long, so poll with a bound. */
    for (int i = 0; i < 100; i++) {
        char *path = burl_xasprintf("/proc/%ld/status", strtol(out.out, NULL, 10));
        char *text = NULL;
        bool gone = burl_fs_read_file(path, 100000, &text, NULL, NULL) != BURL_OK ||
                    strstr(text, "State:\tZ") || !strstr(text, "Name:\tsleep");

        free(path);
        free(text);
        if (gone)
            break;
        if (i == 99)
            fail_msg("the grandchild still runs");
        usleep(50000);
    }
    burl_proc_output_deinit(&out);
}

/* The child closes its output and goes on: its end still counts. */
static void
closed_output_does_not_end_the_wait(void **state)
{
    struct burl_proc_output out = run_shell("exec >&- 2>&-; sleep 0.2; exit 5", 20000, 1000);

    (void)state;
    assert_int_equal(out.status.code, 5);
    burl_proc_output_deinit(&out);
}

static void
failed_exec_is_told_by_spawn(void **state)
{
    char *dir = unit_mkdir();
    char *file = burl_path_join(dir, "not-a-program");
    const char *argv[] = { file, NULL };
    struct burl_proc_opts opts = { .argv = argv };
    struct burl_err err = { 0 };
    struct burl_proc p;

    (void)state;
    EXPECT_STATUS(burl_proc_spawn(&p, &opts, &err), BURL_E_USAGE, &err);
    EXPECT_OK(burl_fs_write_atomic(file,
                                   "\x7f"
                                   "ELFgarbage",
                                   11, &err),
              &err);
    EXPECT_STATUS(burl_proc_spawn(&p, &opts, &err), BURL_E_USAGE, &err);
    assert_int_equal(chmod(file, 0755), 0);
    EXPECT_STATUS(burl_proc_spawn(&p, &opts, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "neither a program nor a script");
    assert_int_equal(p.pid, -1);
    argv[0] = "sh";
    opts.cwd = "/no/such/dir";
    EXPECT_STATUS(burl_proc_spawn(&p, &opts, &err), BURL_E_IO, &err);
    free(file);
    unit_rmdir(dir);
}

static void
wait_times_out_and_can_be_repeated(void **state)
{
    const char *const argv[] = { "sleep", "30", NULL };
    struct burl_proc_opts opts = { .argv = argv, .new_group = true };
    struct burl_proc_status st;
    struct burl_err err = { 0 };
    struct burl_proc p;
    bool done = true;

    (void)state;
    EXPECT_OK(burl_proc_spawn(&p, &opts, &err), &err);
    EXPECT_OK(burl_proc_wait(&p, 0, &done, &st, &err), &err);
    assert_false(done);
    EXPECT_OK(burl_proc_wait(&p, 50, &done, &st, &err), &err);
    assert_false(done);
    burl_proc_kill(&p, SIGTERM);
    EXPECT_OK(burl_proc_wait(&p, 20000, &done, &st, &err), &err);
    assert_true(done);
    assert_int_equal(st.signal, SIGTERM);
    burl_proc_kill_group(&p); /* already reaped: nothing happens */
}

static void
kept_descriptors_and_environment_arrive(void **state)
{
    const char *argv[] = { "sh", "-c", NULL, NULL };
    const char *const envp[] = { "WHAT=yes", "PATH=/usr/bin:/bin", NULL };
    struct burl_proc_opts opts = { .argv = argv, .envp = envp, .n_keep_fds = 1 };
    const int keep = 9;
    struct burl_proc_status st;
    struct burl_err err = { 0 };
    struct burl_proc p;
    char text[10] = "";
    bool done;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    assert_int_equal(dup3(fds[1], keep, O_CLOEXEC), keep);
    opts.keep_fds = &keep;
    /* What is not kept must not arrive. */
    argv[2] = burl_xasprintf("echo $WHAT >&9; test ! -e /proc/self/fd/%d", fds[0]);
    EXPECT_OK(burl_proc_spawn(&p, &opts, &err), &err);
    EXPECT_OK(burl_proc_wait(&p, -1, &done, &st, &err), &err);
    assert_int_equal(read(fds[0], text, sizeof text - 1), 4);
    assert_string_equal(text, "yes\n");
    assert_true(st.exited);
    assert_int_equal(st.code, 0);
    free((char *)argv[2]);
    close(keep);
    close(fds[0]);
    close(fds[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capture_keeps_both_streams_and_the_code),
        cmocka_unit_test(signals_are_told_from_codes),
        cmocka_unit_test(ignored_signals_are_ignored),
        cmocka_unit_test(output_over_the_limit_is_dropped_not_blocked),
        cmocka_unit_test(timeout_kills_the_whole_group),
        cmocka_unit_test(closed_output_does_not_end_the_wait),
        cmocka_unit_test(failed_exec_is_told_by_spawn),
        cmocka_unit_test(wait_times_out_and_can_be_repeated),
        cmocka_unit_test(kept_descriptors_and_environment_arrive),
        /* The last one: its handler of fork() stays. */
        cmocka_unit_test(senders_of_early_signals_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
