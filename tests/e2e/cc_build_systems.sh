#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/cc_build_systems.sh - make, a configure script, CMake, Meson with CC="burl cc".
#
# Without one of the build systems the test counts as skipped, and says which.
. "$(dirname "$0")/cc_lib.inc"

mkdir p
cd p
cat >lib.c <<'EOF'
#include "lib.h"
static int hidden;
int lib_add(int n) { hidden += n; return hidden; }
EOF
echo 'int lib_add(int n);' >lib.h
cat >app.c <<'EOF'
#include <stdio.h>
#include "lib.h"
int main(void) { printf("%d\n", lib_add(40) + lib_add(2) - 40); return 0; }
EOF
says() { test "$("$1")" = "$2"; }

# make, with its built-in rules and generated dependencies
cat >Makefile <<'EOF'
CFLAGS = -O1 -MMD -MP
app: app.o liblib.a
	$(CC) $(LDFLAGS) $^ -o $@
liblib.a: lib.o
	$(AR) rcs $@ $^
-include app.d lib.d
EOF
make -s -j2 CC="$BURL cc"
check "make" says ./app 42
check "make: instrumented" instrumented app
check "make: dependency file" grep -q '^app.o:.*app.c' app.d
touch lib.h
check "make: a changed header rebuilds" sh -c 'make -n CC=x | grep -q "app.c"'
make -s CC="$BURL cc" CFLAGS="-O1 --late" -B
check "make: --late in CFLAGS" says ./app 42
BURL_CC_FLAGS=--late make -s CC="$BURL cc" -B
check "make: --late in the environment" says ./app 42

# a configure script's ways of asking
cat >configure <<'EOF'
#!/bin/sh
# The probes of autoconf in miniature.
set -e
cat >conftest.c <<'X'
int main(void) { return 0; }
X
$CC $CFLAGS conftest.c && ./a.out && rm -f a.out && echo "works=yes"
$CC -c conftest.c && test -f conftest.o && echo "objext=o"
cat >conftest.c <<'X'
#ifndef __GNUC__
choke me
#endif
X
$CC -c conftest.c 2>/dev/null && echo "gnu=yes"
cat >conftest.c <<'X'
char no_such_function(void); int main(void) { return no_such_function(); }
X
if $CC conftest.c 2>/dev/null; then echo "missing=found"; else echo "missing=no"; fi
cat >conftest.c <<'X'
#include <no_such_header.h>
X
if $CC -E conftest.c >/dev/null 2>&1; then echo "header=found"; else echo "header=no"; fi
cat >conftest.c <<'X'
int lib_add(int); int main(void) { return lib_add(0); }
X
$CC conftest.c liblib.a -o conftest && ./conftest && echo "ourlib=yes"
rm -f conftest*
EOF
chmod +x configure
make -s CC="$BURL cc"
CC="$BURL cc" CFLAGS=-g ./configure >answers 2>&1 || :
for a in works=yes objext=o gnu=yes missing=no header=no ourlib=yes; do
    check "configure: $a" grep -qx "$a" answers
done

if have cmake; then
    cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.10)
project(p C CXX)
add_library(lib SHARED lib.c)
add_executable(cmapp app.c)
target_link_libraries(cmapp lib m)
add_executable(cxxapp cxx.cpp)
EOF
    cat >cxx.cpp <<'EOF'
#include <iostream>
int main() { std::cout << 42 << std::endl; }
EOF
    CC="$BURL cc" CXX="$BURL c++" cmake -B cm -DCMAKE_BUILD_TYPE=Release . >"$work/cm.log" 2>&1 || cat "$work/cm.log"
    cmake --build cm -j2 >"$work/cm.log" 2>&1 || cat "$work/cm.log"
    check "cmake: C with a shared library" says cm/cmapp 42
    check "cmake: instrumented" instrumented cm/cmapp
    check "cmake: C++" says cm/cxxapp 42
    if have ninja; then
        CC="$BURL cc" CXX="$BURL c++" cmake -G Ninja -B cn . >"$work/cm.log" 2>&1 || cat "$work/cm.log"
        cmake --build cn -j2 >"$work/cm.log" 2>&1 || cat "$work/cm.log"
        check "cmake with ninja" says cn/cmapp 42
    fi
fi
if have meson; then
    cat >meson.build <<'EOF'
project('p', 'c')
lib = shared_library('mlib', 'lib.c')
executable('mapp', 'app.c', link_with: lib)
EOF
    CC="$BURL cc" meson setup ms >"$work/ms.log" 2>&1 || cat "$work/ms.log"
    ninja -C ms >"$work/ms.log" 2>&1 || cat "$work/ms.log"
    check "meson" says ms/mapp 42
    check "meson: instrumented" instrumented ms/mapp
fi
cd "$work"
finish
