#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Schedule files that are truncated, damaged, foreign or from another version: exit code 2 and a
# message that says which; the store's own state is never touched.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >prog.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static int n;
static void *
work(void *arg)
{
    n++;
    return arg;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
EOF
"$BURL" cc -g prog.c -o prog -lpthread || fail "cannot build"
"$BURL" test --runs=500 ./prog >out 2>err
[ $? -eq 1 ] || fail "no finding to begin with: $(cat err)"
good=.burl/findings/1/schedule.txt
cat $good

refused() {
    echo "+ burl replay --schedule=$1"
    "$BURL" replay --schedule="$1" >out 2>err
    got=$?
    cat err
    [ $got -eq 2 ] || fail "$1: exit code $got, expected 2"
    [ -s err ] || fail "$1: no message"
}

"$BURL" replay --quiet --schedule=$good
[ $? -eq 1 ] || fail "the good file does not replay"

size=$(wc -c <$good)
for n in 0 1 10 $((size / 4)) $((size / 2)) $((size - 2)); do
    head -c "$n" $good >truncated.txt
    refused truncated.txt
done
# One digit changed: the checksum must notice.
sed 's/^\(.*seed[^0-9]*\)[0-9]/\17/' $good >changed.txt
cmp -s $good changed.txt || refused changed.txt
head -c 4096 /dev/urandom >noise.txt
refused noise.txt
printf 'hello\n' >foreign.txt
refused foreign.txt
sed '1s/[0-9][0-9]*/99/' $good >version.txt
cmp -s $good version.txt && fail "the first line has no version"
refused version.txt
grep -qi version err || fail "nothing about the version"

"$BURL" replay --schedule=not-there.txt >out 2>err
[ $? -ge 2 ] || fail "a missing file must be refused"
for word in 0 -1 x 99; do
    "$BURL" replay $word >out 2>err
    got=$?
    [ $got -eq 2 ] || fail "burl replay $word: exit code $got, expected 2"
done
# After all that the finding is as it was.
"$BURL" replay --quiet 1
[ $? -eq 1 ] || fail "the finding does not replay any more"
: >.burl/findings/1/schedule.txt
"$BURL" replay 1 >out 2>err
[ $? -eq 3 ] || fail "an emptied schedule in the store must give exit code 3"
exit 0
