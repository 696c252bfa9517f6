/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - one SQLite connection with a table of numbers, used by all threads.
 *
 * SQLite as Debian builds it takes the connection's mutex in every call ("serialized"), so that
 * each statement here, which is one sqlite3_step(), is all or nothing. store_add() and
 * store_remove() ask for what the last statement did in a second call, which SQLite's documentation
 * warns of: another thread may have run a statement between the two.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>

struct store;

struct store *store_new(void);
void store_free(struct store *s);

bool store_put(struct store *s, unsigned char key, unsigned char value);
/* True: there is such a key. */
bool store_get(struct store *s, unsigned char key, int *value);
bool store_delete(struct store *s, unsigned char key);
int store_count(struct store *s);
int store_sum(struct store *s);

/* How many rows were deleted. */
int store_remove(struct store *s, unsigned char key);
/* The key that the new row was given. */
int store_add(struct store *s, unsigned char value);

#endif
