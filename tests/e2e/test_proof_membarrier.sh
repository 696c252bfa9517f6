#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: membarrier() orders what other threads did before it, so where it stands among all of
#   their operations decides whether there is a race. Every place must be tried, and a search claims
#   nothing about such a program.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >m.c <<'EOF2'
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int flag;
static int x, y;
static int late; /* the barrier comes after the read of the flag, where it belongs */

static void
barrier(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) != 0)
        exit(77);
}

static void *
reader(void *arg)
{
    int set;

    if (!late)
        barrier();
    set = atomic_load_explicit(&flag, memory_order_relaxed);
    if (late)
        barrier();
    if (set)
        y = x;
    return arg;
}

int
main(int argc, char **argv)
{
    pthread_t t;

    (void)argv;
    late = argc > 1;
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) != 0)
        return 77;
    pthread_create(&t, NULL, reader, NULL);
    x = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    pthread_join(t, NULL);
    return 0;
}
EOF2
"$BURL" cc -g m.c -o m
if ! ./m; then
    echo "the kernel has no membarrier"
    exit 77
fi
for how in --strategy=exhaustive --runs=2000 "--strategy=exhaustive --engine=threads"; do
    run 1 "$BURL" test --fresh $how ./m
    has out race.data
    hasnt out "none fails"
    # 4: a search that was asked for is not complete.
    code=0
    [ "${how#--strategy}" = "$how" ] || code=4
    run $code "$BURL" test --fresh $how ./m late
    hasnt out race.data
    hasnt out "none fails"
done
