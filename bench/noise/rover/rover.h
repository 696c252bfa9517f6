/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rover.h - the parts of the executive of a rover.
 *
 * A plan has nodes: each starts an action of a device when its start conditions hold, and ends
 * when its end condition holds. Conditions are about values in a database. Devices are threads:
 * they take commands and set values. Executives are threads too: one walks through the plan,
 * another one through a branch that runs beside it. An executive that has to wait registers a
 * watch; whatever sets a value fires the watches that hold now.
 *
 * Every thread that waits does so without a time limit: a missed event leaves the rover standing.
 *
 * Locks: that of the database, of the watches, of an event, of a device. No thread holds two of
 * them, except that of the watches and then of an event.
 */
#ifndef ROVER_H
#define ROVER_H

#include "subject.h"

#define NAME_LENGTH 24
#define VALUES_MAX 32
#define CONDITIONS_MAX 4
#define WATCHES_MAX 16
#define NODES_MAX 64
#define COMMANDS_MAX 32
#define DEVICES 5

/* ---- condition.c */

enum comparison { LESS, AT_MOST, EQUAL, NOT_EQUAL, AT_LEAST, MORE, COMPARISON__N };

struct condition {
    char name[NAME_LENGTH];
    enum comparison comparison;
    int value;
};

/* "NAME<VALUE" and so on, without blanks. False: it is none. */
bool condition_parse(struct condition *out, const char *text);
bool condition_holds(const struct condition *c, int value);

/* ---- event.c: happens once */

struct event {
    pthread_mutex_t lock; /* guards happened */
    pthread_cond_t changed;
    bool happened;
};

void event_init(struct event *e);
void event_deinit(struct event *e);
void event_fire(struct event *e);
void event_wait(struct event *e);

/* ---- database.c */

struct database {
    pthread_mutex_t lock; /* guards values */
    unsigned n;
    struct {
        char name[NAME_LENGTH];
        int value;
    } values[VALUES_MAX];
    unsigned n_changes;
    struct watches *watches; /* are fired after every change */
};

void database_init(struct database *d, struct watches *w);
void database_deinit(struct database *d);
/* 0 for a name that is not there. */
int database_get(struct database *d, const char *name);
void database_set(struct database *d, const char *name, int value);
/* Adds, and gives the sum. */
int database_add(struct database *d, const char *name, int value);
bool database_holds(struct database *d, const struct condition *c);

/* ---- watches.c: which event is to be fired by which condition */

struct watch {
    const struct condition *condition;
    struct event *event;
};

struct watches {
    pthread_mutex_t lock; /* guards the rest */
    unsigned n;
    struct watch list[WATCHES_MAX];
    unsigned n_fired;
};

void watches_init(struct watches *w);
void watches_deinit(struct watches *w);
void watches_add(struct watches *w, const struct condition *c, struct event *e);
void watches_remove(struct watches *w, const struct event *e);
/* A value has changed. */
void watches_fire(struct watches *w, const char *name, int value);
/* Returns when the condition holds, or has held since the call. */
void watches_await(struct watches *w, struct database *d, const struct condition *c);

/* ---- device.c */

enum device_kind { DRIVE, CAMERA, ARM, RADIO, POWER };

struct command {
    unsigned node; /* 0: end */
    int argument;
};

struct device {
    enum device_kind kind;
    struct rover *rover;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the queue */
    pthread_cond_t changed;
    struct command queue[COMMANDS_MAX];
    unsigned first, n;
    unsigned n_done; /* of the thread, until it has ended */
    uint64_t random;
};

const char *device_name(enum device_kind k);
void device_start(struct device *dev, struct rover *r, enum device_kind k);
void device_order(struct device *dev, struct command c);
/* After the commands that it has. */
void device_stop(struct device *dev);

/* ---- plan.c */

struct node {
    unsigned number;
    enum device_kind device;
    int argument;
    unsigned n_start;
    struct condition start[CONDITIONS_MAX];
    struct condition end;
    bool done; /* of the executive, until it has ended */
};

struct plan {
    unsigned n;
    struct node nodes[NODES_MAX];
};

/* Adds "DEVICE ARGUMENT when CONDITION... until CONDITION". False: it is no node, or there are
 * too many. */
bool plan_add(struct plan *p, unsigned number, const char *text);

/* ---- executive.c */

struct executive {
    struct rover *rover;
    struct plan *plan;
    pthread_t thread;
    unsigned n_done;
    int energy; /* that its nodes have used */
};

void executive_start(struct executive *x, struct rover *r, struct plan *p);
void executive_join(struct executive *x);

struct rover {
    struct database database;
    struct watches watches;
    struct device devices[DEVICES];
    struct plan plan, branch;
    struct executive executives[2];
};

#endif
