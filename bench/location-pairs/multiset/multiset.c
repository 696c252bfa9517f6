/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiset.c - a concurrent multiset in an array of slots, and tests of it.
 *
 *     multiset TEST       TEST: one of the numbers in `tests` below
 *
 * Written anew from the figures of the Location Pairs paper: each slot has its own lock; an insert
 * first reserves a slot (elt) and then makes it count (valid), so that a pair comes in whole or not
 * at all. -DMUTANT=n puts one error in: 6, 9, 14, 15 are made by mutation operators, 101 to 104 are
 * seeded by hand, 1 to 5 are mutants that the filter for trivial ones throws out. Every test passes
 * in every schedule without MUTANT.
 *
 * A test is four or five threads of one or two operations over one or two slots. What must hold at
 * the end is asserted in main; reads in assertions are no accesses to the coverage metrics.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MUTANT
#define MUTANT 0
#endif

#define EMPTY (-1)
#define MAX_CAPACITY 2
#define MAX_THREADS 5
#define MAX_OPS 2
#define MAX_VALUE 6

struct slot {
    pthread_mutex_t lock; /* of the two below */
    int elt;              /* EMPTY: free */
    bool valid;           /* elt is in the multiset; never with EMPTY */
};

static struct slot slots[MAX_CAPACITY] = {
    { PTHREAD_MUTEX_INITIALIZER, EMPTY, false },
    { PTHREAD_MUTEX_INITIALIZER, EMPTY, false },
};
static int capacity;

/* ---- the multiset -------------------------------------------------------------------- */

/* Reserves a slot for x; -1 when all are taken. */
static int
find_slot(int x)
{
    for (int i = 0; i < capacity; i++) {
#if MUTANT == 101
        /* Seeded: the slot is looked at before it is locked, and not again. */
        const bool is_free = slots[i].elt == EMPTY;

        pthread_mutex_lock(&slots[i].lock);
        if (is_free) {
#elif MUTANT == 1
        /* RSB: the region is gone (its end below too). */
        if (slots[i].elt == EMPTY) {
            slots[i].elt = x;
            return i;
        }
        pthread_mutex_lock(&slots[i].lock);
        if (false) {
#elif MUTANT == 2
        /* SPCR: the region is split between the test and the reservation. */
        pthread_mutex_lock(&slots[i].lock);
        const bool is_free = slots[i].elt == EMPTY;
        pthread_mutex_unlock(&slots[i].lock);
        pthread_mutex_lock(&slots[i].lock);
        if (is_free) {
#else
        pthread_mutex_lock(&slots[i].lock);
        if (slots[i].elt == EMPTY) {
#endif
            slots[i].elt = x;
            pthread_mutex_unlock(&slots[i].lock);
            return i;
        }
        pthread_mutex_unlock(&slots[i].lock);
    }
    return -1;
}

static bool
insert(int x)
{
    const int i = find_slot(x);

    if (i == -1)
        return false;
#if MUTANT == 3
    /* RSB: the region is gone. One store to a slot that is ours harms no thread. */
    slots[i].valid = true;
#else
    pthread_mutex_lock(&slots[i].lock);
    slots[i].valid = true;
    pthread_mutex_unlock(&slots[i].lock);
#endif
    return true;
}

/* Both or none. */
static bool
insert_pair(int x, int y)
{
    const int i = find_slot(x);
    int j;

    if (i == -1)
        return false;
#if MUTANT == 4
    /* EXCR: the region begins before the search for the second slot, which wants the same lock. */
    pthread_mutex_lock(&slots[i].lock);
#endif
    j = find_slot(y);
    if (j == -1) {
#if MUTANT != 4
        pthread_mutex_lock(&slots[i].lock);
#endif
        slots[i].elt = EMPTY;
        pthread_mutex_unlock(&slots[i].lock);
        return false;
    }
#if MUTANT == 5
    /* ESP: the locks of the nested regions change places. Only this thread holds two of these. */
    pthread_mutex_lock(&slots[j].lock);
    pthread_mutex_lock(&slots[i].lock);
    slots[i].valid = true;
    slots[j].valid = true;
    pthread_mutex_unlock(&slots[i].lock);
    pthread_mutex_unlock(&slots[j].lock);
    return true;
#endif
#if MUTANT != 4
    pthread_mutex_lock(&slots[i].lock);
#endif
    pthread_mutex_lock(&slots[j].lock);
    slots[i].valid = true;
#if MUTANT == 6
    /* SKCR: the last statement leaves the regions. */
    pthread_mutex_unlock(&slots[j].lock);
    pthread_mutex_unlock(&slots[i].lock);
    slots[j].valid = true;
#else
    slots[j].valid = true;
    pthread_mutex_unlock(&slots[j].lock);
    pthread_mutex_unlock(&slots[i].lock);
#endif
    return true;
}

#if MUTANT == 15
/* MSP: another slot's lock guards the region. */
#define DELETE_LOCK(i) (&slots[((i) + 1) % capacity].lock)
#else
#define DELETE_LOCK(i) (&slots[i].lock)
#endif

static bool delete(int e)
{
    for (int i = 0; i < capacity; i++) {
#if MUTANT == 14
        /* SHCR: the region is shifted down by one statement. */
        const bool is_here = slots[i].elt == e;

        pthread_mutex_lock(DELETE_LOCK(i));
        if (is_here && slots[i].valid) {
#elif MUTANT == 102
        /* Seeded: valid is read before the lock. */
        const bool was_valid = slots[i].valid;

        pthread_mutex_lock(DELETE_LOCK(i));
        if (slots[i].elt == e && was_valid) {
#elif MUTANT == 103
        /* Seeded: both are read before the lock. */
        const bool is_here = slots[i].elt == e && slots[i].valid;

        pthread_mutex_lock(DELETE_LOCK(i));
        if (is_here) {
#else
        pthread_mutex_lock(DELETE_LOCK(i));
        if (slots[i].elt == e && slots[i].valid) {
#endif
            slots[i].elt = EMPTY;
#if MUTANT == 9
            /* SPCR: the region is split between its two stores. */
            pthread_mutex_unlock(DELETE_LOCK(i));
            pthread_mutex_lock(DELETE_LOCK(i));
#endif
            slots[i].valid = false;
            pthread_mutex_unlock(DELETE_LOCK(i));
            return true;
        }
        pthread_mutex_unlock(DELETE_LOCK(i));
    }
    return false;
}

static bool
lookup(int e)
{
    for (int i = 0; i < capacity; i++) {
#if MUTANT == 104
        /* Seeded: elt is read before the lock, valid under it. */
        const bool is_here = slots[i].elt == e;

        pthread_mutex_lock(&slots[i].lock);
        if (is_here && slots[i].valid) {
#else
        pthread_mutex_lock(&slots[i].lock);
        if (slots[i].elt == e && slots[i].valid) {
#endif
            pthread_mutex_unlock(&slots[i].lock);
            return true;
        }
        pthread_mutex_unlock(&slots[i].lock);
    }
    return false;
}

/* ---- the tests ----------------------------------------------------------------------- */

enum op_kind { NONE = 0, INSERT, PAIR, DELETE, LOOKUP };

struct op {
    enum op_kind kind;
    int x;
    int y; /* PAIR: the second element */
};

struct test {
    int number; /* of the mutant it was written for */
    int capacity;
    int n_threads;
    struct op ops[MAX_THREADS][MAX_OPS];
};

static const struct test tests[] = {
    /* One sees the first of a pair and then not the second. */
    { 6,
      2,
      4,
      { { { PAIR, 1, 2 } },
        { { LOOKUP, 1, 0 }, { LOOKUP, 2, 0 } },
        { { DELETE, 3, 0 } },
        { { INSERT, 3, 0 }, { DELETE, 3, 0 } } } },
    /* An insert comes into a slot that a delete has not left yet. */
    { 9,
      1,
      4,
      { { { INSERT, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { INSERT, 2, 0 } },
        { { LOOKUP, 2, 0 }, { LOOKUP, 1, 0 } } } },
    /* Between look and lock of a delete, the slot changes its element. */
    { 14,
      1,
      5,
      { { { INSERT, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { INSERT, 2, 0 } },
        { { LOOKUP, 2, 0 } } } },
    { 15,
      2,
      5,
      { { { INSERT, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { INSERT, 2, 0 } },
        { { INSERT, 3, 0 } },
        { { LOOKUP, 3, 0 } } } },
    { 101,
      2,
      4,
      { { { INSERT, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { LOOKUP, 1, 0 }, { INSERT, 2, 0 } },
        { { LOOKUP, 2, 0 } } } },
    { 102,
      1,
      5,
      { { { INSERT, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { DELETE, 1, 0 } },
        { { LOOKUP, 1, 0 }, { INSERT, 1, 0 } },
        { { LOOKUP, 1, 0 } } } },
    { 103,
      2,
      5,
      { { { PAIR, 1, 2 } },
        { { LOOKUP, 1, 0 }, { DELETE, 2, 0 } },
        { { LOOKUP, 1, 0 }, { DELETE, 2, 0 } },
        { { INSERT, 3, 0 } },
        { { DELETE, 3, 0 } } } },
    /* With one slot no pair ever comes in; its first element is there for a moment. */
    { 104,
      1,
      5,
      { { { PAIR, 1, 2 } },
        { { LOOKUP, 1, 0 } },
        { { LOOKUP, 2, 0 }, { INSERT, 3, 0 } },
        { { DELETE, 3, 0 } },
        { { LOOKUP, 3, 0 } } } },
};

static bool
perform(const struct op *op)
{
    switch (op->kind) {
    case INSERT:
        return insert(op->x);
    case PAIR:
        return insert_pair(op->x, op->y);
    case DELETE:
        return delete (op->x);
    case LOOKUP:
        return lookup(op->x);
    default:
        return false;
    }
}

/* The results go back as bits of the thread's own result. */
static void *
run_ops(void *arg)
{
    const struct op *ops = arg;
    uintptr_t results = 0;

    for (int k = 0; k < MAX_OPS; k++)
        results |= (uintptr_t)perform(&ops[k]) << k;
    return (void *)results;
}

/* Elements x that must be there, from what the operations said they did. */
static int
balance(const struct test *t, const uintptr_t *results, int x)
{
    int n = 0;

    for (int i = 0; i < t->n_threads; i++) {
        for (int k = 0; k < MAX_OPS; k++) {
            const struct op *op = &t->ops[i][k];

            if (!(results[i] >> k & 1))
                continue;
            n += (op->kind == INSERT || op->kind == PAIR) && op->x == x;
            n += op->kind == PAIR && op->y == x;
            n -= op->kind == DELETE && op->x == x;
        }
    }
    return n;
}

/* Did any thread put an x in? */
static bool
was_inserted(const struct test *t, const uintptr_t *results, int x)
{
    for (int i = 0; i < t->n_threads; i++) {
        for (int k = 0; k < MAX_OPS; k++) {
            const struct op *op = &t->ops[i][k];

            if ((results[i] >> k & 1) && ((op->kind == INSERT && op->x == x) ||
                                          (op->kind == PAIR && (op->x == x || op->y == x))))
                return true;
        }
    }
    return false;
}

static bool
is_deleted_somewhere(const struct test *t, int x)
{
    for (int i = 0; i < t->n_threads; i++) {
        for (int k = 0; k < MAX_OPS; k++) {
            if (t->ops[i][k].kind == DELETE && t->ops[i][k].x == x)
                return true;
        }
    }
    return false;
}

/* A pair is inserted once, and no thread deletes its y: one that found x finds y then. */
static bool
saw_half_a_pair(const struct test *t, const uintptr_t *results, int i)
{
    const struct op *first = &t->ops[i][0];
    const struct op *then = &t->ops[i][1];
    const struct op *pair = &t->ops[0][0];

    return pair->kind == PAIR && first->kind == LOOKUP && then->kind == LOOKUP &&
           first->x == pair->x && then->x == pair->y && !is_deleted_somewhere(t, pair->y) &&
           (results[i] & 1) && !(results[i] & 2);
}

static void
check(const struct test *t, const uintptr_t *results)
{
    for (int i = 0; i < MAX_CAPACITY; i++)
        assert(slots[i].valid == (slots[i].elt != EMPTY));
    for (int x = 1; x < MAX_VALUE; x++)
        assert((slots[0].elt == x) + (slots[1].elt == x) == balance(t, results, x));
    for (int i = 0; i < t->n_threads; i++) {
        assert(!saw_half_a_pair(t, results, i));
        for (int k = 0; k < MAX_OPS; k++) {
            if (t->ops[i][k].kind == LOOKUP && (results[i] >> k & 1))
                assert(was_inserted(t, results, t->ops[i][k].x));
        }
    }
}

static const struct test *
find_test(int number)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (tests[i].number == number)
            return &tests[i];
    }
    return NULL;
}

int
main(int argc, char **argv)
{
    const struct test *t = find_test(argc > 1 ? (int)strtol(argv[1], NULL, 10) : 6);
    pthread_t threads[MAX_THREADS];
    uintptr_t results[MAX_THREADS];

    if (!t) {
        fprintf(stderr, "usage: multiset 6|9|14|15|101|102|103|104\n");
        return 2;
    }
    capacity = t->capacity;
    for (int i = 0; i < t->n_threads; i++)
        pthread_create(&threads[i], NULL, run_ops, (void *)t->ops[i]);
    for (int i = 0; i < t->n_threads; i++) {
        void *result;

        pthread_join(threads[i], &result);
        results[i] = (uintptr_t)result;
    }
    check(t, results);
    return 0;
}
