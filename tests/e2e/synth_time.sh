#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# --time holds while violations are minimized and confirmed, not only between tests, for `burl synth`
# and `burl gen`; what was seen before the end is a finding, as large as it is, or said to be cut.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# A table that is changed under a lock for reading: every test of it shows many failures and races.
cat >memo.h <<'SRC'
#pragma once
struct memo;
struct memo *memo_open(void);
void memo_close(struct memo *t);
/* Computes and keeps the square of n. */
long memo_lookup(struct memo *t, int n);
int memo_computed(struct memo *t);
void memo_forget(struct memo *t, int n);
SRC
cat >memo.c <<'SRC'
#include "memo.h"
#include <pthread.h>
#include <stdlib.h>
struct cell {
    int n;
    long square;
    struct cell *next;
};
struct memo {
    pthread_rwlock_t lock;
    struct cell *cells;
    int computed;
};
struct memo *
memo_open(void)
{
    struct memo *t = calloc(1, sizeof *t);

    pthread_rwlock_init(&t->lock, NULL);
    return t;
}
void
memo_close(struct memo *t)
{
    struct cell *c;

    while ((c = t->cells) != NULL) {
        t->cells = c->next;
        free(c);
    }
    pthread_rwlock_destroy(&t->lock);
    free(t);
}
long
memo_lookup(struct memo *t, int n)
{
    struct cell *c;

    pthread_rwlock_rdlock(&t->lock);
    for (c = t->cells; c != NULL && c->n != n;)
        c = c->next;
    if (c == NULL) {
        c = malloc(sizeof *c);
        *c = (struct cell){ n, (long)n * n, t->cells };
        t->cells = c;
        t->computed++;
    }
    pthread_rwlock_unlock(&t->lock);
    return (long)n * n;
}
int
memo_computed(struct memo *t)
{
    int n;

    pthread_rwlock_rdlock(&t->lock);
    n = t->computed;
    pthread_rwlock_unlock(&t->lock);
    return n;
}
void
memo_forget(struct memo *t, int n)
{
    pthread_rwlock_rdlock(&t->lock);
    for (struct cell **p = &t->cells; *p != NULL; p = &(*p)->next) {
        if ((*p)->n == n) {
            struct cell *c = *p;

            *p = c->next;
            t->computed--;
            free(c);
            break;
        }
    }
    pthread_rwlock_unlock(&t->lock);
}
SRC
cat >test.c <<'SRC'
#include "memo.h"
int
main(void)
{
    struct memo *t = memo_open();

    memo_lookup(t, 7);
    memo_lookup(t, 8);
    memo_forget(t, 7);
    memo_lookup(t, 8);
    memo_close(t);
    return 0;
}
SRC

# in_time SECONDS COMMAND...: the command has findings and ends that long after its time.
in_time() {
    local most=$1 begin=$SECONDS
    shift
    run 1 "$@"
    [ $((SECONDS - begin)) -le $((most * ${BURL_TEST_SLOW:-1})) ] ||
        fail "it took $((SECONDS - begin)) s: $*"
}

# Compiling and recording come before the time begins. A slow build of burl needs more of it for a finding.
budget=$((2 * ${BURL_TEST_SLOW:-1}))s
in_time 10 "$BURL" synth --time=$budget --dir=synth memo.h -- memo.c test.c
has out 'so far; not every test was run'
in_time 10 "$BURL" gen --keep-going --time=$budget --dir=gen memo.h -- memo.c
for d in synth gen; do
    for t in "$d"/findings/*/; do
        run 1 "$BURL" replay --quiet --dir="$d" "$(basename "$t")"
    done
done
