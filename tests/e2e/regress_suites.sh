#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Suites of `burl regress`: burl.tests, CTest and Meson, with directories, environments and limits; what
# is wrong with one is said with its place.
. "$BURL_TEST_ROOT/tests/e2e/regress_lib.inc"

# ---- burl.tests --------------------------------------------------------------------------
want 2 'there is no burl.tests; write one `name: command` per line' "$BURL" regress record
want 2 'there is no other.tests' "$BURL" regress record --suite=other.tests
: >burl.tests
want 2 'burl.tests has no tests' "$BURL" regress record
printf 'a: true\nb: true\na: false\n' >burl.tests
want 2 'burl.tests:3: the name "a" is that of line 1 too' "$BURL" regress record
printf 'a: true\nnonsense\n' >burl.tests
want 2 'burl.tests:2: expected `name: command`' "$BURL" regress record
printf 'a: true | false\n' >burl.tests
want 2 'needs a shell' "$BURL" regress record
printf 'a: true\n' >burl.tests
want 3 'no test ran a program that was built with `burl-cc`' "$BURL" regress record
want 2 'at least 1' "$BURL" regress record --repeat=0
want 2 '--as expects a text' "$BURL" regress record --as=
want 2 'is not a directory' "$BURL" regress record --ctest=nowhere
want 2 'is not a directory' "$BURL" regress record --meson=burl.tests
want 2 'give one' "$BURL" regress record --meson=. --ctest=.
[ ! -e .burl/regress ] || [ -z "$(ls .burl/regress)" ] || fail "bitcode of nothing"

# A version belongs to one suite.
pair prog
printf 'a: ./prog\n' >burl.tests
run 0 "$BURL" regress record --as=v1
cp burl.tests more.tests
want 2 'is of another suite (file burl.tests, and this is file more.tests)' \
    "$BURL" regress record --as=v1 --suite=more.tests
# Of another burl: recorded again, and not used before that.
db 'UPDATE versions SET wire = 1'
run 0 "$BURL" regress record --as=v1
has err 'another version of burl recorded v1; recording it again'
hasnt out 'already'

# In a directory of its own, with an environment, without input.
mkdir sub
cat >sub/show.sh <<'T'
pwd >"$OUT"
echo "$WORD" >>"$OUT"
read -r line || echo "no input" >>"$OUT"
exec ../prog
T
echo "t (dir=sub): OUT=seen WORD='two words' sh ./show.sh" >burl.tests
echo input | run 0 "$BURL" regress record --as=env
printf '%s\n' "$(cd sub && pwd)" 'two words' 'no input' >expected
diff expected sub/seen || fail "directory or environment"
rows "SELECT program FROM version_histories h JOIN versions v ON v.id = version WHERE v.name = 'env'" prog

# The suite, the programs and the store may lie elsewhere.
mkdir elsewhere
(cd elsewhere && "$BURL" regress record --suite=../burl.tests --dir=store >out 2>&1) || fail elsewhere
[ "$(sqlite3 elsewhere/store/burl.db 'SELECT program FROM version_histories')" = prog ] || fail key

# ---- CTest -------------------------------------------------------------------------------
# A tool that is not installed.
mkdir empty
for tool in 'ctest cmake' 'meson meson'; do
    PATH=$PWD/empty "$BURL" regress record "--${tool% *}=empty" >out 2>&1
    got=$?
    [ $got -eq 3 ] || fail "without ${tool% *}: exit code $got"
    has out "${tool% *} is not installed (on Debian: apt-get install ${tool#* })"
done

missing=
if command -v ctest >/dev/null; then
    want 2 'ctest knows no tests in ' "$BURL" regress record --ctest=empty
    mkdir cmake
    cp prog.c cmake
    cp sub/show.sh cmake
    sed -i 's|\.\./prog|"$PROG"|' cmake/show.sh
    cat >cmake/CMakeLists.txt <<'T'
cmake_minimum_required(VERSION 3.13)
project(p C)
enable_testing()
find_package(Threads REQUIRED)
add_executable(prog prog.c)
target_link_libraries(prog Threads::Threads)
add_test(NAME plain COMMAND prog)
add_test(NAME in_a_script COMMAND sh ${CMAKE_SOURCE_DIR}/show.sh)
set_tests_properties(in_a_script PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    ENVIRONMENT "OUT=seen;WORD=two words;PROG=$<TARGET_FILE:prog>")
add_test(NAME expected COMMAND prog 1)
set_tests_properties(expected PROPERTIES WILL_FAIL TRUE)
add_test(NAME skipped COMMAND prog 42)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 42)
add_test(NAME limited COMMAND sh -c "read x <${CMAKE_SOURCE_DIR}/../fifo")
set_tests_properties(limited PROPERTIES TIMEOUT 0.3)
add_test(NAME unbuilt COMMAND nosuch)
add_test(NAME off COMMAND prog)
set_tests_properties(off PROPERTIES DISABLED TRUE)
T
    mkfifo fifo
    exec 8<>fifo
    CC="$BURL cc" cmake -S cmake -B build >log 2>&1 && cmake --build build >>log 2>&1 ||
        fail "cmake: $(tail -n 20 log)"
    run 4 "$BURL" regress record --ctest=build --as=ctest
    has out 'version ctest: 3 of 6 tests recorded'
    has out '1 skipped: skipped (exit code 42)'
    has out '1 not started: unbuilt (it has no command; was it built?)'
    has out '1 not instrumented: limited'
    rows "SELECT DISTINCT program FROM version_histories h JOIN versions v ON v.id = version
        WHERE v.name = 'ctest'" prog
    printf '%s\n' "$PWD/cmake" 'two words' 'no input' >expected
    diff expected cmake/seen || fail "directory or environment of CTest"
    rows "SELECT suite FROM versions WHERE name = 'ctest'" 'ctest build'
else
    missing="$missing cmake"
fi

# ---- Meson -------------------------------------------------------------------------------
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    want 3 'meson cannot list the tests of ' "$BURL" regress record --meson=empty
    mkdir meson
    cp prog.c meson
    cat >meson/meson.build <<'T'
project('p', 'c')
prog = executable('prog', 'prog.c', dependencies: dependency('threads'))
test('same', prog, suite: 'one')
test('same', prog, suite: 'two', args: ['77'])
test('script', find_program('sh'), args: ['-c', 'pwd >seen; echo "$WORD" >>seen; exec "$0"', prog],
     env: ['WORD=two words'], workdir: meson.current_source_dir(), timeout: 20)
T
    CC="$BURL cc" meson setup mbuild meson >log 2>&1 && meson compile -C mbuild >>log 2>&1 ||
        fail "meson: $(tail -n 20 log)"
    run 0 "$BURL" regress record --meson=mbuild --as=meson
    has out 'version meson: 2 of 3 tests recorded'
    has out '1 skipped: p:two/same (exit code 77)'
    rows "SELECT group_concat(t.name, ', ') FROM version_tests t JOIN versions v ON v.id = version
        WHERE v.name = 'meson'" 'p:one/same, p:two/same, script'
    printf '%s\n' "$PWD/meson" 'two words' >expected
    diff expected meson/seen || fail "directory or environment of Meson"
else
    missing="$missing meson"
fi
[ -z "$missing" ] || { echo "everything else passed; not installed:$missing"; exit 77; }
