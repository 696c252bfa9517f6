/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elevator.c - lifts that carry passengers between ten floors; each lift is a thread.
 *
 *     elevator [LIFTS]       2 or 3; 3 without
 *
 * Written anew after the benchmark of that name: the controls keep, per floor and direction, who
 * waits and which lift has said that it will come, all under the floor's own lock. The main thread
 * is the building: passengers arrive one after the other and press a button. Every passenger must
 * be brought where they want to go. -DMUTANT=1 splits the critical region in which waiting
 * passengers enter a lift (SPCR in get_people): a passenger that arrives in between is lost.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MUTANT
#define MUTANT 0
#endif

#define FLOORS 10
#define PASSENGERS 4
#define MAX_LIFTS 3
#define NO_LIFT (-1)

enum direction { UP = 0, DOWN = 1 };

struct waiting {
    int claimed_by; /* lift on its way, NO_LIFT */
    int n;
    int to[PASSENGERS];
};

struct floor {
    pthread_mutex_t lock; /* of both directions */
    struct waiting waiting[2];
};

static struct floor floors[FLOORS];

/* Wakes lifts that have nothing to do. Never held together with a floor's lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int calls;   /* buttons pressed so far */
    bool closed; /* no passenger will arrive any more */
} board = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, false };

static struct {
    pthread_mutex_t lock;
    int arrived[FLOORS];
} exits = { PTHREAD_MUTEX_INITIALIZER, { 0 } };

/* ---- controls ------------------------------------------------------------------------ */

static void
press_button(int from, int to)
{
    struct floor *f = &floors[from];
    struct waiting *w = &f->waiting[to > from ? UP : DOWN];

    pthread_mutex_lock(&f->lock);
    w->to[w->n++] = to;
    pthread_mutex_unlock(&f->lock);

    pthread_mutex_lock(&board.lock);
    board.calls++;
    pthread_cond_broadcast(&board.changed);
    pthread_mutex_unlock(&board.lock);
}

static void
close_building(void)
{
    pthread_mutex_lock(&board.lock);
    board.closed = true;
    pthread_cond_broadcast(&board.changed);
    pthread_mutex_unlock(&board.lock);
}

/* True if a passenger waits there and no other lift is on its way. */
static bool
claim(int lift, int floor, enum direction d)
{
    struct floor *f = &floors[floor];
    struct waiting *w = &f->waiting[d];
    bool mine = false;

    pthread_mutex_lock(&f->lock);
    if (w->n > 0 && (w->claimed_by == NO_LIFT || w->claimed_by == lift)) {
        w->claimed_by = lift;
        mine = true;
    }
    pthread_mutex_unlock(&f->lock);
    return mine;
}

/* Those who wait enter the lift. */
static int
get_people(int floor, enum direction d, int *to)
{
    struct floor *f = &floors[floor];
    struct waiting *w = &f->waiting[d];
    int n;

    pthread_mutex_lock(&f->lock);
    n = w->n;
    memcpy(to, w->to, (size_t)n * sizeof *to);
#if MUTANT == 1
    /* SPCR: the region is split in two. */
    pthread_mutex_unlock(&f->lock);
    pthread_mutex_lock(&f->lock);
#endif
    w->n = 0;
    w->claimed_by = NO_LIFT;
    pthread_mutex_unlock(&f->lock);
    return n;
}

/* The nearest call that is ours to answer. */
static bool
find_call(int lift, int here, int *floor, enum direction *d)
{
    for (int away = 0; away < FLOORS; away++) {
        for (int side = -1; side <= 1; side += 2) {
            const int at = here + side * away;

            if (at < 0 || at >= FLOORS || (away == 0 && side > 0))
                continue;
            *floor = at;
            *d = UP;
            if (claim(lift, at, UP))
                return true;
            *d = DOWN;
            if (claim(lift, at, DOWN))
                return true;
        }
    }
    return false;
}

/* Sleeps until a button is pressed after call number *seen; false when none will be. */
static bool
wait_for_call(int *seen)
{
    bool more;

    pthread_mutex_lock(&board.lock);
    while (board.calls == *seen && !board.closed)
        pthread_cond_wait(&board.changed, &board.lock);
    more = board.calls != *seen;
    *seen = board.calls;
    pthread_mutex_unlock(&board.lock);
    return more;
}

/* ---- lifts --------------------------------------------------------------------------- */

struct lift {
    int id;
    int at;
    int n_riders;
    int riders[PASSENGERS]; /* where they want to go */
};

static void
unload(struct lift *l)
{
    int kept = 0;

    for (int i = 0; i < l->n_riders; i++) {
        if (l->riders[i] == l->at) {
            pthread_mutex_lock(&exits.lock);
            exits.arrived[l->at]++;
            pthread_mutex_unlock(&exits.lock);
        } else {
            l->riders[kept++] = l->riders[i];
        }
    }
    l->n_riders = kept;
}

/* From the floor of a call on, in its direction, until the lift is empty. */
static void
carry(struct lift *l, enum direction d)
{
    l->n_riders += get_people(l->at, d, l->riders + l->n_riders);
    while (l->n_riders > 0) {
        l->at += d == UP ? 1 : -1;
        unload(l);
        if (l->n_riders > 0 && claim(l->id, l->at, d))
            l->n_riders += get_people(l->at, d, l->riders + l->n_riders);
    }
}

static void *
run_lift(void *arg)
{
    struct lift l = { .id = (int)(intptr_t)arg };
    int seen = 0;
    int floor;
    enum direction d;

    do {
        while (find_call(l.id, l.at, &floor, &d)) {
            l.at = floor;
            carry(&l, d);
        }
    } while (wait_for_call(&seen));
    return NULL;
}

/* ---- the building -------------------------------------------------------------------- */

static const struct {
    int from, to;
} passengers[PASSENGERS] = { { 3, 8 }, { 6, 1 }, { 3, 5 }, { 6, 0 } };

int
main(int argc, char **argv)
{
    const int n_lifts = argc > 1 ? (int)strtol(argv[1], NULL, 10) : MAX_LIFTS;
    pthread_t lifts[MAX_LIFTS];

    if (n_lifts < 1 || n_lifts > MAX_LIFTS) {
        fprintf(stderr, "usage: elevator [1 to %d]\n", MAX_LIFTS);
        return 2;
    }
    for (int i = 0; i < FLOORS; i++) {
        pthread_mutex_init(&floors[i].lock, NULL);
        floors[i].waiting[UP].claimed_by = NO_LIFT;
        floors[i].waiting[DOWN].claimed_by = NO_LIFT;
    }
    for (int i = 0; i < n_lifts; i++)
        pthread_create(&lifts[i], NULL, run_lift, (void *)(intptr_t)i);
    for (int i = 0; i < PASSENGERS; i++)
        press_button(passengers[i].from, passengers[i].to);
    close_building();
    for (int i = 0; i < n_lifts; i++)
        pthread_join(lifts[i], NULL);
    for (int i = 0; i < FLOORS; i++) {
        int expected = 0;

        for (int k = 0; k < PASSENGERS; k++)
            expected += passengers[k].to == i;
        assert(exits.arrived[i] == expected);
    }
    return 0;
}
