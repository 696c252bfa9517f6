#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The sentence that says what kind of mistake a finding shows: for real programs, with the right
# threads, variables and lines, whatever the optimization; and the minimized schedule replays.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# line_of FILE TEXT: number of the first line of FILE that has TEXT.
line_of() {
    grep -nF -- "$2" "$1" | head -1 | cut -d: -f1
}

# find_it NAME KIND SENTENCE: one finding of tests/must_find/NAME has the pattern KIND, and its
# sentence matches the extended regular expression SENTENCE.
find_it() {
    src=$BURL_TEST_ROOT/tests/must_find/$1
    cc=cc
    case $1 in *.cpp) cc=c++ ;; esac
    for opt in -O0 -O2; do
        rm -rf .burl
        "$BURL" $cc -g $opt "$src" -o prog -lpthread || fail "cannot build $1"
        "$BURL" test --detect=none --seed=1 --runs=8000 --time=60s ./prog >out 2>&1
        [ $? -eq 1 ] || fail "$1 $opt: nothing found: $(cat out)"
        found=
        for dir in .burl/findings/*; do
            grep -qF "\"kind\": \"$2\"" "$dir/finding.json" || continue
            grep -Eq "\"sentence\": \"$3\"" "$dir/finding.json" ||
                fail "$1 $opt: $(grep '"sentence"' "$dir/finding.json"), wanted $3"
            found=$(basename "$dir")
            break
        done
        [ -n "$found" ] ||
            fail "$1 $opt: no pattern $2: $(grep -h '"sentence"\|"title"' .burl/findings/*/finding.json)"
        "$BURL" replay -v "$found" >replayed 2>&1
        [ $? -eq 1 ] || fail "$1 $opt: the replay does not fail: $(cat replayed)"
        # The text has it too, on lines of their own; the replay says the same. Of a lock cycle
        # only -v has it, since the threads at the end show the same.
        "$BURL" show -v "$found" >shown
        words=$(grep -Eo '"sentence": "[^"]{30}' ".burl/findings/$found/finding.json" | cut -d'"' -f4)
        grep -qF "  $words" shown || fail "$1 $opt: not in the report"
        grep -qF "  $words" replayed || fail "$1 $opt: the replay has another sentence"
    done
}

t='(T[1-9]|main)'
f=$BURL_TEST_ROOT/tests/must_find

n=$(line_of "$f/lost_update.c" 'stats.hits++')
find_it lost_update.c lost-update \
    "$t writes stats.hits at line $n between $t's read and write at line $n, which overwrites it"

check=$(line_of "$f/check_then_act.c" 'if (owner[i] == 0)')
act=$(line_of "$f/check_then_act.c" 'owner[seat] = customer')
find_it check_then_act.c check-then-act \
    "$t writes .*owner.* at line $act between $t's check at line $check and its write at line $act, .*"

n=$(line_of "$f/lost_wakeup.c" 'pthread_cond_signal')
w=$(line_of "$f/lost_wakeup.c" 'pthread_cond_wait')
find_it lost_wakeup.c lost-wakeup \
    "$t signals .* at line $n before $t waits for it at line $w, and it is not signaled again"

find_it ab_ba.c deadlock-circle \
    "$t waits at line [0-9]* for [^,]*, which $t has held since line [0-9]*, and $t waits at line .*"
find_it if_not_while.c no-recheck "$t writes .*count.* without repeating its check at line [0-9]*"
find_it aba_stack.c aba "head is changed by $t at line .*, which succeeds"
find_it refcount_double_free.c use-after-free "$t frees .* before $t reads im->.* at line [0-9]*"
find_it order_violation.c used-too-early ".* is preempted before it writes log->sink at line [0-9]*"
find_it cpp_lost_update.cpp lost-update "$t writes .*total.* read and write .*, which overwrites it"
find_it cpp_atomic_rmw.cpp check-then-act "$t writes highest .*, which overwrites it"

# Two that belong together, and hundreds of preemptions that come down to one.
cat >reorder.c <<'SRC'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *
set(void *arg)
{
    a = 1;
    b = -1;
    return arg;
}
static void *
check(void *arg)
{
    int x = a;
    int y = b;
    assert(x + y == 0 || x == 0);
    return arg;
}
int
main(void)
{
    pthread_t t[20];
    for (int i = 0; i < 20; i++)
        pthread_create(&t[i], NULL, i < 19 ? set : check, NULL);
    for (int i = 0; i < 20; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 reorder.c -o reorder -lpthread || fail "cannot build reorder.c"
rm -rf .burl
"$BURL" test --detect=none --runs=50000 --strategy=pct ./reorder >out 2>&1
[ $? -eq 1 ] || fail "reorder: nothing found: $(cat out)"
grep -q 'T20 reads a at line 15 after T[0-9]*'"'"'s write at line 8 but b at line 16 before' out ||
    fail "reorder: $(sed -n 1,12p out)"
grep -q '"preemptions": 1,' .burl/findings/1/finding.json || fail "reorder: more than one preemption"
# main, one that sets, the one that checks
[ "$(grep -c '^switch ' .burl/findings/1/schedule.txt)" -le 2 ] ||
    fail "reorder: more switches than needed: $(cat .burl/findings/1/schedule.txt)"
exit 0
