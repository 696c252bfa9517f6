/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/plan.c - from a suite and a recorded version to the tests to run; contract in plan.h.
 *
 * Runs in the host. Programs are analyzed side by side, each by a process of its own.
 */
#include "regress/plan.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "regress/align.h"
#include "regress/build.h"

/* An analysis may need a gigabyte. */
#define MAX_WORKERS 4

struct job {
    struct burl_regress_build build;
    const struct burl_regress_program *base;
    struct burl_regress_subject subject;
};

struct jobs {
    BURL_VEC_OF(struct job);
};

/* ---- programs ---------------------------------------------------------------------------- */

/* The first test that ran the program and is judged by that; NULL none. */
static struct burl_regress_test *
test_of(struct burl_regress_version *v, const char *key, size_t from)
{
    for (size_t i = from; i < v->tests.n; i++) {
        struct burl_regress_test *t = &v->tests.v[i];

        for (size_t k = 0; t->state != BURL_TEST_PENDING && k < t->histories.n; k++)
            if (strcmp(t->histories.v[k].program, key) == 0)
                return t;
    }
    return NULL;
}

/* Is the program the command of a test of the suite, and not one that a test starts? */
static bool
is_command(const struct burl_suite *suite, const char *key)
{
    bool yes = false;

    for (size_t i = 0; i < suite->tests.n && !yes; i++) {
        const struct burl_suite_test *t = &suite->tests.v[i];
        char *path, *its;

        if (!t->argv[0] || !strchr(t->argv[0], '/'))
            continue;
        path = burl_path_join(t->dir, t->argv[0]);
        its = burl_suite_program_key(suite, path);
        yes = strcmp(its, key) == 0;
        free(its);
        free(path);
    }
    return yes;
}

/* A program that is gone and is not the command of a test, such as one that the test itself builds,
 * or a tool that its script no longer starts: its tests cannot be judged. */
static void
give_up_tests(struct burl_regress_version *v, const char *key, const char *path)
{
    struct burl_regress_test *t;

    while ((t = test_of(v, key, 0)) != NULL) {
        t->state = BURL_TEST_PENDING;
        free(t->why);
        t->why = burl_xasprintf("%s, which it ran, does not exist", path);
    }
}

static void
add_job(struct jobs *jobs, const struct burl_regress_build *b,
        const struct burl_regress_program *base)
{
    struct job *j = BURL_VEC_ADD(jobs);

    j->build = *b;
    j->base = base;
    j->subject.key = burl_xstrdup(base->key);
    j->subject.path = burl_xstrdup(b->path);
    burl_sp_init(&j->subject.target);
    burl_changes_init(&j->subject.changes);
}

static enum burl_status
find_programs(struct burl_regress_plan *p, const struct burl_suite *suite, struct jobs *jobs,
              struct burl_err *err)
{
    for (size_t i = 0; i < p->base.programs.n; i++) {
        const struct burl_regress_program *base = &p->base.programs.v[i];
        const struct burl_regress_test *t = test_of(&p->base, base->key, 0);
        struct burl_regress_build b;
        char *path;

        if (!t)
            continue;
        path = burl_suite_program_path(suite, base->key);
        if (access(path, F_OK) != 0 && (base->key[0] == '/' || !is_command(suite, base->key))) {
            give_up_tests(&p->base, base->key, path);
            free(path);
            continue;
        }
        free(path);
        if (burl_regress_build_open(&b, suite, base, err) != BURL_OK)
            return burl_err_prefix(err, "test %s", t->name);
        p->n_programs++;
        if (burl_regress_build_is_base(&b, base)) {
            p->n_unchanged++;
            burl_regress_build_close(&b);
        } else {
            add_job(jobs, &b, base);
        }
    }
    return BURL_OK;
}

/* ---- analysis ---------------------------------------------------------------------------- */

struct team {
    struct jobs *jobs;
    const struct burl_regress_plan_opts *opts;
    size_t next;
    pthread_mutex_t lock;
};

static void *
analyze(void *arg)
{
    struct team *t = arg;

    for (;;) {
        struct job *j;

        pthread_mutex_lock(&t->lock);
        if (t->next == t->jobs->n) {
            pthread_mutex_unlock(&t->lock);
            return NULL;
        }
        j = &t->jobs->v[t->next++];
        if (t->opts->analyzing)
            t->opts->analyzing(t->opts->arg, j->subject.key, t->next - 1, t->jobs->n);
        pthread_mutex_unlock(&t->lock);
        burl_regress_build_analyze(&j->build, j->base, t->opts->store, &j->subject);
    }
}

static void
analyze_all(struct jobs *jobs, const struct burl_regress_plan_opts *opts)
{
    struct team t = { .jobs = jobs, .opts = opts, .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[MAX_WORKERS];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = 0;

    while (n + 1 < jobs->n && n + 1 < MAX_WORKERS && (long)n + 1 < cpus &&
           pthread_create(&threads[n], NULL, analyze, &t) == 0)
        n++;
    (void)analyze(&t);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    pthread_mutex_destroy(&t.lock);
}

/* ---- all of it --------------------------------------------------------------------------- */

static void
add_notes(struct burl_regress_plan *p, const struct burl_regress_subject *x)
{
    for (size_t i = 0; i < x->changes.notes.n; i++) {
        char *note = burl_xasprintf("%s: %s", x->key, x->changes.notes.v[i]);
        bool known = false;

        for (size_t k = 0; k < p->notes.n && !known; k++)
            known = strcmp(p->notes.v[k], note) == 0;
        if (known)
            free(note);
        else
            BURL_VEC_PUSH(&p->notes, note);
    }
}

static void
take_subjects(struct burl_regress_plan *p, struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *j = &jobs->v[i];

        j->subject.sites = j->build.sites;
        j->build.sites = NULL;
        burl_regress_build_close(&j->build);
        add_notes(p, &j->subject);
        BURL_VEC_PUSH(&p->selection.subjects, j->subject);
    }
    BURL_VEC_FREE(jobs);
}

enum burl_status
burl_regress_plan(struct burl_regress_plan *p, const struct burl_regress_plan_opts *opts,
                  struct burl_err *err)
{
    struct jobs jobs = { 0 };
    enum burl_status st;

    memset(p, 0, sizeof *p);
    st = burl_regress_version_load(&p->base, opts->store, opts->base, err);
    if (st != BURL_OK) {
        memset(p, 0, sizeof *p);
        return st;
    }
    p->selection.base = &p->base;
    st = burl_regress_align_only(opts->suite, opts->only, err);
    if (st == BURL_OK)
        st = burl_regress_align(&p->base, opts->store, opts->suite, err);
    if (st == BURL_OK)
        st = find_programs(p, opts->suite, &jobs, err);
    if (st == BURL_OK)
        analyze_all(&jobs, opts);
    take_subjects(p, &jobs);
    if (st == BURL_OK)
        burl_regress_select(&p->selection, &opts->rules);
    else
        burl_regress_plan_deinit(p);
    return st;
}

void
burl_regress_plan_deinit(struct burl_regress_plan *p)
{
    burl_regress_selection_deinit(&p->selection);
    burl_regress_version_deinit(&p->base);
    for (size_t i = 0; i < p->notes.n; i++)
        free(p->notes.v[i]);
    BURL_VEC_FREE(&p->notes);
    memset(p, 0, sizeof *p);
}
