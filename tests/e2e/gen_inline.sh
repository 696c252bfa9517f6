#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: functions that the header defines itself are watched like those of a source: the bug of
#   a header without sources is found, its corrected twin is silent, and threads do switch in them.
set -eu

# api NAME LOCK UNLOCK
api() {
    cat >"$1.h" <<EOF2
#include <pthread.h>
#include <stdlib.h>
struct tally {
    pthread_mutex_t lock;
    int n;
};
static inline struct tally *
tally_new(void)
{
    struct tally *c = calloc(1, sizeof *c);
    if (c != NULL)
        pthread_mutex_init(&c->lock, NULL);
    return c;
}
static inline void
tally_free(struct tally *c)
{
    free(c);
}
static inline int
tally_up(struct tally *c)
{
    int n;
    $2;
    n = ++c->n;
    $3;
    return n;
}
static int
tally_read(struct tally *c)
{
    int n;
    $2;
    n = c->n;
    $3;
    return n;
}
EOF2
}

api bad '(void)0' '(void)0'
api good 'pthread_mutex_lock(&c->lock)' 'pthread_mutex_unlock(&c->lock)'

code=0
"$BURL" gen --tests=200 --keep-going bad.h >out.txt 2>&1 </dev/null || code=$?
if [ $code -ne 1 ] || ! grep -q 'tally_up: results match no sequential order' out.txt ||
    ! grep -q 'data race on c->n' out.txt; then
    echo "the bug is missed: exit code $code"
    cat out.txt
    exit 1
fi
rm -rf .burl
code=0
"$BURL" gen --tests=200 good.h >out.txt 2>&1 </dev/null || code=$?
if [ $code -ne 0 ] || ! grep -q '3 of 3 pairs covered' out.txt; then
    echo "the corrected one: exit code $code, want 0 and all pairs covered"
    cat out.txt
    exit 1
fi
# With a source that uses them as well.
printf '#include "good.h"\nint more(struct tally *c) { return tally_up(c) + tally_read(c); }\n' >more.c
"$BURL" gen --tests=50 good.h -- more.c >out.txt 2>&1 </dev/null || { cat out.txt; exit 1; }
# Without any source and without a body there is nothing to call.
printf 'struct q;\nstruct q *q_new(void);\nint q_do(struct q *q);\n' >none.h
code=0
"$BURL" gen --tests=5 none.h >out.txt 2>&1 </dev/null || code=$?
[ $code -eq 2 ] && grep -q 'no sources' out.txt || { echo "none.h: exit code $code"; cat out.txt; exit 1; }
