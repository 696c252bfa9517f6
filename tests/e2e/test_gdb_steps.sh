#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl replay --gdb-at=STEP` and the commands of burl in gdb: step, back, threads, list, where, for findings in C
# and C++ of either engine and reset. Steps and names are those of the report.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

command -v gdb >/dev/null || { echo "gdb is not installed"; exit 77; }
gdb -nx -batch -ex 'python print(1)' 2>/dev/null | grep -qx 1 || { echo "gdb has no Python"; exit 77; }

cat >cross.c <<'X'
#include <pthread.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int moved;
static void *to_right(void *arg)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    moved++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, to_right, 0);
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    moved++;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    pthread_join(t, 0);
    return 0;
}
X
cat >shared.cpp <<'X'
#include <mutex>
#include <shared_mutex>
#include <thread>
struct Account {
    std::mutex m;
    int balance = 10;
};
static Account a, b;
static std::shared_mutex rules;
static void transfer(Account &from, Account &to)
{
    std::shared_lock<std::shared_mutex> r(rules);
    std::lock_guard<std::mutex> g(from.m);
    std::lock_guard<std::mutex> h(to.m);
    from.balance--;
    to.balance++;
}
int main()
{
    std::thread t([] { transfer(a, b); });
    transfer(b, a);
    t.join();
}
X
"$BURL" cc -g -O0 cross.c -o cross || fail "cross.c"
"$BURL" c++ -g -O0 shared.cpp -o shared || fail "shared.cpp"

# step_of THREAD WORDS: the first step of the thread with these words in the trace of finding 1.
step_of() { sed -n "s/^ *\([0-9]*\)  $1 *$2.*/\1/p" trace | head -n 1; }
# in_gdb OPTIONS commands...: a session; what it prints is in `out`.
in_gdb() {
    local options=$1
    shift
    printf '%s\n' "$@" | timeout 120 "$BURL" replay 1 $options >out 2>&1 || fail "exit code $? of gdb: $(cat out)"
}

for how in "--engine=fibers --reset=snapshot" "--engine=fibers --reset=fork" "--engine=threads"; do
    rm -rf .burl
    "$BURL" test --runs=500 --seed=1 $how ./cross >out 2>&1
    [ $? -eq 1 ] || fail "no finding in cross.c with $how"
    "$BURL" replay 1 --trace >trace 2>&1
    n=$(step_of T1 'lock left')
    [ -n "$n" ] || fail "no step: $(cat trace)"
    in_gdb --gdb-at="$n" 'burl threads' 'burl step' 'burl where' 'burl back' 'continue' 'burl where' 'burl back' \
        'burl back 1' "burl step $n" 'burl back -1' 'burl step +1' 'print moved'
    has out "burl: before step $n, T1: lock left  cross.c:6"
    has out "in to_right at cross.c:6; next: lock left"
    has out 'burl: the failure (deadlock.cycle) is here'
    has out 'blocked: lock right, held by T0; holds left'
    has out 'blocked: lock left, held by T1; holds right'
    has out '$1 = 0'
    # The start and four of the commands stop before that step.
    [ "$(grep -c "before step $n, T1: lock left" out)" -ge 4 ] || fail "not always the same step: $(cat out)"
    [ "$(grep -c "before step $((n - 1)), T" out)" -eq 1 ] || fail "not the step before: $(cat out)"
    grep -q 'hit Breakpoint.*burl_step_stop' out && fail "gdb says more than the command: $(cat out)"
done

# ---- what is not a step
last=$(sed -n 's/^# .* after \([0-9,]*\) steps.*/\1/p' trace)
in_gdb --gdb 'burl step' 'burl step 5x' 'burl back +3' "burl back $((last + 7))" 'burl back 2' 'burl step 1' \
    'burl back 4' 'burl threads all' 'burl where 3' 'burl list 3' 'burl nothing' 'delete' 'continue' 'continue' \
    'burl threads' 'burl step' 'burl where' 'burl back 4' 'help burl' 'help burl back'
has out 'the failure is here, and no step follows'
has out 'burl step: "5x" is not a step; give a number of the report, or +N'
has out 'burl back: "+3" is not a step'
has out "burl back: there is no step $((last + 7)); the last one is"
has out 'step 1 has happened, and this is step 2; `burl back 1` replays to it'
has out 'step 4 has not happened yet; `burl step 4` runs to it'
has out 'burl threads takes no argument, and "all" was given'
has out 'burl where takes no argument, and "3" was given'
has out '=>      2  T0'
[ "$(sed -n 's/^\(..  *[0-9]*  T[0-9] .*  \)[a-z]*\.c:[0-9].*/\1/p' out | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] ||
    fail "the places of \`burl list\` are not one below the other: $(cat out)"
has out 'Undefined burl command: "nothing"'
has out 'burl: the program is not running; `burl back N` starts it again'
has out 'burl: the program exited'
has out 'burl: before step 4, T1'
has out 'burl back [N]  replay to the last step that happened'
has out 'The program is started again and follows the same schedule'
want 2 "--gdb-at=$((last + 7)): the execution has no such step" "$BURL" replay 1 --gdb-at=$((last + 7))
want 2 '--gdb-at expects a number' "$BURL" replay 1 --gdb-at=here

# ---- C++: the places are the user's, and the read lock is held too
rm -rf .burl
"$BURL" test --runs=500 --seed=1 ./shared >out 2>&1
[ $? -eq 1 ] || fail "no finding in shared.cpp"
in_gdb --gdb 'burl back 0' 'run'
grep -q 'T0 .*in transfer at shared.cpp:14; blocked: lock .*, held by T1; holds .*rules' out || fail "T0: $(cat out)"
grep -q 'T1 .*in transfer at shared.cpp:14; blocked: lock .*, held by T0; holds .*rules' out || fail "T1: $(cat out)"
has out 'burl: before step 0, T0: starts'
[ "$(grep -c 'hit Breakpoint .*burl_failure_stop' out)" -eq 2 ] || fail "\`run\` does not replay: $(cat out)"
