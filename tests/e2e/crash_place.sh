#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/crash_place.sh - a crash in code without a hook is placed in the function that is live,
# not in one that has returned: in burl test, its replay and burl run.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >crash.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int g, h;
static const char *how;
__attribute__((noinline)) static int
returned(int x)
{
    g += x;
    return g;
}
__attribute__((noinline)) static void
inner(int a)
{
    h = 1;
    returned(a);
    /* The text has no operand, so there is no hook. */
    if (a == 1)
        __asm__ volatile("ud2");
    else if (a == 2)
        __asm__ volatile("xorl %%eax, %%eax\n\tmovl %%eax, (%%rax)" : : : "rax", "memory");
    else
        __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" : : : "rax", "rcx", "rdx");
    h = 2;
}
__attribute__((noinline)) static void *
work(void *arg)
{
    inner(atoi(how));
    h++;
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1] : "1";
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 crash.c -o crash || fail "crash.c"

# The failing thread's stack: inner, called by work.
placed() {
    grep -q '#0  inner' "$1" || fail "not in inner: $(cat "$1")"
    grep -q '#1  work' "$1" || fail "inner is not called by work"
    ! grep -q '#[0-9]  returned' "$1" || fail "in a function that has returned"
}

for how in 1 2 3; do
    rm -rf .burl
    run 1 "$BURL" test --runs=5 ./crash $how
    placed out
    run 1 "$BURL" replay 1
    placed out
    rm -rf .burl
    run 1 "$BURL" run ./crash $how
    placed err
done
