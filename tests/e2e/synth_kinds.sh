#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What `burl synth` looks for besides two critical sections: data races on an object with two owners,
# deadlocks of calls on crossed objects, updates of atomic fields in two steps, static state. Each
# program with -DBUG is flagged and without it is not; --for chooses.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# Two owners of one counter: each locks itself, not the counter.
cat >race.h <<'SRC'
struct counter;
struct owner;
struct counter *counter_new(void);
long counter_value(struct counter *c);
struct owner *owner_new(void);
void owner_use(struct owner *o, struct counter *c);
long owner_step(struct owner *o);
SRC
cat >race.c <<'SRC'
#include "race.h"
#include <pthread.h>
#include <stdlib.h>
struct counter { pthread_mutex_t m; long v; };
struct owner { pthread_mutex_t m; struct counter *c; };
struct counter *
counter_new(void)
{
    struct counter *c = calloc(1, sizeof *c);
    pthread_mutex_init(&c->m, NULL);
    return c;
}
long counter_value(struct counter *c) { pthread_mutex_lock(&c->m); long v = c->v; pthread_mutex_unlock(&c->m); return v; }
struct owner *
owner_new(void)
{
    struct owner *o = calloc(1, sizeof *o);
    pthread_mutex_init(&o->m, NULL);
    return o;
}
void owner_use(struct owner *o, struct counter *c) { pthread_mutex_lock(&o->m); o->c = c; pthread_mutex_unlock(&o->m); }
long
owner_step(struct owner *o)
{
    long v = -1;
    pthread_mutex_lock(&o->m);
    if (o->c) {
#ifndef BUG
        pthread_mutex_lock(&o->c->m);
#endif
        v = ++o->c->v;
#ifndef BUG
        pthread_mutex_unlock(&o->c->m);
#endif
    }
    pthread_mutex_unlock(&o->m);
    return v;
}
SRC
cat >race_seed.c <<'SRC'
#include "race.h"
int
main(void)
{
    struct owner *o = owner_new();
    struct counter *c = counter_new();
    owner_use(o, c);
    owner_step(o);
    return counter_value(c) != 1;
}
SRC

# Locks both arguments in the order given, or by address.
cat >dead.h <<'SRC'
struct purse;
struct purse *purse_new(int n);
int purse_sum(struct purse *p);
int purse_move(struct purse *from, struct purse *to, int n);
SRC
cat >dead.c <<'SRC'
#include "dead.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
struct purse { pthread_mutex_t m; int n; };
struct purse *
purse_new(int n)
{
    struct purse *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->m, NULL);
    p->n = n;
    return p;
}
int purse_sum(struct purse *p) { pthread_mutex_lock(&p->m); int n = p->n; pthread_mutex_unlock(&p->m); return n; }
int
purse_move(struct purse *from, struct purse *to, int n)
{
    struct purse *first = from, *second = to;
    if (from == to)
        return 0;
#ifndef BUG
    if ((uintptr_t)from > (uintptr_t)to) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->m);
    pthread_mutex_lock(&second->m);
    from->n -= n;
    to->n += n;
    pthread_mutex_unlock(&second->m);
    pthread_mutex_unlock(&first->m);
    return n;
}
SRC
cat >dead_seed.c <<'SRC'
#include "dead.h"
int
main(void)
{
    struct purse *a = purse_new(5), *b = purse_new(6);
    purse_move(a, b, 2);
    return purse_sum(a) != 3 || purse_sum(b) != 8;
}
SRC

# A ticket is taken with two atomic operations, or with one.
cat >atom.h <<'SRC'
struct desk;
struct desk *desk_new(int n);
int desk_left(struct desk *d);
int desk_take(struct desk *d);
SRC
cat >atom.c <<'SRC'
#include "atom.h"
#include <stdatomic.h>
#include <stdlib.h>
struct desk { atomic_int left; };
struct desk *desk_new(int n) { struct desk *d = calloc(1, sizeof *d); atomic_init(&d->left, n); return d; }
int desk_left(struct desk *d) { return atomic_load(&d->left); }
int
desk_take(struct desk *d)
{
    int n = atomic_load(&d->left);
#ifdef BUG
    if (n > 0)
        atomic_store(&d->left, n - 1);
#else
    while (n > 0 && !atomic_compare_exchange_weak(&d->left, &n, n - 1)) {
    }
#endif
    return n;
}
SRC
cat >atom_seed.c <<'SRC'
#include "atom.h"
int main(void) { struct desk *d = desk_new(3); return desk_take(d) != 3 || desk_left(d) != 2; }
SRC

# A table of names without an object: every client has the same one.
cat >stat.h <<'SRC'
/* Number of the name, given at its first use. */
int name_number(const char *name);
int name_count(void);
SRC
cat >stat.c <<'SRC'
#include "stat.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *names[16];
static int n;
int
name_number(const char *name)
{
    int i = 0, at = -1;
    pthread_mutex_lock(&m);
    for (; i < n; i++)
        if (strcmp(names[i], name) == 0)
            at = i;
#ifdef BUG
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    if (at < 0 && n < 16) {
        names[n] = strdup(name);
        at = n++;
    }
    pthread_mutex_unlock(&m);
    return at;
}
int name_count(void) { pthread_mutex_lock(&m); int c = n; pthread_mutex_unlock(&m); return c; }
SRC
cat >stat_seed.c <<'SRC'
#include "stat.h"
int main(void) { return name_number("oak") != 0 || name_number("elm") != 1 || name_count() != 2; }
SRC

for api in race dead atom stat; do
    run 1 "$BURL" synth --dir=bug.$api $api.h -- -DBUG $api.c ${api}_seed.c
    case $api in
        race) grep -q 'data race on o->c->v' out || fail "the race is not found" ;;
        dead) grep -q 'wait for each other' out || fail "the deadlock is not found" ;;
        *) grep -q 'not linearizable' out || fail "$api: the lost step is not found" ;;
    esac
    run 0 "$BURL" synth --dir=ok.$api $api.h -- $api.c ${api}_seed.c
done

# --for: each kind alone.
run 1 "$BURL" synth --dir=for1 --for=races race.h -- -DBUG race.c race_seed.c
run 1 "$BURL" synth --dir=for2 --for=atomicity race.h -- -DBUG race.c race_seed.c
grep -q 'data race' out && fail "--for=atomicity reports races"
run 0 "$BURL" synth --dir=for3 --for=deadlocks race.h -- -DBUG race.c race_seed.c
run 1 "$BURL" synth --dir=for4 --for=deadlocks dead.h -- -DBUG dead.c dead_seed.c
run 0 "$BURL" synth --dir=for5 --for=races,atomicity atom.h -- atom.c atom_seed.c
run 2 "$BURL" synth --for=livelocks atom.h -- atom.c atom_seed.c
grep -q 'atomicity, races, deadlocks' err || fail "the list of kinds is not named"
