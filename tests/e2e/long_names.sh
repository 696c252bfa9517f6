#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Long names: programs and libraries in directories whose path is longer than 256 bytes, names of source files
# of 200 bytes, functions and conditions that leave no room in the text of a failed assertion. Reports keep names,
# lines and the condition, and a small program is still searched exhaustively. A name of a file stays on its line.
# BURL-TIMEOUT: 240
. "$BURL_TEST_ROOT/tests/support/lib.inc"

part=directory-with-a-long-name-0123456789-0123456789-0123456789
deep=$PWD/$part/$part/$part/$part/$part
long=$(printf 'l%.0s' $(seq 200))
mkdir -p "$deep" || fail mkdir

cat >"$deep/lost.c" <<'SRC'
#include <assert.h>
#include <pthread.h>
static int total;
static void *add(void *p)
{
    total++;
    return p;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, add, 0);
    pthread_create(&t[1], 0, add, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(total == 2);
    return 0;
}
SRC
cat >"$deep/locked.c" <<'SRC'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *add(void *p)
{
    pthread_mutex_lock(&m);
    total++;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    assert(total == 2);
    return 0;
}
SRC
(
    cd "$deep" || exit 1
    build lost
    run 1 "$BURL" test --runs=300 --seed=1 --brief ./lost
    has out "lost.c:16: crash.abort: T0 main: assertion \`total == 2' failed at lost.c:16"
    has out 'lost.c:6: race.data: data race on total (global, 4 bytes): '
    run 1 "$BURL" replay 1
    has out 'reproduced exactly'
    build locked
    run 0 "$BURL" test --time=1m --dir=proof ./locked
    has out 'exhaustive: '
    hasnt out 'not complete'
    # Another program of this name is searched anew.
    sed -i 's/pthread_mutex_lock(&m);/int v = total;&/; s/total++/total = v + 1/' locked.c
    build locked
    run 1 "$BURL" test --time=1m --dir=proof ./locked
    has out "assertion \`total == 2' failed"
) || exit 1

# A library there.
echo 'int shared_n; void bump(void) { shared_n++; }' >"$deep/bump.c"
"$BURL" cc -g -shared -fPIC "$deep/bump.c" -o "$deep/libbump.so" || fail "libbump.so"
cat >user.c <<'SRC'
#include <pthread.h>
void bump(void);
static void *work(void *p)
{
    bump();
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    bump();
    pthread_join(t, 0);
    return 0;
}
SRC
build user "-L$deep" -lbump "-Wl,-rpath,$deep"
run 1 "$BURL" test --runs=300 --seed=1 --brief ./user
has out 'bump.c:1: race.data: data race on shared_n (global, 4 bytes): '

# Long names of files and functions, and a long condition.
sed "s/total == 2/total == 2 \&\& \"$long$long\"/" "$deep/lost.c" >"$long.c"
"$BURL" cc -g "$long.c" -o condition -lpthread || fail "cc"
run 1 "$BURL" test --runs=300 --seed=1 --dir=condition.d --brief ./condition
has out "$long.c:16: crash.abort: T0 main: assertion \`total == 2 && \""
has out "...' failed at $long.c:16"
sed "s/^int main(void)/template <class A, class B, class C, class D> __attribute__((noinline)) void check(A a, B, C, D)\n{\n    assert(a == 2);\n}\nstruct $long;\n&/; s/assert(total == 2)/check(total, (struct $long *)nullptr, (struct $long **)nullptr, 0)/" \
    "$deep/lost.c" >"x$long.cpp"
"$BURL" c++ -g "x$long.cpp" -o template -lpthread || fail "c++"
run 1 "$BURL" test --runs=300 --seed=1 --dir=template.d --brief ./template
has out "x$long.cpp:11: crash.abort: T0 main: assertion \`a == 2' failed at x$long.cpp:11"
run 0 "$BURL" show --dir=template.d --json 1
jq -e --arg f "x$long.cpp" '.where.file == $f and .where.line == 11' out >/dev/null || fail "the place of the assertion"

# A line break in the name of a file.
{ printf '#line 1 "odd\\nname\\t.c"\n' && cat "$deep/lost.c"; } >odd.c
build odd
run 1 "$BURL" test --runs=300 --seed=1 --dir=odd.d ./odd
has out 'odd?name?.c:16'
run 1 "$BURL" findings --dir=odd.d
n=$("$BURL" findings --dir=odd.d --json | jq '.findings | length')
[ "$(wc -l <out)" -eq "$n" ] || fail "a name broke a line of the list"
echo "long names"
