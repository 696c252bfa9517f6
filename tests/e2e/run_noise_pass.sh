#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# No finding in correct programs, whatever the noise: a sample; soak/noise has them all.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/support/noise_pass.inc"

for name in lost_update.c ok_barrier_rounds.c ok_setjmp.c ok_signal_raise.c ok_fork_wait.c ok_cancel.c \
    ok_pipe_prodcons.c ok_timed_waits.c ok_thread_local.c race_cpp_future.cpp race_signal_flag.c; do
    noisy "$BURL_TEST_ROOT/tests/must_pass/$name"
done
echo "$n_programs programs, $n_skipped skipped, $n_runs runs, $n_wrong wrong"
[ "$n_programs" -ge 9 ] || fail "only $n_programs programs"
[ "$n_wrong" -eq 0 ] || fail "$n_wrong runs of correct programs with a finding"
exit 0
