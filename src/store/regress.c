/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/regress.c - recorded versions of test suites; contract in regress.h.
 *
 * Runs in the host. A test is keyed by its name, because its position changes when the suite does.
 * It is written with all its histories in one transaction.
 */
#include "store/regress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/store_int.h"
#include "wire/version.h"

/* A text that its owner frees: char *, which BURL__COL() takes for an array. */
#define TEXT(S, field) { ":" #field, BURL__COL_TEXT, offsetof(S, field), sizeof((S *)0)->field }

static const char doing[] = "record a version";

/* ---- versions ------------------------------------------------------------------------ */

#define COL(field) BURL__COL(struct burl_store_version, field, #field)
BURL__TABLE(versions, struct burl_store_version, COL(id), TEXT(struct burl_store_version, name),
            TEXT(struct burl_store_version, suite), COL(wire), COL(recorded_ms));
#undef COL

enum burl_status
burl_store_version_get(struct burl_store *s, const char *name, bool *found,
                       struct burl_store_version *v, struct burl_err *err)
{
    static const char by_name[] = "SELECT * FROM versions WHERE name = :name";
    static const char newest[] =
        "SELECT * FROM versions ORDER BY recorded_ms DESC, id DESC LIMIT 1";
    const struct burl_store_version key = { .name = (char *)name };

    return burl__store_get(s, name ? by_name : newest, 0, &versions, &key, found, v, err);
}

void
burl_store_version_deinit(struct burl_store_version *v)
{
    burl__store_free_row(&versions, v);
}

enum burl_status
burl_store_version_open(struct burl_store *s, const char *name, const char *suite, int64_t *id,
                        struct burl_err *err)
{
    const struct burl_store_version made = { .name = (char *)name,
                                             .suite = (char *)suite,
                                             .wire = BURL_WIRE_VERSION };
    struct burl_store_version is;
    bool found;
    enum burl_status st = burl_store_version_get(s, name, &found, &is, err);

    *id = is.id;
    if (st == BURL_OK && !found)
        st = burl__store_number(s,
                                "INSERT INTO versions (name, suite, wire, recorded_ms)"
                                " VALUES (:name, :suite, :wire, :now) RETURNING id",
                                0, &versions, &made, doing, id, err);
    else if (st == BURL_OK && strcmp(is.suite, suite) != 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "the version %s in %s is of another suite (%s, and this is %s); choose "
                          "another name with --as, or another store with --dir",
                          name, s->dir, is.suite, suite);
    burl_store_version_deinit(&is);
    return st;
}

static void
add_name(void *arg, const void *row)
{
    struct burl_buf *b = arg;

    burl_buf_printf(b, "%s%s", b->n > 0 ? ", " : "",
                    ((const struct burl_store_version *)row)->name);
}

enum burl_status
burl_store_version_names(struct burl_store *s, char **out, struct burl_err *err)
{
    struct burl_buf b = BURL_BUF_INIT;
    const enum burl_status st = burl__store_query(s, "SELECT name FROM versions ORDER BY id", 0,
                                                  &versions, NULL, add_name, &b, err);

    *out = burl_buf_take(&b, NULL);
    return st;
}

enum burl_status
burl_store_version_clear(struct burl_store *s, int64_t id, struct burl_err *err)
{
    static const char *const sql[] = {
        "DELETE FROM version_histories WHERE version = :id",
        "DELETE FROM version_tests WHERE version = :id",
        "DELETE FROM selections WHERE version = :id",
    };
    const struct burl_store_version v = { .wire = BURL_WIRE_VERSION };
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && st == BURL_OK; i++)
        st = burl__store_write(s, sql[i], id, NULL, NULL, doing, err);
    if (st == BURL_OK)
        st = burl__store_write(
            s, "UPDATE versions SET wire = :wire, recorded_ms = :now WHERE id = :id", id, &versions,
            &v, doing, err);
    return burl__store_end(s, st, err);
}

/* ---- tests --------------------------------------------------------------------------- */

#define COL(field) BURL__COL(struct burl_store_test, field, #field)
BURL__TABLE(tests, struct burl_store_test, BURL__COL_GIVEN(ID, "version"), COL(ix),
            TEXT(struct burl_store_test, name), TEXT(struct burl_store_test, command), COL(state),
            TEXT(struct burl_store_test, why), COL(runs), COL(wall_ms));
#undef COL

struct history_row {
    int64_t ix;
    const char *name;
    const char *program;
    const void *bytes;
    size_t bytes_n;
};

#define COL(field) BURL__COL(struct history_row, field, #field)
BURL__TABLE(histories, struct history_row, BURL__COL_GIVEN(ID, "version"), COL(name), COL(program),
            COL(bytes));
/* With the position of the test, which belongs to another table. */
BURL__TABLE(joined, struct history_row, COL(ix), COL(name), COL(program), COL(bytes));
#undef COL
static_assert(offsetof(struct history_row, bytes_n) ==
                  offsetof(struct history_row, bytes) + sizeof(void *),
              "the column is a pointer and its size");

static enum burl_status
sync_locked(struct burl_store *s, int64_t version, const struct burl_store_test *v, size_t n,
            struct burl_err *err)
{
    static const char *const prepare[] = {
        "CREATE TEMP TABLE IF NOT EXISTS suite (version INTEGER, ix INTEGER, name TEXT PRIMARY KEY,"
        " command TEXT, state INTEGER, why TEXT, runs INTEGER, wall_ms INTEGER)",
        "DELETE FROM temp.suite",
    };
    static const char *const sql[] = {
        "DELETE FROM version_histories WHERE version = :id AND NOT EXISTS (SELECT 1 FROM temp.suite"
        " x JOIN version_tests t ON t.version = :id AND t.name = x.name AND t.command = x.command"
        " WHERE x.name = version_histories.name)",
        "DELETE FROM version_tests WHERE version = :id AND NOT EXISTS (SELECT 1 FROM temp.suite x"
        " WHERE x.name = version_tests.name AND x.command = version_tests.command)",
        "INSERT INTO version_tests (version, name, ix, command, state, runs, wall_ms)"
        " SELECT :id, name, ix, command, 0, 0, 0 FROM temp.suite WHERE true"
        " ON CONFLICT (version, name) DO UPDATE SET ix = excluded.ix",
        "DROP TABLE temp.suite",
    };
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < sizeof prepare / sizeof prepare[0] && st == BURL_OK; i++)
        st = burl__store_write(s, prepare[i], version, NULL, NULL, doing, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO temp.suite", version, &tests, v, n, doing, err);
    for (size_t i = 0; i < sizeof sql / sizeof sql[0] && st == BURL_OK; i++)
        st = burl__store_write(s, sql[i], version, NULL, NULL, doing, err);
    return st;
}

enum burl_status
burl_store_tests_sync(struct burl_store *s, int64_t version, const struct burl_store_test *v,
                      size_t n, struct burl_err *err)
{
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    return burl__store_end(s, sync_locked(s, version, v, n, err), err);
}

static enum burl_status
put_locked(struct burl_store *s, int64_t version, const struct burl_store_test *t,
           const struct history_row *rows, size_t n, struct burl_err *err)
{
    enum burl_status st =
        burl__store_write(s, "DELETE FROM version_histories WHERE version = :id AND name = :name",
                          version, &tests, t, doing, err);

    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT OR REPLACE INTO version_tests", version, &tests, t, 1,
                                doing, err);
    if (st == BURL_OK)
        st = burl__store_insert(s, "INSERT INTO version_histories", version, &histories, rows, n,
                                doing, err);
    if (st == BURL_OK)
        st = burl__store_write(s, "UPDATE versions SET recorded_ms = :now WHERE id = :id", version,
                               NULL, NULL, doing, err);
    return st;
}

enum burl_status
burl_store_test_put(struct burl_store *s, int64_t version, const struct burl_store_test *t,
                    const char *const *keys, const void *const *bytes, const size_t *sizes,
                    size_t n, struct burl_err *err)
{
    BURL_VEC(struct history_row) rows = { 0 };
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        BURL_VEC_PUSH(&rows, (struct history_row){ .name = t->name,
                                                   .program = keys[i],
                                                   .bytes = bytes[i],
                                                   .bytes_n = sizes[i] });
    st = burl__store_end(s, put_locked(s, version, t, rows.v, rows.n, err), err);
    BURL_VEC_FREE(&rows);
    return st;
}

/* Rows are given until a status is not BURL_OK. */
struct test_reader {
    enum burl_status (*each)(void *arg, const struct burl_store_test *t, struct burl_err *err);
    void *arg;
    struct burl_err *err;
    enum burl_status st;
};

static void
give_test(void *arg, const void *row)
{
    struct test_reader *r = arg;

    if (r->st == BURL_OK)
        r->st = r->each(r->arg, row, r->err);
}

enum burl_status
burl_store_tests_each(struct burl_store *s, int64_t version,
                      enum burl_status (*each)(void *arg, const struct burl_store_test *t,
                                               struct burl_err *err),
                      void *arg, struct burl_err *err)
{
    struct test_reader r = { each, arg, err, BURL_OK };
    const enum burl_status st =
        burl__store_query(s, "SELECT * FROM version_tests WHERE version = :id ORDER BY ix, name",
                          version, &tests, NULL, give_test, &r, err);

    return st == BURL_OK ? r.st : st;
}

struct history_reader {
    enum burl_status (*each)(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
                             struct burl_err *err);
    void *arg;
    struct burl_err *err;
    enum burl_status st;
};

static void
give_history(void *arg, const void *row)
{
    struct history_reader *r = arg;
    const struct history_row *h = row;

    if (r->st == BURL_OK)
        r->st = r->each(r->arg, h->ix, h->program, h->bytes, h->bytes_n, r->err);
}

static const char all_histories[] =
    "SELECT 0 AS ix, name, program, bytes FROM version_histories ORDER BY version";

#define SELECT_HISTORIES                                                                    \
    "SELECT t.ix, h.name, h.program, h.bytes FROM version_tests t JOIN version_histories h" \
    " ON h.version = t.version AND h.name = t.name WHERE t.version = :id"

enum burl_status
burl_store_histories_each(struct burl_store *s, int64_t version,
                          enum burl_status (*each)(void *arg, int64_t ix, const char *key,
                                                   const void *bytes, size_t n,
                                                   struct burl_err *err),
                          void *arg, struct burl_err *err)
{
    struct history_reader r = { each, arg, err, BURL_OK };
    const enum burl_status st = burl__store_query(
        s, version == 0 ? all_histories : SELECT_HISTORIES " ORDER BY t.ix, t.name, h.program",
        version, &joined, NULL, give_history, &r, err);

    return st == BURL_OK ? r.st : st;
}

enum burl_status
burl_store_test_histories(struct burl_store *s, int64_t version, const char *name,
                          enum burl_status (*each)(void *arg, int64_t ix, const char *key,
                                                   const void *bytes, size_t n,
                                                   struct burl_err *err),
                          void *arg, struct burl_err *err)
{
    struct history_reader r = { each, arg, err, BURL_OK };
    const struct history_row key = { .name = name };
    const enum burl_status st =
        burl__store_query(s, SELECT_HISTORIES " AND t.name = :name ORDER BY h.program", version,
                          &joined, &key, give_history, &r, err);

    return st == BURL_OK ? r.st : st;
}

/* ---- the last selection -------------------------------------------------------------- */

struct selection_row {
    const char *json;
};

#define COL(field) BURL__COL(struct selection_row, field, #field)
BURL__TABLE(selections, struct selection_row, BURL__COL_GIVEN(ID, "version"),
            BURL__COL_GIVEN(NOW, "made_ms"), COL(json));
#undef COL

enum burl_status
burl_store_selection_put(struct burl_store *s, int64_t version, const char *json,
                         struct burl_err *err)
{
    static const char what[] = "record a selection";
    const struct selection_row row = { json };
    enum burl_status st = burl__store_begin(s, err);

    if (st != BURL_OK)
        return st;
    st = burl__store_write(s, "DELETE FROM selections", 0, NULL, NULL, what, err);
    if (st == BURL_OK && json)
        st = burl__store_insert(s, "INSERT INTO selections", version, &selections, &row, 1, what,
                                err);
    return burl__store_end(s, st, err);
}

enum burl_status
burl_store_selection_get(struct burl_store *s, char **json, struct burl_err *err)
{
    struct selection_row row;
    bool found;
    const enum burl_status st =
        burl__store_get(s, "SELECT json FROM selections", 0, &selections, NULL, &found, &row, err);

    *json = (char *)row.json;
    return st;
}
