/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.c - the queue of transitions.
 */
#include "animator.h"

void
transitions_init(struct transitions *t)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
}

void
transitions_deinit(struct transitions *t)
{
    pthread_mutex_destroy(&t->lock);
}

bool
transitions_add(struct transitions *t, const struct transition *one)
{
    bool room;

    pthread_mutex_lock(&t->lock);
    room = t->n < TRANSITIONS_MAX;
    if (room)
        t->list[t->n++] = *one;
    pthread_mutex_unlock(&t->lock);
    return room;
}

void
transitions_step(struct transitions *t, struct scene *s)
{
    unsigned kept = 0;

    pthread_mutex_lock(&t->lock);
    for (unsigned i = 0; i < t->n; i++) {
        struct transition one = t->list[i];

        if (!scene_change(s, one.name, one.dx, one.dy, one.grow)) {
            t->n_orphans++;
            continue;
        }
        if (--one.frames == 0)
            t->n_done++;
        else
            t->list[kept++] = one;
    }
    t->n = kept;
    pthread_mutex_unlock(&t->lock);
}

unsigned
transitions_left(struct transitions *t)
{
    unsigned n;

    pthread_mutex_lock(&t->lock);
    n = t->n;
    pthread_mutex_unlock(&t->lock);
    return n;
}
