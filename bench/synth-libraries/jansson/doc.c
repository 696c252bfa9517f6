/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c - with -DBROKEN doc_add() and doc_set_default() check and act in two critical sections.
 */
#include "doc.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>

struct doc {
    pthread_mutex_t lock;
    json_t *root;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* jansson reads the seed without atomicity before it sets it: once, for all threads. */
static void
set_seed(void)
{
    json_object_seed(1);
}

struct doc *
doc_new(void)
{
    struct doc *d = calloc(1, sizeof *d);

    if (d == NULL)
        return NULL;
    pthread_once(&once, set_seed); /* else jansson takes a random one, and no run can be repeated */
    pthread_mutex_init(&d->lock, NULL);
    d->root = json_object();
    return d;
}

void
doc_free(struct doc *d)
{
    if (d == NULL)
        return;
    json_decref(d->root);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

int
doc_set(struct doc *d, const char *key, int value)
{
    int rc;

    pthread_mutex_lock(&d->lock);
    rc = json_object_set_new(d->root, key, json_integer(value));
    pthread_mutex_unlock(&d->lock);
    return rc;
}

static int
get_locked(struct doc *d, const char *key)
{
    json_t *value = json_object_get(d->root, key);

    return value != NULL ? (int)json_integer_value(value) : -1;
}

int
doc_get(struct doc *d, const char *key)
{
    int value;

    pthread_mutex_lock(&d->lock);
    value = get_locked(d, key);
    pthread_mutex_unlock(&d->lock);
    return value;
}

int
doc_delete(struct doc *d, const char *key)
{
    int rc;

    pthread_mutex_lock(&d->lock);
    rc = json_object_del(d->root, key);
    pthread_mutex_unlock(&d->lock);
    return rc;
}

int
doc_size(struct doc *d)
{
    int n;

    pthread_mutex_lock(&d->lock);
    n = (int)json_object_size(d->root);
    pthread_mutex_unlock(&d->lock);
    return n;
}

#ifdef BROKEN
int
doc_add(struct doc *d, const char *key, int value)
{
    int sum = doc_get(d, key);

    sum = (sum < 0 ? 0 : sum) + value;
    doc_set(d, key, sum);
    return sum;
}

int
doc_set_default(struct doc *d, const char *key, int value)
{
    if (doc_get(d, key) >= 0)
        return 0;
    doc_set(d, key, value);
    return 1;
}
#else
int
doc_add(struct doc *d, const char *key, int value)
{
    int sum;

    pthread_mutex_lock(&d->lock);
    sum = get_locked(d, key);
    sum = (sum < 0 ? 0 : sum) + value;
    json_object_set_new(d->root, key, json_integer(sum));
    pthread_mutex_unlock(&d->lock);
    return sum;
}

int
doc_set_default(struct doc *d, const char *key, int value)
{
    int set = 0;

    pthread_mutex_lock(&d->lock);
    if (get_locked(d, key) < 0) {
        json_object_set_new(d->root, key, json_integer(value));
        set = 1;
    }
    pthread_mutex_unlock(&d->lock);
    return set;
}
#endif
