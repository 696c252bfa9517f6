#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/cc_one_word.sh - burl-cc and burl-c++, the compilers of one word.
#
# They give what `burl cc` and `burl c++` give, from any path and through any link, and build systems that
# put the compiler between quotes, or run it with arguments of their own, accept them. Without one of the
# build systems the test counts as skipped, and says which.
. "$(dirname "$0")/cc_lib.inc"

bin=$(dirname "$BURL")
cc=$bin/burl-cc
cxx=$bin/burl-c++
cat >one.c <<'X'
#include <stdio.h>
int shared;
int main(void) { shared++; printf("%d\n", shared + 41); return 0; }
X
cat >one.cpp <<'X'
#include <iostream>
int shared;
int main() { shared++; std::cout << shared + 41 << std::endl; }
X
says() { test "$("$1")" = "$2"; }

# The same as with two words: what clang answers, and what is compiled.
same() { # FLAGS...
    for pair in cc c++; do
        echo 'int f(void) { return 1; }' | "$BURL" $pair "$@" >o1 2>e1 && c1=0 || c1=$?
        echo 'int f(void) { return 1; }' | "$bin/burl-$pair" "$@" >o2 2>e2 && c2=0 || c2=$?
        check "burl-$pair $*: the same output" cmp o1 o2
        check "burl-$pair $*: the same messages" cmp e1 e2
        check "burl-$pair $*: the same exit code" test $c1 = $c2
    done
}
for words in -dumpmachine -dumpversion --version -v -print-search-dirs -print-prog-name=ld \
    -print-file-name=libc.so '-x c -E -' '-x c++ -E -' '-E -dM -x c /dev/null' '-M -x c one.c' --help -nonsense ''; do
    # shellcheck disable=SC2086
    same $words
done
"$CLANG" -dumpmachine >o1
"$cc" -dumpmachine >o2
check "-dumpmachine is clang's" cmp o1 o2

# Every way to name a source, and a link alone.
"$cc" -x c -c - -o stdin.o <one.c
check "-c from standard input" instrumented stdin.o
"$cc" stdin.o -o linked
check "a link alone" says ./linked 42
"$cc" -x c++ -c one.cpp -o mixed.o
"$cxx" mixed.o -o mixed
check "-x c++ with burl-cc, linked by burl-c++" says ./mixed 42
printf '%s\n' '-O1 "one.c"' '-o "with blank"' >words
"$cc" @words
check "a response file" says "./with blank" 42
"$cxx" -O1 one.cpp -o oneplus
check "burl-c++ compiles and links C++" says ./oneplus 42
check "and instruments it" instrumented oneplus
"$cc" missing.c 2>err && c=0 || c=$?
check "a missing source is clang's error" sh -c "test $c = 1 && grep -q missing.c err"

# Names and paths: nothing depends on argv[0], the shell or PATH.
ln -s "$cc" gcc
./gcc -O1 one.c -o via_link
check "a link of another name" instrumented via_link
odd="$work/odd 'dir\" \$HOME
*"
mkdir "$odd"
for f in burl burl-cc burl-c++ burl-instr libburl_rt.so burl_hot.o; do
    cp "$bin/$f" "$odd/$f"
done
(cd "$odd" && cp "$work/one.c" . && PATH=.:$PATH burl-cc one.c -o one) && c=0 || c=$?
check "a folder with blanks, quotes and a line break" test $c = 0
check "instruments there too" instrumented "$odd/one"
mkdir alone
cp "$cc" alone
alone/burl-cc one.c 2>err && c=0 || c=$?
check "a copy without burl ends with 3" test $c = 3
check "and says what is missing" grep -q 'cannot run .*/alone/burl: No such file' err

# Build systems.
mkdir p
cp one.c one.cpp p
cd p
cat >Makefile <<'X'
all: one two
one: one.c
	"$(CC)" -O1 one.c -o one
two: one.cpp
	"$(CXX)" -O1 one.cpp -o two
X
make -s CC="$cc" CXX="$cxx"
check "make, with the compiler between quotes" sh -c 'test "$(./one) $(./two)" = "42 42"'
check "make: instrumented" instrumented one
if have cmake; then
    cat >CMakeLists.txt <<'X'
cmake_minimum_required(VERSION 3.10)
project(p C CXX)
foreach(compiler ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
    execute_process(COMMAND ${compiler} -dumpmachine OUTPUT_VARIABLE machine RESULT_VARIABLE code)
    if(NOT code EQUAL 0 OR machine STREQUAL "")
        message(FATAL_ERROR "${compiler} -dumpmachine: ${code}")
    endif()
endforeach()
add_executable(one one.c)
add_executable(two one.cpp)
X
    cmake -B cm -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" . >"$work/log" 2>&1 || cat "$work/log"
    cmake --build cm >"$work/log" 2>&1 || cat "$work/log"
    check "cmake: C" says cm/one 42
    check "cmake: instrumented" instrumented cm/one
    check "cmake: C++" instrumented cm/two
fi
if have meson; then
    printf "project('p', 'c')\nexecutable('one', 'one.c')\n" >meson.build
    CC=$cc CXX=$cxx meson setup ms >"$work/log" 2>&1 || cat "$work/log"
    ninja -C ms >"$work/log" 2>&1 || cat "$work/log"
    check "meson: C" instrumented ms/one
fi
if have autoconf; then
    cat >configure.ac <<'X'
AC_INIT([p], [1])
AC_PROG_CC
AC_PROG_CXX
AC_CHECK_SIZEOF([long])
AC_SUBST([GCC])
AC_CONFIG_FILES([answers])
AC_OUTPUT
X
    echo 'CC=@CC@ GCC=@GCC@ CXX=@CXX@' >answers.in
    autoconf 2>"$work/log" || cat "$work/log"
    CC=$cc CXX=$cxx ./configure >"$work/log" 2>&1 || cat "$work/log"
    check "autoconf takes both" grep -qx "CC=$cc GCC=yes CXX=$cxx" answers
fi
# Optional: the packages of `make setup` do not have it.
if command -v ccache >/dev/null; then
    export CCACHE_DIR="$work/ccache"
    ccache "$cc" -O1 -c one.c -o c1.o
    ccache "$cc" -O1 -c one.c -o c2.o
    check "ccache in front" instrumented c2.o
    check "ccache: the same object" cmp c1.o c2.o
fi
cd "$work"
finish
