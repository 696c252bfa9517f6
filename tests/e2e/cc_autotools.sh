#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/cc_autotools.sh - autoconf, automake and libtool with CC="burl cc".
#
# A C library built both ways by libtool, a C program and a C++ program: configured, built in
# parallel, checked, installed, as the maintainer of any such package would.
. "$(dirname "$0")/cc_lib.inc"

for tool in autoreconf automake libtoolize; do
    have $tool || finish
done
mkdir p
cd p
cat >configure.ac <<'EOF'
AC_INIT([p], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AM_PROG_AR
AC_PROG_CC
AC_PROG_CXX
AC_CONFIG_HEADERS([config.h])
LT_INIT
AC_CHECK_HEADERS([pthread.h no_such_header.h])
AC_CHECK_FUNCS([pthread_create no_such_function])
AC_SEARCH_LIBS([sqrt], [m])
AC_C_INLINE
AC_CHECK_SIZEOF([long])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
EOF
cat >Makefile.am <<'EOF'
lib_LTLIBRARIES = libcount.la
libcount_la_SOURCES = src/count.c src/count.h
bin_PROGRAMS = app cxxapp
app_SOURCES = src/app.c
app_LDADD = libcount.la
cxxapp_SOURCES = src/cxxapp.cpp
TESTS = app
EOF
mkdir src
echo 'int count_add(int n);' >src/count.h
cat >src/count.c <<'EOF'
#include "count.h"
static int total;
int count_add(int n) { total += n; return total; }
EOF
cat >src/app.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include "config.h"
#include "count.h"
#if !HAVE_PTHREAD_H || HAVE_NO_SUCH_HEADER_H || HAVE_NO_SUCH_FUNCTION || SIZEOF_LONG != 8
#error configure was misled
#endif
static void *add(void *arg) { count_add(40); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    pthread_join(t, NULL);
    printf("%d\n", count_add(2));
    return 0;
}
EOF
cat >src/cxxapp.cpp <<'EOF'
#include <iostream>
#include <stdexcept>
int main()
{
    try {
        throw std::runtime_error("42");
    } catch (const std::exception &e) {
        std::cout << e.what() << std::endl;
    }
}
EOF
says() { test "$("$1")" = "$2"; }

check "autoreconf" autoreconf -i
mkdir out
cd out
check "configure, out of the tree" \
    env CC="$BURL cc" CXX="$BURL c++" CFLAGS="-g -O1" ../configure --prefix="$work/inst"
check "config.h is right" sh -c '
    grep -q "define HAVE_PTHREAD_CREATE 1" config.h && grep -q "define SIZEOF_LONG 8" config.h &&
    grep -q "undef HAVE_NO_SUCH_FUNCTION" config.h'
check "make" make -j2
check "make check" make check
check "make install" make install
check "the C program" says "$work/inst/bin/app" 42
check "the C++ program" says "$work/inst/bin/cxxapp" 42
check "the program is instrumented" instrumented "$work/inst/bin/app"
check "the shared library is instrumented" instrumented "$work/inst/lib/libcount.so"
cd "$work"
ar x inst/lib/libcount.a
check "the static library is instrumented" sh -c 'readelf -SW *.o | grep -q "\.burl\.sites"'
check "burl test runs the installed program" "$BURL" test --runs=50 inst/bin/app
finish
