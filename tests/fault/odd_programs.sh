#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 400
#
# Programs that misbehave in ways of their own: many threads, no end, no descriptors, endless
# output, children that stay, an exit in the middle. burl must say what happened and end.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# hunt CODE program [options]: exit code, JSON in out.json.
hunt() {
    code=$1 prog=$2
    shift 2
    rm -rf .burl
    echo "+ burl test --json $* ./$prog"
    timeout 120 "$BURL" test --json "$@" "./$prog" >out.json 2>err
    got=$?
    cat err
    [ $got -eq "$code" ] || {
        head -c 2000 out.json
        fail "$prog: exit code $got, expected $code"
    }
}

left_behind() {
    n=$(pgrep -f "$PWD/$1" | wc -l)
    [ "$n" = 0 ] || fail "$n processes of $1 are still there"
}

cat >many.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *
work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return NULL;
}
int
main(void)
{
    pthread_t t[200];
    for (int i = 0; i < 200; i++)
        assert(pthread_create(&t[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 200; i++)
        pthread_join(t[i], NULL);
    assert(n == 200);
    return 0;
}
EOF
build many
hunt 0 many --runs=60
[ "$(jq .max_threads out.json)" = 201 ] || fail "not 201 threads: $(jq .max_threads out.json)"
hunt 0 many --runs=20 --engine=threads
[ "$(jq .max_threads out.json)" = 201 ] || fail "not 201 threads with the thread engine"

# More threads than the runtime can number: our limit, named as such, never the program's failure.
cat >crowd.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
static void *
work(void *arg)
{
    return arg;
}
int
main(void)
{
    for (int i = 0; i < 5000; i++) {
        pthread_t t;

        if (pthread_create(&t, NULL, work, NULL) != 0)
            return 1;
        pthread_join(t, NULL);
    }
    return 0;
}
EOF
build crowd
for engine in auto threads; do
    hunt 3 crowd --runs=5 --engine=$engine
    grep -q 'more than 4096 threads' out.json || fail "the limit of threads is not named"
done

cat >forever.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_ulong n;
static void *
work(void *arg)
{
    for (;;)
        n++;
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    for (;;)
        n++;
    return 0;
}
EOF
build forever
hunt 3 forever --runs=100 --max-steps=20000
[ "$(jq -r .end out.json)" = "too long" ] || fail "the end is $(jq .end out.json)"
"$BURL" test --runs=100 --max-steps=20000 ./forever >out 2>&1
grep -q "no execution of .* ended" out || fail "nothing about a program that never ends"
"$BURL" test --quiet --runs=100 --max-steps=20000 ./forever >out 2>err
[ $? -eq 3 ] || fail "--quiet changes the exit code"
grep -q "no execution of .* ended" err || fail "--quiet hides why the program cannot be tested"

# Computes for ever without a visible operation: only the clock ends it.
cat >mute.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
static void *
work(void *arg)
{
    for (;;)
        __asm__ volatile("");
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOF
build mute
for engine in fibers threads; do
    hunt 3 mute --runs=100 --exec-timeout=300ms --engine=$engine
    [ "$(jq -r .end out.json)" = "too long" ] || fail "mute: the end is $(jq .end out.json)"
done

# A short budget is not spent on waiting for one execution: three of the default are half a minute.
start=$(date +%s)
hunt 3 mute --time=2s
took=$(($(date +%s) - start))
[ $took -le 10 ] || fail "--time=2s took $took s"
[ "$(jq '.executions + .extra_executions' out.json)" -le 3 ] || fail "what the clock cut was repeated"
"$BURL" test --time=2s ./mute 2>&1 | grep -q -- '--exec-timeout=2000ms' || fail "the bound is not said"

cat >closer.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static int n;
static void *
work(void *arg)
{
    n++;
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 1024; i++)
        close(i);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
EOF
build closer
hunt 1 closer --runs=2000
jq -e '.findings | map(.kind) | index("crash.abort")' out.json >/dev/null ||
    fail "the bug of a program that closes all descriptors was not found"
"$BURL" replay --quiet 1
[ $? -eq 1 ] || fail "its replay does not fail"

cat >chatty.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static char line[4096];
static void *
work(void *arg)
{
    for (;;)
        if (write(1, line, sizeof line) < 0)
            break;
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOF
build chatty
hunt 3 chatty --runs=20 --exec-timeout=1s

cat >forker.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static void *
work(void *arg)
{
    if (fork() == 0) {
        setsid();
        sleep(300);
        _exit(0);
    }
    return arg;
}
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
EOF
build forker
cp forker "forker-$$"
timeout 120 "$BURL" test --json --runs=20 "./forker-$$" >out.json 2>err
got=$?
[ $got -eq 0 ] || fail "forker: exit code $got"
await -t 5 exit $(pgrep -x "forker-$$")
left_behind "forker-$$"
n=$(pgrep -x "forker-$$" | wc -l)
[ "$n" = 0 ] || fail "$n children of the program are still running"

cat >single.c <<'EOF'
int main(void) { return 0; }
EOF
build single
hunt 0 single --runs=1000
[ "$(jq -r .end out.json)" = "one thread" ] || fail "one thread: the end is $(jq .end out.json)"

cat >sequential.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
static void *work(void *arg) { return arg; }
int
main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 5;
}
EOF
build sequential
hunt 1 sequential --runs=200
[ "$(jq -r '.findings[0] | "\(.kind) \(.sequential)"' out.json)" = "exit.nonzero true" ] ||
    fail "a failure without preemption is not marked: $(jq -c '.findings' out.json | head -c 300)"
exit 0
