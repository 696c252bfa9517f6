/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfs.h - wfstack of liburcu as a stack of numbers.
 *
 * A number has a node of its own, which is freed as soon as it is popped: with the pop lock held,
 * which wfs_pop_unlocked() leaves out, wfstack allows that.
 */
#ifndef WFS_H
#define WFS_H

#include <stdbool.h>

struct wfs;

struct wfs *wfs_new(void);
void wfs_free(struct wfs *s);

/* True: the stack was not empty. */
bool wfs_push(struct wfs *s, int value);
bool wfs_pop(struct wfs *s, int *value);
bool wfs_empty(struct wfs *s);
/* Takes all out; their sum and how many they were. */
int wfs_pop_all(struct wfs *s, int *n);
/* `last`: it was the last one. */
bool wfs_pop_with_state(struct wfs *s, int *value, int *last);

bool wfs_pop_unlocked(struct wfs *s, int *value);

#endif
