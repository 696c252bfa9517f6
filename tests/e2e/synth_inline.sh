#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` records calls of functions that the header defines, static or C99 inline, like those of
# a source: the bug is found, and its corrected twin has none.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# The reference is counted by inline functions; `tally_add` reads and writes in two critical sections.
cat >tally.h <<'SRC'
#include <pthread.h>
struct tally {
    pthread_mutex_t lock;
    int n;
    int refs;
};
struct tally *tally_new(void);
void tally_end(struct tally *t);
int tally_get(struct tally *t);
inline void
tally_set(struct tally *t, int n)
{
    pthread_mutex_lock(&t->lock);
    t->n = n;
    pthread_mutex_unlock(&t->lock);
}
static inline void
tally_add(struct tally *t, int n)
{
#ifdef BUG
    tally_set(t, tally_get(t) + n);
#else
    pthread_mutex_lock(&t->lock);
    t->n += n;
    pthread_mutex_unlock(&t->lock);
#endif
}
SRC
cat >tally.c <<'SRC'
#include "tally.h"
#include <stdlib.h>
extern inline void tally_set(struct tally *t, int n);
struct tally *
tally_new(void)
{
    struct tally *t = calloc(1, sizeof *t);

    pthread_mutex_init(&t->lock, NULL);
    return t;
}
void
tally_end(struct tally *t)
{
    free(t);
}
int
tally_get(struct tally *t)
{
    int n;

    pthread_mutex_lock(&t->lock);
    n = t->n;
    pthread_mutex_unlock(&t->lock);
    return n;
}
SRC
cat >test_tally.c <<'SRC'
#include "tally.h"
int
main(void)
{
    struct tally *t = tally_new();

    tally_set(t, 3);
    tally_add(t, 4);
    if (tally_get(t) != 7)
        return 1;
    tally_end(t);
    return 0;
}
SRC
for level in -O0 -O2; do
    run 1 "$BURL" synth tally.h -- tally.c test_tally.c -DBUG $level
    has out '1; 5 calls of the API'
    has out 'tally_add: results match no sequential order'
    rm -r .burl
done
run 0 "$BURL" synth tally.h -- tally.c test_tally.c
has out '1; 5 calls of the API'
has out 'findings   none'

# A header without sources.
{
    sed -n '1,/^};/p' tally.h
    sed -n '/^struct tally \*$/,$p' tally.c | sed 's/^\(struct tally \*\|void\|int\)$/static inline &/'
    sed -n '/^inline/,$p' tally.h | sed 's/^inline/static &/'
} | sed '1i #include <stdlib.h>' >only.h
sed 's/tally.h/only.h/' test_tally.c >test_only.c
run 1 "$BURL" synth only.h -- test_only.c -DBUG
has out 'tally_add: results match no sequential order'
run 0 "$BURL" synth only.h -- test_only.c
has out 'findings   none'
