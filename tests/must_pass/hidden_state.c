/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=300
 * BURL-WHY: The reentrant functions keep nothing, rand has a lock of its own, different functions
 *   have different memory, and a lock of the program's own is as good.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void
split(void)
{
    char line[] = "one two";
    char *rest;

    strtok_r(line, " ", &rest);
    assert(strtok_r(NULL, " ", &rest) == line + 4);
    pthread_mutex_lock(&guard);
    strtok(line, " ");
    assert(strtok(NULL, " ") == NULL);
    pthread_mutex_unlock(&guard);
}

static void *
work(void *arg)
{
    const time_t then = 1000000000;
    struct tm t;
    int year;

    split();
    assert(gmtime_r(&then, &t) == &t && t.tm_year == 101);
    assert(rand() >= 0 && getenv("HOME") != NULL);
    if (arg) {
        year = localtime(&then)->tm_year; /* no other call asks for the time so */
        assert(year == 101);
    } else {
        assert(drand48() < 1.0);
    }
    return NULL;
}

int
main(void)
{
    pthread_t a, b;

    setenv("HOME", "/", 1);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &guard);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unsetenv("HOME");
    return 0;
}
