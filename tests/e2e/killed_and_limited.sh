#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is left of killed commands is removed by the next, and messages name the cause when the environment
# has too little. A program that signals its parent does not end burl.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >p.c <<'X'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    if (argc > 1)
        kill(getppid(), atoi(argv[1]));
    w(0);
    pthread_join(t, 0);
    return 0;
}
X
build p

# ---- temporary directories: old and not locked goes, young or locked stays
mkdir tmp
mkdir tmp/burl-cc-aaaaaa tmp/burl-cc-bbbbbb tmp/burl-cc-cccccc tmp/burl-cc-notours-1
touch tmp/burl-cc-aaaaaa/x.bc
touch -d '2 hours ago' tmp/burl-cc-aaaaaa tmp/burl-cc-cccccc tmp/burl-cc-notours-1
exec 9<tmp/burl-cc-cccccc
flock 9
TMPDIR=$PWD/tmp "$BURL" cc -g p.c -o p2 -lpthread || fail "cannot compile"
[ ! -e tmp/burl-cc-aaaaaa ] || fail "the directory of a killed compiler is still there"
[ -e tmp/burl-cc-bbbbbb ] || fail "a directory that was just made was removed"
[ -e tmp/burl-cc-cccccc ] || fail "a directory in use was removed"
[ -e tmp/burl-cc-notours-1 ] || fail "a directory of another name was removed"
[ "$(ls tmp | wc -l)" -eq 3 ] || fail "burl cc left a directory"
exec 9<&-

# ---- limits
(ulimit -n 150 && want 3 "ulimit -n" "$BURL" test --runs=2 -- ./p) || fail "ulimit -n"
# A compiler that is killed.
mkdir bin
printf '#!/bin/sh\ncase "$*" in *-c*|*.c*) kill -9 $$ ;; esac\nexec clang-19 "$@"\n' >bin/clang-19
chmod +x bin/clang-19
PATH=$PWD/bin:$PATH "$BURL" cc -g p.c -o p3 >out 2>&1 && fail "a killed compiler is a success"
grep -qi "killed" out || fail "a killed compiler is not named"

# ---- a store that cannot be written is noticed before the program runs
cat >mark.c <<'X'
#include <stdio.h>
int main(void) { fclose(fopen("ran", "w")); return 0; }
X
build mark
run 0 "$BURL" run -- ./mark
rm ran
echo garbage >.burl/burl.db
want 3 "burl.db" "$BURL" run -- ./mark
[ ! -e ran ] || fail "the program ran although its store cannot be used"
rm -rf .burl

# ---- signals to the parent
for sig in 15 2 1 10 14; do
    run 0 "$BURL" test --runs=20 --seed=1 --reset=snapshot --dir=s$sig -- ./p $sig
    has out "executions in"
done
