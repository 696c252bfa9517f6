/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - something that happens once.
 */
#include "rover.h"

void
event_init(struct event *e)
{
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    e->happened = false;
}

void
event_deinit(struct event *e)
{
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
}

void
event_fire(struct event *e)
{
    pthread_mutex_lock(&e->lock);
    e->happened = true;
    pthread_cond_signal(&e->changed);
    pthread_mutex_unlock(&e->lock);
}

void
event_wait(struct event *e)
{
    pthread_mutex_lock(&e->lock);
    while (!e->happened)
        pthread_cond_wait(&e->changed, &e->lock);
    pthread_mutex_unlock(&e->lock);
}
