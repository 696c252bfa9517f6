#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` with seeds that it cannot use: it says which, why and where, and ends with exit code 2 if
# no seed can be used. One bad seed does not keep the good ones from being used.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
write_bin

# seed NAME GLOBALS BODY: a program with two bins, a and b, that does BODY between its calls.
seed() {
    cat >"$1.c" <<SRC
#include "bin.h"
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
$2
int
main(int argc, char **argv)
{
    struct bin *a = bin_new();
    struct bin *b = bin_new();

    (void)argc;
    (void)argv;
    bin_add(b, 3);
    bin_add(b, 4);
    $3
    bin_add_all(a, b);
    bin_clear(b);
    bin_free(a);
    bin_free(b);
    return 0;
}
SRC
}
synth() { "$BURL" synth --time=60s --exec-timeout=5s bin.h -- bin.c -DBUG "$@"; }
# refuse NAME TEXT...: exit code 2, and the texts in the message.
refuse() {
    local name=$1
    shift
    run 2 synth "$name.c"
    has err "$name.c cannot be used as a seed: it "
    for text in "$@"; do has err "$text"; done
}

seed segv '' '*(volatile int *)16 = 1;'
refuse segv 'crashes (signal 11) after its call of bin_add()' 'leave it out'
seed aborts '' 'abort();'
refuse aborts 'aborts'
seed asserts '' 'assert(bin_size(b) == 7);'
refuse asserts 'aborts after its call of bin_size()' "Assertion \`bin_size(b) == 7' failed"
seed returns '' 'puts("the third check failed"); if (argc) return 5;'
refuse returns 'ends with exit code 5' '--seed-args' 'Its last output: the third check failed'
seed exits '' 'exit(7);'
refuse exits 'ends with exit code 7'
seed exits_now '' '_exit(7);'
refuse exits_now 'ends with exit code 7'
seed spins 'volatile int spin = 1;' 'while (spin) ;'
refuse spins 'does not end in time (--exec-timeout)'
seed spins_calling 'volatile int spin = 1;' 'while (spin) bin_size(a);'
refuse spins_calling 'does not end in time (--exec-timeout)'
seed relocks 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;' \
    'pthread_mutex_lock(&m); pthread_mutex_lock(&m);'
refuse relocks 'locks a mutex that it already holds'
seed waits 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;' \
    'pthread_mutex_lock(&m); pthread_cond_wait(&c, &m);'
refuse waits 'hangs: it waits'
seed creates 'static void *add(void *b) { bin_add(b, 1); return b; }' \
    'pthread_t t; pthread_create(&t, NULL, add, a); pthread_join(t, NULL);'
refuse creates 'creates threads itself' 'burl test'
printf 'int main(void) { return 0; }\n' >idle.c
refuse idle 'never calls a function of bin.h'
cat >forks.c <<'SRC'
#include "bin.h"
#include <sys/wait.h>
#include <unistd.h>
int main(void) { if (fork() == 0) { bin_free(bin_new()); _exit(0); } return wait(0) < 0; }
SRC
refuse forks 'never calls a function of bin.h' 'Calls in a process that it forks are not recorded'

# Unusual, and of use.
seed reads '' 'getchar();'
seed prints '' 'for (int i = 0; i < 50000; i++) printf("line %d of many\n", i);'
seed sleeps '' 'sleep(1000);'
seed forks_too '' 'pid_t p = fork(); if (p == 0) { bin_clear(b); _exit(0); } waitpid(p, NULL, 0);'
seed ends_early '' 'bin_add_all(a, b); bin_clear(b); exit(0);'
seed ends_now '' 'bin_add_all(a, b); bin_clear(b); _exit(0);'
for s in reads prints sleeps forks_too ends_early ends_now; do
    run 1 synth $s.c
    has out 'bin_add_all'
    has out 'findings   1'
    hasnt err "$s.c"
done
run 1 synth forks_too.c
has out 'seeds      1; 8 calls of 5 functions'

# More than can be recorded: what was recorded is used.
seed long_ '' 'bin_add_all(a, b); bin_clear(b); for (int i = 0; i < 300000; i++) bin_get(a, i);'
run 1 "$BURL" synth --time=60s bin.h -- bin.c -DBUG long_.c
has err 'long_.c does more than can be recorded: its first'
has out 'findings   1'

# One good seed among bad ones.
run 1 synth segv.c test_bin.c creates.c
has err 'not used: segv.c crashes'
has err 'not used: creates.c creates threads'
hasnt err 'test_bin.c'
has out 'seeds      1 of 3'
has out 'findings   1'
run 2 synth segv.c idle.c
has err 'not used: segv.c crashes'
has err 'not used: idle.c never calls'
has err 'none of the 2 programs with a main() can be used as a seed'
