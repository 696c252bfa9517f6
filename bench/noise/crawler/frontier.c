/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frontier.c - the queue of addresses.
 */
#include "crawler.h"

void
frontier_init(struct frontier *f)
{
    memset(f, 0, sizeof *f);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
}

void
frontier_deinit(struct frontier *f)
{
    seen_deinit(&f->seen);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
}

void
frontier_add(struct frontier *f, const struct url *u)
{
    pthread_mutex_lock(&f->lock);
    if (f->n == FRONTIER_MAX || !seen_add(&f->seen, u)) {
        f->n_dropped++;
    } else {
        f->queue[(f->first + f->n++) % FRONTIER_MAX] = *u;
        pthread_cond_signal(&f->changed);
    }
    pthread_mutex_unlock(&f->lock);
}

bool
frontier_take(struct frontier *f, struct url *out)
{
    bool taken;

    pthread_mutex_lock(&f->lock);
    while (f->n == 0 && f->n_open > 0)
        pthread_cond_wait(&f->changed, &f->lock);
    taken = f->n > 0;
    if (taken) {
        *out = f->queue[f->first];
        f->first = (f->first + 1) % FRONTIER_MAX;
        f->n--;
        f->n_open++;
    }
    pthread_mutex_unlock(&f->lock);
    return taken;
}

void
frontier_done(struct frontier *f)
{
    pthread_mutex_lock(&f->lock);
    if (--f->n_open == 0)
        pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}
