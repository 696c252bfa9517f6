#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Programs that cannot be tested: each a clear message and the right exit code, and no store.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# wants CODE TEXT command...: the exit code, and TEXT in what it says on standard error.
wants() {
    code=$1 text=$2
    shift 2
    echo "+ $*"
    "$@" >out 2>err
    got=$?
    cat err
    [ $got -eq "$code" ] || fail "exit code $got, expected $code"
    grep -q -- "$text" err || fail "nothing about \"$text\" in the message"
    [ ! -e .burl ] || fail "a store was made for a program that cannot be tested"
}

cat >plain.c <<'EOF'
int main(void) { return 0; }
EOF
clang-19 plain.c -o plain || fail "cannot build a plain program"
wants 3 "not an instrumented program" "$BURL" test ./plain
wants 2 "no-such-program" "$BURL" test ./no-such-program
wants 2 "which program" "$BURL" test
mkdir a-directory
wants 2 "a-directory" "$BURL" test ./a-directory

clang-19 -static plain.c -o plain_static 2>/dev/null &&
    wants 3 "statically linked" "$BURL" test ./plain_static

cat >early.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void
start(void)
{
    fprintf(stderr, "the table is empty\n");
    abort();
}
int main(void) { return 0; }
EOF
"$BURL" cc early.c -o early || fail "cannot build"
wants 3 "before main" "$BURL" test ./early
wants 3 "the table is empty" "$BURL" test ./early
wants 3 "Aborted" "$BURL" test ./early

cat >early_exit.c <<'EOF'
#include <stdlib.h>
__attribute__((constructor)) static void start(void) { exit(7); }
int main(void) { return 0; }
EOF
"$BURL" cc early_exit.c -o early_exit || fail "cannot build"
wants 3 "code 7" "$BURL" test ./early_exit

# A damaged executable: the kernel refuses it, or it dies; either way a message.
head -c 3000 early >damaged
chmod +x damaged
"$BURL" test ./damaged >out 2>err
[ $? -eq 3 ] || fail "a damaged executable must give exit code 3"
[ -s err ] || fail "a damaged executable must give a message"

wants 2 "cannot be combined with" "$BURL" test --engine=threads --reset=snapshot ./early
exit 0
