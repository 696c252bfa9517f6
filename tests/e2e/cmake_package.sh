#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/cmake_package.sh - find_package(burl) and burl_add_test() of an installed copy, with CTest.
# BURL-TIMEOUT: 300
. "$BURL_TEST_ROOT/tests/support/lib.inc"
command -v cmake >/dev/null || { echo "cmake is not installed"; exit 77; }
unset CC CXX CFLAGS CXXFLAGS || :
sh "$BURL_TEST_ROOT/scripts/install.sh" "$BURL_TEST_BUILD" /opt "$PWD/root"
# Moved: the files may not remember where they were installed.
mv root/opt 'the copy'
package="$PWD/the copy/lib/cmake/burl"

mkdir p
cat >p/lost.c <<'SRC'
#include <assert.h>
#include <burl/burl.h>
#include <pthread.h>
#include <stdlib.h>
static int n, step;
static void *add(void *arg) { n = n + step; return arg; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    step = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(n == 2 * step);
    return 0;
}
SRC
cat >p/fine.cpp <<'SRC'
#include <atomic>
#include <thread>
static std::atomic<int> n;
int main()
{
    std::thread a([] { n++; }), b([] { n++; });
    a.join();
    b.join();
    return n == 2 ? 0 : 1;
}
SRC
cat >p/CMakeLists.txt <<'LISTS'
cmake_minimum_required(VERSION 3.15)
project(p C CXX)
enable_testing()
find_package(Threads REQUIRED)
find_package(burl 0.1 REQUIRED)
add_executable(lost lost.c)
target_link_libraries(lost Threads::Threads burl::annotations)
add_executable(fine fine.cpp)
target_link_libraries(fine Threads::Threads)
if(BURL_INSTRUMENTED OR NOT GUARD)
    burl_add_test(fine RUNS 50 SEED 3 LABELS quick)
    burl_add_test(NAME found TARGET lost ARGS 5 TIME 5s STRATEGY random EXPECT_FINDINGS OPTIONS --stop-at-first)
    burl_add_test(NAME failed TARGET lost RUNS 200 JOBS 1 TIMEOUT 77 OPTIONS --stop-at-first)
    burl_add_test(NAME nothing-expected TARGET fine RUNS 20 EXPECT_FINDINGS)
    burl_add_test(NAME wrong-option TARGET lost EXPECT_FINDINGS OPTIONS --no-such-option)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT ipo LANGUAGES C CXX)
    message(STATUS "ipo: ${ipo}")
endif()
LISTS

# ---- with the toolchain file
run 0 cmake -S p -B b --toolchain "$package/burl-toolchain.cmake"
has out 'ipo: YES'
run 0 cmake --build b
(cd b && ctest --output-on-failure -j2) >ctest.out 2>&1
grep -qE 'burl\.fine .*Passed' ctest.out || { cat ctest.out; fail "burl.fine"; }
grep -qE 'found .*Passed' ctest.out || { cat ctest.out; fail "findings were expected and found"; }
grep -qE 'failed \.+\*\*\*Failed' ctest.out || { cat ctest.out; fail "findings do not fail a test"; }
grep -qE 'nothing-expected \.+\*\*\*Failed' ctest.out || fail "no findings where some are expected"
grep -qE 'wrong-option \.+\*\*\*Failed' ctest.out || fail "a usage error passes as findings"
has ctest.out '40% tests passed'
(cd b && ctest --show-only=json-v1) >out
jq -e '[.tests[] | .properties[] | select(.name == "LABELS") | .value[]] | (index("quick") != null) and (map(select(. == "burl")) | length == 5)' \
    out >/dev/null || fail "labels"
jq -e '.tests[] | select(.name == "failed") | .properties[] | select(.name == "TIMEOUT") | .value == 77' out >/dev/null ||
    fail "the time-out that was given"
jq -e '.tests[] | select(.name == "found") | .properties[] | select(.name == "TIMEOUT") | .value == 135' out >/dev/null ||
    fail "the time-out follows from TIME"
# Each test has a store of its own, in the build directory.
[ "$(ls b/burl-stores)" = "$(printf '%s\n' burl_fine failed found nothing_expected)" ] || fail "stores: $(ls b/burl-stores)"
"the copy/bin/burl" replay --dir=b/burl-stores/found 1 >out 2>&1
[ $? -eq 1 ] || fail "the finding of a test cannot be replayed"

# ---- a plain build: refused, unless the project asks
run 1 cmake -S p -B b3 "-Dburl_DIR=$package"
tr -s ' \n' ' ' <err >said
has said 'burl_add_test: fine is not compiled with burl-cc or burl-c++'
has said 'burl-toolchain.cmake'
run 0 cmake -S p -B b3 "-Dburl_DIR=$package" -DGUARD=ON
run 0 cmake --build b3 --target lost

# ---- one language only is burl's
run 1 env "burl_DIR=$package" CC="$PWD/the copy/bin/burl-cc" CXX=c++ cmake -S p -B b4
tr -s ' \n' ' ' <err >said
has said 'CMAKE_CXX_COMPILER is'

# ---- wrong calls
wrong() { # CALL MESSAGE
    mkdir -p q
    printf 'cmake_minimum_required(VERSION 3.15)\nproject(q C)\nenable_testing()\nfind_package(burl REQUIRED)\nadd_library(l STATIC ../p/lost.c)\nadd_executable(e ../p/lost.c)\n%s\n' \
        "$1" >q/CMakeLists.txt
    run 1 cmake -S q -B bq --toolchain "$package/burl-toolchain.cmake"
    tr -s ' \n' ' ' <err >said
    has said "$2"
}
wrong 'burl_add_test(nothing)' 'there is no target nothing'
wrong 'burl_add_test(l)' 'l is not an executable'
wrong 'burl_add_test()' 'expects a target'
wrong 'burl_add_test(e STRATEGI random)' 'STRATEGI'
wrong 'find_package(burl 99 REQUIRED)' 'version'
wrong 'find_package(burl 0.0.1 REQUIRED)' 'version'

# ---- arguments as add_test() passes them; names that are one identifier
mkdir w
cat >w/CMakeLists.txt <<'LISTS'
cmake_minimum_required(VERSION 3.15)
project(w C)
enable_testing()
find_package(burl REQUIRED)
add_executable(words ../p/words.c)
burl_add_test(words NAME many ARGS "a;b" "" "c d" "'$x'" ";" RUNS 2)
burl_add_test(words NAME empty ARGS "" RUNS 2)
burl_add_test(words NAME zero ARGS 0 RUNS 2)
burl_add_test(words NAME list ARGS a;b OPTIONS ${nothing} RUNS 2)
burl_add_test(words NAME none ARGS ${nothing} RUNS 2 LABELS ${nothing})
burl_add_test(words NAME same.name RUNS 2)
burl_add_test(words NAME same-name RUNS 2)
LISTS
cat >p/words.c <<'SRC'
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *f = fopen("words.txt", "w");
    for (int i = 1; f != NULL && i < argc; i++) fprintf(f, "[%s]", argv[i]);
    return f == NULL || fclose(f) != 0;
}
SRC
run 0 cmake -S w -B bw --toolchain "$package/burl-toolchain.cmake"
run 0 cmake --build bw
words() { # TEST WORDS
    (cd bw && ctest -R "^$1\$") >out 2>&1 || fail "the test $1"
    [ "$(cat bw/words.txt)" = "$2" ] || fail "the arguments of $1: $(cat bw/words.txt)"
}
words many "[a;b][][c d]['\$x'][;]"
words empty '[]'
words zero '[0]'
words list '[a][b]'
words none ''
(cd bw && ctest --show-only=json-v1) >out
jq -e '[.tests[].command[] | select(startswith("--dir="))] | length == 7 and (unique | length) == 7' out >/dev/null || fail "two tests share a store"

# ---- pkg-config
command -v pkg-config >/dev/null || { echo "pkg-config is not installed; the rest passed"; exit 77; }
# A path without blanks, which pkg-config would escape.
ln -s "the copy" copy
PKG_CONFIG_PATH=$PWD/copy/share/pkgconfig
export PKG_CONFIG_PATH
[ "burl $(pkg-config --modversion burl)" = "$("$BURL" version | head -n 1 | cut -d' ' -f1,2)" ] || fail "the version of burl.pc"
for variable in burl cc cxx runtime test_wrapper; do
    [ -e "$(pkg-config --variable=$variable burl)" ] || fail "burl.pc: $variable"
done
eval "cc -c $(pkg-config --cflags burl) p/lost.c -o plain.o" || fail "the flags of burl.pc"
