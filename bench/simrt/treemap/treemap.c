/* SPDX-License-Identifier: Apache-2.0 */
/*
 * treemap.c - an AA tree (a red-black tree in which only right children are red) behind a mutex,
 * and statistics behind a spin lock. Functions on two maps lock the one with the lower number
 * first.
 *
 * VERSION 2 keeps the least key at hand, searches without recursion, counts ranges by pruning and
 * frees the nodes of a cleared map outside the critical section.
 */
#include "treemap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../versions.h"

#ifdef HARMLESS
#define best_so_far candidate
#define lowered demoted
/* As if a long comment had been written here. */
#line 200
#endif

struct node {
    struct node *left, *right;
    int level;
    int key;
    int value;
};

struct treemap {
    pthread_mutex_t lock; /* of the tree, size and least */
    struct node *root;
    size_t size;
#if VERSION >= 2
    int least; /* the least key, if size > 0 */
#endif
    pthread_spinlock_t stats_lock; /* of searches; taken last */
    unsigned long searches;
    unsigned number; /* the order of locks */
};

static atomic_uint n_maps;

/* ---- nodes, with the lock held -------------------------------------------------------------- */

static int
level(const struct node *t)
{
    return t != NULL ? t->level : 0;
}

static struct node *
skew(struct node *t)
{
    struct node *l = t->left;

    if (l == NULL || l->level != t->level)
        return t;
    t->left = l->right;
    l->right = t;
    return l;
}

static struct node *
split(struct node *t)
{
    struct node *r = t->right;

    if (r == NULL || r->right == NULL || r->right->level != t->level)
        return t;
    t->right = r->left;
    r->left = t;
    r->level++;
    return r;
}

static struct node *
new_node(int key, int value)
{
    struct node *t = calloc(1, sizeof *t);

    if (t == NULL)
        abort();
    t->level = 1;
    t->key = key;
    t->value = value;
    return t;
}

static struct node *
insert(struct node *t, int key, int value, bool *is_new)
{
    if (t == NULL) {
        *is_new = true;
        return new_node(key, value);
    }
    if (key < t->key)
        t->left = insert(t->left, key, value, is_new);
    else if (key > t->key)
        t->right = insert(t->right, key, value, is_new);
    else
        t->value = value;
    return split(skew(t));
}

/* Restores the levels at t after a removal below it. */
static struct node *
rebalance(struct node *t)
{
    const int lowered = 1 + (level(t->left) < level(t->right) ? level(t->left) : level(t->right));

    if (lowered < t->level) {
        t->level = lowered;
        if (level(t->right) > lowered)
            t->right->level = lowered;
    }
    t = skew(t);
    if (t->right != NULL) {
        t->right = skew(t->right);
        if (t->right->right != NULL)
            t->right->right = skew(t->right->right);
    }
    t = split(t);
    if (t->right != NULL)
        t->right = split(t->right);
    return t;
}

static struct node *
unlink_key(struct node *t, int key, bool *gone)
{
    if (t == NULL)
        return NULL;
    if (key < t->key) {
        t->left = unlink_key(t->left, key, gone);
    } else if (key > t->key) {
        t->right = unlink_key(t->right, key, gone);
    } else {
        struct node *next = t->right;

        *gone = true;
        if (next == NULL) {
            next = t->left;
            free(t);
            return next;
        }
        /* The least greater node takes the place of t. */
        while (next->left != NULL)
            next = next->left;
        t->key = next->key;
        t->value = next->value;
        t->right = unlink_key(t->right, next->key, gone);
    }
    return rebalance(t);
}

#if VERSION >= 2 || defined HARMLESS
static void
free_nodes(struct node *t)
{
    if (t == NULL)
        return;
    free_nodes(t->left);
    free_nodes(t->right);
    free(t);
}
#endif

static struct node *
find(struct node *t, int key)
{
#if VERSION >= 2
    while (t != NULL && t->key != key)
        t = key < t->key ? t->left : t->right;
    return t;
#else
    if (t == NULL || t->key == key)
        return t;
    return find(key < t->key ? t->left : t->right, key);
#endif
}

static struct node *
outermost(struct node *t, bool right)
{
    while (t != NULL && (right ? t->right : t->left) != NULL)
        t = right ? t->right : t->left;
    return t;
}

#if VERSION < 2 && !defined HARMLESS
static void
free_nodes(struct node *t)
{
    if (t == NULL)
        return;
    free_nodes(t->left);
    free_nodes(t->right);
    free(t);
}
#endif

/* ---- maps, with the lock held --------------------------------------------------------------- */

static bool
put_locked(struct treemap *m, int key, int value)
{
    bool is_new = false;

    m->root = insert(m->root, key, value, &is_new);
#if VERSION >= 2
    if (m->size == 0 || key < m->least)
        m->least = key;
#endif
    if (is_new)
        m->size++;
    return is_new;
}

static bool
remove_locked(struct treemap *m, int key)
{
    bool gone = false;

    m->root = unlink_key(m->root, key, &gone);
    if (gone)
        m->size--;
#if VERSION >= 2
    if (gone && key == m->least && m->size > 0)
        m->least = outermost(m->root, false)->key;
#endif
    return gone;
}

static void
count_search(struct treemap *m)
{
    pthread_spin_lock(&m->stats_lock);
    m->searches++;
    pthread_spin_unlock(&m->stats_lock);
}

/* ---- life ----------------------------------------------------------------------------------- */

struct treemap *
treemap_new(void)
{
    struct treemap *m = calloc(1, sizeof *m);

    if (m == NULL)
        abort();
    pthread_mutex_init(&m->lock, NULL);
    pthread_spin_init(&m->stats_lock, PTHREAD_PROCESS_PRIVATE);
    m->number = atomic_fetch_add(&n_maps, 1);
    return m;
}

void
treemap_free(struct treemap *m)
{
    free_nodes(m->root);
    pthread_mutex_destroy(&m->lock);
    pthread_spin_destroy(&m->stats_lock);
    free(m);
}

/* ---- changes -------------------------------------------------------------------------------- */

bool
treemap_put(struct treemap *m, int key, int value)
{
    bool is_new;

    pthread_mutex_lock(&m->lock);
    is_new = put_locked(m, key, value);
    pthread_mutex_unlock(&m->lock);
    return is_new;
}

bool
treemap_replace(struct treemap *m, int key, int value)
{
    struct node *t;

#if VERSION >= 2
    /* Replacing is a search, too. */
#ifdef SEED_2
    pthread_spin_lock(&m->stats_lock);
    m->searches++;
    t = find(m->root, key);
    if (t != NULL)
        t->value = value;
    pthread_spin_unlock(&m->stats_lock);
#else
    pthread_mutex_lock(&m->lock);
    count_search(m);
    t = find(m->root, key);
    if (t != NULL)
        t->value = value;
    pthread_mutex_unlock(&m->lock);
#endif
#else
    pthread_mutex_lock(&m->lock);
    t = find(m->root, key);
    if (t != NULL)
        t->value = value;
    pthread_mutex_unlock(&m->lock);
#endif
    return t != NULL;
}

bool
treemap_remove(struct treemap *m, int key)
{
    bool gone;

    pthread_mutex_lock(&m->lock);
    gone = remove_locked(m, key);
    pthread_mutex_unlock(&m->lock);
    return gone;
}

bool
treemap_pop_first(struct treemap *m, int *key)
{
    bool there;

#ifdef SEED_4
    there = treemap_first(m, key);
    if (there)
        treemap_remove(m, *key);
#else
    pthread_mutex_lock(&m->lock);
    there = m->size > 0;
    if (there) {
#if VERSION >= 2
        *key = m->least;
#else
        *key = outermost(m->root, false)->key;
#endif
        remove_locked(m, *key);
    }
    pthread_mutex_unlock(&m->lock);
#endif
    return there;
}

bool
treemap_pop_last(struct treemap *m, int *key)
{
    bool there;

    pthread_mutex_lock(&m->lock);
    there = m->size > 0;
    if (there) {
        *key = outermost(m->root, true)->key;
        remove_locked(m, *key);
    }
    pthread_mutex_unlock(&m->lock);
    return there;
}

#if VERSION >= 2
/* Takes the whole tree out of the map. */
static struct node *
detach(struct treemap *m)
{
    struct node *t = m->root;

    m->root = NULL;
    m->size = 0;
    return t;
}
#endif

void
treemap_clear(struct treemap *m)
{
#if VERSION >= 2
    struct node *t;

#ifdef SEED_6
    t = detach(m);
#else
    pthread_mutex_lock(&m->lock);
    t = detach(m);
    pthread_mutex_unlock(&m->lock);
#endif
    free_nodes(t);
#else
    pthread_mutex_lock(&m->lock);
    free_nodes(m->root);
    m->root = NULL;
    m->size = 0;
    pthread_mutex_unlock(&m->lock);
#endif
}

/* ---- reading -------------------------------------------------------------------------------- */

bool
treemap_get(struct treemap *m, int key, int *value)
{
    const struct node *t;

    pthread_mutex_lock(&m->lock);
    t = find(m->root, key);
    if (t != NULL)
        *value = t->value;
    pthread_mutex_unlock(&m->lock);
    count_search(m);
    return t != NULL;
}

bool
treemap_first(struct treemap *m, int *key)
{
    bool there;

#ifdef SEED_3
    *key = m->least;
#endif
    pthread_mutex_lock(&m->lock);
    there = m->size > 0;
#if VERSION >= 2
#ifndef SEED_3
    if (there)
        *key = m->least;
#endif
#else
    if (there)
        *key = outermost(m->root, false)->key;
#endif
    pthread_mutex_unlock(&m->lock);
    return there;
}

bool
treemap_last(struct treemap *m, int *key)
{
    const struct node *t;
    bool there;

#if VERSION >= 2
#ifdef SEED_7
    t = outermost(m->root, true);
    there = t != NULL;
    if (there)
        *key = t->key;
#else
    pthread_mutex_lock(&m->lock);
    t = outermost(m->root, true);
    there = t != NULL;
    if (there)
        *key = t->key;
    pthread_mutex_unlock(&m->lock);
#endif
#else
    pthread_mutex_lock(&m->lock);
    there = m->size > 0;
    t = outermost(m->root, true);
    if (there)
        *key = t->key;
    pthread_mutex_unlock(&m->lock);
#endif
    return there;
}

/* The key nearest to `key` on one side. Needs the lock. */
static bool
nearest(const struct node *t, int key, bool above, int *found)
{
    const struct node *best_so_far = NULL;

    while (t != NULL) {
        const bool fits = above ? t->key >= key : t->key <= key;

        if (fits)
            best_so_far = t;
        t = fits == above ? t->left : t->right;
    }
    if (best_so_far != NULL)
        *found = best_so_far->key;
    return best_so_far != NULL;
}

bool
treemap_floor(struct treemap *m, int key, int *found)
{
    bool there;

    pthread_mutex_lock(&m->lock);
    there = nearest(m->root, key, false, found);
    pthread_mutex_unlock(&m->lock);
    count_search(m);
    return there;
}

bool
treemap_ceiling(struct treemap *m, int key, int *found)
{
    bool there;

    pthread_mutex_lock(&m->lock);
    there = nearest(m->root, key, true, found);
    pthread_mutex_unlock(&m->lock);
    count_search(m);
    return there;
}

size_t
treemap_size(struct treemap *m)
{
    size_t n;

    pthread_mutex_lock(&m->lock);
    n = m->size;
    pthread_mutex_unlock(&m->lock);
    return n;
}

static size_t
count_nodes(const struct node *t, int from, int to)
{
    size_t n;

    if (t == NULL)
        return 0;
#if VERSION >= 2
    n = t->key >= from && t->key <= to;
    if (t->key > from)
        n += count_nodes(t->left, from, to);
    if (t->key < to)
        n += count_nodes(t->right, from, to);
#else
    n = count_nodes(t->left, from, to) + count_nodes(t->right, from, to);
    n += t->key >= from && t->key <= to;
#endif
    return n;
}

size_t
treemap_count(struct treemap *m, int from, int to)
{
    size_t n = 0;

#if VERSION >= 2
    /* An empty range needs no look at the tree. */
    bool look = from <= to;
    bool shared = true;

#ifdef SEED_5
    shared = look && (long)to - from >= 8;
#endif
    if (shared)
        pthread_mutex_lock(&m->lock);
    if (look)
        n = count_nodes(m->root, from, to);
    if (shared)
        pthread_mutex_unlock(&m->lock);
#else
    pthread_mutex_lock(&m->lock);
    n = count_nodes(m->root, from, to);
    pthread_mutex_unlock(&m->lock);
#endif
    return n;
}

unsigned long
treemap_searches(struct treemap *m)
{
    unsigned long n;

    pthread_spin_lock(&m->stats_lock);
    n = m->searches;
    pthread_spin_unlock(&m->stats_lock);
    return n;
}

/* ---- two maps ------------------------------------------------------------------------------- */

static void
lock_both(struct treemap *a, struct treemap *b)
{
    pthread_mutex_lock(a->number < b->number ? &a->lock : &b->lock);
    if (a != b)
        pthread_mutex_lock(a->number < b->number ? &b->lock : &a->lock);
}

static void
unlock_both(struct treemap *a, struct treemap *b)
{
    pthread_mutex_unlock(&a->lock);
    if (a != b)
        pthread_mutex_unlock(&b->lock);
}

static void
put_nodes(struct treemap *m, const struct node *t)
{
    if (t == NULL)
        return;
    put_nodes(m, t->left);
    put_locked(m, t->key, t->value);
    put_nodes(m, t->right);
}

void
treemap_put_all(struct treemap *m, struct treemap *from)
{
    if (m == from)
        return;
    lock_both(m, from);
    put_nodes(m, from->root);
    unlock_both(m, from);
}

size_t
treemap_move(struct treemap *m, struct treemap *from, int lo, int hi)
{
    size_t n = 0;
    int key;

    if (m == from)
        return 0;
#if VERSION >= 2
#ifdef SEED_1
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&m->lock);
#else
    lock_both(m, from);
#endif
    for (; nearest(from->root, lo, true, &key) && key <= hi; n++) {
        put_locked(m, key, find(from->root, key)->value);
        remove_locked(from, key);
    }
    unlock_both(m, from);
#else
    lock_both(m, from);
    while (nearest(from->root, lo, true, &key) && key <= hi) {
        const struct node *t = find(from->root, key);

        put_locked(m, key, t->value);
        remove_locked(from, key);
        n++;
    }
    unlock_both(m, from);
#endif
    return n;
}
