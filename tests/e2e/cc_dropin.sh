#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/cc_dropin.sh - `burl cc` takes what clang takes and gives what clang gives.
. "$(dirname "$0")/cc_lib.inc"

cat >main.c <<'EOF'
#include <stdio.h>
#include "part.h"
int main(void) { printf("%d\n", part(20)); return 0; }
EOF
cat >part.h <<'EOF'
#ifndef VALUE
#define VALUE 1
#endif
int part(int n);
EOF
cat >part.c <<'EOF'
#include "part.h"
int total;
int part(int n) { total += n + VALUE; return total; }
EOF
cat >plus.cpp <<'EOF'
#include <stdexcept>
#include <cstdio>
template <typename T> struct Box { T value; T take() { if (!value) throw std::runtime_error("empty"); return value; } };
thread_local int here = 3;
int main() { Box<int> b{here}, e{0}; try { e.take(); } catch (const std::exception &x) { std::printf("%s %d\n", x.what(), b.take()); } return 0; }
EOF
says() { test "$("./$1")" = "$2"; }

# several sources, default and given names
"$BURL" cc main.c part.c
check "two sources in one command, a.out" says a.out 21
check "the program is instrumented" instrumented a.out
"$BURL" cc -O2 main.c part.c -o prog
check "-o names the program" says prog 21
"$BURL" cc -c main.c part.c
check "-c with two sources gives two objects" test -s main.o -a -s part.o
check "objects are instrumented" instrumented main.o
"$BURL" cc main.o part.o -o prog2
check "linking objects only" says prog2 21
mkdir -p sub
"$BURL" cc -c sub/../part.c -osub/joined.o
check "-o joined to its value" instrumented sub/joined.o
"$BURL" cc -DVALUE=2 -I . -include part.h main.c part.c -o prog
check "-D, -I, -include" says prog 22
for o in -O -O0 -O1 -O2 -O3 -Os -Oz -Ofast -Og; do
    "$BURL" cc $o -w main.c part.c -o prog
    check "$o" says prog 21
    "$BURL" cc --late $o -w main.c part.c -o prog
    check "--late $o" says prog 21
done
"$BURL" c++ -O1 -std=c++17 plus.cpp -o plus
check "C++ with exceptions, templates, thread_local" says plus "empty 3"
check "and it is instrumented" instrumented plus
"$BURL" c++ --late -O2 plus.cpp -o plus
check "C++ late" says plus "empty 3"
"$BURL" cc -fPIC -fvisibility=hidden -fno-plt -fomit-frame-pointer -pipe -pthread -m64 -march=x86-64-v2 \
    -ffunction-sections -fdata-sections -Wall -Wextra -std=c11 main.c part.c -o prog -lm -pthread
check "many usual flags" says prog 21

# -x, stdin, /dev/null, response files
cp part.c odd_name.txt
"$BURL" cc -x c odd_name.txt -x none main.c -o prog
check "-x c and -x none" says prog 21
"$BURL" cc -xc odd_name.txt main.c -o prog
check "-xc for all that follow" says prog 21
"$BURL" cc -x c - -c -o in.o <part.c
check "a source on standard input" instrumented in.o
echo 'int main(void) { return 0; }' | "$BURL" cc -x c - -o fromstdin
check "a program on standard input" ./fromstdin
check "-o /dev/null" "$BURL" cc -c part.c -o /dev/null
cat >words <<'EOF'
-O1 -DVALUE=3 "main.c"
'part.c' -o
prog\ three
EOF
"$BURL" cc @words
check "a response file, with quotes" says "prog three" 23
"$BURL" cc -c main.c part.c
echo main.o part.o >objs
"$BURL" cc @objs -o prog
check "objects in a response file" says prog 21
awk 'BEGIN { for (i = 0; i < 6000; i++) print "-L/a/very/long/name/of/a/directory/that/is/not/there/" i }' >long
"$BURL" cc @long main.o part.o -o prog
check "a very long command" says prog 21

# -E, -S, -emit-llvm
"$BURL" cc -E main.c >e1
"$CLANG" -E main.c >e2
check "-E is clang's" cmp e1 e2
"$BURL" cc -O1 -S part.c
check "-S gives assembly with hooks" grep -q __burl_read4 part.s
"$CLANG" -c part.s -o froms.o
"$BURL" cc main.c froms.o -o prog
check "and it assembles and links" says prog 21
"$BURL" cc -O1 -emit-llvm -S part.c -o part.ll
check "-emit-llvm -S" grep -q 'call void @__burl_read4' part.ll
"$BURL" cc -O1 -emit-llvm -c part.c
check "-emit-llvm -c gives part.bc" test -s part.bc
cat >asm.s <<'EOF'
    .globl from_asm
from_asm: movl $7, %eax
    ret
    .section .note.GNU-stack,"",@progbits
EOF
cat >asm2.S <<'EOF'
#define RESULT 8
    .globl from_asm2
from_asm2: movl $RESULT, %eax
    ret
    .section .note.GNU-stack,"",@progbits
EOF
cat >useasm.c <<'EOF'
int from_asm(void); int from_asm2(void);
int main(void) { return from_asm() + from_asm2() - 15; }
EOF
"$BURL" cc useasm.c asm.s asm2.S -o useasm
check "assembly sources in a link" ./useasm
"$BURL" cc -c useasm.c asm.s asm2.S
"$BURL" cc useasm.o asm.o asm2.o -o useasm
check "assembly sources with -c" ./useasm
"$BURL" cc -save-temps -O1 -c part.c -o kept.o
check "-save-temps keeps .i and .s" test -s part.i -a -s part.s

# dependency files: the same bytes as clang's
deps() { # NAME FLAGS... : compares what clang and burl cc write
    name=$1
    shift
    rm -rf d1 d2
    mkdir d1 d2
    for w in 1 2; do
        cp main.c part.h part.c d$w
    done
    (cd d1 && "$CLANG" "$@")
    (cd d2 && "$BURL" cc "$@")
    (cd d1 && find . -name '*.d' | sort) >l1
    (cd d2 && find . -name '*.d' | sort) >l2
    check "$name: the same dependency files" cmp l1 l2
    check "$name: at least one" test -s l1
    for f in $(cat l1); do
        check "$name: the same content of $f" cmp "d1/$f" "d2/$f"
    done
}
deps "-MD -c" -MD -c main.c
deps "-MMD -c -o" -MMD -c main.c -o out.o
deps "-MD -MF" -MD -MF x.d -c main.c
deps "-MD -MT" -MD -MT 'a target' -MP -c main.c
deps "-MMD -MF -MQ" -MMD -MFy.d -MQ 'q$t' -c main.c -o z.o
deps "-Wp,-MD" -Wp,-MD,wp.d -c main.c -o wp.o
deps "-MMD and a link" -MMD main.c part.c -o prog
"$BURL" cc -MM main.c >m1
"$CLANG" -MM main.c >m2
check "-MM is clang's" cmp m1 m2

# questions that only clang answers
for q in --version -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld -v '-print-file-name=libc.so' \
    -print-resource-dir '-###' --help; do
    "$CLANG" $q >q1 2>&1 || :
    "$BURL" cc -O0 $q >q2 2>&1 || :
    [ "$q" = --help ] || "$CLANG" -O0 $q >q1 2>&1 || :
    check "$q is clang's" cmp q1 q2
done
"$CLANG" >q1 2>&1 -O2 && c1=0 || c1=$?
"$BURL" cc >q2 2>&1 -O2 && c2=0 || c2=$?
check "no input: clang's words" cmp q1 q2
check "no input: clang's exit code" test $c1 = $c2

# precompiled headers
echo 'int from_pch(void);' >pch.h
"$BURL" cc -O1 pch.h -o pch.h.pch
echo 'int main(void) { return from_pch() - 1; } int from_pch(void) { return 1; }' >usepch.c
"$BURL" cc -O1 -include-pch pch.h.pch usepch.c -o usepch
check "precompiled header" ./usepch

# gcov names
"$BURL" cc --coverage -O0 -c part.c -o cov.o
check "--coverage names its notes after the object" test -s cov.gcno

# our own flags
"$BURL" cc --no-instrument -c part.c -o plain.o
check "--no-instrument is plain clang" not instrumented plain.o
BURL_CC_FLAGS=--no-instrument "$BURL" cc -c part.c -o plain.o
check "BURL_CC_FLAGS does the same" not instrumented plain.o
BURL_CC_FLAGS=--nonsense "$BURL" cc -c part.c -o plain.o 2>err && c=0 || c=$?
check "a wrong word in BURL_CC_FLAGS is refused" test $c = 2
check "and named" grep -q -- --nonsense err
"$BURL" cc --late --blocks -c part.c 2>err && c=0 || c=$?
check "--late --blocks is refused with a reason" sh -c "test $c = 2 && grep -q -- --blocks err"
"$BURL" cc -O1 -c part.c -o nodebug.o
check "without -g there is no debug information" sh -c '! readelf -SW nodebug.o | grep -q debug_info'
"$BURL" cc -O1 --lines -c part.c -o lines.o
check "--lines adds line tables" sh -c 'readelf -SW lines.o | grep -q debug_line'
check "and no types" sh -c '! readelf --debug-dump=info lines.o | grep -q DW_TAG_base_type'
"$BURL" cc -g -O1 -c part.c -o full.o
check "-g keeps the types" sh -c 'readelf --debug-dump=info full.o | grep -q DW_TAG_base_type'
echo 'int main(void) { return 0; }' >conftest.c
"$BURL" cc conftest.c -o conftest
check "configure's probes work" ./conftest
check "and are not instrumented" not instrumented conftest

# the same input gives the same object
"$BURL" cc -O2 -c part.c -o same1.o
"$BURL" cc -O2 -c part.c -o same2.o
check "objects are reproducible" cmp same1.o same2.o

# many at once
i=0
while [ $i -lt 6 ]; do
    "$BURL" cc -O1 -DVALUE=$i -c part.c -o par$i.o &
    i=$((i + 1))
done
wait
check "six at once" test "$(ls par[0-5].o | wc -l)" = 6
i=0
while [ $i -lt 6 ]; do
    "$BURL" cc main.o par$i.o -o par
    check "and the right content in object $i" says par $((20 + i))
    i=$((i + 1))
done

finish
