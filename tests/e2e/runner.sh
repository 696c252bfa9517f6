#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/runner.sh - the test runner itself: a failure fails, a hang is ended, a skip is told.
set -eu

. "$BURL_TEST_ROOT/tests/support/lib.inc"

mkdir -p fake/e2e fake/must_find
printf '#!/bin/sh\nexit 0\n' >fake/e2e/good.sh
printf '#!/bin/sh\necho no reason to run\nexit 77\n' >fake/e2e/skipped.sh
mkdir b
run="$BURL_TEST_ROOT/tests/run --build=$PWD/b"
unset BURL_TEST_WORK

# All is well.
$run --tests=fake >out 2>&1 || fail "a good run failed: $(cat out)"
[ "$(tail -n 1 out)" = "1 passed, 0 failed, 1 skipped" ] || fail "closing line: $(tail -n 1 out)"
grep -q 'no reason to run' out || fail "the reason of a skip is not told"
grep -q '^e2e/good [0-9.]* [0-9.]*$' b/test-times || fail "the time is not kept: $(cat b/test-times)"
[ "$(wc -l <b/test-times)" = 1 ] || fail "the time of a skipped test is kept"
grep -q '^slower' out && fail "slower without a time to compare with"

# A test that takes longer than the time that is kept, by more than 5 s, is named.
echo 'e2e/good 0.01 -6' >b/test-times
$run --tests=fake >out 2>&1 || fail "a slower run failed: $(cat out)"
grep -q '^slower: e2e/good took' out || fail "a slower test is not named: $(cat out)"
$run --tests=fake >out 2>&1 || fail "a third run failed: $(cat out)"
grep -q '^slower' out && fail "a slower test is named twice"

# The sample of quick.txt, and what else is asked for.
printf '# why\ne2e/go* the good one\n' >fake/quick.txt
[ "$($run --tests=fake --quick --list)" = e2e/good ] || fail "--quick: $($run --tests=fake --quick --list)"
$run --tests=fake --quick --list skipped >out 2>&1
grep -q . out && fail "--quick takes what it does not have: $(cat out)"

# A failing test fails the run, keeps its folder and says how to repeat it.
printf '#!/bin/sh\necho something odd; touch left-behind; exit 5\n' >fake/e2e/bad.sh
$run --tests=fake >out 2>&1 && fail "a bad run passed"
[ "$(tail -n 1 out)" = "1 passed, 1 failed, 1 skipped" ] || fail "closing line: $(tail -n 1 out)"
grep -q 'something odd' out || fail "the log of a failure is not shown"
grep -q 'repeat: tests/run' out || fail "the command to repeat is not shown"
folder=$(sed -n 's/.*folder: \([^ ]*\) .*/\1/p' out)
[ -e "$folder/left-behind" ] || fail "the folder of a failure is gone"

# A program without its directive cannot pass.
rm fake/e2e/bad.sh
echo 'int main(void) { return 0; }' >fake/must_find/empty.c
$run --tests=fake must_find >out 2>&1 && fail "a program without BURL-KIND passed"

# The verdict suites: each check of a program can fail. One source, with other directives.
rm fake/must_find/empty.c
mkdir -p fake/must_pass fake/interpose
program() { # SUITE/NAME DIRECTIVE...
    name=$1
    shift
    for line in "$@"; do echo "/* BURL-$line */"; done >"fake/$name.c"
    sed 's/BURL-[A-Z]*://' "$BURL_TEST_ROOT/tests/must_find/lost_update.c" >>"fake/$name.c"
}
judge() { # passes|fails NAME WORDS: what the runner says of it, in both engines where it has both
    code=0
    $run --build="$BURL_TEST_BUILD" --tests=fake "$2" >out 2>&1 || code=$?
    case $1:$code in passes:0 | fails:1) ;; *) fail "$2 does not end as it should: $(cat out)" ;; esac
    grep -q "$3" out || fail "$2: not a word of \"$3\": $(cat out)"
}
program must_find/as_told "KIND: race.data" "ALSO: crash.abort" "ENGINES: both" "ARGS: --runs=200"
judge passes as_told "2 passed, 0 failed"
program must_find/other_kind "KIND: deadlock.cycle" "ARGS: --runs=200"
judge fails other_kind "no confirmed finding of kind deadlock.cycle"
program must_find/nothing_else "KIND: race.data" "ALSO: deadlock.cycle" "ARGS: --runs=200"
judge fails nothing_else "no finding of kind deadlock.cycle besides"
program must_find/one_too_many "KIND: race.data" "NEVER: crash.abort" "ARGS: --runs=200"
judge fails one_too_many "which must never be reported"
program must_find/in_sequence "KIND: race.data" "SEQUENTIAL: yes" "ARGS: --runs=200"
judge fails in_sequence "with sequential=true"
program must_pass/not_correct "NATIVE: no" "ARGS: --runs=200"
judge fails not_correct "burl test ended with 1, expected 0"
program must_find/no_source "KIND: race.data" "ENGINES: both"
echo '#error not C' >>fake/must_find/no_source.c
judge fails no_source "0 passed, 2 failed"
# What burl says is compared with what it does: a burl that says something else is noticed.
mkdir lying
ln -s "$BURL_TEST_BUILD"/* lying/
rm lying/burl
lie() { # COMMAND FILTER WORDS
    printf '#!/bin/sh\n"%s" "$@" >said\ncode=$?\nwhat=.\n[ $1 = %s ] && what="%s"\njq "$what" said || cat said\nexit $code\n' \
        "$BURL" "$1" "$2" >lying/burl
    chmod +x lying/burl
    ! $run --build="$PWD/lying" --tests=fake believed >out 2>&1 || fail "unnoticed: $1 with $2"
    grep -q '0 passed, 1 failed' out && grep -q "$3" out || fail "$1 with $2: $(cat out)"
}
program must_find/believed "KIND: race.data" "ALSO: crash.abort" "ARGS: --runs=100"
judge passes believed "1 passed, 0 failed"
lie test '.exit = 0' 'the exit code in out.json is another one'
lie test '.version = 2' 'not what burl test --json promises'
lie test '.findings = []' 'no confirmed finding'
lie test 'del(.findings[0])' 'no confirmed finding\|no finding of kind'
for part in '.exact = 19' '.same = 19' '.diverged = 1' '.trace_hash = 0'; do
    lie replay "$part" 'not all of 20 replays were exact'
done

# A hang, with children, is ended by the time-out.
printf '#!/bin/sh\n# BURL-TIMEOUT: 1\nsleep 1234 & wait\n' >fake/e2e/hang.sh
$run --tests=fake hang >out 2>&1 && fail "a hanging run passed"
grep -q 'time-out after' out || fail "a time-out is not told"

# A pattern that matches nothing is a mistake.
$run --tests=fake no_such_test >out 2>&1 && fail "a pattern without match passed"
exit 0
