/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - the values that conditions are about.
 */
#include "rover.h"

void
database_init(struct database *d, struct watches *w)
{
    memset(d, 0, sizeof *d);
    pthread_mutex_init(&d->lock, NULL);
    d->watches = w;
}

void
database_deinit(struct database *d)
{
    pthread_mutex_destroy(&d->lock);
}

/* The place of a value, which is made when it is not there. */
static int *
place_locked(struct database *d, const char *name)
{
    unsigned i = 0;

    while (i < d->n && strcmp(d->values[i].name, name) != 0)
        i++;
    must(i < VALUES_MAX && strlen(name) < NAME_LENGTH, "a place in the database");
    if (i == d->n) {
        strcpy(d->values[i].name, name);
        d->values[i].value = 0;
        d->n++;
    }
    return &d->values[i].value;
}

int
database_get(struct database *d, const char *name)
{
    int value;

    pthread_mutex_lock(&d->lock);
    value = *place_locked(d, name);
    pthread_mutex_unlock(&d->lock);
    return value;
}

void
database_set(struct database *d, const char *name, int value)
{
    pthread_mutex_lock(&d->lock);
    *place_locked(d, name) = value;
    d->n_changes++;
    pthread_mutex_unlock(&d->lock);
    watches_fire(d->watches, name, value);
}

int
database_add(struct database *d, const char *name, int value)
{
    int *place;
    int sum;

    pthread_mutex_lock(&d->lock);
    place = place_locked(d, name);
    sum = *place += value;
    d->n_changes++;
    pthread_mutex_unlock(&d->lock);
    watches_fire(d->watches, name, sum);
    return sum;
}

bool
database_holds(struct database *d, const struct condition *c)
{
    return condition_holds(c, database_get(d, c->name));
}
