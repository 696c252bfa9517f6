#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What LINE counts is said: a line without a site (a call within the file) is not known to have been
# missed, unless the program was built with --blocks. BLK without blocks says so. A header that one
# file calls ./x.h and another x.h is one file. Memory without a type is said to be covered, too.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >half.h <<'SRC'
static inline void
bump(int *p)
{
    *p += 1;
}
SRC
cat >half.c <<'SRC'
#include <pthread.h>
#include "./half.h"
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void other(void);
static int
twice(int n)
{
    return n * 2;
}
static void *
add(void *a)
{
    pthread_mutex_lock(&m);
    bump(&x);
    pthread_mutex_unlock(&m);
    other();
    return a;
}
int
main(int argc, char **argv)
{
    pthread_t t[2];
    int n = twice(argc) - 2;
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    if (argc > 1)
        n = twice(argc); /* never */
    return n;
}
SRC
cat >other.c <<'SRC'
#include <pthread.h>
#include "half.h"
static int y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void
other(void)
{
    pthread_mutex_lock(&m);
    bump(&y);
    pthread_mutex_unlock(&m);
}
SRC
never=$(grep -n '/\* never \*/' half.c | cut -d: -f1)
# both FLAGS-OF-HALF FLAGS-OF-OTHER
both() {
    "$BURL" cc -g -O1 $1 -c half.c && "$BURL" cc -g -O1 $2 -c other.c &&
        "$BURL" cc half.o other.o -o half -lpthread || fail "cannot build"
}
json() {
    "$BURL" cover report --json -d "$1" ./half >doc.json || fail "no report"
    jq -c "$2" doc.json
}

both "" ""
run 0 "$BURL" cover --runs=20 -d plain.d -m LP,LINE,BLK ./half
has out "LINE counts lines that access possibly shared memory"
has out "BLK: the program was built without basic-block coverage; build it with \`burl-cc --blocks\`"
[ "$(json plain.d '[.lines_complete, .blocks_told]')" = "[false,false]" ] || fail "told too much"
[ "$(json plain.d '[.files[].file]')" = '["half.c","half.h","other.c"]' ] ||
    fail "files: $(json plain.d '[.files[].file]')"
[ "$(json plain.d '[.sites[].file] | unique')" = '["half.h"]' ] || fail "other names of sites"
run 0 "$BURL" cover report --html=page -d plain.d -m BLK
has page/index.html "build it with \`burl-cc --blocks\`"

# LINE alone: the default metrics do not have BLK.
both --blocks --blocks
run 0 "$BURL" cover --runs=20 -d blocks.d ./half
hasnt out "LINE counts"
hasnt out "100.0%      0"
[ "$(json blocks.d .lines_complete)" = true ] || fail "blocks are told and lines are not complete"
[ "$(json blocks.d "[.files[] | select(.file == \"half.c\") | .missed[]]")" = "[$never]" ] ||
    fail "the line that never ran is not missed: $(json blocks.d '[.files[].missed]')"
run 0 "$BURL" cover --runs=20 -d blocks.d -m BLK ./half
hasnt out "without basic-block coverage"

both --blocks ""
run 0 "$BURL" cover --runs=20 -d some.d -m LINE,BLK ./half
has out "LINE: files built without"
hasnt out "BLK: the program"
[ "$(json some.d '[.lines_complete, .blocks_told]')" = "[false,true]" ] || fail "told too much"

# Only memory without a type: nothing is counted, and something is covered.
cat >raw.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *
fill(void *a)
{
    pthread_mutex_lock(&m);
    memset(a, 1, 16);
    pthread_mutex_unlock(&m);
    return 0;
}
int
main(void)
{
    pthread_t t[2];
    char *p = malloc(16);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, fill, p);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    free(p);
    return 0;
}
SRC
build raw
run 0 "$BURL" cover --runs=20 --fail-under=LP=100 ./raw
has out "only untyped pairs"
has out "1 more pair, 1 of them covered; not counted"
exit 0
