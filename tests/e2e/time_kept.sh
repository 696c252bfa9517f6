#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: --time is kept within a fifth, confirming and minimizing included: with twenty races in
#   a program whose executions take long, with failures that come in every execution, with a program
#   that never ends and blocks all signals behind our back, under control and running freely. What
#   there was no time for is listed, and a failure among it is no success.
# BURL-TIMEOUT: 120
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >burn.inc <<'EOC'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static volatile unsigned long sink;
static void burn(unsigned long n)
{
    unsigned long x = 1;
    while (n-- > 0) {
        x = x * 6364136223846793005ul + 1;
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}
EOC
{
    echo '#include "burn.inc"'
    for ((i = 0; i < 20; i++)); do echo "static int v$i;"; done
    echo 'static void *work(void *a) { (void)a;'
    for ((i = 0; i < 20; i++)); do echo "    v$i = v$i + 1;"; done
    echo 'return NULL; }'
    cat <<'EOC'
int main(void)
{
    pthread_t t[2];
    burn(30000000);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOC
} >races.c

# Every signal is blocked by a system call of its own, and nothing can be interrupted by the runtime.
cat >deaf.c <<'EOC'
#include "burn.inc"
static unsigned long all = ~0ul;
static void *spin(void *a)
{
    register long size __asm__("r10") = 8;
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "0"(14), "D"(0), "S"(&all), "d"(0), "r"(size)
                     : "rcx", "r11", "memory");
    for (;;)
        burn(1000000);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, spin, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOC

# Fails in one order of two, at the end of an execution that takes as long as the whole time.
cat >slow.c <<'EOC'
#include "burn.inc"
static _Atomic int first;
static void *work(void *a)
{
    int none = 0;
    __atomic_compare_exchange_n((int *)&first, &none, (int)(long)a, 0, 5, 5);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    burn(300000000);
    abort();
}
EOC
build races -w
build deaf -w
build slow -w

# kept MS: of the last command, by its own clock and by ours.
kept() {
    wall=$(jq .wall_ms out)
    [ "$wall" -le $(($1 * 12 / 10)) ] || fail "--time=$1 ms took $wall ms"
    took=$((($(date +%s%N) - start) / 1000000))
    [ $took -le $(($1 * 12 / 10 + 1500)) ] || fail "--time=$1 ms took $took ms with start and end"
}

start=$(date +%s%N)
run 1 "$BURL" test --json --fresh --time=3s ./races
kept 3000
[ "$(jq '.findings | length' out)" -ge 1 ] || fail "no race was confirmed"
start=$(date +%s%N)
run 3 "$BURL" test --json --fresh --time=1s ./deaf
kept 1000
[ "$(jq -r .end out)" = "too long" ] || fail "the end is $(jq .end out)"
start=$(date +%s%N)
run 3 "$BURL" test --json --fresh --time=1s --exec-timeout=60s --engine=threads ./deaf
kept 1000
start=$(date +%s%N)
"$BURL" test --json --fresh --time=1s ./slow >out 2>err
got=$?
kept 1000
if [ "$(jq '.failures' out)" -gt 0 ]; then
    [ $got -eq 1 ] || fail "a failure was seen, and the exit code is $got"
fi
start=$(date +%s%N)
run 0 "$BURL" run --time=1s ./deaf
took=$((($(date +%s%N) - start) / 1000000))
[ $took -le 2700 ] || fail "burl run --time=1s took $took ms"
