/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filters.c - functions that may deny a request.
 *
 * Version 2 skips the chain when it has none and bounds it by the policy.
 */
#include <stdlib.h>

#include "server.h"

#define FILTERS 4

/* How the chain is used. */
struct policy {
    bool locked; /* run the chain under the lock */
    unsigned limit;
};

#ifdef SEED_8
static const struct policy policy = { .locked = false, .limit = FILTERS };
#else
static const struct policy policy = { .locked = true, .limit = FILTERS };
#endif

struct filter {
    filter_fn *fn;
    void *arg;
};

struct filters {
    pthread_rwlock_t lock; /* guards chain and length */
    struct filter chain[FILTERS];
    unsigned length;
    _Atomic unsigned denied;
};

struct filters *
filters_new(void)
{
    struct filters *f = calloc(1, sizeof *f);

    if (f != NULL)
        pthread_rwlock_init(&f->lock, NULL);
    return f;
}

void
filters_free(struct filters *f)
{
    pthread_rwlock_destroy(&f->lock);
    free(f);
}

bool
filters_add(struct filters *f, filter_fn *fn, void *arg)
{
    bool room;

    pthread_rwlock_wrlock(&f->lock);
#if VERSION >= 2
    room = f->length < policy.limit;
#else
    room = f->length < FILTERS;
#endif
    if (room) {
        f->chain[f->length].fn = fn;
        f->chain[f->length].arg = arg;
        f->length++;
    }
    pthread_rwlock_unlock(&f->lock);
    return room;
}

bool
filters_remove(struct filters *f, filter_fn *fn, void *arg)
{
    bool found = false;

    pthread_rwlock_wrlock(&f->lock);
    for (unsigned i = 0; i < f->length && !found; i++) {
        found = f->chain[i].fn == fn && f->chain[i].arg == arg;
        if (found) {
            f->length--;
            for (unsigned k = i; k < f->length; k++)
                f->chain[k] = f->chain[k + 1];
        }
    }
    pthread_rwlock_unlock(&f->lock);
    return found;
}

enum verdict
filters_run(struct filters *f, const struct request *r)
{
    enum verdict verdict = PASS;

    if (policy.locked)
        pthread_rwlock_rdlock(&f->lock);
    for (unsigned i = 0; i < f->length && verdict == PASS; i++) {
        if (f->chain[i].fn != NULL)
            verdict = f->chain[i].fn(f->chain[i].arg, r);
    }
    if (policy.locked)
        pthread_rwlock_unlock(&f->lock);
    if (verdict == DENY)
        atomic_fetch_add_explicit(&f->denied, 1, memory_order_relaxed);
    return verdict;
}

unsigned
filters_denied(struct filters *f)
{
    return atomic_load_explicit(&f->denied, memory_order_relaxed);
}
