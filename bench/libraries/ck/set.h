/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h - ck_hs of Concurrency Kit as a set of numbers.
 *
 * ck_hs is for one writer and many readers: here writers take a lock, readers take
 * none. set_put_bare() and set_remove_bare() write without it, against the rules. Memory that the
 * set gives up stays until the process ends, since readers may still look into it.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>

struct set;

struct set *set_new(void);
void set_free(struct set *s);

/* True: it was not in there. */
bool set_put(struct set *s, unsigned char key);
bool set_remove(struct set *s, unsigned char key);
bool set_grow(struct set *s);
bool set_rebuild(struct set *s);
bool set_has(struct set *s, unsigned char key);
unsigned long set_count(struct set *s);

bool set_put_bare(struct set *s, unsigned char key);
bool set_remove_bare(struct set *s, unsigned char key);

#endif
