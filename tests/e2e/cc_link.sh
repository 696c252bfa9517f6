#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/cc_link.sh - links: the runtime's place, libraries, LTO, foreign links.
. "$(dirname "$0")/cc_lib.inc"

cat >main.c <<'EOF'
#include <stdio.h>
int twice(int n);
int main(void) { printf("%d\n", twice(21)); return 0; }
EOF
cat >twice.c <<'EOF'
int calls;
int twice(int n) { calls++; return 2 * n; }
EOF
says() { test "$("./$1")" = "$2"; }
first_needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | head -1; }

"$BURL" cc -fPIC -O1 -c main.c twice.c
"$BURL" cc -o prog main.o twice.o -lm -lpthread
check "the runtime is the first library" test "$(first_needed prog)" = libburl_rt.so
check "bound at start" sh -c 'readelf -d prog | grep -q "BIND_NOW\|NOW"'
check "it runs" says prog 42
for ld in bfd lld gold; do
    "$CLANG" -fuse-ld=$ld -shared -x c /dev/null -o /dev/null 2>/dev/null || continue
    "$BURL" cc -fuse-ld=$ld -Wl,--as-needed -o prog main.o twice.o -lm
    check "$ld --as-needed: first library" test "$(first_needed prog)" = libburl_rt.so
    check "$ld: it runs" says prog 42
    "$BURL" cc -fuse-ld=$ld -shared -Wl,-z,defs -Wl,--no-undefined -o libtwice.so twice.o
    check "$ld -shared -z defs" test -s libtwice.so
    "$BURL" cc -fuse-ld=$ld -o prog main.o -L. -ltwice -Wl,-rpath,"$work"
    check "$ld: a program with an instrumented library" says prog 42
    "$CLANG" -fuse-ld=$ld -o foreign main.o twice.o 2>said && c=0 || c=$?
    check "$ld: a plain link of our objects fails" test $c != 0
    # gold stops inside itself on this debug information before it can say anything
    [ $ld = gold ] || check "$ld: and says what to do" grep -q burl_objects_must_be_linked_with_burl_cc said
    "$CLANG" -fuse-ld=$ld -shared -o foreign.so twice.o 2>said && c=0 || c=$?
    check "$ld: a plain -shared link fails too" test $c != 0
    "$CLANG" -c main.c -o plain.o
    "$CLANG" -fuse-ld=$ld plain.o -L. -ltwice -Wl,-rpath,"$work" -o mixed
    check "$ld: a plain program with our shared library works" says mixed 42
done
"$BURL" cc -pie -o prog main.o twice.o
check "-pie" says prog 42
"$BURL" cc -fno-pie -O1 -c main.c -o np1.o
"$BURL" cc -fno-pie -O1 -c twice.c -o np2.o
"$BURL" cc -no-pie -o prog np1.o np2.o
check "-no-pie" says prog 42
rm -f libt.a
ar rcs libt.a twice.o
"$BURL" cc main.o libt.a -o prog
check "a static archive" says prog 42
"$BURL" cc main.o -L. -Wl,--whole-archive -lt -Wl,--no-whole-archive -Wl,-z,lazy -o prog
check "--whole-archive and the user's -z" says prog 42
for lto in -flto -flto=thin; do
    "$BURL" cc -O2 $lto -c main.c -o l1.o
    "$BURL" cc -O2 $lto -c twice.c -o l2.o
    "$BURL" cc -O2 $lto -fuse-ld=lld l1.o l2.o -o prog
    check "$lto" says prog 42
    check "$lto is instrumented" instrumented prog
    "$BURL" cc --late -O2 $lto -fuse-ld=lld main.c twice.c -o prog
    check "--late $lto" says prog 42
done
"$BURL" cc -r main.o twice.o -o both.o
"$BURL" cc both.o -o prog
check "-r" says prog 42
# libtool links C++ libraries with -nostdlib and the start files spelled out
"$BURL" cc -shared -nostdlib twice.o -lc -o libns.so
check "-nostdlib with instrumented objects gets the runtime" test "$(first_needed libns.so)" = libburl_rt.so
cat >bare.c <<'EOF'
void _start(void) { __asm__ volatile("movl $60, %eax; xorl %edi, %edi; syscall"); }
EOF
"$BURL" cc -ffreestanding -nostdlib -static bare.c -o bare
check "a freestanding program is left alone" sh -c './bare && ! readelf -SW bare | grep -q burl'
"$BURL" cc --no-instrument main.c twice.c -static -o prog
check "--no-instrument links statically" says prog 42
strip prog
"$BURL" cc -O1 main.c twice.c -o prog
strip prog
check "stripped programs run and keep their tables" sh -c './prog | grep -q 42 && readelf -SW prog | grep -q burl.bc'
"$BURL" cc main.o twice.o -Xlinker --build-id=sha1 -Wl,-soname,x -Wl,-Map,map -o prog
check "-Xlinker, -Wl" says prog 42
cat >ctor.cpp <<'EOF'
#include <cstdio>
struct S { int v; S() : v(7) {} } s;
__attribute__((constructor(101))) static void early() { s.v = 1; }
int main() { std::printf("%d\n", s.v); }
EOF
"$BURL" c++ ctor.cpp -o ctor
check "constructors run" says ctor 7
finish
