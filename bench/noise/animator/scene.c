/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scene.c - the list of shapes.
 *
 * A shape lives as long as it has references. Removing closes the gap, so that the shapes after
 * it get the numbers of their predecessors.
 */
#include "animator.h"

void
scene_init(struct scene *s)
{
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
}

void
scene_deinit(struct scene *s)
{
    for (unsigned i = 0; i < s->n; i++)
        free(s->shapes[i]);
    pthread_mutex_destroy(&s->lock);
}

/* The number of a shape, s->n: none. The caller has the lock. */
static unsigned
find_locked(const struct scene *s, const char *name)
{
    unsigned i = 0;

    while (i < s->n && strcmp(s->shapes[i]->name, name) != 0)
        i++;
    return i;
}

static void
drop_locked(struct shape *sh)
{
    if (--sh->refs == 0)
        free(sh);
}

bool
scene_add(struct scene *s, const struct look *l)
{
    struct shape *sh = calloc(1, sizeof *sh);
    bool added;

    must(sh != NULL, "calloc");
    sh->kind = l->kind;
    sh->ink = l->ink;
    sh->x = l->x;
    sh->y = l->y;
    sh->size = l->size;
    sh->refs = 1;
    memcpy(sh->name, l->name, NAME_LENGTH);
    pthread_mutex_lock(&s->lock);
    added = s->n < SHAPES_MAX && find_locked(s, l->name) == s->n;
    if (added) {
        s->shapes[s->n++] = sh;
        s->n_added++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!added)
        free(sh);
    return added;
}

bool
scene_remove(struct scene *s, const char *name)
{
    unsigned i;
    bool found;

    pthread_mutex_lock(&s->lock);
    i = find_locked(s, name);
    found = i < s->n;
    if (found) {
        drop_locked(s->shapes[i]);
        for (s->n--; i < s->n; i++)
            s->shapes[i] = s->shapes[i + 1];
        s->shapes[s->n] = NULL;
        s->n_removed++;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

bool
scene_change(struct scene *s, const char *name, int dx, int dy, int grow)
{
    unsigned i;
    bool found;

    pthread_mutex_lock(&s->lock);
    i = find_locked(s, name);
    found = i < s->n;
    if (found) {
        s->shapes[i]->x += dx;
        s->shapes[i]->y += dy;
        s->shapes[i]->size += grow;
        if (s->shapes[i]->size < 1)
            s->shapes[i]->size = 1;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

unsigned
scene_count(struct scene *s)
{
    unsigned n;

    pthread_mutex_lock(&s->lock);
    n = s->n;
    pthread_mutex_unlock(&s->lock);
    return n;
}

struct shape *
scene_hold(struct scene *s, unsigned i)
{
    struct shape *sh = NULL;

    pthread_mutex_lock(&s->lock);
    if (i < s->n) {
        sh = s->shapes[i];
        sh->refs++;
    }
    pthread_mutex_unlock(&s->lock);
    return sh;
}

void
scene_drop(struct scene *s, struct shape *sh)
{
    pthread_mutex_lock(&s->lock);
    drop_locked(sh);
    pthread_mutex_unlock(&s->lock);
}

static struct look
look_locked(const struct shape *sh)
{
    struct look l = { .kind = sh->kind, .ink = sh->ink, .x = sh->x, .y = sh->y, .size = sh->size };

    memcpy(l.name, sh->name, NAME_LENGTH);
    return l;
}

struct look
scene_look(struct scene *s, const struct shape *sh)
{
    struct look l;

    pthread_mutex_lock(&s->lock);
    l = look_locked(sh);
    pthread_mutex_unlock(&s->lock);
    return l;
}

unsigned
scene_looks(struct scene *s, struct look *out)
{
    unsigned n;

    pthread_mutex_lock(&s->lock);
    n = s->n;
    for (unsigned i = 0; i < n; i++)
        out[i] = look_locked(s->shapes[i]);
    pthread_mutex_unlock(&s->lock);
    return n;
}
