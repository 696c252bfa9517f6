#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/meson_package.sh - `meson test --setup=burl` with the wrapper of an installed copy, as
# docs/howto/build-systems.md shows it.
# BURL-TIMEOUT: 300
. "$BURL_TEST_ROOT/tests/support/lib.inc"
for tool in meson ninja pkg-config; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
sh "$BURL_TEST_ROOT/scripts/install.sh" "$BURL_TEST_BUILD" /opt "$PWD/root"
mv root/opt copy
unset CC CXX CFLAGS CXXFLAGS || :
PKG_CONFIG_PATH=$PWD/copy/share/pkgconfig
export PKG_CONFIG_PATH

mkdir p
cat >p/count.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int n;
static _Atomic int exact;
static void *add(void *arg)
{
    if (arg)
        n = n + 1;
    else
        exact++;
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    (void)argv;
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, argc > 1 ? &n : NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return n + exact == 2 ? 0 : 1;
}
SRC
printf '#!/bin/sh\nexit 0\n' >p/script.sh
chmod +x p/script.sh
cat >p/meson.build <<'MESON'
project('p', 'c', default_options: ['debug=true'])
count = executable('count', 'count.c', dependencies: dependency('threads'))
test('exact', count)
test('racy', count, args: ['racy'])
test('script', find_program('script.sh'))
test('elsewhere', count, workdir: meson.current_source_dir())
test('environment', count, env: ['A=b'])
MESON
# The lines of the how-to.
sed -n '/^    burl = dependency/,/^    endif/s/^    //p' "$BURL_TEST_ROOT/docs/howto/build-systems.md" >>p/meson.build
has p/meson.build add_test_setup

run 0 env CC="$PWD/copy/bin/burl-cc" meson setup b p
run 0 ninja -C b
# Two tests of one program at the same time: each has a store of its own.
run 1 meson test -C b --setup=burl --num-processes=4
grep -qE ' exact +OK' out || fail "the correct test"
for name in elsewhere environment; do
    grep -qE " $name +OK" out || fail "tests that differ in their environment, at the same time"
done
grep -qE ' racy +FAIL' out || fail "the racy test"
grep -qE ' script +SKIP' out || fail "a script is not skipped"
# A test with a working directory of its own leaves nothing in the sources.
[ ! -e p/.burl ] || fail "a store in the sources"
[ "$(find b/.burl -mindepth 1 -maxdepth 1 -type d | wc -l)" -le 4 ] || fail "stores: $(ls b/.burl)"
found=
for store in b/.burl/*; do
    "$BURL" findings --dir="$store" >/dev/null && continue
    "$BURL" replay --dir="$store" 1 >out 2>&1
    [ $? -eq 1 ] || fail "the finding of a test cannot be replayed"
    found=yes
done
[ -n "$found" ] || fail "no store has a finding"
run 0 meson test -C b exact
# The same project without burl.
run 0 env CC=cc meson setup plain p
run 0 ninja -C plain
run 1 meson test -C plain --setup=burl
has err burl

wrapper=$(pkg-config --variable=test_wrapper burl)
run 2 "$wrapper" --time=1s
run 77 "$wrapper" plain/count
run 1 "$wrapper" --runs=200 --stop-at-first b/count racy
