#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests that run several programs, with a shared object: the history is kept per program, and the bitcode
# of every module of every file is in the store.
. "$BURL_TEST_ROOT/tests/e2e/regress_lib.inc"

cat >lib.c <<'SRC'
int shared_n;
void
shared_add(void)
{
    shared_n++;
}
SRC
cat >unused.c <<'SRC'
int unused;
void
unused_set(void)
{
    unused = 1;
}
SRC
cat >use.c <<'SRC'
#include <pthread.h>
void shared_add(void);
static void *
work(void *arg)
{
    shared_add();
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t t;

    (void)argv;
    if (argc == 1)
        return 0;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
SRC
mkdir -p tree/bin tree/lib
"$BURL" cc -g -shared -fPIC lib.c unused.c -o tree/lib/libshared.so || fail "cannot build the library"
"$BURL" cc -g use.c -o tree/bin/use -Ltree/lib -lshared -Wl,-rpath,"$PWD/tree/lib" -lpthread ||
    fail "cannot build use"
pair prog
cat >burl.tests <<'T'
both: sh -c './prog; tree/bin/use'
forked: sh -c './prog & ./prog; wait'
library: tree/bin/use 1
T
run 0 "$BURL" regress record
has out 'version base: 3 of 3 tests recorded'
# With the library, of which the first test loads and does not execute anything.
has out '(4 modules in 3 files)'
rows 'SELECT name, program FROM version_histories ORDER BY name, program' 'both|prog
both|tree/bin/use
forked|prog
library|tree/bin/use'
[ "$(ls .burl/regress | wc -l)" -eq 4 ] || fail "bitcode: $(ls .burl/regress)"
# A changed library starts the version over, also for programs that did not change.
echo 'int more(void) { return 1; }' >>lib.c
"$BURL" cc -g -shared -fPIC lib.c unused.c -o tree/lib/libshared.so || fail "cannot build the library"
run 0 "$BURL" regress record
has err 'tree/lib/libshared.so was built again since version base was recorded'

# A program that a test builds again while the version is recorded.
cat >rebuild.sh <<T
./prog
sed 's/n++/n += 1/' prog.c >other.c
"$BURL" cc -g other.c -o prog.new -lpthread && mv prog.new prog
T
printf '%s\n' 'first: ./prog' 'rebuild: sh rebuild.sh' 'last: ./prog' >burl.tests
run 3 "$BURL" regress record --as=rebuilt
has err 'prog was built again while the version was recorded'
rows "SELECT t.name || t.state FROM version_tests t JOIN versions v ON v.id = version
    WHERE v.name = 'rebuilt' ORDER BY ix" 'first1
rebuild0
last0'
# Bitcode that was removed from the executable.
pair prog
objcopy --remove-section=.burl.bc prog stripped || fail objcopy
printf '%s\n' 'whole: ./prog' 'stripped: ./stripped' >burl.tests
run 4 "$BURL" regress record --as=stripped
has out 'pending: stripped (stripped has no bitcode in it (was it stripped?)'
