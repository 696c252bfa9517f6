/* SPDX-License-Identifier: Apache-2.0 */
/*
 * animator.h - the parts of the animator.
 *
 * A scene has shapes. Transitions change shapes from frame to frame. The player draws frames at
 * a speed; control threads read scripts that add, remove and move shapes, and pause and resume
 * the player.
 *
 * Locks, in the order in which they are taken: the queue of transitions, the scene, the player.
 * None is held while a shape is drawn.
 */
#ifndef ANIMATOR_H
#define ANIMATOR_H

#include "subject.h"

#define CANVAS_WIDTH 64
#define CANVAS_HEIGHT 24
#define NAME_LENGTH 12
#define SHAPES_MAX 32
#define TRANSITIONS_MAX 64

/* ---- canvas.c: what a frame is drawn on; of one thread */

struct canvas {
    char cells[CANVAS_HEIGHT][CANVAS_WIDTH];
    unsigned n_set;     /* cells that were set since the last clear */
    unsigned n_clipped; /* and those that are outside */
};

void canvas_clear(struct canvas *c);
void canvas_dot(struct canvas *c, int x, int y, char ink);
void canvas_line(struct canvas *c, int x0, int y0, int x1, int y1, char ink);
void canvas_box(struct canvas *c, int x, int y, int w, int h, char ink);
void canvas_disk(struct canvas *c, int x, int y, int r, char ink);
void canvas_text(struct canvas *c, int x, int y, const char *text);
/* Of the drawn cells, to compare frames. */
uint32_t canvas_sum(const struct canvas *c);

/* ---- scene.c: the shapes; for all threads */

enum shape_kind { SHAPE_DOT, SHAPE_LINE, SHAPE_BOX, SHAPE_DISK, SHAPE_TEXT, SHAPE__N };

struct shape {
    enum shape_kind kind;
    char name[NAME_LENGTH];
    char ink;
    int x, y; /* guarded by the scene's lock, as size is */
    int size;
    unsigned refs; /* guarded by the scene's lock; the scene has one */
};

/* A shape as it is at one moment. */
struct look {
    enum shape_kind kind;
    char ink;
    int x, y, size;
    char name[NAME_LENGTH];
};

struct scene {
    pthread_mutex_t lock; /* guards the rest */
    unsigned n;
    struct shape *shapes[SHAPES_MAX];
    unsigned n_added, n_removed;
};

void scene_init(struct scene *s);
void scene_deinit(struct scene *s);
/* False: the scene is full, or has a shape of this name. */
bool scene_add(struct scene *s, const struct look *l);
bool scene_remove(struct scene *s, const char *name);
/* Moves by dx, dy and grows. False: there is no such shape. */
bool scene_change(struct scene *s, const char *name, int dx, int dy, int grow);
unsigned scene_count(struct scene *s);
/* Shape i with a reference for the caller; NULL when there are not so many. */
struct shape *scene_hold(struct scene *s, unsigned i);
/* Takes a caller's reference back. */
void scene_drop(struct scene *s, struct shape *sh);
struct look scene_look(struct scene *s, const struct shape *sh);
/* The looks of all shapes at one moment; room for SHAPES_MAX. Their number. */
unsigned scene_looks(struct scene *s, struct look *out);

/* ---- transition.c: changes that take several frames */

struct transition {
    char name[NAME_LENGTH]; /* of the shape */
    int dx, dy, grow;       /* per frame */
    unsigned frames;        /* left */
};

struct transitions {
    pthread_mutex_t lock; /* guards the rest */
    unsigned n;
    struct transition list[TRANSITIONS_MAX];
    unsigned n_done, n_orphans; /* orphans: their shape was removed */
};

void transitions_init(struct transitions *t);
void transitions_deinit(struct transitions *t);
bool transitions_add(struct transitions *t, const struct transition *one);
/* One frame of all of them. */
void transitions_step(struct transitions *t, struct scene *s);
unsigned transitions_left(struct transitions *t);

/* ---- player.c: the thread that draws */

struct player {
    struct scene *scene;
    struct transitions *transitions;
    pthread_t thread;
    pthread_mutex_t lock; /* guards paused, stopping, frame_us and n_frames */
    pthread_cond_t changed;
    bool paused, stopping;
    unsigned frame_us;
    unsigned n_frames;
    struct canvas canvas; /* of the player's thread; of the caller after player_stop */
    uint32_t sum;         /* over all frames; as canvas */
};

void player_start(struct player *p, struct scene *s, struct transitions *t, unsigned frame_us);
void player_pause(struct player *p, bool on);
void player_speed(struct player *p, unsigned frame_us);
/* Returns when this many frames were drawn in all. */
void player_await(struct player *p, unsigned frames);
/* Draws a last frame and ends the thread. */
void player_stop(struct player *p);

/* ---- script.c: what control threads do */

struct control {
    struct player *player;
    struct scene *scene;
    struct transitions *transitions;
    const char *const *lines; /* the last one is NULL */
    pthread_t thread;
    unsigned n_commands, n_refused, n_errors;
    uint64_t random;
};

/* One command. False: it is none. */
bool script_do(struct control *c, const char *line);
void *script_run(void *control);

#endif
