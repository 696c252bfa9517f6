/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store_int.h - shared by the files of store/ only.
 *
 * Statements are prepared for each use and finalized at once: a store sees a
 * few writes per second, and no cached statement can hold a lock open.
 */
#ifndef BURL_STORE_STORE_INT_H
#define BURL_STORE_STORE_INT_H

#include <sqlite3.h>

#include "store/store.h"

struct burl_store {
    sqlite3 *db;
    char *dir;
    char *db_path;
    int lock_fd; /* -1: the campaign lock is not ours */
    bool readonly;
};

/* Turns SQLite's result code into a message with advice. `doing` completes "cannot ...". */
enum burl_status burl__store_fail(struct burl_store *s, int rc, const char *doing,
                                  struct burl_err *err);
/* Runs statements without results. */
BURL_MUST_CHECK enum burl_status burl__store_exec(struct burl_store *s, const char *sql,
                                                  const char *doing, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__store_prepare(struct burl_store *s, sqlite3_stmt **out,
                                                     const char *sql, struct burl_err *err);
/* Steps a statement that gives no rows, and finalizes it. */
BURL_MUST_CHECK enum burl_status burl__store_finish(struct burl_store *s, sqlite3_stmt *stmt,
                                                    const char *doing, struct burl_err *err);
/* Steps a statement that gives a number or nothing (0), and finalizes it. */
BURL_MUST_CHECK enum burl_status burl__store_read_id(struct burl_store *s, sqlite3_stmt *stmt,
                                                     int64_t *id, struct burl_err *err);
/* Write transactions. begin waits for other writers; end commits when `st` is BURL_OK and the
 * commit works, rolls back otherwise, and returns what holds. */
BURL_MUST_CHECK enum burl_status burl__store_begin(struct burl_store *s, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__store_end(struct burl_store *s, enum burl_status st,
                                                 struct burl_err *err);

/* By parameter name; an unknown name is our bug. */
void burl__store_bind_text(sqlite3_stmt *stmt, const char *name, const char *text);
void burl__store_bind_i64(sqlite3_stmt *stmt, const char *name, int64_t x);
void burl__store_bind_u64(sqlite3_stmt *stmt, const char *name, uint64_t x);
void burl__store_bind_blob(sqlite3_stmt *stmt, const char *name, const void *bytes, size_t n);
/* An owned copy of a column; NULL stays NULL. */
char *burl__store_column_text(sqlite3_stmt *stmt, int column);
int64_t burl__store_now_ms(void);

/* Releases the campaign lock when it is ours. */
void burl__store_unlock(struct burl_store *s);

struct burl_store_goals;
/* Replaces the goals of a program, within a transaction (goals.c). */
BURL_MUST_CHECK enum burl_status burl__store_put_goals_locked(struct burl_store *s, int64_t program,
                                                              const struct burl_store_goals *goals,
                                                              struct burl_err *err);

/* Brings the schema to the current version (schema.c). */
BURL_MUST_CHECK enum burl_status burl__store_migrate(struct burl_store *s, struct burl_err *err);

#endif
