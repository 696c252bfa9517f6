#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 120
#
# tests/e2e/gen_model.sh - burl gen --model: what is understood, kept, corrected, refused.
set -eu
. "$BURL_TEST_ROOT/tests/support/lib.inc"
model() { "$BURL" gen --model "$@" >out 2>err || fail "burl gen --model $* ended with $?"; }
refused() {
    want=$1
    shift
    code=0
    "$BURL" gen "$@" >out 2>err || code=$?
    [ "$code" -eq "$want" ] || fail "burl gen $* ended with $code, not $want"
}
has() { grep -q -e "$1" out || fail "no line with: $1"; }
lacks() { ! grep -q -e "$1" out || fail "a line with: $1"; }
says() { grep -q -e "$1" err || fail "not said: $1"; }

cat >pool.h <<'SRC'
#include <stdio.h>
typedef struct pool pool_t;
struct conn;
enum pool_mode { POOL_FIFO, POOL_LIFO };
/* 0, or -1 when there is no memory. The name may be NULL. */
int pool_open(pool_t **out, const char *name, enum pool_mode mode);
void pool_close(pool_t *p);
/* Blocks until there is one. */
struct conn *pool_acquire(pool_t *p);
void pool_release(pool_t *p, struct conn *c);
int pool_count(const pool_t *p);
void pool_print(const pool_t *p, FILE *f);
void pool_log(pool_t *p, const char *fmt, ...);
int pool_count_locked(pool_t *p);
SRC
model pool.h
has '^shared struct pool$'
has '^type struct pool: destroy pool_close$'
has '^make pool_open: returns int, success zero$'
has '^    out: makes struct pool$'
has '^    name: string nullable'
has '^    mode: int one of POOL_FIFO POOL_LIFO$'
has '^method pool_acquire: returns object struct conn, blocks$'
has '^    c: object struct conn consumed'
has '^method pool_count: returns int, readonly, dump$'
has '^    f: unknown  # a FILE is not made up'
has '^skip pool_log  # takes a variable number of arguments$'
has '^skip pool_count_locked  # is for callers that hold the lock'

# Kept beside the header it is read by itself, and reads back as it is.
cp out pool.burl
model pool.h
cmp -s out pool.burl || fail "the model reads back differently"

# Corrected: holds in everything that follows.
cat >pool.burl <<'SRC'
forbid pool_count_locked
method pool_print: returns nothing
    f: fixed stderr
not blocks pool_acquire
SRC
model pool.h
has '^    f: fixed stderr$'
has '^method pool_acquire: returns object struct conn$'
rm pool.burl
model pool.h --model-file=/dev/null
has '^method pool_acquire: returns object struct conn, blocks$'

# A file with a typing error is refused with its line, never half used.
printf 'shared struct pool\nforbid pool_prnt\n' >pool.burl
refused 2 --model pool.h
says 'pool.burl:2: pool.h has no function "pool_prnt"; did you mean pool_print()?'
rm pool.burl

# Two types are equally likely: asked, and the answer is taken from the command line or the file.
cat >two.h <<'SRC'
struct a; struct a *a_new(void); int a_get(struct a *a); void a_free(struct a *a);
struct b; struct b *b_new(void); int b_get(struct b *b); void b_free(struct b *b);
SRC
refused 2 --model two.h
says 'struct a, struct b'
model --shared='struct b' two.h
has '^method b_get'
echo 'shared struct a' >two.burl
model two.h
has '^method a_get'
model --shared='struct b' two.h
has '^method b_get'
refused 2 --model --shared='struct bb' two.h
says 'did you mean "struct b"?'

# A header of the user's own makes what the API leaves to an initializer.
cat >zero.h <<'SRC'
#pragma once
struct counter { int n; };
void counter_add(struct counter *c, int x);
int counter_get(struct counter *c);
SRC
refused 2 zero.h -- zero.c
says 'no function of zero.h makes a struct counter'
says 'static inline'
cat >more.h <<'SRC'
#include "zero.h"
static struct counter zero_one;
static inline struct counter *counter_one(void) { zero_one.n = 0; return &zero_one; }
SRC
echo 'include "more.h"' >zero.burl
model zero.h
has '^include "more.h"$'
has '^make counter_one: returns object struct counter$'

# What there is no test for.
printf 'int f(int x);\n' >none.h
refused 2 none.h -- none.c
says 'no object that threads could share'
printf 'struct q; struct q *q_new(void); void q_free(struct q *q); int q_f(struct q *q, int (*cb)(int, ...));\n' >cb.h
refused 2 cb.h -- cb.c
says 'q_f() cannot be called: cb'
says 'fixed my_function'
printf 'int f(struct q *\n' >broken.h
refused 2 broken.h -- broken.c
says 'does not compile by itself'
says 'broken.h:'
refused 2 nothing.h -- nothing.c
says 'nothing.h'
echo "ok"
