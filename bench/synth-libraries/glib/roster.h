/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roster.h - names with scores, in order of arrival: a GHashTable and a GQueue of GLib behind one
 * mutex, since GLib's containers have no locks. Every function is atomic.
 */
#ifndef ROSTER_H
#define ROSTER_H

struct roster;

struct roster *roster_new(void);
void roster_free(struct roster *r);
/* False: the name is there already. */
int roster_add(struct roster *r, const char *name, int score);
int roster_remove(struct roster *r, const char *name);
int roster_has(struct roster *r, const char *name);
/* -1: there is no such name. */
int roster_score(struct roster *r, const char *name);
int roster_raise(struct roster *r, const char *name, int by);
int roster_size(struct roster *r);
int roster_total(struct roster *r);
/* Adds what `from` has and `r` has not; returns how many names that were. */
int roster_merge(struct roster *r, struct roster *from);

#endif
