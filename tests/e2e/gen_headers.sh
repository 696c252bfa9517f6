#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# tests/e2e/gen_headers.sh - burl gen on headers as other projects write them.
. "$(dirname "$0")/gen_lib.inc"

model() { "$BURL" gen --model "$@" >m 2>err || fail "no model of $1: $(cat err)"; }
states() { grep -qxF "$1" m || fail "the model does not say \"$1\": $(cat m)"; }
lacks_line() { ! grep -qxF "$1" m || fail "the model says \"$1\""; }

# An object in the caller's memory; a function that only some builds define.
cat >box.h <<'X'
#include <pthread.h>
struct box { int v; pthread_mutex_t m; };
typedef struct box box_t;
int box_init(int v, box_t *self);
void box_fini(box_t *self);
int box_add(box_t *b, int n);
int box_debug(box_t *b);
void box_each(box_t *b, void (*visit)(int value, void *arg), void *arg);
X
cat >box.c <<'X'
#include "box.h"
int box_init(int v, box_t *self) { self->v = v; return pthread_mutex_init(&self->m, NULL); }
void box_fini(box_t *self) { pthread_mutex_destroy(&self->m); }
int box_add(box_t *b, int n)
{
    LOCK(&b->m);
    int v = (int)((unsigned)b->v + (unsigned)n);
    b->v = v;
    UNLOCK(&b->m);
    return v;
}
void box_each(box_t *b, void (*visit)(int, void *), void *arg) { (void)b; visit(1, arg); }
X
model box.h
states "make box_init: returns int, success zero"
states "    self: storage struct box"
states "type struct box: destroy box_fini, free"
states "# box.h:8  void box_each(box_t *b, void (*visit)(int value, void *arg), void *arg)"
"$BURL" gen --time=20s --tests=60 box.h -- box.c '-DLOCK(m)=(void)(m)' '-DUNLOCK(m)=(void)(m)' >out 2>err && fail "the lost update was not found"
grep -q 'box_debug() is not called: it is declared, but nothing that was given defines it' err || fail "no note: $(cat err)"
grep -q 'box_add' out || fail "another finding: $(cat out)"
"$BURL" gen --time=20s --tests=60 box.h -- box.c '-DLOCK(m)=pthread_mutex_lock(m)' '-DUNLOCK(m)=pthread_mutex_unlock(m)' >out 2>err ||
    fail "the correct one: $(cat out err)"
# Archives and shared objects are asked, too; without any definition it is the sources that are missing.
"$BURL" cc -g -c '-DLOCK(m)=pthread_mutex_lock(m)' '-DUNLOCK(m)=pthread_mutex_unlock(m)' box.c && ar rcs libbox.a box.o
"$BURL" gen --tests=3 box.h -- libbox.a >out 2>err || fail "an archive: $(cat out err)"
grep -q 'box_debug() is not called' err || fail "no note about an archive: $(cat err)"
echo 'int unrelated;' >other.c
"$BURL" gen --tests=3 box.h -- other.c >out 2>err && fail "nothing was defined"
grep -q 'nothing defines box_' err || fail "the missing sources: $(cat err)"

# Two steps: one function gives memory, another begins the object. Threads must not call the second.
cat >two.h <<'X'
struct two;
struct two *two_alloc(void);
int two_init(struct two *t);
void two_free(struct two *t);
int two_get(struct two *t);
X
model two.h
grep -q '^skip two_init' m || fail "two_init() is called by threads: $(cat m)"

# The header that was given, not the one that it includes.
cat >list.h <<'X'
struct list;
struct list *list_new(void);
void list_free(struct list *l);
int list_add(struct list *l, int n);
int list_sum(struct list *l);
int list_len(struct list *l);
X
cat >jobs.h <<'X'
#include "list.h"
struct worker;
struct worker *worker_new(struct list *l);
void worker_free(struct worker *w);
int worker_step(struct worker *w, struct list *l);
X
model jobs.h
states "shared struct worker"

# void * handles, made by a result or through a pointer; a name for a payload is none.
cat >queue.h <<'X'
typedef void *queue_h;
typedef void *item_t;
int queue_create(queue_h *out);
void queue_close(queue_h q);
int queue_push(queue_h q, int n);
int queue_count(queue_h q);
item_t queue_swap(queue_h q, item_t item);
X
cat >queue.c <<'X'
#include <pthread.h>
#include <stdlib.h>
#include "queue.h"
struct queue { pthread_mutex_t m; int n; item_t item; };
int queue_create(queue_h *out)
{
    struct queue *q = calloc(1, sizeof *q);
    if (q)
        pthread_mutex_init(&q->m, NULL);
    *out = q;
    return q ? 0 : -1;
}
void queue_close(queue_h q) { free(q); }
int queue_push(queue_h h, int n)
{
    struct queue *q = h;
    LOCK(&q->m);
    int now = q->n;
    q->n = now + 1;
    UNLOCK(&q->m);
    return n;
}
int queue_count(queue_h h)
{
    struct queue *q = h;
    pthread_mutex_lock(&q->m);
    int n = q->n;
    pthread_mutex_unlock(&q->m);
    return n;
}
item_t queue_swap(queue_h h, item_t item)
{
    struct queue *q = h;
    pthread_mutex_lock(&q->m);
    item_t old = q->item;
    q->item = item;
    pthread_mutex_unlock(&q->m);
    return old;
}
X
model queue.h
states "shared queue_h"
states "    out: makes queue_h"
grep -q '^    item: payload' m || fail "the payload: $(cat m)"
"$BURL" gen --time=20s --tests=60 queue.h -- queue.c '-DLOCK(m)=(void)(m)' '-DUNLOCK(m)=(void)(m)' >out 2>err && fail "the lost push was not found"
grep -q 'queue_push' out || fail "another finding: $(cat out)"
"$BURL" gen --time=20s --tests=60 queue.h -- queue.c '-DLOCK(m)=pthread_mutex_lock(m)' '-DUNLOCK(m)=pthread_mutex_unlock(m)' >out 2>err ||
    fail "the correct queue: $(cat out err)"

# Handles that are numbers, of which 0 is one; a name for a number that no function ends is none.
cat >meter.h <<'X'
typedef int meter_t;
typedef int level_t;
meter_t meter_open(void);
int meter_open_at(level_t start, meter_t *out);
int meter_close(meter_t m);
level_t meter_add(meter_t m, level_t n);
level_t meter_level(meter_t m);
X
cat >meter.c <<'X'
#include <pthread.h>
#include "meter.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int used; level_t level; } meters[16];
int meter_open_at(level_t start, meter_t *out)
{
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 16 && found < 0; i++)
        if (!meters[i].used)
            found = i;
    if (found >= 0) {
        meters[found].used = 1;
        meters[found].level = start;
    }
    pthread_mutex_unlock(&lock);
    *out = found;
    return found >= 0 ? 0 : -1;
}
meter_t meter_open(void) { meter_t m; return meter_open_at(0, &m) == 0 ? m : -1; }
int meter_close(meter_t m)
{
    pthread_mutex_lock(&lock);
    meters[m].used = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
level_t meter_add(meter_t m, level_t n)
{
    LOCK(&lock);
    level_t now = (level_t)((unsigned)meters[m].level + (unsigned)n);
    meters[m].level = now;
    UNLOCK(&lock);
    return now;
}
level_t meter_level(meter_t m)
{
    pthread_mutex_lock(&lock);
    level_t now = meters[m].level;
    pthread_mutex_unlock(&lock);
    return now;
}
X
model meter.h
states "shared meter_t"
states "make meter_open: returns object meter_t"
states "    out: makes meter_t"
states "    n: int"
"$BURL" gen --time=20s --tests=60 meter.h -- meter.c '-DLOCK(m)=(void)(m)' '-DUNLOCK(m)=(void)(m)' >out 2>err && fail "the lost addition was not found"
grep -q 'meter_add' out || fail "another finding: $(cat out)"
"$BURL" gen --time=20s --tests=60 meter.h -- meter.c '-DLOCK(m)=pthread_mutex_lock(m)' '-DUNLOCK(m)=pthread_mutex_unlock(m)' >out 2>err ||
    fail "the correct meter: $(cat out err)"

# A constructor that starts threads, and waits until they run.
cat >pool.h <<'X'
typedef struct pool *pool_t;
pool_t pool_init(int n_threads);
void pool_destroy(pool_t);
int pool_submit(pool_t, int n);
void pool_wait(pool_t);
X
cat >pool.c <<'X'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "pool.h"
struct pool { pthread_mutex_t m; pthread_cond_t work, idle; pthread_t t[2]; int n, queued, busy, stop; _Atomic int alive; };
static void *worker(void *arg)
{
    struct pool *p = arg;
    atomic_fetch_add(&p->alive, 1);
    pthread_mutex_lock(&p->m);
    for (;;) {
        while (p->queued == 0 && !p->stop)
            pthread_cond_wait(&p->work, &p->m);
        if (p->queued == 0)
            break;
        p->queued--;
        p->busy++;
        pthread_mutex_unlock(&p->m);
        pthread_mutex_lock(&p->m);
        p->busy--;
        if (p->queued + p->busy == 0)
            pthread_cond_broadcast(&p->idle);
    }
    pthread_mutex_unlock(&p->m);
    return NULL;
}
pool_t pool_init(int n)
{
    if (n < 1 || n > 2)
        return NULL;
    struct pool *p = calloc(1, sizeof *p);
    pthread_mutex_init(&p->m, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->n = n;
    for (int i = 0; i < n; i++)
        pthread_create(&p->t[i], NULL, worker, p);
    while (atomic_load(&p->alive) != n) { }
    return p;
}
void pool_destroy(pool_t p)
{
    pthread_mutex_lock(&p->m);
    p->stop = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->m);
    for (int i = 0; i < p->n; i++)
        pthread_join(p->t[i], NULL);
    free(p);
}
int pool_submit(pool_t p, int n)
{
    LOCK(&p->m);
    p->queued++;
    pthread_cond_signal(&p->work);
    UNLOCK(&p->m);
    return n;
}
void pool_wait(pool_t p)
{
    pthread_mutex_lock(&p->m);
    while (p->queued + p->busy > 0)
        pthread_cond_wait(&p->idle, &p->m);
    pthread_mutex_unlock(&p->m);
}
X
"$BURL" gen --time=20s --tests=40 pool.h -- pool.c '-DLOCK(m)=(void)(m)' '-DUNLOCK(m)=(void)(m)' >out 2>err && fail "the race of pool_submit() was not found"
"$BURL" gen --time=20s --tests=40 pool.h -- pool.c '-DLOCK(m)=pthread_mutex_lock(m)' '-DUNLOCK(m)=pthread_mutex_unlock(m)' >out 2>err ||
    fail "the correct pool: $(cat out err)"
grep -q 'ran at the same time' out || fail "no test of the pool: $(cat out)"
exit 0
