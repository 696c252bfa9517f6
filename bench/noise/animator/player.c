/* SPDX-License-Identifier: Apache-2.0 */
/*
 * player.c - draws the scene, frame by frame.
 *
 * The bug: a frame is collected shape by shape. The number of shapes is that of its beginning;
 * when a control thread removes a shape during the frame, the last number has no shape, and the
 * player uses the null pointer that it gets. The twin collects all shapes in one critical
 * section.
 */
#include "animator.h"

static void
draw(struct canvas *c, const struct look *l)
{
    switch (l->kind) {
    case SHAPE_DOT:
        canvas_dot(c, l->x, l->y, l->ink);
        break;
    case SHAPE_LINE:
        canvas_line(c, l->x, l->y, l->x + l->size, l->y + l->size / 2, l->ink);
        break;
    case SHAPE_BOX:
        canvas_box(c, l->x, l->y, 2 * l->size, l->size, l->ink);
        break;
    case SHAPE_DISK:
        canvas_disk(c, l->x, l->y, l->size, l->ink);
        break;
    case SHAPE_TEXT:
        canvas_text(c, l->x, l->y, l->name);
        break;
    case SHAPE__N:
        break;
    }
}

static unsigned
collect(struct player *p, struct look *looks)
{
    unsigned n;

    if (TWIN)
        return scene_looks(p->scene, looks);
    n = scene_count(p->scene);
    for (unsigned i = 0; i < n; i++) {
        struct shape *sh = scene_hold(p->scene, i);

        looks[i] = scene_look(p->scene, sh);
        scene_drop(p->scene, sh);
    }
    return n;
}

static void
draw_frame(struct player *p)
{
    struct look looks[SHAPES_MAX];
    unsigned n = collect(p, looks);

    canvas_clear(&p->canvas);
    for (unsigned i = 0; i < n; i++)
        draw(&p->canvas, &looks[i]);
    p->sum = p->sum * 31 + canvas_sum(&p->canvas);
    transitions_step(p->transitions, p->scene);
}

/* False: the player is to stop. Sets how long the frame lasts. */
static bool
next_frame(struct player *p, unsigned *frame_us)
{
    bool go;

    pthread_mutex_lock(&p->lock);
    while (p->paused && !p->stopping)
        pthread_cond_wait(&p->changed, &p->lock);
    go = !p->stopping;
    *frame_us = p->frame_us;
    pthread_mutex_unlock(&p->lock);
    return go;
}

static void
frame_done(struct player *p)
{
    pthread_mutex_lock(&p->lock);
    p->n_frames++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void *
play(void *arg)
{
    struct player *p = arg;
    unsigned frame_us;

    while (next_frame(p, &frame_us)) {
        draw_frame(p);
        frame_done(p);
        pause_us(frame_us);
    }
    draw_frame(p);
    return NULL;
}

void
player_start(struct player *p, struct scene *s, struct transitions *t, unsigned frame_us)
{
    memset(p, 0, sizeof *p);
    p->scene = s;
    p->transitions = t;
    p->frame_us = frame_us;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    start_thread(&p->thread, play, p);
}

void
player_pause(struct player *p, bool on)
{
    pthread_mutex_lock(&p->lock);
    p->paused = on;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void
player_speed(struct player *p, unsigned frame_us)
{
    pthread_mutex_lock(&p->lock);
    p->frame_us = frame_us;
    pthread_mutex_unlock(&p->lock);
}

void
player_await(struct player *p, unsigned frames)
{
    pthread_mutex_lock(&p->lock);
    while (p->n_frames < frames)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void
player_stop(struct player *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}
