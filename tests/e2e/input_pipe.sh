#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/input_pipe.sh - standard input of programs that are executed many times: a file is given to
# each execution, data in a pipe is copied for them, and findings keep it.
. "$(dirname "$0")/tune_lib.inc"

cat >rd.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    sum += *(int *)arg;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[5];
    int x[5], n = 0;
    while (n < 5 && scanf("%d", &x[n]) == 1) {
        pthread_create(&t[n], 0, work, &x[n]);
        n++;
    }
    for (int i = 0; i < n; i++)
        pthread_join(t[i], 0);
    return n == 5 ? 0 : 7;
}
C
build rd
write_lost
build fixed -DFIXED
seq 5 >five

# Data in a pipe is copied: every execution gets it, and so does a replay.
cat five | "$BURL" tune --evaluations=2 ./rd >out 2>err || fail "exit code $? of tune"
cat five | "$BURL" test --runs=50 --reset=fork ./rd >out 2>err || fail "exit code $? of test"
cat five | "$BURL" test --runs=3 --engine=free ./rd >out 2>err || fail "exit code $? of free runs"
cat five | "$BURL" cover --runs=3 ./rd >out 2>err || fail "exit code $? of cover"
hasnt err 'standard input'
cat >sum.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int sum;
static void *add(void *arg)
{
    int before = sum;
    sum = before + *(int *)arg;
    return NULL;
}
int main(void)
{
    pthread_t t;
    int x;
    while (scanf("%d", &x) == 1) {
        pthread_create(&t, 0, add, &x);
        sum += 100;
        pthread_join(t, 0);
    }
    assert(sum % 100 == 3 * (sum / 100));
    return 0;
}
C
build sum
echo '3 3' | "$BURL" test --runs=300 --detect=none --dir=kept ./sum >out 2>err
[ $? -eq 1 ] || fail "nothing found"
want 1 'reproduced exactly' "$BURL" replay --dir=kept 1
want 0 'not reproduced' sh -c 'echo | "$0" replay --dir=kept 1' "$BURL"
want 1 'reproduced exactly' sh -c 'echo 3 3 | "$0" replay --dir=kept 1' "$BURL"
(cd / && want 1 'reproduced exactly' "$BURL" replay --dir="$OLDPWD/kept" 1) || exit 1
if command -v gdb >/dev/null; then
    printf 'burl back 2\ncontinue\n' | "$BURL" replay --dir=kept 1 --gdb >out 2>&1 || fail "gdb"
    [ "$(grep -c burl_failure_stop out)" -ge 2 ] || fail "gdb does not give the input to the program"
fi
# A campaign without an input leaves none behind.
"$BURL" test --runs=20 --detect=none --dir=kept --fresh ./sum </dev/null >out 2>err || fail "no input"

# A pipe that stays open: the writer holds the FIFO open and says when it has written.
mkfifo in
exec 3<>in
echo '1 2 3 4 5' >&3
"$BURL" test --dir=open --runs=3 ./fixed <in >out 2>err
[ $? -eq 2 ] || fail "a pipe that stays open"
exec 3>&-
has err 'standard input is a pipe that is not closed, and each execution needs the whole input; give a file (< FILE)'
[ ! -e open ] || fail "a store was made"
yes 1 | "$BURL" cover --dir=open --runs=3 ./fixed >out 2>err
[ $? -eq 2 ] || fail "a pipe without an end"
has err 'standard input is a pipe with more than 64 MB'

# A file; /dev/null; a pipe that is closed, and one that nothing is written to.
run 0 "$BURL" tune --evaluations=2 ./rd <five
run 0 "$BURL" tune --evaluations=1 ./fixed </dev/null
: | "$BURL" tune --evaluations=1 ./fixed >out 2>err || fail "a closed pipe"
exec 3<>in
"$BURL" tune --evaluations=1 ./fixed <in >out 2>err || fail "an idle pipe"
exec 3>&-
