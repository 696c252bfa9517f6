/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store_int.h - shared by the files of store/ only.
 *
 * Each table has a list of columns that says where a struct of the host has the field of a column
 * (rows.c). Statements name parameters and columns like the table: a row is bound to the parameters
 * that a statement has, and filled from the columns that it gives.
 */
#ifndef BURL_STORE_STORE_INT_H
#define BURL_STORE_STORE_INT_H

#include <sqlite3.h>
#include <stddef.h>

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
/* Write transactions. begin waits for other writers; end commits when `st` is BURL_OK and the
 * commit works, rolls back otherwise, and returns what holds. */
BURL_MUST_CHECK enum burl_status burl__store_begin(struct burl_store *s, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__store_end(struct burl_store *s, enum burl_status st,
                                                 struct burl_err *err);

int64_t burl__store_now_ms(void);

enum burl__column_type {
    BURL__COL_TEXT,  /* const char *; NULL stays NULL */
    BURL__COL_CHARS, /* char []; a text that does not fit is left out */
    BURL__COL_BLOB,  /* const void *, followed by a size_t: its bytes */
    BURL__COL_I64,
    BURL__COL_U32,
    BURL__COL_U8,
    BURL__COL_BOOL,
    /* Columns that are written and have no field. */
    BURL__COL_ID,  /* the number given with the statement */
    BURL__COL_POS, /* position in the array of rows, from 0 */
    BURL__COL_NOW, /* milliseconds since 1970 */
};

struct burl__column {
    const char *name; /* as a parameter: ":name" */
    enum burl__column_type type;
    size_t offset;
    size_t size;
};

struct burl__columns {
    const struct burl__column *v;
    size_t n;
    size_t size; /* of the struct */
};

#define BURL__COL_TYPE(x)              \
    _Generic((x),                      \
        const char *: BURL__COL_TEXT,  \
        char *: BURL__COL_CHARS,       \
        const void *: BURL__COL_BLOB,  \
        int64_t: BURL__COL_I64,        \
        uint64_t: BURL__COL_I64,       \
        uint32_t: BURL__COL_U32,       \
        uint8_t: BURL__COL_U8,         \
        bool: BURL__COL_BOOL)
/* Column `name` of a table, held by `field` of struct type S. */
#define BURL__COL(S, field, name) \
    { ":" name, BURL__COL_TYPE(((S *)0)->field), offsetof(S, field), sizeof((S *)0)->field }
/* A column that is written and has no field. */
#define BURL__COL_GIVEN(what, name) { ":" name, BURL__COL_##what, 0, 0 }
/* The columns of a table. Files define COL(field) for columns that are named like their fields. */
#define BURL__TABLE(table, S, ...)                                         \
    static const struct burl__column table##_columns[] = { __VA_ARGS__ };  \
    static const struct burl__columns table = {                            \
        .v = table##_columns,                                              \
        .n = sizeof table##_columns / sizeof *table##_columns,             \
        .size = sizeof(S),                                                 \
    }

/* Every function binds :id and :now as well; `row` NULL: no field is bound. */

/* Runs a statement; *out is the number that it gives, or 0. `doing` as in burl__store_fail(). */
BURL_MUST_CHECK enum burl_status burl__store_number(struct burl_store *s, const char *sql,
                                                    int64_t id, const struct burl__columns *cols,
                                                    const void *row, const char *doing,
                                                    int64_t *out, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__store_write(struct burl_store *s, const char *sql,
                                                   int64_t id, const struct burl__columns *cols,
                                                   const void *row, const char *doing,
                                                   struct burl_err *err);
/* Adds an array of rows with all columns. `verb_into`: "INSERT OR IGNORE INTO table". */
BURL_MUST_CHECK enum burl_status burl__store_insert(struct burl_store *s, const char *verb_into,
                                                    int64_t id, const struct burl__columns *cols,
                                                    const void *rows, size_t n, const char *doing,
                                                    struct burl_err *err);
/* Calls `each` for each row of the result; texts and bytes are valid during the call. */
BURL_MUST_CHECK enum burl_status burl__store_query(struct burl_store *s, const char *sql,
                                                   int64_t id, const struct burl__columns *cols,
                                                   const void *row,
                                                   void (*each)(void *arg, const void *row),
                                                   void *arg, struct burl_err *err);
/* The rows of the result as a BURL_VEC_OF() their struct, empty on failure. */
BURL_MUST_CHECK enum burl_status burl__store_list(struct burl_store *s, const char *sql, int64_t id,
                                                  const struct burl__columns *cols,
                                                  const void *row, void *list,
                                                  struct burl_err *err);
/* The only row of the result. */
BURL_MUST_CHECK enum burl_status burl__store_get(struct burl_store *s, const char *sql, int64_t id,
                                                 const struct burl__columns *cols, const void *row,
                                                 bool *found, void *out, struct burl_err *err);
void burl__store_free_row(const struct burl__columns *cols, void *row);
void burl__store_free_list(const struct burl__columns *cols, void *list);

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
