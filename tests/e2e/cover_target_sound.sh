#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# tests/e2e/cover_target_sound.sh - covered pairs lie in the static target, on a sample of the suite.
#
# One program of each kind of trouble: fields, arrays, stack and heap handed over, function pointers,
# thread pools, C11 threads, C++ threads and containers, library calls, wide accesses, thread-local
# memory, signals. All programs: make check-target. The sample must hold pairs that lock reasoning
# rules out, or nothing could contradict it.
set -eu
"$(dirname "$0")/../../scripts/target-sound.sh" --build="${BURL%/*}" --runs=200 \
    must_find/lost_update.c must_find/bounded_buffer_one_cond must_pass/aba_stack \
    must_find/race_stack_shared must_find/race_thread_pool must_pass/work_stealing \
    must_find/callback_lock_inversion must_find/c11_lost_update must_pass/cpp_vector_push \
    must_find/race_cpp_capture must_find/race_lib_snprintf must_find/race_word_over_bytes \
    must_find/race_tls must_pass/ok_qsort must_find/race_signal_flag must_find/race_struct_copy >out || {
    cat out
    exit 1
}
cat out
grep -q ', [1-9][0-9]* ruled out by locks,' out
