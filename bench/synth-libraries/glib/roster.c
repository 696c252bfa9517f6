/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roster.c - with -DBROKEN roster_raise() and roster_merge() are made of smaller atomic steps.
 */
#include "roster.h"

#include <glib.h>
#include <pthread.h>
#include <stdlib.h>

struct roster {
    pthread_mutex_t lock;
    GHashTable *scores; /* name -> score */
    GQueue *order;      /* of the same names */
};

struct roster *
roster_new(void)
{
    struct roster *r = calloc(1, sizeof *r);

    if (r == NULL)
        return NULL;
    pthread_mutex_init(&r->lock, NULL);
    r->scores = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r->order = g_queue_new();
    return r;
}

void
roster_free(struct roster *r)
{
    if (r == NULL)
        return;
    g_queue_free(r->order);
    g_hash_table_destroy(r->scores);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static int
add_locked(struct roster *r, const char *name, int score)
{
    char *copy;

    if (g_hash_table_contains(r->scores, name))
        return 0;
    copy = g_strdup(name);
    g_hash_table_insert(r->scores, copy, GINT_TO_POINTER(score));
    g_queue_push_tail(r->order, copy);
    return 1;
}

int
roster_add(struct roster *r, const char *name, int score)
{
    int added;

    pthread_mutex_lock(&r->lock);
    added = add_locked(r, name, score);
    pthread_mutex_unlock(&r->lock);
    return added;
}

int
roster_remove(struct roster *r, const char *name)
{
    gpointer key;
    int removed = 0;

    pthread_mutex_lock(&r->lock);
    if (g_hash_table_lookup_extended(r->scores, name, &key, NULL)) {
        g_queue_remove(r->order, key);
        removed = g_hash_table_remove(r->scores, name);
    }
    pthread_mutex_unlock(&r->lock);
    return removed;
}

int
roster_has(struct roster *r, const char *name)
{
    int found;

    pthread_mutex_lock(&r->lock);
    found = g_hash_table_contains(r->scores, name);
    pthread_mutex_unlock(&r->lock);
    return found;
}

static int
score_locked(struct roster *r, const char *name)
{
    gpointer value;

    if (!g_hash_table_lookup_extended(r->scores, name, NULL, &value))
        return -1;
    return GPOINTER_TO_INT(value);
}

int
roster_score(struct roster *r, const char *name)
{
    int score;

    pthread_mutex_lock(&r->lock);
    score = score_locked(r, name);
    pthread_mutex_unlock(&r->lock);
    return score;
}

static void
set_locked(struct roster *r, const char *name, int score)
{
    gpointer key;

    if (g_hash_table_steal_extended(r->scores, name, &key, NULL))
        g_hash_table_insert(r->scores, key, GINT_TO_POINTER(score));
}

int
roster_raise(struct roster *r, const char *name, int by)
{
    int score;

#ifdef BROKEN
    score = roster_score(r, name);
    if (score < 0)
        return -1;
    score += by;
    pthread_mutex_lock(&r->lock);
    set_locked(r, name, score);
#else
    pthread_mutex_lock(&r->lock);
    score = score_locked(r, name);
    if (score >= 0) {
        score += by;
        set_locked(r, name, score);
    }
#endif
    pthread_mutex_unlock(&r->lock);
    return score;
}

int
roster_size(struct roster *r)
{
    int n;

    pthread_mutex_lock(&r->lock);
    n = (int)g_queue_get_length(r->order);
    pthread_mutex_unlock(&r->lock);
    return n;
}

int
roster_total(struct roster *r)
{
    int total = 0;

    pthread_mutex_lock(&r->lock);
    for (GList *l = r->order->head; l != NULL; l = l->next)
        total += score_locked(r, l->data);
    pthread_mutex_unlock(&r->lock);
    return total;
}

#ifdef BROKEN
int
roster_merge(struct roster *r, struct roster *from)
{
    int n = roster_size(from);
    int added = 0;

    for (int i = 0; i < n; i++) {
        char *name;

        pthread_mutex_lock(&from->lock);
        name = g_strdup(g_queue_peek_nth(from->order, (guint)i));
        pthread_mutex_unlock(&from->lock);
        if (name != NULL)
            added += roster_add(r, name, roster_score(from, name));
        g_free(name);
    }
    return added;
}
#else
int
roster_merge(struct roster *r, struct roster *from)
{
    struct roster *first = r < from ? r : from;
    struct roster *second = r < from ? from : r;
    int added = 0;

    if (r == from)
        return 0;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    for (GList *l = from->order->head; l != NULL; l = l->next)
        added += add_locked(r, l->data, score_locked(from, l->data));
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    return added;
}
#endif
