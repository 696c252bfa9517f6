/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/rows.c - structs of the host as rows of tables; contract in store_int.h.
 *
 * Runs in the host. Statements are prepared for each use and finalized at once: a store sees a
 * few writes per second, and no cached statement can hold a lock open.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/vec.h"
#include "store/store_int.h"

int64_t
burl__store_now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- binding and reading ------------------------------------------------------------- */

static int64_t
field_number(const struct burl__column *c, const char *field)
{
    int64_t i64;
    uint32_t u32;

    switch (c->type) {
    case BURL__COL_U8:
    case BURL__COL_BOOL:
        return (uint8_t)*field;
    case BURL__COL_U32:
        memcpy(&u32, field, sizeof u32);
        return u32;
    default:
        /* SQLite has no unsigned integers: same 64 bits, read back by a cast. */
        memcpy(&i64, field, sizeof i64);
        return i64;
    }
}

/* Texts and bytes outlive the statement in every caller: finalized before returning. */
static void
bind_field(sqlite3_stmt *stmt, int i, const struct burl__column *c, const char *field)
{
    const void *p;
    size_t n;

    switch (c->type) {
    case BURL__COL_TEXT:
        memcpy(&p, field, sizeof p);
        sqlite3_bind_text(stmt, i, p, -1, SQLITE_STATIC);
        break;
    case BURL__COL_CHARS:
        sqlite3_bind_text(stmt, i, field, -1, SQLITE_STATIC);
        break;
    case BURL__COL_BLOB:
        memcpy(&p, field, sizeof p);
        memcpy(&n, field + sizeof p, sizeof n);
        sqlite3_bind_blob64(stmt, i, n > 0 ? p : NULL, n, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_int64(stmt, i, field_number(c, field));
    }
}

static bool
has_field(const struct burl__column *c)
{
    return c->type < BURL__COL_ID;
}

/* Binds :id, :now, :row and the fields of `row` that the statement has parameters for. A parameter
 * that is none of these is our bug. */
static void
bind_row(sqlite3_stmt *stmt, int64_t id, int64_t pos, const struct burl__columns *cols,
         const void *row)
{
    const struct {
        const char *name;
        int64_t x;
    } given[] = { { ":id", id }, { ":row", pos }, { ":now", burl__store_now_ms() } };
    int bound = 0;

    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        const int i = sqlite3_bind_parameter_index(stmt, given[k].name);

        if (i > 0)
            sqlite3_bind_int64(stmt, i, given[k].x);
        bound += i > 0;
    }
    for (size_t k = 0; cols && row && k < cols->n; k++) {
        const struct burl__column *c = &cols->v[k];
        const int i = has_field(c) && strcmp(c->name, ":id") != 0
                          ? sqlite3_bind_parameter_index(stmt, c->name)
                          : 0;

        if (i > 0)
            bind_field(stmt, i, c, (const char *)row + c->offset);
        bound += i > 0;
    }
    BURL_ASSERT(bound == sqlite3_bind_parameter_count(stmt));
}

static void
read_field(sqlite3_stmt *stmt, int i, const struct burl__column *c, char *field)
{
    const int64_t x = sqlite3_column_int64(stmt, i);
    const uint32_t u32 = (uint32_t)x;
    const void *p;
    size_t n;

    switch (c->type) {
    case BURL__COL_TEXT:
        p = sqlite3_column_text(stmt, i);
        memcpy(field, &p, sizeof p);
        break;
    case BURL__COL_CHARS:
        p = sqlite3_column_text(stmt, i);
        n = p ? strlen(p) : 0;
        if (n > 0 && n < c->size)
            memcpy(field, p, n + 1);
        break;
    case BURL__COL_BLOB:
        p = sqlite3_column_blob(stmt, i);
        n = p ? (size_t)sqlite3_column_bytes(stmt, i) : 0;
        memcpy(field, &p, sizeof p);
        memcpy(field + sizeof p, &n, sizeof n);
        break;
    case BURL__COL_U8:
        *field = (char)x;
        break;
    case BURL__COL_BOOL:
        *field = x != 0;
        break;
    case BURL__COL_U32:
        memcpy(field, &u32, sizeof u32);
        break;
    default:
        memcpy(field, &x, sizeof x);
    }
}

/* Fills the fields that the statement has columns for; texts and bytes are SQLite's. */
static void
read_row(sqlite3_stmt *stmt, const struct burl__columns *cols, void *row)
{
    memset(row, 0, cols->size);
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);

        for (size_t k = 0; k < cols->n; k++)
            if (has_field(&cols->v[k]) && name && strcmp(cols->v[k].name + 1, name) == 0)
                read_field(stmt, i, &cols->v[k], (char *)row + cols->v[k].offset);
    }
}

/* ---- owned rows ---------------------------------------------------------------------- */

static void
own_row(const struct burl__columns *cols, void *row)
{
    for (size_t k = 0; k < cols->n; k++) {
        char *field = (char *)row + cols->v[k].offset;
        void *p;
        size_t n;

        if (cols->v[k].type != BURL__COL_TEXT && cols->v[k].type != BURL__COL_BLOB)
            continue;
        memcpy(&p, field, sizeof p);
        if (!p)
            continue;
        if (cols->v[k].type == BURL__COL_TEXT)
            n = strlen(p) + 1;
        else
            memcpy(&n, field + sizeof p, sizeof n);
        p = burl_xmemdup(p, n);
        memcpy(field, &p, sizeof p);
    }
}

void
burl__store_free_row(const struct burl__columns *cols, void *row)
{
    for (size_t k = 0; k < cols->n; k++) {
        void *p;

        if (cols->v[k].type != BURL__COL_TEXT && cols->v[k].type != BURL__COL_BLOB)
            continue;
        memcpy(&p, (char *)row + cols->v[k].offset, sizeof p);
        free(p);
    }
    memset(row, 0, cols->size);
}

/* ---- statements ---------------------------------------------------------------------- */

/* Runs a statement once for each of n rows, or once if there are no fields to bind. */
static enum burl_status
run_statement(struct burl_store *s, const char *sql, int64_t id, const struct burl__columns *cols,
              const void *rows, size_t n, const char *doing,
              void (*each)(void *arg, sqlite3_stmt *stmt), void *arg, struct burl_err *err)
{
    enum burl_status st = BURL_OK;
    sqlite3_stmt *stmt;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

    if (rc != SQLITE_OK)
        return burl__store_fail(s, rc, "read", err);
    for (size_t i = 0; i < n && st == BURL_OK; i++) {
        bind_row(stmt, id, (int64_t)i, cols, rows ? (const char *)rows + i * cols->size : NULL);
        while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
            each(arg, stmt);
        if (rc != SQLITE_DONE)
            st = burl__store_fail(s, rc, doing, err);
        sqlite3_reset(stmt);
    }
    sqlite3_finalize(stmt);
    return st;
}

static void
take_number(void *arg, sqlite3_stmt *stmt)
{
    *(int64_t *)arg = sqlite3_column_int64(stmt, 0);
}

enum burl_status
burl__store_number(struct burl_store *s, const char *sql, int64_t id,
                   const struct burl__columns *cols, const void *row, const char *doing,
                   int64_t *out, struct burl_err *err)
{
    *out = 0;
    return run_statement(s, sql, id, cols, row, 1, doing, take_number, out, err);
}

enum burl_status
burl__store_write(struct burl_store *s, const char *sql, int64_t id,
                  const struct burl__columns *cols, const void *row, const char *doing,
                  struct burl_err *err)
{
    int64_t ignored;

    return burl__store_number(s, sql, id, cols, row, doing, &ignored, err);
}

struct row_reader {
    const struct burl__columns *cols;
    void *row;
    void (*each)(void *arg, const void *row);
    void *arg;
};

static void
give_row(void *arg, sqlite3_stmt *stmt)
{
    const struct row_reader *r = arg;

    read_row(stmt, r->cols, r->row);
    r->each(r->arg, r->row);
}

enum burl_status
burl__store_query(struct burl_store *s, const char *sql, int64_t id,
                  const struct burl__columns *cols, const void *row,
                  void (*each)(void *arg, const void *row), void *arg, struct burl_err *err)
{
    struct row_reader r = { cols, burl_xmalloc(cols->size), each, arg };
    const enum burl_status st = run_statement(s, sql, id, cols, row, 1, "read", give_row, &r, err);

    free(r.row);
    return st;
}

/* "VERB INTO table (a, b) VALUES (:a, :b)". The id of a table that has one is SQLite's to give. */
static char *
insert_sql(const char *verb_into, const struct burl__columns *cols)
{
    struct burl_buf names = BURL_BUF_INIT;
    struct burl_buf values = BURL_BUF_INIT;
    char *sql;

    for (size_t k = 0; k < cols->n; k++) {
        static const char *const given[] = {
            [BURL__COL_ID] = ":id", [BURL__COL_POS] = ":row", [BURL__COL_NOW] = ":now"
        };
        const struct burl__column *c = &cols->v[k];

        if (strcmp(c->name, ":id") == 0)
            continue;
        burl_buf_printf(&names, "%s%s", names.n > 0 ? ", " : "", c->name + 1);
        burl_buf_printf(&values, "%s%s", values.n > 0 ? ", " : "",
                        has_field(c) ? c->name : given[c->type]);
    }
    sql = burl_xasprintf("%s (%s) VALUES (%s)", verb_into, burl_buf_str(&names),
                         burl_buf_str(&values));
    burl_buf_deinit(&names);
    burl_buf_deinit(&values);
    return sql;
}

enum burl_status
burl__store_insert(struct burl_store *s, const char *verb_into, int64_t id,
                   const struct burl__columns *cols, const void *rows, size_t n, const char *doing,
                   struct burl_err *err)
{
    char *sql = insert_sql(verb_into, cols);
    const enum burl_status st = run_statement(s, sql, id, cols, rows, n, doing, NULL, NULL, err);

    free(sql);
    return st;
}

/* ---- uses of a query ----------------------------------------------------------------- */

/* Layout of every BURL_VEC_OF(). */
struct any_vec {
    BURL_VEC_OF(char);
};

struct collector {
    const struct burl__columns *cols;
    struct any_vec *list;
};

static void
collect_row(void *arg, const void *row)
{
    const struct collector *c = arg;
    struct any_vec *l = c->list;
    const size_t size = c->cols->size;

    l->v = burl_vec_grow(l->v, &l->cap, l->n, 1, size);
    memcpy(l->v + l->n * size, row, size);
    own_row(c->cols, l->v + l->n++ * size);
}

enum burl_status
burl__store_list(struct burl_store *s, const char *sql, int64_t id,
                 const struct burl__columns *cols, const void *row, void *list,
                 struct burl_err *err)
{
    struct collector c = { .cols = cols, .list = list };
    enum burl_status st;

    *c.list = (struct any_vec){ 0 };
    st = burl__store_query(s, sql, id, cols, row, collect_row, &c, err);
    if (st != BURL_OK)
        burl__store_free_list(cols, list);
    return st;
}

void
burl__store_free_list(const struct burl__columns *cols, void *list)
{
    struct any_vec *l = list;

    for (size_t i = 0; i < l->n; i++)
        burl__store_free_row(cols, l->v + i * cols->size);
    BURL_VEC_FREE(l);
}

enum burl_status
burl__store_get(struct burl_store *s, const char *sql, int64_t id, const struct burl__columns *cols,
                const void *row, bool *found, void *out, struct burl_err *err)
{
    struct any_vec l;
    enum burl_status st = burl__store_list(s, sql, id, cols, row, &l, err);

    BURL_ASSERT(l.n <= 1);
    memset(out, 0, cols->size);
    *found = l.n > 0;
    if (*found)
        memcpy(out, l.v, cols->size);
    free(l.v);
    return st;
}
