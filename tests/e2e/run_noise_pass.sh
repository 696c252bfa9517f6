#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# No finding in correct programs, whatever the noise: a sample; soak/noise has them all.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

"$BURL_TEST_ROOT/scripts/soak-noise.sh" --build="$BURL_TEST_BUILD" --dir=work --freq=100 --time=10s \
    lost_update.c ok_barrier_rounds.c ok_setjmp.c ok_signal_raise.c ok_fork_wait.c ok_cancel.c \
    ok_pipe_prodcons.c ok_timed_waits.c ok_thread_local.c race_cpp_future.cpp race_signal_flag.c >out 2>err
code=$?
cat out err
[ $code -eq 0 ] || fail "correct programs under noise: exit code $code"
n=$(sed -n 's/^\([0-9]*\) programs, .*/\1/p' out)
[ "${n:-0}" -ge 9 ] || fail "only ${n:-0} programs ran"
exit 0
