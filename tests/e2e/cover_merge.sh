#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What campaigns cover adds up, and survives the rebuild of modules that were not changed; --forget
# begins anew. The stop rule ends a campaign that covers nothing new.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

cat >shared.c <<'SRC'
#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void step_x(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
void step_y(void) { pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); }
SRC
cat >main.c <<'SRC'
#include <pthread.h>
#include <string.h>
void step_x(void);
void step_y(void);
static void *run(void *a) { if (a) step_y(); else step_x(); return a; }
int main(int argc, char **argv)
{
    pthread_t t[2];
    void *which = argc > 1 && strcmp(argv[1], "y") == 0 ? t : 0;
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, which);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
SRC
make_prog() {
    "$BURL" cc -g -O1 -c shared.c && "$BURL" cc -g -O1 -c main.c &&
        "$BURL" cc shared.o main.o -o prog -lpthread || fail "cannot build"
}
make_prog

pairs() { sqlite3 .burl/burl.db 'SELECT count(*) FROM cover_items WHERE metric = 0'; }
shown() { awk '/^LP /{ gsub(",", ""); print $3 }' out; }

run 0 "$BURL" cover --runs=100 ./prog x
[ "$(pairs)" -eq 1 ] || fail "$(pairs) pairs with x"
run 0 "$BURL" cover --runs=100 ./prog y
[ "$(pairs)" -eq 2 ] || fail "$(pairs) pairs with x and y"
has out "200 executions in 2 campaigns"
[ "$(shown)" -eq 2 ] || fail "shown: $(shown)"
# The first execution is that of all campaigns: the second began at 100.
[ "$(sqlite3 .burl/burl.db 'SELECT max(execution) >= 100 FROM cover_items WHERE metric = 0')" -eq 1 ] ||
    fail "ordinals do not go on"

# main.c is changed, shared.c is not: its pairs still count.
sed -i 's/return 0;/return argc > 9;/' main.c
make_prog
run 0 "$BURL" cover --runs=100 ./prog x
[ "$(shown)" -eq 2 ] || fail "after the rebuild of main.c: $(shown)"
[ "$(pairs)" -eq 2 ] || fail "$(pairs) pairs after the rebuild of main.c"
# shared.c is changed: what was covered there has to be covered again.
sed -i 's/x++/x += 2/' shared.c
make_prog
run 0 "$BURL" cover --runs=100 ./prog x
[ "$(shown)" -eq 1 ] || fail "after the change of shared.c: $(shown)"

run 0 "$BURL" cover --runs=100 --forget ./prog y
[ "$(pairs)" -eq 1 ] || fail "--forget kept $(pairs) pairs"
has out "100 executions in 1 campaign"

# Another program has a count of its own.
cp prog other
run 0 "$BURL" cover --runs=100 ./other x
has out "100 executions in 1 campaign"

run 0 "$BURL" cover --forget --time=60s --until-saturated=3 ./prog x
has err "saturated: nothing new was covered"
n=$(sqlite3 .burl/burl.db "SELECT executions FROM cover_programs WHERE path LIKE '%/prog'")
[ "$n" -ge 300 ] && [ "$n" -lt 2000 ] || fail "stopped after $n executions"
run 0 "$BURL" cover --forget --time=60s --until-saturated=3 --jobs=2 ./prog x
m=$(sqlite3 .burl/burl.db "SELECT executions FROM cover_programs WHERE path LIKE '%/prog'")
[ "$n" -eq "$m" ] || fail "stopped after $n executions, and after $m with two jobs"
exit 0
