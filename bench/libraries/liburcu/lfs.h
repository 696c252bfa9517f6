/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lfs.h - lfstack of liburcu as a stack of numbers.
 *
 * A number has a node of its own, which is freed as soon as it is popped: with the pop lock held,
 * which lfs_pop_unlocked() leaves out, lfstack allows that.
 */
#ifndef LFS_H
#define LFS_H

#include <stdbool.h>

struct lfs;

struct lfs *lfs_new(void);
void lfs_free(struct lfs *s);

/* True: the stack was not empty. */
bool lfs_push(struct lfs *s, int value);
bool lfs_pop(struct lfs *s, int *value);
bool lfs_empty(struct lfs *s);
/* Takes all out; their sum and how many they were. */
int lfs_pop_all(struct lfs *s, int *n);

bool lfs_pop_unlocked(struct lfs *s, int *value);

#endif
