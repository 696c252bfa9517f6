/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitset.c - an array of words behind a semaphore that serves as a mutex. Functions on two sets
 * take the semaphore of the one with the lower number first. Published states do not change; a
 * release store makes them visible. Two threads that meet at a barrier compare the halves of a
 * set. The number of sets made has a spin lock.
 *
 * VERSION 2 grows by doubling, handles ranges word by word, keeps orders of atomics explicit,
 * shortens the text, and finds the last bit of a word at once.
 */
#include "bitset.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../versions.h"

#ifdef HARMLESS
#define common_words shorter
#define bits_seen n_ones
/* As if a long comment had been written here. */
#line 200
#endif

#define WORD_BITS 64

struct state {
    struct state *older;
    size_t n_words;
    uint64_t words[];
};

struct bitset {
    sem_t mutex; /* of words, n_words and the list of states */
    uint64_t *words;
    size_t n_words;
    _Atomic(struct state *) state; /* the published one; the list keeps all until the end */
    unsigned number;               /* the order of semaphores */
};

static pthread_spinlock_t made_lock; /* of made */
static unsigned long made;
static pthread_once_t made_once = PTHREAD_ONCE_INIT;

static void
lock(struct bitset *b)
{
    sem_wait(&b->mutex);
}

static void
unlock(struct bitset *b)
{
    sem_post(&b->mutex);
}

/* ---- with the semaphore held ---------------------------------------------------------------- */

static uint64_t
mask_of(size_t bit)
{
    return UINT64_C(1) << (bit % WORD_BITS);
}

static void
reach(struct bitset *b, size_t n_words)
{
    size_t n = n_words;

    if (n_words <= b->n_words)
        return;
#if VERSION >= 2
    if (n < 2 * b->n_words)
        n = 2 * b->n_words;
#endif
    b->words = realloc(b->words, n * sizeof *b->words);
    if (b->words == NULL)
        abort();
    memset(b->words + b->n_words, 0, (n - b->n_words) * sizeof *b->words);
    b->n_words = n;
}

static bool
test_locked(const struct bitset *b, size_t bit)
{
    return bit / WORD_BITS < b->n_words && (b->words[bit / WORD_BITS] & mask_of(bit)) != 0;
}

static void
set_locked(struct bitset *b, size_t bit)
{
    reach(b, bit / WORD_BITS + 1);
    b->words[bit / WORD_BITS] |= mask_of(bit);
}

/* ---- life ----------------------------------------------------------------------------------- */

static void
init_made(void)
{
    pthread_spin_init(&made_lock, PTHREAD_PROCESS_PRIVATE);
}

struct bitset *
bitset_new(void)
{
    struct bitset *b = calloc(1, sizeof *b);

    if (b == NULL)
        abort();
    sem_init(&b->mutex, 0, 1);
    atomic_init(&b->state, NULL);
    pthread_once(&made_once, init_made);
    pthread_spin_lock(&made_lock);
    b->number = (unsigned)made++;
    pthread_spin_unlock(&made_lock);
    return b;
}

unsigned long
bitset_made(void)
{
    unsigned long n;

    pthread_once(&made_once, init_made);
    pthread_spin_lock(&made_lock);
    n = made;
    pthread_spin_unlock(&made_lock);
    return n;
}

void
bitset_free(struct bitset *b)
{
    struct state *s = atomic_load(&b->state);

    while (s != NULL) {
        struct state *older = s->older;

        free(s);
        s = older;
    }
    sem_destroy(&b->mutex);
    free(b->words);
    free(b);
}

/* ---- changes -------------------------------------------------------------------------------- */

void
bitset_set(struct bitset *b, size_t bit)
{
    lock(b);
    set_locked(b, bit);
    unlock(b);
}

void
bitset_unset(struct bitset *b, size_t bit)
{
    lock(b);
    if (bit / WORD_BITS < b->n_words)
        b->words[bit / WORD_BITS] &= ~mask_of(bit);
    unlock(b);
}

void
bitset_flip(struct bitset *b, size_t bit)
{
#if VERSION >= 2
    const size_t at = bit / WORD_BITS;

#ifndef SEED_5
    lock(b);
#endif
    reach(b, at + 1);
    b->words[at] ^= mask_of(bit);
#ifndef SEED_5
    unlock(b);
#endif
#else
    lock(b);
    reach(b, bit / WORD_BITS + 1);
    b->words[bit / WORD_BITS] ^= mask_of(bit);
    unlock(b);
#endif
}

void
bitset_set_range(struct bitset *b, size_t from, size_t to)
{
#if VERSION >= 2
    size_t at = from;
    bool wide = true;

    if (from >= to)
        return;
#ifdef SEED_7
    wide = to - from > 4;
#endif
    if (wide)
        lock(b);
    reach(b, (to - 1) / WORD_BITS + 1);
    while (at < to) {
        const size_t in_word = at % WORD_BITS;
        const size_t n = to - at < WORD_BITS - in_word ? to - at : WORD_BITS - in_word;
        const uint64_t ones = n == WORD_BITS ? UINT64_MAX : (UINT64_C(1) << n) - 1;

        b->words[at / WORD_BITS] |= ones << in_word;
        at += n;
    }
    if (wide)
        unlock(b);
#else
    lock(b);
    for (size_t bit = from; bit < to; bit++)
        set_locked(b, bit);
    unlock(b);
#endif
}

bool
bitset_test_and_set(struct bitset *b, size_t bit)
{
    bool before;

#if VERSION >= 2
#ifdef SEED_8
    before = bitset_get(b, bit);
    if (!before)
        bitset_set(b, bit);
#else
    lock(b);
    before = test_locked(b, bit);
    if (!before)
        set_locked(b, bit);
    unlock(b);
#endif
#else
    lock(b);
    before = test_locked(b, bit);
    set_locked(b, bit);
    unlock(b);
#endif
    return before;
}

void
bitset_clear(struct bitset *b)
{
    lock(b);
    for (size_t i = 0; i < b->n_words; i++)
        b->words[i] = 0;
    unlock(b);
}

/* ---- reading -------------------------------------------------------------------------------- */

#if VERSION >= 2 || defined HARMLESS
static size_t
ones_in(const uint64_t *words, size_t n)
{
    size_t bits_seen = 0;

    for (size_t i = 0; i < n; i++) {
        for (uint64_t w = words[i]; w != 0; w &= w - 1)
            bits_seen++;
    }
    return bits_seen;
}
#endif

bool
bitset_get(struct bitset *b, size_t bit)
{
    bool is_set;

    lock(b);
    is_set = test_locked(b, bit);
    unlock(b);
    return is_set;
}

#if VERSION < 2 && !defined HARMLESS
static size_t
ones_in(const uint64_t *words, size_t n)
{
    size_t bits_seen = 0;

    for (size_t i = 0; i < n; i++) {
        for (uint64_t w = words[i]; w != 0; w &= w - 1)
            bits_seen++;
    }
    return bits_seen;
}
#endif

size_t
bitset_cardinality(struct bitset *b)
{
    size_t n = 0;

#ifdef SEED_6
    if (b->n_words == 0)
        return 0;
#endif
    lock(b);
#if VERSION >= 2
    if (b->n_words > 0)
        n = ones_in(b->words, b->n_words);
#else
    n = ones_in(b->words, b->n_words);
#endif
    unlock(b);
    return n;
}

/* The position of the lowest bit set; there is one. */
static size_t
lowest(uint64_t word)
{
    size_t n = 0;

    for (; (word & 1) == 0; word >>= 1)
        n++;
    return n;
}

size_t
bitset_length(struct bitset *b)
{
    size_t n = 0;
    size_t at;

    lock(b);
    for (at = b->n_words; at > 0 && b->words[at - 1] == 0; at--)
        ;
    if (at > 0) {
#if VERSION >= 2
        n = at * WORD_BITS - (size_t)__builtin_clzll(b->words[at - 1]);
#else
        uint64_t word = b->words[at - 1];

        n = (at - 1) * WORD_BITS;
        for (; word != 0; word >>= 1)
            n++;
#endif
    }
    unlock(b);
    return n;
}

long
bitset_next_set(struct bitset *b, size_t from)
{
    long found = -1;

    lock(b);
    for (size_t at = from / WORD_BITS; at < b->n_words && found < 0; at++) {
        uint64_t word = b->words[at];

        if (at == from / WORD_BITS)
            word &= UINT64_MAX << from % WORD_BITS;
        if (word != 0)
            found = (long)(at * WORD_BITS + lowest(word));
    }
    unlock(b);
    return found;
}

long
bitset_next_unset(struct bitset *b, size_t from)
{
    size_t at = from / WORD_BITS;
    uint64_t unset = UINT64_MAX << from % WORD_BITS;

    lock(b);
    for (; at < b->n_words; at++, unset = UINT64_MAX) {
        unset &= ~b->words[at];
        if (unset != 0)
            break;
    }
    unlock(b);
    return (long)(at * WORD_BITS + lowest(unset));
}

#define TEXT_MAX 48

#ifdef SEED_4
static char text[TEXT_MAX];
#else
static _Thread_local char text[TEXT_MAX];
#endif

const char *
bitset_text(struct bitset *b)
{
    size_t n = 1;
    const char *between = "";

    text[0] = '{';
    for (long bit = bitset_next_set(b, 0); bit >= 0 && n < TEXT_MAX - 12;
         bit = bitset_next_set(b, (size_t)bit + 1)) {
#if VERSION >= 2
        n += (size_t)snprintf(text + n, TEXT_MAX - n, "%s%ld", between, bit);
        between = ",";
#else
        n += (size_t)snprintf(text + n, TEXT_MAX - n, "%s%ld", between, bit);
        between = ", ";
#endif
    }
    text[n++] = '}';
    text[n] = '\0';
    return text;
}

/* ---- comparing halves ----------------------------------------------------------------------- */

/* Two threads count a half each, meet, and then the first one compares. */
struct comparison {
    pthread_barrier_t met;
    const uint64_t *words;
    size_t n_words;
    size_t ones[2];
    bool low;
};

struct half {
    struct comparison *all;
    size_t index;
};

static void *
count_half(void *arg)
{
    const struct half *h = arg;
    struct comparison *c = h->all;
#if VERSION >= 2
    /* The middle word belongs to the lower half. */
    const size_t middle = (c->n_words + 1) / 2;
#else
    const size_t middle = c->n_words / 2;
#endif

    if (h->index == 0)
        c->ones[0] = ones_in(c->words, middle);
    else
        c->ones[1] = ones_in(c->words + middle, c->n_words - middle);
#ifndef SEED_2
    pthread_barrier_wait(&c->met);
#endif
    if (h->index == 0)
        c->low = c->ones[0] > c->ones[1];
    return NULL;
}

bool
bitset_leans_low(struct bitset *b)
{
    struct comparison c = { .low = false };
    struct half halves[2] = { { &c, 0 }, { &c, 1 } };
    pthread_t threads[2];
    uint64_t *copy;

    lock(b);
    copy = calloc(b->n_words + 1, sizeof *copy);
    if (copy == NULL)
        abort();
    if (b->n_words > 0)
        memcpy(copy, b->words, b->n_words * sizeof *copy);
#if !defined SEED_3
    c.n_words = b->n_words;
#endif
    c.words = copy;
    unlock(b);
    pthread_barrier_init(&c.met, NULL, 2);
    for (size_t i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, count_half, &halves[i]) != 0)
            abort();
    }
#if defined SEED_3
    lock(b);
    c.n_words = b->n_words;
    unlock(b);
#endif
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&c.met);
    free(copy);
    return c.low;
}

/* ---- two sets ------------------------------------------------------------------------------- */

static void
lock_both(struct bitset *a, struct bitset *b)
{
    lock(a->number < b->number ? a : b);
    if (a != b)
        lock(a->number < b->number ? b : a);
}

static void
unlock_both(struct bitset *a, struct bitset *b)
{
    unlock(a);
    if (a != b)
        unlock(b);
}

void
bitset_and(struct bitset *b, struct bitset *other)
{
    lock_both(b, other);
    for (size_t i = 0; i < b->n_words; i++)
        b->words[i] &= i < other->n_words ? other->words[i] : 0;
    unlock_both(b, other);
}

void
bitset_or(struct bitset *b, struct bitset *other)
{
#ifdef SEED_9
    lock(b);
    if (b != other)
        lock(other);
#else
    lock_both(b, other);
#endif
    reach(b, other->n_words);
    for (size_t i = 0; i < other->n_words; i++) {
#if VERSION >= 2
        if (other->words[i] == 0)
            continue;
#endif
        b->words[i] |= other->words[i];
    }
    unlock_both(b, other);
}

void
bitset_xor(struct bitset *b, struct bitset *other)
{
    lock_both(b, other);
    reach(b, other->n_words);
    for (size_t i = 0; i < other->n_words; i++)
        b->words[i] ^= other->words[i];
    unlock_both(b, other);
}

bool
bitset_intersects(struct bitset *b, struct bitset *other)
{
    size_t common_words;
    bool common = false;

    lock_both(b, other);
    common_words = b->n_words < other->n_words ? b->n_words : other->n_words;
    for (size_t i = 0; i < common_words && !common; i++)
        common = (b->words[i] & other->words[i]) != 0;
    unlock_both(b, other);
    return common;
}

/* ---- published states ----------------------------------------------------------------------- */

void
bitset_publish(struct bitset *b)
{
    struct state *s;

    lock(b);
    s = malloc(sizeof *s + b->n_words * sizeof s->words[0]);
    if (s == NULL)
        abort();
    s->n_words = b->n_words;
    for (size_t i = 0; i < b->n_words; i++)
        s->words[i] = b->words[i];
#if VERSION >= 2
    /* The semaphore orders publishers among each other. */
    s->older = atomic_load_explicit(&b->state, memory_order_relaxed);
#ifdef SEED_1
    atomic_store_explicit(&b->state, s, memory_order_relaxed);
#else
    atomic_store_explicit(&b->state, s, memory_order_release);
#endif
#else
    s->older = atomic_load(&b->state);
    atomic_store(&b->state, s);
#endif
    unlock(b);
}

bool
bitset_was_set(struct bitset *b, size_t bit)
{
#if VERSION >= 2
    const struct state *s = atomic_load_explicit(&b->state, memory_order_acquire);
#else
    const struct state *s = atomic_load(&b->state);
#endif

    return s != NULL && bit / WORD_BITS < s->n_words &&
           (s->words[bit / WORD_BITS] & mask_of(bit)) != 0;
}
