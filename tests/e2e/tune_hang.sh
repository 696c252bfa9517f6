#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_hang.sh - a program that noise makes slow is no error of it; one that does not end
# even without noise is. Both are at their limit while noise is injected in the loop they are in.
. "$(dirname "$0")/tune_lib.inc"

# Spins for ever if its thread was delayed: noise sleeps, and each sleep is a voluntary context switch. Without noise
# there is none, however busy the machine is.
cat >spins.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
static _Atomic int never, other;
static long sleeps(void)
{
    struct rusage u;
    getrusage(RUSAGE_THREAD, &u);
    return u.ru_nvcsw;
}
static void *work(void *arg)
{
    const long before = sleeps();
    for (int i = 0; i < 40; i++) /* noise points */
        atomic_fetch_add(&other, 1);
    if (sleeps() - before >= 10)
        while (!atomic_load(&never))
            ;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
C
# Correct: both threads pass a thousand noise points.
cat >slow.c <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&m);
        n++;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return n != 600;
}
C
build spins
build slow

"$BURL" tune --no-known --start=500,0,0,1,0,0 --strength=20 --run-time=1500ms --population=2 --elites=0 \
    --executions=1 --evaluations=1 --json ./spins >out.json 2>err
[ $? -eq 1 ] || fail "no hang: $(jq -c .total out.json)"
jq -e '.total.hangs > 0 and .total.errors == .total.hangs' out.json >/dev/null || fail "hangs: $(jq -c .total out.json)"

"$BURL" tune --no-known --start=1000,0,0,1,0,0 --strength=5 --run-time=1500ms --population=2 --elites=0 \
    --executions=2 --evaluations=1 --json ./slow >out.json 2>err
[ $? -eq 0 ] || fail "a slow program is called wrong: $(jq -c .total out.json)"
jq -e '.total.cut > 0 and .total.errors == 0' out.json >/dev/null || fail "cut: $(jq -c .total out.json)"

# The budget holds although an execution would have longer.
began=$(date +%s)
"$BURL" tune --no-known --run-time=30s --time=6s --json ./spins >out.json 2>err
[ $(($(date +%s) - began)) -le 20 ] || fail "--time=6s took $(($(date +%s) - began)) s"

# What cannot be written in the end is refused at the beginning.
want 2 '--out: cannot write to none/x.noise' "$BURL" tune --out=none/x.noise ./slow
want 2 '--html: cannot write to slow.c/page' "$BURL" tune --html=slow.c/page ./slow
# The command to use it can be pasted.
cp slow 'slow two'
"$BURL" tune --evaluations=1 --executions=1 './slow two' 'a b' >out 2>err
grep -qF "use it: burl run '--noise=slow two.noise' './slow two' 'a b'" out || fail "not quoted: $(grep 'use it' out)"
exit 0
