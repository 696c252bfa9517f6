#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What has no C form comes from the seed itself, which is stopped at the call: structs that it
# filled, callbacks with state that the library keeps, objects that it made without the library,
# long buffers. Each program with -DBUG is flagged, by a test that any compiler takes and that burl
# replays; its nearest correct ones are not.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

# Options with a callback and its state. -DAGAIN lets go of the lock as -DBUG does, and looks again.
cat >ledger.h <<'SRC'
#ifndef LEDGER_H
#define LEDGER_H
struct ledger_options {
    int limit;
    int (*fee)(void *state, int amount);
    void *state;
};
struct ledger;
struct ledger *ledger_open(const struct ledger_options *o);
void ledger_close(struct ledger *l);
int ledger_pay(struct ledger *l, int amount);
int ledger_total(struct ledger *l);
#endif
SRC
cat >ledger.c <<'SRC'
#include "ledger.h"
#include <pthread.h>
#include <stdlib.h>
struct ledger {
    pthread_mutex_t lock;
    struct ledger_options o;
    int total;
};
struct ledger *
ledger_open(const struct ledger_options *o)
{
    struct ledger *l;

    if (o == NULL || o->fee == NULL || o->limit <= 0)
        abort();
    l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    l->o = *o;
    return l;
}
void
ledger_close(struct ledger *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}
/* 0: beyond the limit. */
int
ledger_pay(struct ledger *l, int amount)
{
    int room;

    amount += l->o.fee(l->o.state, amount);
    pthread_mutex_lock(&l->lock);
    room = l->o.limit - l->total;
#if defined BUG || defined AGAIN
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&l->lock);
#endif
#ifdef AGAIN
    room = l->o.limit - l->total;
#endif
    if (room >= amount)
        l->total += amount;
    pthread_mutex_unlock(&l->lock);
    return room >= amount;
}
int
ledger_total(struct ledger *l)
{
    int n;

    pthread_mutex_lock(&l->lock);
    n = l->total;
    pthread_mutex_unlock(&l->lock);
    return n;
}
SRC
# The callback changes the client's own memory without a lock: not the library's race.
cat >ledger_seed.c <<'SRC'
#include "ledger.h"
#include <assert.h>
struct rate {
    int base;
    int percent;
    int n;
};
static int
fee(void *state, int amount)
{
    struct rate *r = state;

    r->n++;
    return r->base + amount * r->percent / 100;
}
static void
check(struct ledger *l)
{
    assert(ledger_pay(l, 40));
    assert(ledger_total(l) == 45);
}
int
main(void)
{
    struct rate rate = { .base = 1, .percent = 10 };
    struct ledger_options o = { .limit = 60, .fee = fee, .state = &rate };
    struct ledger *l = ledger_open(&o);

    check(l);
    ledger_close(l);
    return 0;
}
SRC

# Objects that the client makes itself, on its stack and in the heap, and a long buffer; a small
# framework that knows nothing of the library, and a helper that calls it.
cat >gauge.h <<'SRC'
#ifndef GAUGE_H
#define GAUGE_H
#include <pthread.h>
struct gauge {
    pthread_mutex_t lock;
    int value;
    int most;
};
#define GAUGE_INIT(most) { PTHREAD_MUTEX_INITIALIZER, 0, most }
/* Adds as much of n as there is room for; returns how much that is. */
int gauge_add(struct gauge *g, int n);
int gauge_value(struct gauge *g);
/* Adds all n bytes to it. */
int gauge_feed(struct gauge *g, const unsigned char *bytes, unsigned n);
#endif
SRC
cat >gauge.c <<'SRC'
#include "gauge.h"
int
gauge_add(struct gauge *g, int n)
{
    int room;

    pthread_mutex_lock(&g->lock);
    room = g->most - g->value;
#ifdef BUG
    pthread_mutex_unlock(&g->lock);
    pthread_mutex_lock(&g->lock);
#endif
    if (n > room)
        n = room;
    g->value += n;
    pthread_mutex_unlock(&g->lock);
    return n;
}
int
gauge_value(struct gauge *g)
{
    int n;

    pthread_mutex_lock(&g->lock);
    n = g->value;
    pthread_mutex_unlock(&g->lock);
    return n;
}
int
gauge_feed(struct gauge *g, const unsigned char *bytes, unsigned n)
{
    int sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += bytes[i];
    return gauge_add(g, sum);
}
SRC
cat >mini.h <<'SRC'
void mini_run(const char *name, void (*fn)(void));
int mini_end(void);
void set_up(void); /* of the tests */
SRC
cat >mini.c <<'SRC'
#include "mini.h"
#include <stdio.h>
static int n_run;
void
mini_run(const char *name, void (*fn)(void))
{
    set_up();
    fn();
    n_run++;
    printf("ok %s\n", name);
}
int
mini_end(void)
{
    return n_run == 2 ? 0 : 1;
}
SRC
cat >helper.c <<'SRC'
#include "gauge.h"
#include <assert.h>
void fill(struct gauge *g, int n);
void
fill(struct gauge *g, int n)
{
    assert(gauge_add(g, n) == n);
}
SRC
cat >gauge_seed.c <<'SRC'
#include "gauge.h"
#include "mini.h"
#include <assert.h>
#include <stdlib.h>
void fill(struct gauge *g, int n);
static int most;
void set_up(void) { }
static void
check(void)
{
    struct gauge g = GAUGE_INIT(0);

    g.most = most;
    fill(&g, 7);
    assert(gauge_value(&g) == 7);
}
static void
feed(void)
{
    struct gauge *g = malloc(sizeof *g);
    unsigned char bytes[600];

    *g = (struct gauge)GAUGE_INIT(2000);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 5);
    assert(gauge_feed(g, bytes, sizeof bytes) == 1200);
    free(g);
}
int
main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    most = atoi(argv[1]) + atoi(argv[2]);
    mini_run("check", check);
    mini_run("feed", feed);
    return mini_end();
}
SRC

# Owners that only the seed can make, and a setter: two executions of the seed, one stock.
cat >shop.h <<'SRC'
#ifndef SHOP_H
#define SHOP_H
struct stock;
struct shop_options {
    int discount;
    const char *name;
};
struct shop;
struct stock *stock_new(int n);
void stock_free(struct stock *s);
int stock_left(struct stock *s);
struct shop *shop_open(const struct shop_options *o);
void shop_close(struct shop *s);
/* The shop sells from this stock, which must outlive it. */
void shop_supply(struct shop *s, struct stock *from);
/* Sells n pieces; returns the price, 0 when there are not enough. */
int shop_sell(struct shop *s, int n);
#endif
SRC
cat >shop.c <<'SRC'
#include "shop.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct stock {
    pthread_mutex_t lock;
    int left;
};
struct shop {
    pthread_mutex_t lock;
    struct shop_options o;
    struct stock *stock;
    int sold;
};
struct stock *
stock_new(int n)
{
    struct stock *s = calloc(1, sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    s->left = n;
    return s;
}
void
stock_free(struct stock *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}
int
stock_left(struct stock *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->left;
    pthread_mutex_unlock(&s->lock);
    return n;
}
struct shop *
shop_open(const struct shop_options *o)
{
    struct shop *s;

    if (o->name == NULL || strcmp(o->name, "corner") != 0)
        abort();
    s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->o = *o;
    return s;
}
void
shop_close(struct shop *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}
void
shop_supply(struct shop *s, struct stock *from)
{
    pthread_mutex_lock(&s->lock);
    s->stock = from;
    pthread_mutex_unlock(&s->lock);
}
int
shop_sell(struct shop *s, int n)
{
    int price = 0;

    pthread_mutex_lock(&s->lock);
#ifndef BUG
    pthread_mutex_lock(&s->stock->lock);
#endif
    if (s->stock->left >= n) {
        s->stock->left -= n;
        price = n * (10 - s->o.discount);
    }
#ifndef BUG
    pthread_mutex_unlock(&s->stock->lock);
#endif
    pthread_mutex_unlock(&s->lock);
    return price;
}
SRC
cat >shop_seed.c <<'SRC'
#include "shop.h"
#include <assert.h>
#include <string.h>
int
main(void)
{
    char name[16];
    struct shop_options o = { .discount = 1 };
    struct stock *stock = stock_new(8);
    struct shop *s;

    strcpy(name, "corner");
    o.name = name;
    s = shop_open(&o);
    shop_supply(s, stock);
    assert(shop_sell(s, 5) == 45);
    assert(stock_left(stock) == 3);
    shop_close(s);
    stock_free(stock);
    return 0;
}
SRC

# The tests of the findings in a folder, by the system's compiler and by replay.
compile_and_replay() {
    local dir=$1
    shift
    for t in "$dir"/findings/*/; do
        run 0 gcc -std=c11 -Wall -Wextra -Werror -g -I. "$t/test.c" "$@" -pthread -o plain
        grep -q '_seed.c runs up to its call' "$t/test.c" || fail "$t: no seed is stopped"
        timeout 60 ./plain >plain.out 2>&1
        case $? in
            0 | 134) ;;
            *) fail "$t does not run: $(cat plain.out)" ;;
        esac
        run 1 "$BURL" replay --dir="$dir" "$(basename "$t")"
        grep -q 'reproduced exactly' out || fail "$t is not replayed"
    done
}

run 1 "$BURL" synth --dir=bug.ledger ledger.h -- -DBUG ledger.c ledger_seed.c
grep -Eq 'findings +1$' out || fail "not one finding in ledger"
grep -q 'last1 = 90' bug.ledger/findings/1/test.c || fail "the total is not compared"
compile_and_replay bug.ledger -DBUG ledger.c
run 0 "$BURL" synth --dir=again.ledger ledger.h -- -DAGAIN ledger.c ledger_seed.c
grep -Eq '^  tests +[1-9]' out || fail "the correct ledger has no test"
run 0 "$BURL" synth --dir=ok.ledger ledger.h -- ledger.c ledger_seed.c

run 1 "$BURL" synth --dir=bug.gauge --seed-args="4 6" gauge.h -- -DBUG gauge.c mini.c helper.c \
    gauge_seed.c
for f in gauge_add gauge_feed; do
    grep -q "#[0-9]* $f: results match no sequential order" out || fail "nothing in $f"
done
grep -q 'mini.c -pthread' bug.gauge/findings/1/test.c || fail "the framework is not in the command"
compile_and_replay bug.gauge -DBUG gauge.c mini.c
# As a suite, too: the framework is linked into the tests that contain a seed.
run 1 "$BURL" synth --dir=suite.gauge --seed-args="4 6" --emit-suite=suite gauge.h -- -DBUG gauge.c \
    mini.c helper.c gauge_seed.c
run 0 make -s -C suite all
for t in suite/test_?; do
    timeout 60 "$t" >plain.out 2>&1
    case $? in
        0 | 134) ;;
        *) fail "$t does not run: $(cat plain.out)" ;;
    esac
done
run 0 make -s -C suite clean
[ -z "$(ls suite | grep -v -e '\.c$' -e Makefile -e CMakeLists.txt)" ] || fail "clean leaves files"
run 0 "$BURL" synth --dir=ok.gauge --seed-args="4 6" gauge.h -- gauge.c mini.c helper.c gauge_seed.c

run 1 "$BURL" synth --dir=bug.shop shop.h -- -DBUG shop.c shop_seed.c
grep -q 'shop_sell: results match no sequential order' out || fail "nothing in shop_sell"
grep -q 'stop2' bug.shop/findings/1/test.c || fail "the owners are not apart"
compile_and_replay bug.shop -DBUG shop.c
run 0 "$BURL" synth --dir=ok.shop shop.h -- shop.c shop_seed.c

# Twice the same: tests, order, verdicts.
run 1 "$BURL" synth --dir=twice shop.h -- -DBUG shop.c shop_seed.c
sed -n '/functions$/,$s/twice/bug.shop/gp' out >second
run 1 "$BURL" synth --dir=bug2.shop shop.h -- -DBUG shop.c shop_seed.c
sed -n '/functions$/,$s/bug2.shop/bug.shop/gp' out >first
cmp first second || fail "two runs differ"

# An object in a static variable is the same in a second execution: no test with two of them.
cat >static_seed.c <<'SRC'
#include "gauge.h"
static struct gauge g = GAUGE_INIT(2000);
static unsigned char bytes[600];
int
main(void)
{
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 5);
    return gauge_feed(&g, bytes, sizeof bytes) != 1200;
}
SRC
run 0 "$BURL" synth --dir=static gauge.h -- -DBUG gauge.c static_seed.c
grep -q 'the seed has what it passes in static variables' out ||
    fail "static variables are not named"

# A setter that takes the object out again before it returns: two of them are stopped in between, so
# that two views show one model. Without -DBUG they hold their lock that long.
cat >view.h <<'SRC'
#ifndef VIEW_H
#define VIEW_H
struct model;
struct view;
struct model *model_new(int n);
int model_count(struct model *m);
struct view *view_new(void);
/* Shows the model once and goes back to an empty one; returns what was shown. */
int view_preview(struct view *v, struct model *m);
/* Counts a click in the model that is shown; returns the number of clicks. */
int view_click(struct view *v);
#endif
SRC
cat >view.c <<'SRC'
#include "view.h"
#include <pthread.h>
#include <stdlib.h>
struct model {
    pthread_mutex_t lock;
    int count;
};
struct view {
    pthread_mutex_t lock;
    struct model *model;
};
struct model *
model_new(int n)
{
    struct model *m = calloc(1, sizeof *m);

    pthread_mutex_init(&m->lock, NULL);
    m->count = n;
    return m;
}
int
model_count(struct model *m)
{
    int n;

    pthread_mutex_lock(&m->lock);
    n = m->count;
    pthread_mutex_unlock(&m->lock);
    return n;
}
struct view *
view_new(void)
{
    struct view *v = calloc(1, sizeof *v);

    pthread_mutex_init(&v->lock, NULL);
    v->model = model_new(0);
    return v;
}
int
view_preview(struct view *v, struct model *m)
{
    struct model *empty = model_new(0);
    int n;

    pthread_mutex_lock(&v->lock);
    v->model = m;
#ifdef BUG
    pthread_mutex_unlock(&v->lock);
#endif
    n = model_count(m);
#ifdef BUG
    pthread_mutex_lock(&v->lock);
#endif
    v->model = empty;
    pthread_mutex_unlock(&v->lock);
    return n;
}
int
view_click(struct view *v)
{
    int n;

    pthread_mutex_lock(&v->lock);
    n = v->model->count;
    v->model->count = n + 1;
    pthread_mutex_unlock(&v->lock);
    return n + 1;
}
SRC
cat >view_seed.c <<'SRC'
#include "view.h"
int
main(void)
{
    struct view *v = view_new();
    struct model *m = model_new(5);

    if (view_click(v) != 1 || view_preview(v, m) != 5)
        return 1;
    return model_count(m) != 5;
}
SRC
run 1 "$BURL" synth --dir=bug.view --for=atomicity view.h -- -DBUG view.c view_seed.c
grep -Eq 'harmful +2' out || fail "the suspended setters are not met"
run 1 "$BURL" synth --dir=explain --explain=1 view.h -- -DBUG view.c view_seed.c
grep -q 'stopped before it assigns something else' out || fail "not explained"
run 0 "$BURL" synth --dir=ok.view view.h -- view.c view_seed.c
grep -Eq '^  tests +[1-9]' out || fail "the correct view has no test"

# Calls of functions that the header defines count, in the seed that is stopped in a test, too.
sed 's|^/. Adds all n bytes|static inline int gauge_room(struct gauge *g) { return g->most - gauge_value(g); }\n&|' gauge.h \
    >roomy.h
sed 's/"gauge.h"/"roomy.h"/' gauge.c >roomy.c
cat >roomy_seed.c <<'SRC'
#include "roomy.h"
int
main(void)
{
    struct gauge g = GAUGE_INIT(10);

    if (gauge_room(&g) != 10 || gauge_room(&g) != 10)
        return 1;
    return gauge_add(&g, 7) != 7;
}
SRC
run 1 "$BURL" synth --dir=bug.roomy roomy.h -- -DBUG roomy.c roomy_seed.c
grep -q 'gauge_add: results match no sequential order' out || fail "nothing in gauge_add"
compile_and_replay bug.roomy -DBUG roomy.c
