/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - one SQLite connection; see store.h. SQLite itself is linked as it is installed: its
 * mutexes are where burl can switch threads.
 */
#include "store.h"

#include <sqlite3.h>
#include <stdlib.h>

struct store {
    sqlite3 *db;
};

/* Runs one statement; true with the first column of its first row, if it has one. */
static bool
run(struct store *s, const char *sql, int a, int b, int *out)
{
    sqlite3_stmt *q = NULL;
    bool row;

    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
        abort();
    if (sqlite3_bind_parameter_count(q) > 0)
        sqlite3_bind_int(q, 1, a);
    if (sqlite3_bind_parameter_count(q) > 1)
        sqlite3_bind_int(q, 2, b);
    row = sqlite3_step(q) == SQLITE_ROW;
    *out = row ? sqlite3_column_int(q, 0) : 0;
    sqlite3_finalize(q);
    return row;
}

struct store *
store_new(void)
{
    struct store *s = malloc(sizeof *s);
    int none;

    if (s == NULL)
        return NULL;
    if (sqlite3_open(":memory:", &s->db) != SQLITE_OK)
        abort();
    run(s, "create table t(k integer primary key, v integer)", 0, 0, &none);
    return s;
}

void
store_free(struct store *s)
{
    sqlite3_close(s->db);
    free(s);
}

bool
store_put(struct store *s, unsigned char key, unsigned char value)
{
    int none;

    return !run(s, "insert or replace into t values(?, ?)", key, value, &none);
}

bool
store_get(struct store *s, unsigned char key, int *value)
{
    return run(s, "select v from t where k = ?", key, 0, value);
}

bool
store_delete(struct store *s, unsigned char key)
{
    int none;

    return !run(s, "delete from t where k = ?", key, 0, &none);
}

int
store_count(struct store *s)
{
    int n;

    run(s, "select count(*) from t", 0, 0, &n);
    return n;
}

int
store_sum(struct store *s)
{
    int sum;

    run(s, "select sum(v) from t", 0, 0, &sum);
    return sum;
}

int
store_remove(struct store *s, unsigned char key)
{
    store_delete(s, key);
    return sqlite3_changes(s->db);
}

int
store_add(struct store *s, unsigned char value)
{
    int none;

    run(s, "insert into t(v) values(?)", value, 0, &none);
    return (int)sqlite3_last_insert_rowid(s->db);
}
