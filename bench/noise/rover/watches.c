/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watches.c - events for conditions.
 *
 * The bug: watches_await looks into the database first, and registers its watch when the
 * condition does not hold yet. A value that is set in between fires no watch; the event is
 * missed, and the executive waits forever. The twin registers first.
 */
#include "rover.h"

void
watches_init(struct watches *w)
{
    memset(w, 0, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
}

void
watches_deinit(struct watches *w)
{
    pthread_mutex_destroy(&w->lock);
}

void
watches_add(struct watches *w, const struct condition *c, struct event *e)
{
    pthread_mutex_lock(&w->lock);
    must(w->n < WATCHES_MAX, "a place for a watch");
    w->list[w->n++] = (struct watch){ .condition = c, .event = e };
    pthread_mutex_unlock(&w->lock);
}

void
watches_remove(struct watches *w, const struct event *e)
{
    unsigned kept = 0;

    pthread_mutex_lock(&w->lock);
    for (unsigned i = 0; i < w->n; i++)
        if (w->list[i].event != e)
            w->list[kept++] = w->list[i];
    w->n = kept;
    pthread_mutex_unlock(&w->lock);
}

void
watches_fire(struct watches *w, const char *name, int value)
{
    pthread_mutex_lock(&w->lock);
    for (unsigned i = 0; i < w->n; i++) {
        const struct condition *c = w->list[i].condition;

        if (strcmp(c->name, name) == 0 && condition_holds(c, value)) {
            event_fire(w->list[i].event);
            w->n_fired++;
        }
    }
    pthread_mutex_unlock(&w->lock);
}

void
watches_await(struct watches *w, struct database *d, const struct condition *c)
{
    struct event e;

    if (!TWIN && database_holds(d, c))
        return;
    event_init(&e);
    watches_add(w, c, &e);
    if (!TWIN || !database_holds(d, c))
        event_wait(&e);
    watches_remove(w, &e);
    event_deinit(&e);
}
