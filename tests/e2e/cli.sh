#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/cli.sh - the command line itself: help, refusals with the nearest match, exit codes.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

want 0 'usage: burl <command>' "$BURL" help
want 0 'usage: burl <command>' "$BURL" --help
want 2 'usage: burl <command>' "$BURL"
want 0 'burl ' "$BURL" --version
want 0 'burl ' "$BURL" version
want 2 'did you mean test?' "$BURL" tset
want 2 'did you mean doctor?' "$BURL" docter
want 2 'unknown command "banana"' "$BURL" banana
want 2 'unknown option "--banana"' "$BURL" --banana
want 2 'did you mean replay?' "$BURL" help repaly

# Every command has help with an example.
for c in $("$BURL" help | sed -n '/^commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p'); do
    want 0 'example:' "$BURL" help "$c"
    case $c in help | version) ;; *) want 0 'usage: burl' "$BURL" "$c" --help ;; esac
done

# Options: unknown ones, bad values, the environment.
want 2 'did you mean --seed?' "$BURL" test --sede=1 ./x
want 2 'did you mean --stop-at-first?' "$BURL" test --stop-at-frist ./x
want 2 '--runs expects a number' "$BURL" test --runs=lots ./x
want 2 'did you mean fibers?' "$BURL" test --engine=fiber ./x
want 2 'unknown option --gdb' "$BURL" test --gdb ./x
want 2 'BURL_TIME expects a time' env BURL_TIME=soon "$BURL" test ./x
want 2 './no-such-program' "$BURL" test ./no-such-program
want 2 'no-such-program' "$BURL" test no-such-program

# No store yet, no such finding.
want 2 'burl test' "$BURL" findings
want 2 'burl test' "$BURL" show 1
want 2 'burl test' "$BURL" replay 1
[ ! -e .burl ] || fail "reading made a store"

# Where the words are not a program's, options may come after them; `--` ends them.
want 2 'burl test' "$BURL" show 1 --json
want 2 'burl test' "$BURL" replay 1 --trace
want 2 'did you mean --trace?' "$BURL" replay 1 --trac
want 2 'did you mean --json?' "$BURL" show 1 --jsn
want 2 '--nothing is not the number' "$BURL" show -- --nothing
want 2 'takes options only' "$BURL" findings all --json
want 2 'usage: burl replay' sh -c '"$0" replay 1 --help; exit 2' "$BURL"
"$BURL" doctor /bin/true --json | jq -e '.ready == false' >/dev/null || fail "doctor program --json"
# What follows the program belongs to the program; what looks like ours there is pointed out,
# unless `--` says that it is meant.
want 2 'cannot run ./x' "$BURL" test ./x --banana
want 2 'note: --runs=5 comes after the program and is passed to it' "$BURL" test ./x --runs=5
want 2 'cannot run ./x' "$BURL" test -- ./x --runs=5
grep -q 'comes after' out && fail "a note although -- was given"

# A standard output that cannot be written is a failure, not a success.
"$BURL" help >/dev/full 2>err
[ $? -eq 3 ] || fail "help into a full device did not end with 3"
grep -q 'No space left' err || fail "help into a full device does not say why"
# Closed descriptors do not confuse it.
"$BURL" --version >&- 2>&- <&- || fail "closed descriptors: $?"

# doctor: this machine must be ready for the rest of the tests; its JSON is JSON.
"$BURL" doctor >out 2>&1 || fail "doctor: $(cat out)"
"$BURL" doctor --json | jq -e '.ready and (.checks | length > 5)' >/dev/null || fail "doctor --json"
want 3 'not an instrumented program' "$BURL" doctor /bin/true
want 3 'cannot' "$BURL" doctor ./no-such-program

echo 'int main(void) { return 0; }' >plain.c
"$BURL" cc -g plain.c -o plain || fail "burl cc plain.c"
want 0 '1 module, ' "$BURL" doctor ./plain
has out 'every named object file is instrumented' # burl's own hot.c is not counted
cc -c -x c - -o foreign.o <<'SRC' || fail "cc"
int foreign(void) { return 0; }
SRC
printf 'int foreign(void);\nint main(void) { return foreign(); }\n' >mixed.c
"$BURL" cc -g mixed.c foreign.o -o mixed || fail "burl cc mixed.c foreign.o"
want 0 'are not instrumented' "$BURL" doctor ./mixed
# A hot.c of the user is counted.
echo 'int foreign(void) { return 0; }' >hot.c
cc -c hot.c -o hot.o || fail "cc hot.c"
"$BURL" cc -g mixed.c hot.o -o mixed || fail "burl cc mixed.c hot.o"
want 0 '1 of 2 object files are not instrumented (hot.c)' "$BURL" doctor ./mixed

# Paths of libraries are whole, and no name acts on the terminal.
odd=$(printf 'a (0x1) b\033[31m\342\200\256')
mkdir "$odd" || fail mkdir
cc -shared -fPIC hot.c -o "$odd/libodd.so" || fail "libodd.so"
for how in "$odd/libodd.so" "-L$odd -lodd -Wl,-rpath,$odd"; do
    if [ "$how" = "$odd/libodd.so" ]; then
        "$BURL" cc -g mixed.c "$PWD/$how" -o "$odd/prog" || fail "burl cc $how"
    else
        "$BURL" cc -g mixed.c "-L$odd" -lodd "-Wl,-rpath,$PWD/$odd" -o "$odd/prog" || fail "burl cc $how"
    fi
    want 0 "$PWD/a (0x1) b?[31m???/libodd.so is not instrumented" "$BURL" doctor "$odd/prog"
    has out "a (0x1) b?[31m???/prog, linked"
    ! LC_ALL=C grep -q "$(printf '\033')" out || fail "doctor prints an escape character"
done
exit 0
