#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/cc_messages.sh - what `burl cc` prints about the user's code is what clang prints.
. "$(dirname "$0")/cc_lib.inc"

same() { # NAME FLAGS...: the same words on standard error and the same exit code
    name=$1
    shift
    "$CLANG" "$@" >/dev/null 2>said.clang && c1=0 || c1=$?
    "$BURL" cc "$@" >/dev/null 2>said.burl && c2=0 || c2=$?
    check "$name: the same words" diff said.clang said.burl
    check "$name: the same exit code" test "$c1" = "$c2"
}

cat >syntax.c <<'EOF'
#include <stdio.h>
int main(void) { prinf("x\n") return 0; }
EOF
cat >warn.c <<'EOF'
int f(int unused) { int x; return x; }
EOF
cat >good.c <<'EOF'
int main(void) { return 0; }
EOF
cat >inlineasm.c <<'EOF'
int f(void) { __asm__("no_such_instruction %eax"); return 0; }
EOF
echo 'int g(void);
int main(void) { return g(); }' >undefined.c

same "syntax error" -c syntax.c -o x.o
check "no object after an error" not test -e x.o
same "warnings" -Wall -Wextra -O2 -c warn.c -o w.o
check "the warning is there" grep -q 'uninitialized' said.burl
same "-Werror" -Wall -Werror -c warn.c -o w2.o
same "-Werror=" -Wextra -Werror=unused-parameter -c warn.c -o w2.o
same "color" -fcolor-diagnostics -Wall -c warn.c -o w.o
same "unknown option" --no-such-option -c good.c -o w.o
same "unused linker words" -c good.c -lm -Wl,-O1 -o w.o
same "missing input" -c nosuch.c
same "missing input in a link" good.c nosuch.o -o x
same "two outputs, one name" -c good.c warn.c -o x.o
same "bad inline assembly" -c inlineasm.c -o ia.o
check "it is the user's line" grep -q 'inlineasm.c:1:' said.burl
same "output in a directory that is not there" -c good.c -o no/such/dir/x.o
"$BURL" cc -w undefined.c -o x 2>said && c=0 || c=$?
check "an undefined symbol fails" test $c = 1
check "and is named" grep -q "undefined reference to .g'" said
"$BURL" cc good.c syntax.c warn.c -o x 2>said && c=0 || c=$?
check "one bad source of three fails" test $c = 1
check "the others are still looked at" sh -c '"$1" cc -Wall good.c syntax.c warn.c -o x 2>&1 | grep -q uninitialized' sh "$BURL"

# what we have to say ourselves
"$BURL" cc -static good.c -o x 2>said && c=0 || c=$?
check "-static is an error" test $c = 1
check "that says why and what to do" grep -q 'linked dynamically' said
for word in --volatile=foo --volatile --volatile= --redirect --redirect= --late=1 --blocks=no; do
    "$BURL" cc $word -c good.c -o w.o 2>said && c=0 || c=$?
    check "$word is a usage error" test $c = 2
    check "$word is named by burl" grep -q -e "burl-cc: error: $word" said
    BURL_CC_FLAGS=$word "$BURL" cc -c good.c -o w.o 2>said && c=0 || c=$?
    check "$word in BURL_CC_FLAGS too" test $c = 2
done
"$BURL" cc --volatile=foo -c good.c -o w.o 2>said || :
check "the values are said" grep -q -e '--volatile=atomic or --volatile=plain' said
check "words for other options pass" "$BURL" cc good.c -Xlinker --no-undefined -o w
BURL_CLANG=/no/such/clang "$BURL" cc -c good.c 2>said && c=0 || c=$?
check "BURL_CLANG that is not there is a usage error" test $c = 2
check "and it is named" grep -q '/no/such/clang' said
BURL_CLANG=$(command -v "$CLANG") "$BURL" cc good.c -o x
check "BURL_CLANG names the compiler" ./x
BURL_CLANG=$(command -v "$CLANG") "$BURL" c++ -x c++ good.c -o x
check "BURL_CLANG for C++ too" ./x

# a signal leaves nothing behind
awk 'BEGIN { for (i = 0; i < 4000; i++) printf "int g%d; int f%d(int *p) { g%d += *p; return g%d * %d; }\n", i, i, i, i, i }' >slow.c
for which in HUP:129 INT:130 TERM:143; do
    sig=${which%:*}
    # a background job of a script ignores INT otherwise
    env --default-signal=INT "$BURL" cc -O2 -c slow.c -o slow.o 2>/dev/null &
    pid=$!
    check "SIG$sig: the compilation is under way" \
        "$BURL_TEST_BUILD/support/await" -p $pid tmp sh -c '[ -n "$(ls tmp)" ]'
    kill -$sig $pid
    wait $pid && c=0 || c=$?
    check "SIG$sig ends it" test "$c" = "${which#*:}"
    check "SIG$sig leaves no object" not test -e slow.o
    check "SIG$sig leaves no temporary files" test -z "$(ls -A "$work/tmp")"
done
finish
