#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/runner.sh - the test runner itself: a failure fails, a hang is ended, a skip is told.
set -eu

fail() { echo "FAILED: $*"; exit 1; }

mkdir -p fake/e2e fake/must_find
printf '#!/bin/sh\nexit 0\n' >fake/e2e/good.sh
printf '#!/bin/sh\necho no reason to run\nexit 77\n' >fake/e2e/skipped.sh
run=$BURL_TEST_ROOT/tests/run
unset BURL_TEST_WORK

# All is well.
"$run" --tests=fake >out 2>&1 || fail "a good run failed: $(cat out)"
[ "$(tail -n 1 out)" = "1 passed, 0 failed, 1 skipped" ] || fail "closing line: $(tail -n 1 out)"
grep -q 'no reason to run' out || fail "the reason of a skip is not told"

# A failing test fails the run, keeps its folder and says how to repeat it.
printf '#!/bin/sh\necho something odd; touch left-behind; exit 5\n' >fake/e2e/bad.sh
"$run" --tests=fake >out 2>&1 && fail "a bad run passed"
[ "$(tail -n 1 out)" = "1 passed, 1 failed, 1 skipped" ] || fail "closing line: $(tail -n 1 out)"
grep -q 'something odd' out || fail "the log of a failure is not shown"
grep -q 'repeat: tests/run' out || fail "the command to repeat is not shown"
folder=$(sed -n 's/.*folder: \([^ ]*\) .*/\1/p' out)
[ -e "$folder/left-behind" ] || fail "the folder of a failure is gone"

# A program without its directive cannot pass.
rm fake/e2e/bad.sh
echo 'int main(void) { return 0; }' >fake/must_find/empty.c
"$run" --tests=fake must_find >out 2>&1 && fail "a program without BURL-KIND passed"

# A hang, with children, is ended by the time-out.
rm fake/must_find/empty.c
printf '#!/bin/sh\n# BURL-TIMEOUT: 1\nsleep 1234 & wait\n' >fake/e2e/hang.sh
"$run" --tests=fake hang >out 2>&1 && fail "a hanging run passed"
grep -q 'time-out after' out || fail "a time-out is not told"

# A pattern that matches nothing is a mistake.
"$run" --tests=fake no_such_test >out 2>&1 && fail "a pattern without match passed"
exit 0
