/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h - what the test programs of the large objects share: the table of tests and a team of
 * threads.
 */
#ifndef SIMRT_TEAM_H
#define SIMRT_TEAM_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEAM_MAX 6
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct test {
    const char *name;
    void (*run)(void);
};

/* `PROGRAM NAME` runs one test, `PROGRAM --list` prints the names. */
static inline int
test_run(const struct test *tests, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(tests[i].name, name) == 0) {
            tests[i].run();
            return 0;
        }
    }
    fprintf(stderr, "there is no test %s\n", name);
    return 2;
}

static inline int
test_list(const struct test *tests, size_t n)
{
    for (size_t i = 0; i < n; i++)
        puts(tests[i].name);
    return 0;
}

struct team {
    pthread_t threads[TEAM_MAX];
    int n;
};

static inline void
team_start(struct team *t, void *(*routine)(void *), void *arg)
{
    int rc;

    assert(t->n < TEAM_MAX);
    rc = pthread_create(&t->threads[t->n], NULL, routine, arg);
    assert(rc == 0);
    t->n++;
}

static inline void
team_join(struct team *t)
{
    for (int i = 0; i < t->n; i++)
        pthread_join(t->threads[i], NULL);
    t->n = 0;
}

#endif
