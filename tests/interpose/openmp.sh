#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-ROWS: ompt_start_tool __kmpc_critical __kmpc_critical_with_hint __kmpc_end_critical
#   omp_set_lock omp_test_lock omp_unset_lock omp_set_nest_lock omp_test_nest_lock
#   omp_unset_nest_lock __kmpc_ordered __kmpc_end_ordered __kmpc_doacross_init __kmpc_doacross_wait
#   __kmpc_doacross_post __kmpc_reduce __kmpc_reduce_nowait __kmpc_end_reduce
#   __kmpc_end_reduce_nowait __kmpc_taskgroup __kmpc_end_taskgroup __kmpc_omp_taskwait
#   __kmpc_omp_taskyield __kmpc_omp_wait_deps __kmpc_omp_taskwait_deps_51 __kmpc_taskloop
#   __kmpc_taskloop_5 __kmpc_flush __kmpc_omp_task_alloc __kmpc_alloc __kmpc_aligned_alloc omp_alloc
#   omp_aligned_alloc omp_calloc
# BURL-WHY: without these, what the OpenMP library orders is a race, and a thread that waits for
#   tasks keeps all others from running. Every case of correct.c needs some of them.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/support/openmp.inc"

find_openmp
build_openmp correct cc correct.c
build_openmp racy cc racy.c
for c in $(./correct); do
    "$BURL" test --runs=3 ./correct "$c" >out 2>err || fail "$c is correct"
    grep -q 'was cut\|were cut' out && fail "$c ends by itself"
done
for c in tasks reduction_used; do
    "$BURL" test --engine=threads --runs=2 ./correct "$c" >out 2>err || fail "$c with OS threads"
done
# What the OpenMP library does inside itself is not controlled: one campaign in five to ten cannot replay its
# race step by step, and says so. Of three campaigns one can.
for c in nowait_loop wrong_lock; do
    replayed=
    for seed in 1 2 3; do
        "$BURL" test --runs=200 --time=20s --fresh --seed=$seed --dir="$c$seed" ./racy "$c" >out 2>err
        [ $? -eq 1 ] || fail "$c has a race"
        grep -q 'data race on' out || fail "$c: not a race"
        ! grep -q race.data out || replayed=yes
    done
    [ -n "$replayed" ] || fail "$c: no race that can be replayed"
done
