/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite.h - the frame of the small suites: a table of tests, main(), and starting two threads.
 *
 * Included by each program of a suite. `./tests NAME` runs one test, `./tests --list` prints
 * the names. A test fails by assert().
 */
#ifndef SIMRT_SUITE_H
#define SIMRT_SUITE_H

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct suite_test {
    const char *name;
    void (*run)(void);
};

#define TEST(name)                                                                                 \
    {                                                                                              \
        #name, test_##name                                                                         \
    }

/* Runs both bodies in two threads and waits for them. */
static inline void
suite_run(void *(*first)(void *), void *a, void *(*second)(void *), void *b)
{
    pthread_t t1, t2;

    assert(pthread_create(&t1, NULL, first, a) == 0);
    assert(pthread_create(&t2, NULL, second, b) == 0);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}

static inline int
suite_main(int argc, char **argv, const struct suite_test *tests, size_t n)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < n; i++)
            puts(tests[i].name);
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < n; i++) {
        if (strcmp(argv[1], tests[i].name) == 0) {
            tests[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: %s NAME | --list\n", argv[0]);
    return 2;
}

#endif
