#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress select` on suites that are not as they were recorded: new tests, other commands,
# programs that are gone or not instrumented, no base, another suite; programs with shared objects,
# linked and loaded at run time; another build directory.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
export GIT_CEILING_DIRECTORIES=$PWD

selected() { jq -r '.selected[].name' out.json | sort | paste -sd' '; }

# selects NAMES [options]
selects() {
    run 0 "$BURL" regress select --json "${@:2}"
    mv out out.json
    [ "$(selected)" = "$1" ] || fail "selected \"$(selected)\", expected \"$1\""
}

cat >lib.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
void
add(int x)
{
    pthread_mutex_lock(&m);
    total += x;
    pthread_mutex_unlock(&m);
}
SRC
cat >plugin.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int calls;
void
plug(void)
{
    pthread_mutex_lock(&m);
    calls++;
    pthread_mutex_unlock(&m);
}
SRC
cat >main.c <<'SRC'
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
void add(int x);
static void (*plug)(void);
static void *
worker(void *arg)
{
    add(1);
    if (plug)
        plug();
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;
    void *p = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;

    if (p)
        plug = (void (*)(void))dlsym(p, "plug");
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
cat >other.c <<'SRC'
int
main(void)
{
    return 0;
}
SRC
build_all() {
    "$BURL" cc -g -O1 -fPIC -shared lib.c -o libadd.so || fail lib
    "$BURL" cc -g -O1 -fPIC -shared plugin.c -o plugin.so || fail plugin
    "$BURL" cc -g -O1 main.c -o main -L. -ladd -Wl,-rpath,'$ORIGIN' -ldl -lpthread || fail main
    build other
}
cat >burl.tests <<'TESTS'
linked: ./main
loaded: ./main ./plugin.so
other: ./other
TESTS

echo "== no base"
run 2 "$BURL" regress select
has err "run \`burl regress record\` first"
run 2 "$BURL" regress show
has err "run \`burl regress record\` first"

build_all
run 0 "$BURL" regress record --as=v1
run 2 "$BURL" regress show
has err "run \`burl regress select\` first"
selects ""
holds '.programs == 2 and .unchanged == 2' "programs differ without a change"
run 2 "$BURL" regress select --base=v0
has err "v0"

echo "== a change in a linked library, and in one that is loaded"
cp lib.c lib.c.orig
sed -i '/mutex_.*lock(/d' lib.c
build_all
selects "linked loaded"
cp lib.c.orig lib.c
sed -i '/mutex_.*lock(/d' plugin.c
build_all
selects "loaded"
holds '.selected[0].reason | test("plugin.c:7 .* calls .changed: lock of m removed. in (main|worker); ")' "reason"

echo "== tests that are new, or have other commands"
echo 'new: ./other' >>burl.tests
selects "loaded new"
holds '.selected[1].unknown and (.selected[1].reason | test("it is new in the suite"))' "reason"
sed -i 's|^new: .*||; s|^linked: .*|linked: ./main ./none.so|' burl.tests
selects "linked loaded"
holds '[.selected[] | select(.name == "linked")][0].reason | test("command")' "reason"
sed -i 's|^linked: .*|linked: ./main|; s|^other: .*||' burl.tests
selects "loaded"
holds '.n_tests == 2' "a test that is gone is counted"
run 2 "$BURL" regress select --only='nosuch*'
has err "no test matches --only=nosuch*"

echo "== programs that are gone, or not instrumented any more"
echo 'other: ./other' >>burl.tests
mv other other.gone
run 2 "$BURL" regress select
has err "test other: $PWD/other does not exist"
clang-19 other.c -o other 2>/dev/null || cc other.c -o other
run 2 "$BURL" regress select
has err "test other: $PWD/other has no instrumented code"
mv other.gone other

echo "== a suite of other tests"
echo 'nothing: ./other' >else.tests
run 2 "$BURL" regress select --suite=else.tests
has err "version v1 was recorded of the suite \"file burl.tests\""

echo "== the base is damaged: its tests are selected"
rm -f .burl/targets/* .burl/regress/*.bc
selects "linked loaded"
holds '.selected[0].unknown and (.changed[0].problem | length > 0)' "no reason"
