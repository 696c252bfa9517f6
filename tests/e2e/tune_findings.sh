#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_findings.sh - hangs and failed checks are findings: one for each cause, with the stacks of all
# threads or the output of the check, how often it showed, the setting, and the command that runs it again.
. "$(dirname "$0")/tune_lib.inc"

# Under noise at the end of the critical section the flag is gone before it is read: two threads then loop for
# ever, one in a function that calls another, one around a lock; main waits in a read.
cat >loops.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>
static _Atomic int flag, other;
static sem_t is_set;
static int pipes[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) int is_cleared(void) { return !atomic_load(&flag); }
static void *clears(void *arg)
{
    sem_wait(&is_set);
    usleep(20000);
    atomic_store(&flag, 0);
    return arg;
}
static void *sets(void *arg)
{
    atomic_store(&flag, 1);
    sem_post(&is_set);
    for (int i = 0; i < 40; i++) /* noise points */
        atomic_fetch_add(&other, 1);
    while (is_cleared())
        ;
    (void)!write(pipes[1], "x", 1);
    return arg;
}
static void *asks(void *arg)
{
    int done;
    do {
        pthread_mutex_lock(&m);
        done = atomic_load(&other) == 41;
        pthread_mutex_unlock(&m);
        usleep(100);
    } while (!done);
    return arg;
}
static void wait_for_end(void)
{
    char x;
    (void)!read(pipes[0], &x, 1);
}
int main(void)
{
    pthread_t t[3];
    (void)!pipe(pipes);
    sem_init(&is_set, 0, 0);
    pthread_create(&t[0], NULL, clears, NULL);
    pthread_create(&t[1], NULL, sets, NULL);
    pthread_create(&t[2], NULL, asks, NULL);
    pthread_join(t[0], NULL);
    wait_for_end(); /* for a byte of `sets`: where main is in a hang does not depend on the load */
    pthread_join(t[1], NULL);
    atomic_store(&other, 41);
    pthread_join(t[2], NULL);
    return 0;
}
C
build loops

"$BURL" tune --no-known --start=500,0,0,1,0,0 --strength=20 --run-time=300ms --population=2 --elites=0 \
    --executions=2 --evaluations=1 --finalists=0 --json ./loops >out.json 2>err
[ $? -eq 1 ] || fail "no hang: $(cat out.json)"
holds '.total.hangs == 2' "two executions hang"
holds '[.findings[] | select(.kind == "hang.timeout")] | length == 1' "and are one finding"
holds '.findings[] | select(.kind == "hang.timeout") | .shown == 2 and .of == 2 and .known_before == false' "how often"
holds '.findings[] | select(.kind == "hang.timeout") | .detail | .shown == 2 and .of == 2' "in the detail too"
holds '.findings[] | select(.kind == "hang.timeout") | .detail.cause | contains("sets loop") and contains("asks loop")' \
    "a loop is named by the function that loops, not by one that it calls: $(jq -c '.findings[].detail.cause' out.json)"
threads='[.findings[] | select(.kind == "hang.timeout") | .detail.threads[]]'
holds "$threads | length == 3" "threads: $(jq -c "$threads" out.json)"
holds "$threads | all(.stack | length > 0)" "all have stacks"
holds "$threads | map(.stack | map(.function) | last) | sort == [\"asks\", \"main\", \"sets\"]" "outermost functions"
holds "$threads | any(.id == 0 and .state == \"waiting\" and .stack[0].function == \"wait_for_end\" and
       .stack[0].exact)" "main is in read: $(jq -c "$threads[0]" out.json)"
holds '.findings[] | select(.kind == "hang.timeout") | .detail.noise | startswith("sleep:freq=500,strength=20")' "setting"
id=$(jq '.findings[] | select(.kind == "hang.timeout") | .id' out.json)
again=$(jq -r '.findings[] | select(.kind == "hang.timeout") | .detail.again' out.json)
has .burl/findings/"$id"/setting.noise 'strength = 20'
run 1 "$BURL" findings -v
has out hang.timeout
has out "run it again: $again"
run 0 "$BURL" show "$id"
has out 'in 2 of 2 executions under noise'
has out ': running'
has out "run it again: $again"
want 2 "$again" "$BURL" replay "$id"
# It can be run as it is printed: the setting is taken, and the limit ends it (here a shorter one).
echo "$again" | grep -q -- ' --time=[0-9]*ms ' || fail "no limit: $again"
run 0 sh -c "PATH=$(dirname "$BURL"):\$PATH; $(echo "$again" | sed 's/--time=[0-9]*ms/--time=300ms/')"
has err 'was stopped at --time'
# ---- checks
write_lost
build lost
rm -rf .burl
check='printf "\033[31mwrong\001\n" >&2; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "line $i"; done; exit 3'
"$BURL" tune --strength=1 --evaluations=1 --executions=2 --plain-runs=1 --check="$check" ./lost 8 "it's" >out 2>err
has err 'fails without noise'
run 1 "$BURL" findings
grep -q '^#1  check.failed  .*the check failed with exit code 3' out || fail 'burl findings'
run 0 "$BURL" show 1
has out '| line 1'
hasnt out '| line 11'
has out 'its first lines'
LC_ALL=C grep -q "$(printf '\033')" out && fail "control characters are printed"
has out "run it again: burl run --report=/dev/null ./lost 8 'it'\\''s' >output 2>&1; BURL_OUTPUT=output BURL_EXIT=0 sh -c"

rm -rf .burl
run 1 "$BURL" tune --strength=1 --evaluations=4 --check='grep -q "total 16 of" "$BURL_OUTPUT"' --json ./lost 8 0
cp out out.json
holds '[.findings[] | select(.kind == "check.failed")] | length == 1' "one finding"
holds '(.findings[] | select(.kind == "check.failed") | .shown) == .total.checks' "shown"
holds '.findings[] | select(.kind == "check.failed") | .detail.check |
       .exit == 1 and .command == "grep -q \"total 16 of\" \"$BURL_OUTPUT\"" and .output == []' "the check"
again=$(jq -r '.findings[] | select(.kind == "check.failed") | .detail.again' out.json)
PATH=$(dirname "$BURL"):$PATH sh -c "$again"
[ $? -le 1 ] || fail "cannot be pasted: $again"
grep -q '^total [0-9]* of 16$' output || fail "the program's output: $(cat output)"
# A check that hangs: said, and the time of the search holds.
began=$(date +%s)
want 3 'the check did not end in' "$BURL" tune --time=2s --check='tail -f /dev/null' ./lost 8 0
[ $(($(date +%s) - began)) -lt 30 ] || fail "a check that hangs takes longer than --time"
want 3 'a process that it started did not' "$BURL" tune --time=10s --check='tail -f /dev/null & exit 0' ./lost 8 0
# With two workers the same.
rm -rf .burl
run 1 "$BURL" tune --jobs=2 --strength=1 --evaluations=4 --check='grep -q "total 16 of" "$BURL_OUTPUT"' --json ./lost 8 0
cp out out.json
holds '.findings[] | select(.kind == "check.failed") | .detail.again != "" and .shown > 0' "with --jobs"
# burl run that meets the finding again in the same build counts it, and its noise stays. The program fails from its third
# execution on, that is after burl's look and the plain run.
cat >late.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    int fd = open("calls", O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct stat st;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return write(fd, "x", 1) != 1 || fstat(fd, &st) != 0 || st.st_size >= 3;
}
C
build late
rm -rf .burl calls
run 1 "$BURL" tune --plain-runs=1 --evaluations=1 --executions=1 --finalists=0 ./late
run 0 "$BURL" show 1
has out 'first seen under the noise'
cp out before
run 1 "$BURL" run ./late
has err 'known from an earlier run'
run 0 "$BURL" show 1
cmp out before || fail "burl run changed the finding: $(cat out)"
run 1 "$BURL" findings
has out ' 2x '
exit 0
