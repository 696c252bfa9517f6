/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/version.c - one recorded version of a suite; contract in version.h.
 *
 * Runs in the host. The programs of a version are what the histories of its tests name.
 */
#include "regress/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire/version.h"

char *
burl_regress_bitcode_path(const struct burl_store *s, uint64_t hash)
{
    return burl_xasprintf("%s/regress/%016" PRIx64 ".bc", burl_store_dir(s), hash);
}

struct loader {
    struct burl_regress_version *v;
    BURL_VEC(int64_t) positions; /* of the tests, ascending */
    size_t at;                   /* the test of the last history */
};

static enum burl_status
add_test(void *arg, const struct burl_store_test *t, struct burl_err *err)
{
    struct loader *l = arg;
    struct burl_regress_test *test = BURL_VEC_ADD(&l->v->tests);

    (void)err;
    test->name = burl_xstrdup(t->name);
    test->state = (enum burl_store_test_state)t->state;
    test->why = t->why ? burl_xstrdup(t->why) : NULL;
    BURL_VEC_PUSH(&l->positions, t->ix);
    return BURL_OK;
}

/* Finds or inserts the program, ascending by key. */
static struct burl_regress_program *
program_of(struct burl_regress_version *v, const char *key)
{
    size_t i = v->programs.n;

    while (i > 0 && strcmp(v->programs.v[i - 1].key, key) > 0)
        i--;
    if (i > 0 && strcmp(v->programs.v[i - 1].key, key) == 0)
        return &v->programs.v[i - 1];
    BURL_VEC_RESERVE(&v->programs, 1);
    memmove(&v->programs.v[i + 1], &v->programs.v[i], (v->programs.n - i) * sizeof *v->programs.v);
    v->programs.v[i] = (struct burl_regress_program){ .key = burl_xstrdup(key) };
    v->programs.n++;
    return &v->programs.v[i];
}

/* The modules of the executable come first: its symbols hide those of shared objects, which are
 * initialized, and hence recorded, before it. */
static void
add_module(struct burl_regress_program *p, const struct burl_history_module *m)
{
    size_t at = 0;

    for (size_t i = 0; i < p->modules.n; i++) {
        if (p->modules.v[i].hash == m->hash)
            return;
        at += strcmp(p->modules.v[i].object, p->key) == 0;
    }
    if (strcmp(m->object, p->key) != 0)
        at = p->modules.n;
    BURL_VEC_RESERVE(&p->modules, 1);
    memmove(&p->modules.v[at + 1], &p->modules.v[at], (p->modules.n - at) * sizeof *p->modules.v);
    p->modules.v[at] = (struct burl_regress_module){ m->hash, m->n_sites, burl_xstrdup(m->name),
                                                     burl_xstrdup(m->object) };
    p->modules.n++;
}

static enum burl_status
add_history(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
            struct burl_err *err)
{
    struct loader *l = arg;
    struct burl_regress_test *t;
    struct burl_regress_program *p;
    struct burl_history h;
    enum burl_status st;

    while (l->at < l->positions.n && l->positions.v[l->at] < ix)
        l->at++;
    if (l->at == l->positions.n || l->positions.v[l->at] != ix)
        return burl_err_set(err, BURL_E_FORMAT, 0, "a history of %s belongs to no test", key);
    t = &l->v->tests.v[l->at];
    burl_history_init(&h);
    st = burl_history_read(&h, bytes, n, err);
    if (st != BURL_OK) {
        burl_history_deinit(&h);
        return burl_err_prefix(err, "the history of test %s is damaged", t->name);
    }
    p = program_of(l->v, key);
    for (size_t i = 0; i < h.modules.n; i++)
        add_module(p, &h.modules.v[i]);
    BURL_VEC_PUSH(&t->histories, h);
    return BURL_OK;
}

static enum burl_status
no_version(struct burl_store *s, const char *name, struct burl_err *err)
{
    char *names;
    enum burl_status st = burl_store_version_names(s, &names, err);

    if (st == BURL_OK && !*names)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no version is recorded in %s; run `burl regress record` first, with a "
                          "build of the version to compare with",
                          burl_store_dir(s));
    else if (st == BURL_OK)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "no version named %s is recorded in %s; there are: %s", name,
                          burl_store_dir(s), names);
    free(names);
    return st;
}

static enum burl_status
check_wire(const struct burl_store_version *row, struct burl_err *err)
{
    if (row->wire == BURL_WIRE_VERSION)
        return BURL_OK;
    return burl_err_set(
        err, BURL_E_FORMAT, 0,
        "another version of burl recorded the version %s (format %" PRId64
        ", this one reads %d); check it out, build it with this burl, and run `burl "
        "regress record --as=%s`",
        row->name, row->wire, BURL_WIRE_VERSION, row->name);
}

enum burl_status
burl_regress_version_load(struct burl_regress_version *v, struct burl_store *s, const char *name,
                          struct burl_err *err)
{
    struct loader l = { .v = v };
    struct burl_store_version row;
    bool found;
    enum burl_status st = burl_store_version_get(s, name, &found, &row, err);

    *v = (struct burl_regress_version){ 0 };
    if (st != BURL_OK || !found)
        return st == BURL_OK ? no_version(s, name, err) : st;
    v->id = row.id;
    v->name = burl_xstrdup(row.name);
    v->suite = burl_xstrdup(row.suite);
    st = check_wire(&row, err);
    burl_store_version_deinit(&row);
    if (st == BURL_OK)
        st = burl_store_tests_each(s, v->id, add_test, &l, err);
    if (st == BURL_OK)
        st = burl_store_histories_each(s, v->id, add_history, &l, err);
    BURL_VEC_FREE(&l.positions);
    if (st != BURL_OK)
        burl_regress_version_deinit(v);
    return st;
}

static void
free_program(struct burl_regress_program *p)
{
    for (size_t i = 0; i < p->modules.n; i++) {
        free(p->modules.v[i].name);
        free(p->modules.v[i].object);
    }
    BURL_VEC_FREE(&p->modules);
    free(p->key);
}

void
burl_regress_version_deinit(struct burl_regress_version *v)
{
    for (size_t i = 0; i < v->tests.n; i++) {
        struct burl_regress_test *t = &v->tests.v[i];

        for (size_t k = 0; k < t->histories.n; k++)
            burl_history_deinit(&t->histories.v[k]);
        BURL_VEC_FREE(&t->histories);
        free(t->name);
        free(t->why);
    }
    BURL_VEC_FREE(&v->tests);
    for (size_t i = 0; i < v->programs.n; i++)
        free_program(&v->programs.v[i]);
    BURL_VEC_FREE(&v->programs);
    free(v->name);
    free(v->suite);
    v->name = v->suite = NULL;
}
